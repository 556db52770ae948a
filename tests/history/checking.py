"""A lake held against the journals of those that wrote it. Every function raises AssertionError at what is not so."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from pathlib import Path

import psycopg

from tests.duckdb_client import LakeClient
from tests.history.running import Journal

Connection = psycopg.Connection[tuple[int, ...]]

CONFLICT = re.compile(r"Transaction conflict - attempting to .* but another transaction has ", re.DOTALL)
_IDS = (
    ("ducklake_data_file", "data_file_id", "next_file_id"),
    ("ducklake_delete_file", "delete_file_id", "next_file_id"),
    ("ducklake_table", "table_id", "next_catalog_id"),
)


def check(dsn: str, data: Path, journals: list[Journal], first: int) -> None:
    """``first`` is the newest snapshot from before the writers began."""
    check_failures(journals)
    with psycopg.connect(dsn, autocommit=True) as connection:
        check_snapshots(connection)
        check_messages(connection, journals, first)
        check_ids(connection)
        check_table_stats(connection)
    with LakeClient(dsn, data) as lake:
        check_rows(lake, journals)


def check_failures(journals: list[Journal]) -> None:
    """Only a transaction that touched a table that others touch may fail, and only with DuckLake's own conflict: one
    that others delete from, which it refuses to append to as well. Nothing fails for a reason of the server's."""
    for journal in journals:
        for message, error in journal.failed.items():
            assert CONFLICT.search(error), f"{message}: {error}"
            assert message in journal.shared, f"{message}: {error}"


def check_snapshots(connection: Connection) -> None:
    """One for each number, each later than the one before it, each with its changes; ids only grow."""
    rows = connection.execute(
        "SELECT snapshot_id, snapshot_time, schema_version, next_catalog_id, next_file_id FROM ducklake_snapshot "
        "ORDER BY snapshot_id"
    ).fetchall()
    assert [row[0] for row in rows] == list(range(len(rows)))
    for before, after in pairwise(rows):
        assert before[1] < after[1], (before, after)
        assert all(old <= new for old, new in zip(before[2:], after[2:], strict=True)), (before, after)
    changes = connection.execute("SELECT snapshot_id FROM ducklake_snapshot_changes ORDER BY 1").fetchall()
    assert changes == [(row[0],) for row in rows]


def check_messages(connection: Connection, journals: list[Journal], first: int) -> None:
    """Each acknowledged transaction made exactly one snapshot, each failed one none, and there are no others."""
    found = Counter(row[0] for row in connection.execute(
        f"SELECT commit_message FROM ducklake_snapshot_changes WHERE snapshot_id > {first}".encode()
    ))
    assert found == Counter(message for journal in journals for message in journal.committed)
    for journal in journals:
        order = [int(str(row[0]).split("-")[1]) for row in connection.execute(
            f"SELECT commit_message FROM ducklake_snapshot_changes WHERE commit_message LIKE '{journal.number}-%' "
            "ORDER BY snapshot_id".encode()
        )]
        assert order == sorted(order), f"writer {journal.number} was not written in its own order"


def check_ids(connection: Connection) -> None:
    """An id is used once, and by the snapshot that counted it."""
    for relation, column, counter in _IDS:
        rows = connection.execute(
            f"SELECT r.{column}, before.{counter}, own.{counter} FROM {relation} r "
            "JOIN ducklake_snapshot own ON own.snapshot_id = r.begin_snapshot "
            "JOIN ducklake_snapshot before ON before.snapshot_id = r.begin_snapshot - 1".encode()
        ).fetchall()
        assert all(low <= used < high for used, low, high in rows), relation
        assert len({row[0] for row in rows}) == len(rows), relation


def check_table_stats(connection: Connection) -> None:
    """What the statistics count is what files and inlined rows add up to, and no row id is given twice."""
    counted = "SELECT table_id, record_count, next_row_id, file_size_bytes FROM ducklake_table_stats"
    stats = {row[0]: row[1:] for row in connection.execute(counted)}
    inlined = connection.execute("SELECT table_id, table_name FROM ducklake_inlined_data_tables").fetchall()
    for table_id, (records, next_row, size_bytes) in stats.items():
        files = connection.execute(
            "SELECT record_count, file_size_bytes, row_id_start FROM ducklake_data_file "
            f"WHERE table_id = {table_id} ORDER BY row_id_start".encode()
        ).fetchall()
        rows = [row for owner, name in inlined if owner == table_id for row in connection.execute(
            f"SELECT row_id, begin_snapshot, end_snapshot FROM {name}".encode())]
        assert records == sum(file[0] for file in files) + len(rows), f"table {table_id}"
        assert size_bytes == sum(file[1] for file in files), f"table {table_id}"
        assert next_row == max([0, *(file[2] + file[0] for file in files), *(row[0] + 1 for row in rows)])
        for file, following in pairwise(files):
            assert file[2] + file[0] <= following[2], f"table {table_id}: row ids of two files overlap"
        live = [row[0] for row in rows if row[2] is None]
        assert len(live) == len(set(live)), f"table {table_id}: a row is there twice"


def check_rows(lake: LakeClient, journals: list[Journal]) -> None:
    """Each table holds the rows that its writers were told it does."""
    expected: dict[str, list[tuple[int, int, int]]] = {}
    for journal in journals:
        for table, rows in journal.rows.items():
            expected.setdefault(table, []).extend((journal.number, n, v) for n, v in rows)
    for table, rows in expected.items():
        assert lake.rows(f"SELECT writer, n, v FROM {table} ORDER BY ALL") == sorted(rows), table
        assert lake.rows(f"SELECT count(*), count(DISTINCT rowid) FROM {table}") == [(len(rows), len(rows))], table
