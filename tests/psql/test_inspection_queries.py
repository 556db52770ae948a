"""The ready-made queries of ``sql/inspect`` find what is in a lake, here as on PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.psql.sides import Sides
from tests.psql.statements import Answer, Asked

pytestmark = pytest.mark.postgres

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "sql" / "inspect"
QUERIES = sorted(path.stem for path in FOLDER.glob("*.sql"))
MIB = 1024 * 1024
UUID = "'00000000-0000-0000-0000-000000000001'"
ROWS = (
    "INSERT INTO ducklake_snapshot VALUES (0, '2024-01-01', 0, 1, 0), (1, '2024-01-02', 1, 9, 20), "
    "(2, '2024-01-03', 1, 9, 30)",
    "INSERT INTO ducklake_snapshot_changes VALUES (0, 'created_schema:\"main\"', NULL, NULL, NULL), "
    "(1, 'inserted_into_table:1', 'ada', 'first', NULL), (2, 'deleted_from_table:1', NULL, NULL, NULL)",
    f"INSERT INTO ducklake_schema VALUES (0, {UUID}, 0, NULL, 'main', 'main/', true)",
    f"INSERT INTO ducklake_table VALUES (1, {UUID}, 1, NULL, 0, 'events', 'events/', true), "
    f"(2, {UUID}, 1, NULL, 0, 'empty', 'empty/', true), (3, {UUID}, 1, NULL, 77, 'lost', 'lost/', true)",
    *(f"INSERT INTO ducklake_data_file (data_file_id, table_id, begin_snapshot, end_snapshot, path, record_count, "
      f"file_size_bytes) VALUES ({number}, {table}, 1, {ends}, 'f{number}', {rows}, {size})"
      for number, table, ends, rows, size in (
          (1, 1, "NULL", 10, 5000), (2, 1, "NULL", 20, 9 * MIB), (3, 1, "NULL", 30, 2 * MIB), (4, 1, "2", 5, 100),
          (5, 9, "NULL", 1, 1), (6, 1, "NULL", 40, 1024 * MIB))),
    "INSERT INTO ducklake_delete_file (delete_file_id, table_id, begin_snapshot, data_file_id, path, delete_count) "
    "VALUES (7, 1, 2, 1, 'd', 4), (8, 1, 2, 99, 'e', 1)",
    "INSERT INTO ducklake_file_column_stats (data_file_id, table_id, column_id) "
    "VALUES (1, 1, 1), (98, 1, 1), (98, 1, 2)",
    "INSERT INTO ducklake_column (column_id, table_id, column_name) VALUES (1, 1, 'a'), (1, 97, 'b')",
    "INSERT INTO ducklake_table_stats VALUES (1, 110, 110, 1085000000), (2, 0, 0, 0)",
    "INSERT INTO ducklake_files_scheduled_for_deletion "
    "VALUES (4, 'f4', true, '2024-01-03'), (3, 'f3', true, '2023-05-06')",
    "INSERT INTO ducklake_inlined_data_tables VALUES (1, 'ducklake_inlined_data_1_1', 1)",
)  # fmt: skip


@pytest.fixture(scope="module")
def asked(sides: Sides) -> Iterator[tuple[Asked, Asked]]:
    """(This server, PostgreSQL), with the same rows, in a transaction that is rolled back."""
    database = sides.lakes[2].database
    pair = Asked(sides.rocklake[database]), Asked(sides.postgres[database])
    for side in pair:
        side.connection.execute("BEGIN")
        for statement in ROWS:
            side.connection.execute(statement)
    yield pair
    for side in pair:
        side.connection.execute("ROLLBACK")
        side.close()


def query(name: str) -> str:
    return (FOLDER / f"{name}.sql").read_text()


def answers(asked: tuple[Asked, Asked], name: str) -> tuple[Answer, Answer]:
    ours, theirs = (side.answer(query(name).replace("now()", "'2024-01-05'::timestamptz")) for side in asked)
    return ours, theirs


@pytest.mark.parametrize("name", QUERIES)
def test_a_query_answers_what_postgresql_answers(asked: tuple[Asked, Asked], name: str) -> None:
    ours, theirs = answers(asked, name)
    assert theirs.problem is None
    assert theirs.rows
    assert ours == theirs


def test_what_is_planted_is_found(asked: tuple[Asked, Asked]) -> None:
    found = {name: [row[:3] for row in answers(asked, name)[0].rows] for name in QUERIES}
    assert found["files_per_table"] == [("main", "events", "4"), ("main", "empty", "0")]
    assert found["small_files"] == [
        ("events", "below 1 MiB", "1"), ("events", "1 to 8 MiB", "1"), ("events", "8 to 64 MiB", "1"),
        ("events", "512 MiB and more", "1")]  # fmt: skip
    assert [row[0] for row in found["orphans"]] == [
        "column of no table", "data file of no table", "delete file of no data file", "statistics of no data file",
        "table of no schema"]  # fmt: skip
    assert [row[0] for row in found["deletion_queue"]] == ["3", "4"]
    assert found["statistics_drift"] == [("events", "110", "100"), ("empty", "0", "0")]
    assert [row[0] for row in found["snapshots"]] == ["2", "1", "0"]


def test_the_queries_are_documented() -> None:
    text = (ROOT / "docs" / "psql-and-tools.md").read_text()
    assert len(QUERIES) >= 6
    for name in QUERIES:
        assert query(name).startswith("-- ")
        assert f"`sql/inspect/{name}.sql`" in text
