"""Made-up schedules: what each of a few sessions says, and whose turn it is at each step.

The statements have the shapes that DuckDB sends to a DuckLake catalog, on few rows, so that transactions meet. A
session says at most two transactions: one that lost twice would have a turn at the next snapshot row, which PostgreSQL
does not know.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from hypothesis import strategies as st

DEFINITIONS = (
    "CREATE TABLE ducklake_snapshot(snapshot_id BIGINT PRIMARY KEY, snapshot_time TIMESTAMPTZ, schema_version BIGINT, "
    "next_catalog_id BIGINT, next_file_id BIGINT)",
    "CREATE TABLE ducklake_snapshot_changes(snapshot_id BIGINT PRIMARY KEY, changes_made VARCHAR, author VARCHAR, "
    "commit_message VARCHAR, commit_extra_info VARCHAR)",
    "CREATE TABLE ducklake_data_file(data_file_id BIGINT PRIMARY KEY, table_id BIGINT, begin_snapshot BIGINT, "
    "end_snapshot BIGINT, file_order BIGINT, path VARCHAR, path_is_relative BOOLEAN, file_format VARCHAR, "
    "record_count BIGINT, file_size_bytes BIGINT, footer_size BIGINT, row_id_start BIGINT, partition_id BIGINT, "
    "encryption_key VARCHAR, mapping_id BIGINT, partial_max BIGINT)",
    "CREATE TABLE ducklake_table_stats(table_id BIGINT, record_count BIGINT, next_row_id BIGINT, "
    "file_size_bytes BIGINT)",
    "CREATE TABLE ducklake_table(table_id BIGINT, table_uuid UUID, begin_snapshot BIGINT, end_snapshot BIGINT, "
    "schema_id BIGINT, table_name VARCHAR, path VARCHAR, path_is_relative BOOLEAN)",
    "CREATE TABLE ducklake_inlined_data_1_1(row_id BIGINT, begin_snapshot BIGINT, end_snapshot BIGINT, a BIGINT)",
)
FILLING = (
    "INSERT INTO ducklake_snapshot VALUES (0, NOW(), 0, 1, 0)",
    "INSERT INTO ducklake_snapshot_changes VALUES (0, 'created_schema:\"main\"', NULL, NULL, NULL)",
    "INSERT INTO ducklake_data_file(data_file_id, table_id, begin_snapshot, path, record_count) VALUES "
    "(0, 1, 0, 'f0', 10), (1, 1, 0, 'f1', 10), (2, 2, 0, 'f2', 10)",
    "INSERT INTO ducklake_table_stats VALUES (1, 20, 20, 200), (2, 10, 10, 100)",
    "INSERT INTO ducklake_table(table_id, begin_snapshot, schema_id, table_name) VALUES (1, 0, 0, 'a'), (2, 0, 0, 'b')",
    "INSERT INTO ducklake_inlined_data_1_1 VALUES (0, 0, NULL, 5), (1, 0, NULL, 6), (2, 0, NULL, 7)",
)
RESULTS = (
    "SELECT snapshot_id, schema_version, next_catalog_id, next_file_id FROM ducklake_snapshot",
    "SELECT * FROM ducklake_snapshot_changes",
    "SELECT data_file_id, table_id, begin_snapshot, end_snapshot, path, record_count FROM ducklake_data_file",
    "SELECT * FROM ducklake_table_stats",
    "SELECT table_id, begin_snapshot, end_snapshot, schema_id, table_name FROM ducklake_table",
    "SELECT * FROM ducklake_inlined_data_1_1",
)
"""Every row at the end, but for the times."""
TABLES = tuple(definition.split("(")[0].removeprefix("CREATE TABLE ") for definition in DEFINITIONS)

FIRST_NEW = 3
"""The lowest id that no file has at the beginning."""

OWN_ID = "<own id>"
"""Stands for an id that no other statement of the schedule uses."""


class Kind(Enum):
    BEGIN = "begin"
    READ = "read"
    INSERT = "insert"
    CHANGE = "change"
    """UPDATE and DELETE: in PostgreSQL they wait for whoever changed the row, in RockLake they never do."""
    SAVEPOINT = "savepoint"
    ROLLBACK_TO = "rollback to"
    COMMIT = "commit"
    ROLLBACK = "rollback"


@dataclass(frozen=True, slots=True)
class Statement:
    kind: Kind
    sql: str

    def __repr__(self) -> str:
        return self.sql


@dataclass(frozen=True, slots=True)
class Script:
    """A transaction from BEGIN to its end. Without ``recovers`` the client gives up at the first error."""

    read_committed: bool
    statements: tuple[Statement, ...]
    recovers: bool = False


@dataclass(frozen=True, slots=True)
class Schedule:
    """``sessions`` say their scripts one after another; ``order`` draws from those that have something left to say,
    round and round until none has."""

    sessions: tuple[tuple[Script, ...], ...]
    order: tuple[int, ...]


new = st.integers(0, 2)
old = st.integers(0, 2)
table = st.integers(1, 2)


def _statement(kind: Kind, sql: str) -> Statement:
    return Statement(kind, sql)


@st.composite
def _inserts(draw: st.DrawFn) -> Statement:
    key = draw(new)
    sql = draw(st.sampled_from((
        f"INSERT INTO ducklake_snapshot VALUES ({key + 1}, NOW(), 0, 1, {key + 4})",
        f"INSERT INTO ducklake_snapshot_changes VALUES ({key + 1}, 'inserted_into_table:1', NULL, 'm', NULL)",
        "INSERT INTO ducklake_data_file(data_file_id, table_id, begin_snapshot, path, record_count) VALUES "
        f"({key + FIRST_NEW}, {draw(table)}, {key + 1}, 'f', {draw(new)})",
        "INSERT INTO ducklake_data_file(data_file_id, table_id, begin_snapshot, path, record_count) VALUES "
        f"({key + FIRST_NEW}, 1, 1, 'f', 1), ({key + FIRST_NEW + 1}, 1, 1, 'f', 1)",
        f"INSERT INTO ducklake_inlined_data_1_1 VALUES ({OWN_ID}, {key + 1}, NULL, {draw(new)})",
    )))
    return _statement(Kind.INSERT, sql)


@st.composite
def _changes(draw: st.DrawFn, *, one_row: bool) -> Statement:
    """``one_row``: under READ COMMITTED a statement that waits goes on with the one row as it is by then, while the
    rest of what PostgreSQL's sees is as old as the statement."""
    snapshot, row, owner = draw(new) + 1, draw(old), draw(table)
    single = (
        f"UPDATE ducklake_data_file SET end_snapshot = {snapshot} WHERE end_snapshot IS NULL "
        f"AND data_file_id IN ({row})",
        f"UPDATE ducklake_table_stats SET record_count=record_count + {draw(new)}, next_row_id={snapshot}, "
        f"file_size_bytes={row} WHERE table_id={owner}",
        f"UPDATE ducklake_table SET end_snapshot = {snapshot} WHERE end_snapshot IS NULL AND table_id IN ({owner})",
        f"WITH deleted_row_list(deleted_row_id) AS (VALUES ({row})) UPDATE ducklake_inlined_data_1_1 "
        f"SET end_snapshot = {snapshot} FROM deleted_row_list WHERE row_id = deleted_row_id AND end_snapshot IS NULL",
        f"DELETE FROM ducklake_data_file WHERE data_file_id IN ({row})",
        f"DELETE FROM ducklake_inlined_data_1_1 WHERE row_id = {row}",
    )
    several = (
        f"UPDATE ducklake_data_file SET end_snapshot = {snapshot} WHERE end_snapshot IS NULL AND table_id = {owner}",
        f"UPDATE ducklake_inlined_data_1_1 SET end_snapshot = {snapshot} WHERE end_snapshot IS NULL",
        f"DELETE FROM ducklake_data_file WHERE data_file_id IN ({row}, {(row + 1) % 3})",
    )
    return _statement(Kind.CHANGE, draw(st.sampled_from(single if one_row else (*single, *several))))


READS = st.sampled_from((
    "SELECT snapshot_id, schema_version, next_catalog_id, next_file_id FROM ducklake_snapshot WHERE snapshot_id = "
    "(SELECT MAX(snapshot_id) FROM ducklake_snapshot)",
    "SELECT data_file_id, end_snapshot, record_count FROM ducklake_data_file",
    "SELECT table_id, record_count FROM ducklake_table_stats",
    "SELECT row_id, begin_snapshot, end_snapshot, a FROM ducklake_inlined_data_1_1 WHERE end_snapshot IS NULL",
)).map(lambda sql: _statement(Kind.READ, sql))

SAVEPOINTS = st.sampled_from((
    _statement(Kind.SAVEPOINT, "SAVEPOINT s"),
    _statement(Kind.SAVEPOINT, "SAVEPOINT t"),
    _statement(Kind.ROLLBACK_TO, "ROLLBACK TO SAVEPOINT s"),
))


@st.composite
def scripts(draw: st.DrawFn) -> Script:
    read_committed = draw(st.booleans())
    level = "READ COMMITTED" if read_committed else "REPEATABLE READ"
    body = st.one_of(_inserts(), _changes(one_row=read_committed), READS)
    recovers = draw(st.integers(0, 3)) == 0
    statements = [_statement(Kind.BEGIN, f"BEGIN TRANSACTION ISOLATION LEVEL {level}")]
    if recovers:
        statements.append(_statement(Kind.SAVEPOINT, "SAVEPOINT s"))
        statements += draw(st.lists(st.one_of(body, body, SAVEPOINTS), min_size=1, max_size=6))
    else:
        statements += draw(st.lists(body, min_size=1, max_size=5))
    commits = draw(st.integers(0, 4)) > 0
    statements.append(_statement(Kind.COMMIT, "COMMIT") if commits else _statement(Kind.ROLLBACK, "ROLLBACK"))
    return Script(read_committed, tuple(statements), recovers)


@st.composite
def schedules(draw: st.DrawFn) -> Schedule:
    sessions = draw(st.lists(st.lists(scripts(), min_size=1, max_size=2).map(tuple), min_size=2, max_size=8))
    order = draw(st.lists(st.integers(0, 7), min_size=4, max_size=60))
    return Schedule(tuple(sessions), tuple(order))


def _inserting(*tables: str) -> tuple[Script, ...]:
    inserts = [_statement(Kind.INSERT, f"INSERT INTO {table} VALUES (1)") for table in tables]
    begin = _statement(Kind.BEGIN, "BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ")
    return (Script(False, (begin, *inserts, _statement(Kind.COMMIT, "COMMIT"))),)


CYCLE_OF_INSERTS = Schedule(
    (
        _inserting("ducklake_snapshot", "ducklake_snapshot_changes"),
        _inserting("ducklake_snapshot_changes", "ducklake_snapshot"),
    ),
    (0, 1),
)
"""DuckDB 1.5 and 1.4 insert into the two in opposite orders."""
