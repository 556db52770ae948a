"""Opening the lake that a command names."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

from rocklake_server.catalog.lake_reader import CatalogReader, LakeReader, ListedLake
from rocklake_server.cli.options import location_of
from rocklake_server.errors import CatalogError
from rocklake_server.store.slate_settings import SlateSettings

_COMPLETION_TIMEOUT_S = 2.0


@asynccontextmanager
async def opened_catalog(store: str, *, pin: bool = False, patient: bool = False) -> AsyncIterator[CatalogReader]:
    """The lakes of a store, for reading; ``patient`` hands encrypted values that do not open on as they are, for
    decoders to tell. Raises what ``CatalogReader.open`` raises."""
    location = location_of(store)
    if patient and location.keyring is not None:
        location = replace(location, keyring=location.keyring.patient())
    async with await CatalogReader.open(location, pin=pin) as catalog:
        yield catalog


@asynccontextmanager
async def opened_lake(store: str, lake: str | None, *, pin: bool = False) -> AsyncIterator[LakeReader]:
    """The lake that is named, or the only one, for reading."""
    async with opened_catalog(store, pin=pin) as catalog:
        yield await catalog.lake(chosen(catalog, lake))


def chosen(catalog: CatalogReader, lake: str | None) -> ListedLake:
    """Raises UndefinedDatabase; InvalidParameterValue when none is named and there are several."""
    return catalog.choose(lake)


def lake_names(store: str) -> list[str]:
    """For shell completion: whatever is wrong, there is nothing to complete."""

    async def read() -> list[str]:
        settings = SlateSettings(open_timeout_s=_COMPLETION_TIMEOUT_S)
        async with await CatalogReader.open(location_of(store), settings) as catalog:
            return [str(lake) for lake in catalog.lakes]

    try:
        return asyncio.run(read())
    except CatalogError:
        return []
