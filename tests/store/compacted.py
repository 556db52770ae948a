"""Compacts a database completely, and removes every file that it does not need any more: what SlateDB does in time."""

from __future__ import annotations

import asyncio
import time

from slatedb.uniffi import (
    AdminBuilder,
    CompactionSpec,
    GarbageCollectorDirectoryOptions,
    GarbageCollectorOptions,
    SourceId,
)

from rocklake_server.store.object_stores import StoreLocation, build_object_store
from rocklake_server.store.slate import open_slate_store
from rocklake_server.store.slate_settings import SlateSettings

SECONDS_MAX = 30
_EAGER = SlateSettings(overrides={
    "compactor_options.poll_interval": "50ms",
    "compactor_options.commit_compacted_interval": "50ms",
    "compactor_options.worker.compactions_poll_interval": "50ms",
})  # fmt: skip


async def compact_fully(location: StoreLocation) -> None:
    """Nobody has it open."""
    await (await open_slate_store(location)).close()  # what the log or the journal has is in tables then
    admin = AdminBuilder(location.path, build_object_store(location)).build()
    store = await open_slate_store(location, _EAGER)
    try:
        manifest = await admin.read_manifest(None)
        runs = [run.id for run in manifest.compacted]
        sources = [SourceId.SST_VIEW(view.id) for view in manifest.l0] + [SourceId.SORTED_RUN(run) for run in runs]
        tables = {view.sst.id.value for view in manifest.l0}
        tables |= {view.sst.id.value for run in manifest.compacted for view in run.sst_views}
        await admin.submit_compaction(CompactionSpec.TIERED(b"", sources, min(runs, default=0)))
        end = time.monotonic() + SECONDS_MAX
        while await _tables(admin) & tables:
            assert time.monotonic() < end, "the compaction does not end"
            await asyncio.sleep(0.05)
    finally:
        await store.close()
    for checkpoint in await admin.list_checkpoints(None):
        await admin.delete_checkpoint(checkpoint.id)
    at_once = GarbageCollectorDirectoryOptions(interval_ms=None, min_age_ms=0, dry_run=False)
    await admin.run_gc_once(GarbageCollectorOptions(
        manifest_options=at_once, wal_options=at_once, compacted_options=at_once, compactions_options=at_once,
        disable_boundary_files=True,
    ))  # fmt: skip


async def _tables(admin: object) -> set[str]:
    manifest = await admin.read_manifest(None)  # type: ignore[attr-defined]
    runs = {view.sst.id.value for run in manifest.compacted for view in run.sst_views}
    return runs | {view.sst.id.value for view in manifest.l0}
