"""The embedded DuckDB: one instance per statement, in memory and locked down, run in a thread of its own."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from rocklake_server.adhoc.engine_errors import engine_error
from rocklake_server.adhoc.slots import Slots
from rocklake_server.adhoc.values import from_arrow
from rocklake_server.catalog.view import Row
from rocklake_server.errors import CatalogError, QueryCanceled
from rocklake_server.limits import ENGINE_MEMORY_BYTES_MAX, ENGINE_RUN_S_MAX, ENGINE_STATEMENTS_MAX
from rocklake_server.schema.types import ColumnType

BATCH_ROWS = 1024
"""Rows that the engine gives at a time."""

INTERRUPT_S = 0.02
"""How often a statement that was cancelled is told so, until it has noticed."""

CONFIGURATION: dict[str, str | bool | int | float | list[str]] = {
    "enable_external_access": "false",
    "autoload_known_extensions": "false",
    "autoinstall_known_extensions": "false",
    "allow_community_extensions": "false",
    "python_enable_replacements": "false",
    "memory_limit": f"{ENGINE_MEMORY_BYTES_MAX // 2**20}MiB",
    "max_temp_directory_size": "0B",
    "temp_directory": "",
    "threads": "1",
    "preserve_insertion_order": "true",
}
"""No file, no network, no extension, no variable of Python."""

_AFTER_OPENING = (
    "SET enable_progress_bar = false", "SET disabled_filesystems = 'LocalFileSystem'", "SET lock_configuration = true",
)  # fmt: skip

T = TypeVar("T")
Prepare = Callable[[Any], None]

_slots = Slots()
_threads = ThreadPoolExecutor(ENGINE_STATEMENTS_MAX + 1, thread_name_prefix="engine")


def _retrieved(future: asyncio.Future[Any]) -> None:
    """What a thread raises after its statement was cancelled is nobody's."""
    if not future.cancelled():
        future.exception()


def _load() -> None:
    import duckdb
    import pyarrow

    assert duckdb
    assert pyarrow


async def load() -> None:
    """Import the engine, outside of the event loop."""
    if "duckdb" not in sys.modules or "pyarrow" not in sys.modules:
        await asyncio.get_running_loop().run_in_executor(_threads, _load)


class EngineRows:
    """The rows of one statement. ``close`` has to be called; it may be called from anywhere, more than once."""

    def __init__(self, kinds: Sequence[ColumnType]) -> None:
        self._kinds = kinds
        self._connection: Any = None
        self._reader: Any = None
        self._left: Sequence[Row] = ()
        self._finished = False
        self._closed = False
        self._busy: asyncio.Future[Any] | None = None
        self.interrupted = False
        self.problem: CatalogError | None = None
        """What a function of the statement raised."""

    @classmethod
    async def opened(cls, text: str, parameters: Mapping[str, Any], kinds: Sequence[ColumnType],
                     tables: Mapping[str, Any], prepare: Callable[[EngineRows, Any], None]) -> EngineRows:
        """Start ``text`` over ``tables``; ``prepare`` adds functions to the connection. Raises what the statement
        raises before its first row."""
        await _slots.acquire()
        rows = cls(kinds)
        try:
            await rows._in_thread(lambda: rows._start(text, parameters, tables, prepare))
        except BaseException:
            rows.close()
            raise
        return rows

    async def take(self, count: int | None) -> Sequence[Row]:
        """The next rows, at most ``count``; none after the last one. Raises what computing them raises."""
        while not self._left and not self._finished:
            self._left = await self._in_thread(self._next)
        rows = self._left if count is None else self._left[:count]
        self._left = self._left[len(rows):]
        return rows

    def close(self) -> None:
        """Give the engine back; a thread that still computes is interrupted, and not waited for."""
        if self._closed:
            return
        self._closed = True
        busy = self._busy
        if busy is None or busy.done():
            self._drop()
        else:
            self._interrupt(busy)
            busy.add_done_callback(lambda _future: self._drop())

    # -- in the event loop --------------------------------------------------------------------------------------------

    async def _in_thread(self, compute: Callable[[], T]) -> T:
        self._busy = future = asyncio.get_running_loop().run_in_executor(_threads, compute)
        future.add_done_callback(_retrieved)
        try:
            async with asyncio.timeout(ENGINE_RUN_S_MAX):
                return await asyncio.shield(future)
        except TimeoutError:
            self.close()
            raise QueryCanceled(
                f"canceling statement that ran for more than {ENGINE_RUN_S_MAX} s in the embedded engine") from None
        except asyncio.CancelledError:
            self.close()
            raise

    def _interrupt(self, busy: asyncio.Future[Any]) -> None:
        if busy.done():
            return
        self.interrupted = True
        if self._connection is not None:
            self._connection.interrupt()
        asyncio.get_running_loop().call_later(INTERRUPT_S, self._interrupt, busy)

    def _drop(self) -> None:
        connection, self._connection, self._reader = self._connection, None, None
        self._left = ()

        def drop() -> None:
            try:
                if connection is not None:
                    connection.close()
            finally:
                _slots.release()

        _threads.submit(drop)

    # -- in a thread --------------------------------------------------------------------------------------------------

    def _start(self, text: str, parameters: Mapping[str, Any], tables: Mapping[str, Any],
               prepare: Callable[[EngineRows, Any], None]) -> None:
        import duckdb

        try:
            self._connection = connection = duckdb.connect(":memory:", config=CONFIGURATION)
            for name, table in tables.items():
                connection.register(name, table)
            prepare(self, connection)
            for statement in _AFTER_OPENING:
                connection.execute(statement)
            if self.interrupted:
                return
            connection.execute(text, dict(parameters))
            self._reader = connection.to_arrow_reader(BATCH_ROWS)
        except duckdb.Error as error:
            raise self.problem or engine_error(error) from error

    def _next(self) -> Sequence[Row]:
        import duckdb
        import pyarrow as pa

        try:
            while True:
                batch = self._reader.read_next_batch()
                if batch.num_rows:
                    columns = [from_arrow(array, kind) for array, kind in zip(batch.columns, self._kinds, strict=True)]
                    return list(zip(*columns, strict=True))
        except StopIteration:
            self._finished = True
            return ()
        except (duckdb.Error, pa.ArrowException, OSError) as error:
            raise self.problem or engine_error(error) from error
