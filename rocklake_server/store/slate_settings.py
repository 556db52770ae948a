"""SlateDB's settings as this server uses them. Keys are checked here: SlateDB accepts unknown ones silently."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from slatedb.uniffi import Error, Settings

from rocklake_server.errors import InvalidParameterValue

MIB = 1024 * 1024
RUNTIME_THREADS_VARIABLE = "SLATEDB_UNIFFI_RUNTIME_THREADS"


@dataclass(frozen=True, slots=True)
class SlateSettings:
    """What an operator or a test may want to change about one SlateDB database."""

    open_timeout_s: float = 10.0
    """Opening fails with StoreUnavailable after this time."""
    close_timeout_s: float = 30.0
    """Closing gives up on the last memtable flush after this time; the log already has everything."""
    abandon_timeout_s: float = 5.0
    """As ``close_timeout_s``, for a handle that has failed: there is nothing left to flush."""
    write_timeout_s: float = 30.0
    """After this time the outcome of a write counts as unknown, and the database is opened again."""
    read_timeout_s: float = 60.0
    """One get, or one batch of a scan, fails with StoreUnavailable after this time."""
    object_store_max_retries: int = 2
    """Retries of SlateDB on top of the object store client's own ten; then the handle is lost."""
    l0_sst_size_bytes: int = 8 * MIB
    block_cache_bytes: int = 64 * MIB
    scan_read_ahead_bytes: int = 4 * MIB
    scan_fetch_tasks: int = 4
    scan_batch_rows: int = 1000
    unflushed_writes_max: int = 1000
    """Writes between two memtable flushes, which bound how many log files or journal records a restart reads."""
    journal_bytes_max: int = 8 * MIB
    """On a local folder the redo journal is flushed to tables at this size too."""
    overrides: Mapping[str, object] = field(default_factory=dict)
    """More SlateDB settings by dotted key, with JSON values."""


def use_runtime_threads(count: int = 1) -> None:
    """Sizes SlateDB's thread pool, which the process's first call into it creates; a set variable wins."""
    os.environ.setdefault(RUNTIME_THREADS_VARIABLE, str(count))


def _chosen(settings: SlateSettings, *, is_local: bool) -> dict[str, object]:
    chosen: dict[str, object] = {
        "flush_interval": "1s",  # a safety net: every write flushes explicitly
        "manifest_poll_interval": "5s",  # an owner learns of another one by its writes and its lease
        "min_filter_keys": 1,  # catalogs are small; without this their tables have no bloom filter
        "compactor_options.worker.min_filter_keys": 1,
        "l0_sst_size_bytes": settings.l0_sst_size_bytes,
        "max_unflushed_bytes": max(256 * MIB, 4 * settings.l0_sst_size_bytes),
        "object_store_max_retries": settings.object_store_max_retries,
        "compactor_options.object_store_max_retries": settings.object_store_max_retries,
        "garbage_collector_options.object_store_max_retries": settings.object_store_max_retries,
    }
    if is_local:
        chosen["wal_enabled"] = False  # the redo journal is the log
        # Boundary files need a conditional overwrite, which local folders lack.
        chosen["garbage_collector_options.boundary_files_enabled"] = False
    return {**chosen, **settings.overrides}


def _knows(defaults: Any, dotted_key: str) -> bool:
    for name in dotted_key.split("."):
        if not isinstance(defaults, dict) or name not in defaults:
            return False
        defaults = defaults[name]
    return True


def native_settings(settings: SlateSettings, *, is_local: bool) -> Any:
    """SlateDB's Settings object. Raises InvalidParameterValue for a key or value that SlateDB refuses."""
    native = Settings.default()
    defaults = json.loads(native.to_json_string())
    for key, value in _chosen(settings, is_local=is_local).items():
        if not _knows(defaults, key):
            raise InvalidParameterValue(f'SlateDB has no setting "{key}"')
        try:
            native.set(key, json.dumps(value))
        except Error as problem:
            raise InvalidParameterValue(f'SlateDB does not accept this value of setting "{key}"') from problem
    return native
