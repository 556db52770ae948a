"""The lakes of a store, each with what its system keys say."""

from __future__ import annotations

from collections.abc import AsyncIterator

from rocklake_server.catalog.lake_reader import CatalogReader, ListedLake
from rocklake_server.catalog.maintenance.snapshots import newest_snapshot, retain_from
from rocklake_server.errors import CatalogError


async def lake_facts(catalog: CatalogReader) -> AsyncIterator[dict[str, object]]:
    """One record for each lake, oldest first. A lake that cannot be read has a problem instead of numbers."""
    for listed in catalog.lakes:
        facts: dict[str, object] = {
            "lake": str(listed), "database": listed.database, "schema": listed.schema, "number": listed.place.number,
        }
        try:
            facts |= await _numbers(catalog, listed)
        except CatalogError as error:
            facts["problem"] = str(error)
        yield facts


async def _numbers(catalog: CatalogReader, listed: ListedLake) -> dict[str, object]:
    reader = await catalog.lake(listed)
    state = reader.state
    return {
        "format_version": state.format_version,
        "commit_sequence": state.sequence,
        "writer_epoch": state.writer_epoch,
        "relations": len(state.relations),
        "newest_snapshot": await newest_snapshot(reader),
        "retain_from": await retain_from(reader),
        "stored_bytes": state.stored_bytes,
    }
