"""psycopg 3 in the ways that programs use it."""

from __future__ import annotations

import datetime
import uuid
from decimal import Decimal

import psycopg
import pytest
from psycopg.rows import dict_row
from psycopg.types.json import Json, Jsonb

from tests.server.conftest import Connection
from tests.servers import RockLakeServer

VALUES: list[tuple[object, str]] = [
    (7, "smallint"),
    (-70_000, "integer"),
    (5_000_000_000, "bigint"),
    (1.5, "double precision"),
    (Decimal("12.50"), "numeric"),
    ("naïve ☃", "text"),
    ("v", "varchar"),
    (True, "boolean"),
    (b"\x00\xff", "bytea"),
    (datetime.date(2024, 2, 29), "date"),
    (datetime.time(1, 2, 3, 4), "time"),
    (datetime.datetime(2024, 2, 29, 1, 2, 3, 4), "timestamp"),
    (datetime.datetime(2024, 2, 29, 1, 2, 3, 4, tzinfo=datetime.UTC), "timestamptz"),
    (datetime.timedelta(days=3, seconds=4), "interval"),
    (uuid.UUID("01a22a8f-7421-711b-b6f5-516e8673243a"), "uuid"),
    ([1, 2, 3], "bigint[]"),
    (["a", "b c"], "text[]"),
    (None, "bigint"),
]


@pytest.mark.parametrize("binary", [False, True], ids=["text", "binary"])
@pytest.mark.parametrize(("value", "typename"), VALUES, ids=[typename for _, typename in VALUES])
def test_a_parameter_comes_back_as_it_was(connection: Connection, value: object, typename: str, binary: bool) -> None:
    placeholder = "%b" if binary else "%t"
    row = connection.execute(f"SELECT {placeholder}::{typename}", [value], binary=binary).fetchone()
    assert row == (value,)


@pytest.mark.parametrize("binary", [False, True], ids=["text", "binary"])
def test_a_statement_prepared_by_use(connection: Connection, binary: bool) -> None:
    for number in range(12):
        row = connection.execute(
            "SELECT b FROM t WHERE a = %s", [number % 2 + 1], prepare=True, binary=binary
        ).fetchone()
        assert row == (("one", "two")[number % 2],)


def test_many_rows_by_one_statement(connection: Connection) -> None:
    with connection.cursor() as cursor:
        cursor.executemany("INSERT INTO t VALUES (%s, %s)", [(n, str(n)) for n in range(10, 60)])
        assert cursor.rowcount == 50
    assert connection.execute("SELECT count(*) FROM t").fetchone() == (52,)


def test_a_pipeline(connection: Connection) -> None:
    with connection.pipeline():
        cursors = [connection.execute("SELECT b FROM t WHERE a = %s", [n]) for n in (1, 2, 3)]
    assert [cursor.fetchone() for cursor in cursors] == [("one",), ("two",), None]


def test_an_error_in_a_pipeline_undoes_it(connection: Connection) -> None:
    def insert(*keys: int) -> None:
        with connection.pipeline():
            for key in keys:
                connection.execute("INSERT INTO t VALUES (%s, 'x')", [key])

    with pytest.raises(psycopg.errors.UniqueViolation):
        insert(3, 1, 4)
    assert connection.execute("SELECT count(*) FROM t").fetchone() == (2,)


def test_transactions_and_savepoints(server: RockLakeServer, connection: Connection) -> None:
    with psycopg.connect(server.dsn("lake")) as other:
        other.execute("INSERT INTO t VALUES (3, 'x')")
        assert other.info.transaction_status is psycopg.pq.TransactionStatus.INTRANS
        assert connection.execute("SELECT count(*) FROM t").fetchone() == (2,)
        with pytest.raises(psycopg.errors.UniqueViolation), other.transaction():
            other.execute("INSERT INTO t VALUES (1, 'x')")
        other.execute("INSERT INTO t VALUES (4, 'x')")
    assert connection.execute("SELECT count(*) FROM t").fetchone() == (4,)


def test_isolation_and_read_only_attributes(server: RockLakeServer, connection: Connection) -> None:
    with psycopg.connect(server.dsn("lake")) as other:
        other.isolation_level = psycopg.IsolationLevel.SERIALIZABLE
        other.read_only = True
        assert other.execute("SHOW transaction_isolation").fetchone() == ("serializable",)
        with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
            other.execute("DELETE FROM t")


def test_an_error_has_its_sqlstate_and_place(connection: Connection) -> None:
    with pytest.raises(psycopg.errors.UndefinedColumn, match='column "c" does not exist') as caught:
        connection.execute("SELECT c FROM t")
    assert caught.value.diag.severity_nonlocalized == "ERROR"


@pytest.mark.parametrize("options", ["", "(FORMAT BINARY)"], ids=["text", "binary"])
def test_copy_in_and_out(connection: Connection, options: str) -> None:
    with connection.cursor().copy(f"COPY t FROM STDIN {options}") as copy:
        copy.set_types(["int8", "text"])
        for number in range(3, 3000):
            copy.write_row((number, None if number % 5 == 0 else f"text\t{number}"))
    with connection.cursor().copy(f"COPY (SELECT * FROM t ORDER BY a) TO STDOUT {options}") as copy:
        copy.set_types(["int8", "text"])
        rows = list(copy.rows())
    assert len(rows) == 2999
    assert rows[2:5] == [(3, "text\t3"), (4, "text\t4"), (5, None)]


def test_an_error_of_the_client_ends_its_copy(connection: Connection) -> None:
    def give_up() -> None:
        with connection.cursor().copy("COPY t FROM STDIN") as copy:
            copy.write_row((3, "x"))
            raise RuntimeError("changed my mind")

    with pytest.raises(RuntimeError, match="changed my mind"):
        give_up()
    assert connection.execute("SELECT count(*) FROM t").fetchone() == (2,)


def test_rows_one_by_one_and_in_chunks(connection: Connection) -> None:
    with connection.cursor() as cursor:
        assert [row[0] for row in cursor.stream("SELECT a FROM t ORDER BY a")] == [1, 2]
        assert [row[0] for row in cursor.stream("SELECT a FROM t ORDER BY a", size=2)] == [1, 2]


@pytest.mark.parametrize("binary", [False, True], ids=["text", "binary"])
def test_a_server_side_cursor(server: RockLakeServer, connection: Connection, binary: bool) -> None:
    connection.execute("INSERT INTO t VALUES (3, 'three'), (4, NULL)")
    with psycopg.connect(server.dsn("lake")) as other:
        with other.cursor("mine", binary=binary) as cursor:
            cursor.itersize = 2
            cursor.execute("SELECT a, b FROM t WHERE a > %s ORDER BY a", [1])
            assert cursor.fetchone() == (2, "two")
            assert list(cursor) == [(3, "three"), (4, None)]
            assert cursor.description is not None
            assert [column.name for column in cursor.description] == ["a", "b"]
        with other.cursor("back", scrollable=True) as cursor:
            cursor.execute("SELECT a FROM t ORDER BY a")
            assert cursor.fetchmany(3) == [(1,), (2,), (3,)]
            cursor.scroll(-2)
            assert cursor.fetchone() == (2,)
            cursor.scroll(0, mode="absolute")
            assert cursor.fetchall() == [(1,), (2,), (3,), (4,)]
        with other.cursor("held", withhold=True) as cursor:
            cursor.execute("SELECT a FROM t ORDER BY a")
            other.commit()
            assert cursor.fetchall() == [(1,), (2,), (3,), (4,)]
        with other.cursor("forward", scrollable=False) as cursor:
            cursor.execute("SELECT a FROM t")
            with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="only scan forward"):
                cursor.scroll(-1)


def test_a_cursor_outlives_an_error_within_a_savepoint(server: RockLakeServer, connection: Connection) -> None:
    with psycopg.connect(server.dsn("lake")) as other, other.cursor("mine") as cursor:
        cursor.execute("SELECT a FROM t ORDER BY a")
        cursor.itersize = 1
        seen = []
        for (a,) in cursor:
            with pytest.raises(psycopg.errors.UniqueViolation), other.transaction():
                other.execute("INSERT INTO t VALUES (1, 'x')")
            seen.append(a)
    assert seen == [1, 2]


def test_notifications_reach_a_client_that_waits(server: RockLakeServer, connection: Connection) -> None:
    connection.execute("LISTEN news")
    with psycopg.connect(server.dsn("lake"), autocommit=True) as other:
        other.execute("SELECT pg_notify('news', %s)", ["naïve ☃"])
        other.execute("NOTIFY news")
        told = list(connection.notifies(timeout=10, stop_after=2))
        assert [(note.channel, note.payload, note.pid) for note in told] == [
            ("news", "naïve ☃", other.info.backend_pid), ("news", "", other.info.backend_pid),
        ]  # fmt: skip


async def test_notifications_reach_an_asynchronous_client(server: RockLakeServer, connection: Connection) -> None:
    async with await psycopg.AsyncConnection.connect(server.dsn("lake"), autocommit=True) as other:
        await other.execute("LISTEN news")
        connection.execute("NOTIFY news, 'x'")
        assert [note.payload async for note in other.notifies(timeout=10, stop_after=1)] == ["x"]


def test_a_session_is_ended_by_another(server: RockLakeServer, connection: Connection) -> None:
    with psycopg.connect(server.dsn("lake"), autocommit=True) as other:
        connection.execute("SELECT pg_terminate_backend(%s)", [other.info.backend_pid])
        with pytest.raises(psycopg.errors.AdminShutdown):
            other.execute("SELECT 1")
        assert other.closed


@pytest.mark.parametrize("jsonb", [False, True], ids=["json", "jsonb"])
def test_json_comes_back_as_it_was(connection: Connection, jsonb: bool) -> None:
    document = {"b": [1, 2.5, None, "☃"], "a": {"c": True}}
    wrapped = Jsonb(document) if jsonb else Json(document)
    for binary in (False, True):
        assert connection.execute("SELECT %s", [wrapped], binary=binary).fetchone() == (document,)


def test_notices_reach_their_handler(connection: Connection) -> None:
    heard: list[tuple[str | None, str | None]] = []
    connection.add_notice_handler(lambda notice: heard.append((notice.severity, notice.message_primary)))
    connection.execute("DROP TABLE IF EXISTS nothing")
    connection.execute("COMMIT")
    assert heard == [
        ("NOTICE", 'table "nothing" does not exist, skipping'),
        ("WARNING", "there is no transaction in progress"),
    ]


def test_several_results_of_one_text(connection: Connection) -> None:
    cursor = connection.execute("SELECT a FROM t ORDER BY a; SELECT b FROM t ORDER BY b")
    assert cursor.fetchall() == [(1,), (2,)]
    assert cursor.nextset()
    assert cursor.fetchall() == [("one",), ("two",)]


def test_what_a_result_says_about_its_columns(connection: Connection) -> None:
    cursor = connection.cursor(row_factory=dict_row).execute("SELECT a, b AS other FROM t WHERE a = 1")
    assert cursor.description is not None
    assert [(column.name, column.type_code) for column in cursor.description] == [("a", 20), ("other", 25)]
    assert cursor.fetchall() == [{"a": 1, "other": "one"}]
    assert cursor.statusmessage == "SELECT 1"


def test_what_a_connection_says_about_its_server(server: RockLakeServer) -> None:
    conninfo = psycopg.conninfo.make_conninfo(
        server.dsn("lake"), application_name="mine", options="-c lock_timeout=5s"
    )
    with psycopg.connect(conninfo) as other:
        assert other.info.server_version == 150000
        assert other.info.encoding == "utf-8"
        assert other.info.parameter_status("application_name") == "mine"
        assert other.execute("SHOW lock_timeout").fetchone() == ("5s",)
        assert (other.info.user, other.info.dbname) == ("lake", "lake")


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"options": "-c nothing=1"}, "unrecognized configuration parameter"),
        ({"options": "-c server_version=9"}, "cannot be changed"),
        ({"client_encoding": "latin1"}, "invalid value for parameter"),
    ],
)
def test_a_startup_with_a_wrong_setting_is_refused(
    server: RockLakeServer, parameters: dict[str, str], message: str
) -> None:
    with pytest.raises(psycopg.OperationalError, match=message):
        psycopg.connect(psycopg.conninfo.make_conninfo(server.dsn("lake"), **parameters))


async def test_asynchronously(server: RockLakeServer, connection: Connection) -> None:
    async with await psycopg.AsyncConnection.connect(server.dsn("lake"), autocommit=True) as other:
        async with other.transaction():
            await other.execute("INSERT INTO t VALUES (%s, %s)", [3, "x"])
        async with other.pipeline():
            one = await other.execute("SELECT count(*) FROM t")
            two = await other.execute("SELECT b FROM t WHERE a = %s", [3])
        assert (await one.fetchone(), await two.fetchone()) == ((3,), ("x",))
