"""A whole lake's store that fails after so many writes, and commits without a server on it."""

from __future__ import annotations

from rocklake_server.catalog.lake_reader import LakeReader
from rocklake_server.catalog.retention.offline_commits import OfflineCommits
from rocklake_server.errors import StoreUnavailable
from rocklake_server.schema.system_subspaces import COUNTERS, RETIRED_ROWS
from rocklake_server.store.base import Key, Prefix, Store, StoreSnapshot, WriteBatch
from rocklake_server.store.ownership import UNDISPUTED
from tests.catalog.maintenance.whole_lake import LISTED


class FailingStore:
    """Fails instead of making a write after the first ``writes``."""

    def __init__(self, store: Store, writes: int) -> None:
        self._store = store
        self.left = writes

    async def snapshot(self) -> StoreSnapshot:
        return await self._store.snapshot()

    async def write(self, batch: WriteBatch) -> None:
        if not self.left:
            raise StoreUnavailable("the store fails, as the test says")
        self.left -= 1
        await self._store.write(batch)


async def lake_of(store: Store) -> LakeReader:
    return await LakeReader.over(LISTED, await store.snapshot())


def commits_of(
    store: Store | FailingStore, lake: LakeReader, command: str = "test", now_us: int = 7
) -> OfflineCommits:
    return OfflineCommits(store, UNDISPUTED, lake, command=command, who="the test", now_us=now_us)


async def contents(store: Store) -> dict[Key, bytes]:
    """Rows and index entries, without what retired rows and system keys say about how they came to be."""
    snapshot = await store.snapshot()
    return {
        key: value async for entries in snapshot.scan(Prefix(b"")) for key, value in entries
        if key[0] < COUNTERS and key[0] != RETIRED_ROWS
    }  # fmt: skip
