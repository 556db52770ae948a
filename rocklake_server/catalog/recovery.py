"""Keeping stores usable when nobody writes: a handle that an outage cost is opened again once the store is back."""

from __future__ import annotations

import asyncio
import logging
import random

from rocklake_server.catalog.commit import Committer
from rocklake_server.catalog.databases import Databases
from rocklake_server.errors import CatalogError

logger = logging.getLogger(__name__)

LOOK_INTERVAL_S = 0.5
LOOK_INTERVAL_MAX_S = 4.0
"""Between two attempts while the store stays away."""

OPENINGS_AT_ONCE = 8


async def keep_usable(databases: Databases) -> None:
    """Runs until it is cancelled, or another server owns the stores; then they are closed."""
    interval_s = LOOK_INTERVAL_S
    while not databases.ownership.is_lost:
        await asyncio.sleep(interval_s * random.uniform(0.5, 1.0))
        try:
            await databases.ownership.wait()
        except CatalogError:
            continue  # opening anything has to wait for the lease
        try:
            await recover(databases)
        except Exception:
            logger.exception("recovering the stores failed")
        interval_s = min(2 * interval_s, LOOK_INTERVAL_MAX_S) if _is_in_need(databases) else LOOK_INTERVAL_S
    await databases.close_stores()


async def recover(databases: Databases) -> None:
    """One attempt at each store that needs it."""
    if databases.directory.needs_recovery:
        try:
            await databases.directory.recover()
        except CatalogError as error:
            logger.warning("the system store cannot be opened again yet: %s", error)
    limit = asyncio.Semaphore(OPENINGS_AT_ONCE)

    async def recover_one(committer: Committer) -> None:
        async with limit:
            await committer.recover()

    await asyncio.gather(*(recover_one(opened.committer) for opened in databases.open_lakes()))


def _is_in_need(databases: Databases) -> bool:
    return databases.directory.needs_recovery or any(
        opened.lake.store.needs_reopen and not opened.lake.taken_over for opened in databases.open_lakes()
    )


async def open_every_lake(databases: Databases) -> None:
    """After a takeover: each lake's earlier writer is fenced now instead of when the lake is next used. A lake that
    cannot be opened is logged."""
    limit = asyncio.Semaphore(OPENINGS_AT_ONCE)

    async def open_one(database: str) -> None:
        async with limit:
            try:
                await databases.lakes_of(database)
            except CatalogError as error:
                logger.warning('the lakes of database "%s" cannot be opened yet: %s', database, error)

    await asyncio.gather(*map(open_one, databases.directory.databases()))
