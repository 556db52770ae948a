"""A server whose lake has something of everything, on a loop of its own, with an hour behind it by its clock."""

from __future__ import annotations

import asyncio
import random
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from benchmarks.statements import ddl
from rocklake_server.config import Listen
from rocklake_server.server.admin.port import AdminPort
from tests.server.admin.watched_engine import WatchedEngine
from tests.session.conversation import Conversation

T = TypeVar("T")
MIB = 1 << 20
MINUTE_US = 60_000_000
START_US = 849_182_000_000_000
"""A morning in November 2026."""

TABLES = {
    "orders": (48, (90 * MIB, 510 * MIB)),
    "order_items": (122, (100 * MIB, 560 * MIB)),
    "clicks": (640, (4_000, 3_900_000)),
    "sensor_readings": (210, (2 * MIB, 30 * MIB)),
    "customers": (9, (20 * MIB, 160 * MIB)),
    "countries": (1, (9_000, 9_001)),
}
"""Tables by name: how many files, and between which sizes."""

SNAPSHOTS = 45
PEOPLE = (("nightly load", "daily import"), ("ann", "new partners"), ("streaming", None), (None, None))
CHANGES = (
    "inserted_into_table:1,inserted_into_table:2", "inlined_insert:6", "deleted_from_table:3", "inserted_into_table:3",
    "altered_table:5", "inserted_into_table:4", "merge_adjacent:4", 'created_view:"main"."recent_orders"',
)  # fmt: skip
HIDDEN = "<img src=x onerror=alert(1)>"
"""Names and messages are texts, whatever they hold."""


class FilledServer:
    """Started and stopped by ``filled_server``. ``port`` is its admin port."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.engine = WatchedEngine()
        self.engine.clock.value_us = START_US
        self.admin = AdminPort()
        self.port = 0
        self._thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self._client: Conversation | None = None

    def start(self) -> None:
        self._thread.start()
        self.do(self._start())

    def stop(self) -> None:
        self.do(self._stop())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join()
        self.loop.close()

    def do(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(60)

    def run(self, *texts: str) -> None:
        """Statements of a client that must succeed; then everything is looked at."""
        self.do(self._run(*texts))

    def rows(self, text: str) -> list[str]:
        assert self._client is not None
        return self.do(self._client.rows(text))

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/console/"

    async def _start(self) -> None:
        await self.engine.start()
        self.port = (await self.admin.start(Listen("127.0.0.1", 0))).port
        self._client = await self.engine.client()
        self.admin.observed = self.engine.observed
        await self._fill(random.Random(3))
        for name in ("duckdb", "dashboard"):
            other = await self.engine.client()
            await other.run(f"SET application_name = '{name}'")
        await other.run("BEGIN", "SELECT count(*) FROM ducklake_table")
        await self.engine.surveyor.settled()

    async def _stop(self) -> None:
        await self.admin.close()
        await self.engine.stop()

    async def _run(self, *texts: str) -> None:
        assert self._client is not None
        await self._client.run(*texts)
        await self.engine.surveyor.settled()

    async def _fill(self, rng: random.Random) -> None:
        """As DuckLake would leave it."""
        await self._run(*ddl(), "INSERT INTO ducklake_schema VALUES (0, NULL, 0, NULL, 'main', 'main/', true)")
        for table_id, name in enumerate(TABLES, 1):
            await self._run(*_table(rng, table_id, name))
        await self._run(
            "CREATE TABLE ducklake_inlined_data_6_1 "
            "(row_id bigint, begin_snapshot bigint, end_snapshot bigint, a bigint)",
            "INSERT INTO ducklake_inlined_data_6_1 VALUES (0, 1, NULL, 1), (1, 1, NULL, 2)",
        )
        for number in range(SNAPSHOTS):
            self.engine.clock.value_us += rng.randrange(1, 3) * MINUTE_US
            who, why = (HIDDEN, HIDDEN) if number == SNAPSHOTS - 16 else rng.choice(PEOPLE)
            changes = rng.choice(CHANGES) if number else 'created_schema:"main"'
            await self._run(
                f"BEGIN; INSERT INTO ducklake_snapshot VALUES ({number}, NOW(), 0, 10, 2000); "
                f"INSERT INTO ducklake_snapshot_changes VALUES "
                f"({number}, '{changes}', {_text(who)}, {_text(why)}, NULL); COMMIT",
                *["INSERT INTO ducklake_metadata (key, value) VALUES ('x', 'y')"] * rng.randrange(9))


def _text(value: str | None) -> str:
    return "NULL" if value is None else f"'{value}'"


def _table(rng: random.Random, table_id: int, name: str) -> Iterator[str]:
    files, sizes = TABLES[name]
    yield ("INSERT INTO ducklake_table (table_id, begin_snapshot, schema_id, table_name) "
           f"VALUES ({table_id}, 1, 0, '{name}')")
    rows = ", ".join(
        f"({1000 * table_id + number}, {table_id}, 1, {'NULL' if number else 7}, {rng.randint(1000, 90_000)}, "
        f"{rng.randrange(*sizes)})"
        for number in range(files + 1)
    )
    yield ("INSERT INTO ducklake_data_file (data_file_id, table_id, begin_snapshot, end_snapshot, record_count, "
           f"file_size_bytes) VALUES {rows}")
    if table_id % 2:
        yield ("INSERT INTO ducklake_delete_file (delete_file_id, table_id, begin_snapshot, data_file_id, "
               f"delete_count) VALUES ({1000 * table_id + 999}, {table_id}, 3, {1000 * table_id + 1}, "
               f"{rng.randint(20, 900)})")


@contextmanager
def filled_server() -> Iterator[FilledServer]:
    server = FilledServer()
    server.start()
    try:
        yield server
    finally:
        server.stop()
