"""gc, excise and rollback through a running server, beside four DuckDB clients that write."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import duckdb
import psycopg
import pytest

from tests.duckdb_client import LakeClient
from tests.e2e.conftest import OpenLake

WRITERS = 4
WAIT_S_MAX = 1.0
"""How long a commit of another session may wait for a procedure."""

Admin = psycopg.Connection[tuple[object, ...]]


class Writer(threading.Thread):
    """Writes its own table until it is told to stop, and knows what must be in it."""

    def __init__(self, dsn: str, data: Path, number: int, stop: threading.Event) -> None:
        super().__init__()
        self.rows: dict[int, int] = {}
        self.table = f"w{number}"
        self.problem: Exception | None = None
        self._client = LakeClient(dsn, data)
        self._stop_asked = stop
        self._client.run(f"CREATE TABLE {self.table}(i INTEGER, v INTEGER)")

    def run(self) -> None:
        try:
            for step in range(10_000):
                if self._stop_asked.is_set():
                    return
                self._step(step)
        except Exception as problem:  # noqa: BLE001  the test tells
            self.problem = problem
        finally:
            self._client.close()

    def _step(self, step: int) -> None:
        match step % 3:
            case 0:
                more = 30 if step % 2 else 1  # more than ten go to a Parquet file
                self._client.run(f"INSERT INTO {self.table} SELECT {step} * 100 + range, 0 FROM range({more})")
                self.rows |= {step * 100 + i: 0 for i in range(more)}
            case 1:
                self._client.run(f"UPDATE {self.table} SET v = {step} WHERE i % 2 = 0")
                self.rows |= {i: step for i in self.rows if i % 2 == 0}
            case _:
                gone = min(self.rows)
                self._client.run(f"DELETE FROM {self.table} WHERE i = {gone}")
                del self.rows[gone]


@contextmanager
def writing(dsn: str, data: Path) -> Iterator[list[Writer]]:
    stop = threading.Event()
    writers = [Writer(dsn, data, number, stop) for number in range(WRITERS)]
    for writer in writers:
        writer.start()
    try:
        yield writers
    finally:
        stop.set()
        for writer in writers:
            writer.join()


@pytest.fixture
def admin(dsn: str, lake: LakeClient) -> Iterator[Admin]:
    """Beside a client that has attached the lake, so that there is one."""
    lake.run("CREATE TABLE kept(i INTEGER)", "INSERT INTO kept VALUES (1), (2)")
    with psycopg.connect(dsn, autocommit=True) as connection:
        yield connection


def called(admin: Admin, text: str) -> dict[str, object]:
    cursor = admin.execute(f"CALL rocklake.{text}")
    assert cursor.description is not None
    row = cursor.fetchone()
    assert row is not None
    return dict(zip([column.name for column in cursor.description], row, strict=True))


def again_if_others_win(call: Callable[[], dict[str, object]]) -> dict[str, object]:
    while True:
        try:
            return call()
        except psycopg.errors.SerializationFailure:
            continue


def test_gc_and_excise_run_beside_four_writers(
    admin: Admin, lake: LakeClient, open_lake: OpenLake, dsn: str, tmp_path: Path
) -> None:
    with writing(dsn, tmp_path / "data") as writers:
        expired = 0
        for _ in range(3):
            time.sleep(0.6)
            facts = again_if_others_win(lambda: called(admin, "gc(keep_last => 5)"))
            assert isinstance(facts["snapshots_expired"], int)
            expired += facts["snapshots_expired"]
            called(admin, "excise()")
    assert [writer.problem for writer in writers] == [None] * WRITERS
    assert expired > WRITERS
    called(admin, "gc(keep_last => 1)")
    with open_lake() as fresh:
        fresh.run("CALL ducklake_cleanup_old_files('lake', cleanup_all => true)")
        for writer in writers:
            found = dict(fresh.rows(f"SELECT i, v FROM {writer.table}"))
            assert found == writer.rows, writer.table
        assert fresh.rows("FROM kept ORDER BY ALL") == [(1,), (2,)]
        assert len(fresh.rows("SELECT snapshot_id FROM ducklake_snapshots('lake')")) <= 2


def test_a_reader_goes_on_with_its_snapshot_while_it_would_expire(
    admin: Admin, lake: LakeClient, open_lake: OpenLake
) -> None:
    reader = open_lake()
    lake.write_parquet_only()
    lake.run("CREATE TABLE t AS SELECT range AS i FROM range(100)")
    reader.run("BEGIN")
    assert reader.value("SELECT count(*) FROM t") == 100
    for number in range(5):
        lake.run(f"DELETE FROM t WHERE i % 5 = {number}")
    facts = called(admin, "gc(keep_last => 1)")
    assert facts["held_by_transactions"] is not None
    lake.run("CALL ducklake_cleanup_old_files('lake', cleanup_all => true)")
    assert reader.value("SELECT sum(i) FROM t") == sum(range(100))
    reader.run("COMMIT")
    assert called(admin, "gc(keep_last => 1)")["held_by_transactions"] is None


def test_a_rollback_is_one_more_writer(admin: Admin, lake: LakeClient, dsn: str, tmp_path: Path) -> None:
    target = lake.snapshot()
    lake.run("DELETE FROM kept", "CREATE TABLE later(i INTEGER)", "INSERT INTO kept SELECT range FROM range(100)")
    with writing(dsn, tmp_path / "data") as writers:
        time.sleep(0.5)
        planned = called(admin, f"rollback(to_snapshot => {target}, apply => false)")
        made = called(admin, f"rollback(to_snapshot => {target})")
        assert isinstance(made["new_snapshot"], int)
        assert isinstance(planned["new_snapshot"], int)
        assert made["new_snapshot"] >= planned["new_snapshot"] > target
    problems = [writer.problem for writer in writers if writer.problem is not None]
    assert all(isinstance(problem, duckdb.Error) for problem in problems), "their tables are gone"
    at = f"AT (VERSION => {made['new_snapshot']})"
    assert lake.rows(f"FROM kept {at} ORDER BY ALL") == [(1,), (2,)]
    with pytest.raises(duckdb.Error, match="later"):
        lake.rows(f"FROM later {at}")


def test_commits_of_other_sessions_hardly_wait_for_a_procedure(admin: Admin, dsn: str, lake: LakeClient) -> None:
    """Thousands of snapshots and their changes expire, and go for good, while another session commits."""
    numbers = lake.snapshot() + 1, lake.snapshot() + 10_000
    with ExitStack() as stack:
        filler = stack.enter_context(psycopg.connect(dsn))
        for table, rest in (("ducklake_snapshot", "'2026-01-01'::timestamptz, 1, 50, 50"),
                            ("ducklake_snapshot_changes", "'', NULL, NULL, NULL")):  # fmt: skip
            for first in range(*numbers, 2000):
                rows = ", ".join(f"({number}, {rest})" for number in range(first, first + 2000))
                filler.execute(f"INSERT INTO {table} VALUES {rows}")
        filler.commit()
        stop, waits = threading.Event(), list[float]()

        def commit_again_and_again() -> None:
            with psycopg.connect(dsn, autocommit=True) as other:
                other.execute("CREATE TABLE IF NOT EXISTS beside (i bigint)")
                while not stop.is_set():
                    began_s = time.perf_counter()
                    other.execute("INSERT INTO beside VALUES (1)")
                    waits.append(time.perf_counter() - began_s)

        committer = threading.Thread(target=commit_again_and_again)
        committer.start()
        time.sleep(1.0)
        alone = len(waits)
        facts = called(admin, "gc(keep_last => 1)")
        called(admin, "excise()")
        stop.set()
        committer.join()
    assert isinstance(facts["snapshots_expired"], int)
    assert facts["snapshots_expired"] >= 9_000
    assert len(waits) > alone + 10
    assert max(waits[alone:]) < WAIT_S_MAX + max(waits[:alone]), "beyond what a busy machine makes of a commit"
