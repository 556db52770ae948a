"""Holds what a server left behind against every check of ``rocklake verify``."""

from __future__ import annotations

import asyncio

from rocklake_server.catalog.lake_reader import CatalogReader
from rocklake_server.catalog.maintenance.checks import Severity
from rocklake_server.catalog.maintenance.verify import verify_lake
from rocklake_server.store.object_stores import parse_store_url


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
