"""A full compaction: one sorted run, without what was deleted, and no object beside it that is not needed any more.

SlateDB gets there in time by itself; this is for those who have to know that removed bytes are gone.
"""

from __future__ import annotations

import asyncio
from typing import Any

from slatedb.uniffi import (
    AdminBuilder,
    CompactionSpec,
    CompactionStatus,
    GarbageCollectorDirectoryOptions,
    GarbageCollectorOptions,
    SourceId,
)

from rocklake_server.errors import StoreUnavailable
from rocklake_server.store.checkpoints import is_ours
from rocklake_server.store.object_stores import StoreLocation, build_object_store
from rocklake_server.store.ownership import UNDISPUTED, Ownership
from rocklake_server.store.slate import open_slate_store
from rocklake_server.store.slate_errors import NATIVE_ERRORS, read_error
from rocklake_server.store.slate_settings import SlateSettings

POLL_S = 0.05
_ATTEMPTS_MAX = 10
"""SlateDB's own compactor may be at work on the same tables: then ours is refused, and is submitted again."""
_EAGER = SlateSettings(overrides={
    "compactor_options.poll_interval": "50ms",
    "compactor_options.commit_compacted_interval": "50ms",
    "compactor_options.worker.compactions_poll_interval": "50ms",
})  # fmt: skip
_ACTIVE = (CompactionStatus.SUBMITTED, CompactionStatus.SCHEDULED, CompactionStatus.RUNNING)


async def compact_fully(location: StoreLocation, ownership: Ownership = UNDISPUTED) -> None:
    """Of the database at ``location``, which is closed and has no checkpoint of ours. SlateDB keeps what it last knew
    somebody to read: versions that the newest write but one still showed may stay. Readers without a checkpoint may
    find their tables gone. Raises StoreUnavailable, CannotConnectNow, CorruptValue; may be repeated."""
    admin = AdminBuilder(location.path, build_object_store(location)).build()
    store = await open_slate_store(location, _EAGER, ownership)
    try:
        await _compact(admin, location, ownership)
    except NATIVE_ERRORS as error:
        raise read_error(error, location) from None
    finally:
        await store.close()
    try:
        for checkpoint in await admin.list_checkpoints(None):
            if not is_ours(checkpoint):
                await admin.delete_checkpoint(checkpoint.id)
        await admin.run_gc_once(_everything(location))
    except NATIVE_ERRORS as error:
        raise read_error(error, location) from None


async def _compact(admin: Any, location: StoreLocation, ownership: Ownership) -> None:
    """Returns when no table is used that was before."""
    before, attempts = _tables(await admin.read_manifest(None)), 0
    submitted: str | None = None
    while _tables(manifest := await admin.read_manifest(None)) & before:
        ownership.require()
        if submitted is None or not await _is_active(admin, submitted):
            attempts += 1
            if attempts > _ATTEMPTS_MAX:
                raise StoreUnavailable(f'store "{location}": its tables could not be compacted')
            submitted = (await admin.submit_compaction(_all_of(manifest))).id
        await asyncio.sleep(POLL_S)


async def _is_active(admin: Any, compaction_id: str) -> bool:
    found = await admin.read_compaction(compaction_id, None)
    return found is not None and found.status in (*_ACTIVE, CompactionStatus.COMPACTED)


def _all_of(manifest: Any) -> Any:
    runs = [run.id for run in manifest.compacted]
    sources = [SourceId.SST_VIEW(view.id) for view in manifest.l0] + [SourceId.SORTED_RUN(run) for run in runs]
    return CompactionSpec.TIERED(b"", sources, min(runs, default=0))


def _tables(manifest: Any) -> set[str]:
    runs = {view.sst.id.value for run in manifest.compacted for view in run.sst_views}
    return runs | {view.sst.id.value for view in manifest.l0}


def _everything(location: StoreLocation) -> Any:
    at_once = GarbageCollectorDirectoryOptions(interval_ms=None, min_age_ms=0, dry_run=False)
    return GarbageCollectorOptions(
        manifest_options=at_once, wal_options=at_once, compacted_options=at_once, compactions_options=at_once,
        disable_boundary_files=location.folder is not None,
    )
