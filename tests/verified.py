"""Holds what a server left behind against every check of ``rocklake verify``."""

from __future__ import annotations

import asyncio

from rocklake_server.catalog.lake_reader import CatalogReader, ListedLake
from rocklake_server.catalog.listing import Place
from rocklake_server.catalog.maintenance import checks
from rocklake_server.catalog.maintenance.checks import Severity
from rocklake_server.catalog.maintenance.verify import verify_lake
from rocklake_server.store.base import Store
from rocklake_server.store.object_stores import parse_store_url

OF_THE_ENGINE = frozenset({
    checks.UNKNOWN_KEYS, checks.KEY_ENCODING, checks.VALUE_ENVELOPE, checks.VALUE_MESSAGE, checks.KEY_MATCHES_ROW,
    checks.DEFINITIONS, checks.NOT_NULL, checks.PRIMARY_KEYS, checks.ROW_NUMBERS, checks.NEXT_ROW, checks.NEXT_RELATION,
    checks.COUNTERS, checks.COMMIT_SEQUENCE, checks.RETIRED_ROWS, checks.INDEXES,
})  # fmt: skip
"""Checks that hold whatever a client writes; the others are DuckLake's side of the contract."""


def damage_in(store: str) -> list[str]:
    """One line for each finding that is damage, in all lakes of the store."""

    async def verify() -> list[str]:
        lines: list[str] = []
        async with await CatalogReader.open(parse_store_url(store, {})) as catalog:
            for listed in catalog.lakes:
                report = (await verify_lake(listed, await catalog.snapshot(listed))).report
                lines += [
                    f"{finding.lake}: {finding.check.name}: {finding.what}"
                    for finding in report.findings()
                    if finding.check.severity is Severity.DAMAGE
                ]
        return lines

    return asyncio.run(verify())


async def engine_damage_in(store: Store) -> list[str]:
    """One line for each finding in a lake's store that is the engine's own."""
    report = (await verify_lake(ListedLake("lake", "public", Place(1, 0)), await store.snapshot())).report
    return [f"{found.check.name}: {found.what}" for found in report.findings() if found.check in OF_THE_ENGINE]
