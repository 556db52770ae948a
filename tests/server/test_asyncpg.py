"""asyncpg: binary parameters and results, prepared statements and COPY."""

from __future__ import annotations

import asyncio
import datetime
import io
import json
import uuid
from collections.abc import AsyncIterator
from decimal import Decimal

import asyncpg
import pytest

from tests.server.conftest import Connection
from tests.servers import RockLakeServer


@pytest.fixture
async def client(server: RockLakeServer, connection: Connection) -> AsyncIterator[asyncpg.Connection]:
    opened = await asyncpg.connect(host="127.0.0.1", port=server.port, user="ada", database="lake")
    try:
        yield opened
    finally:
        await opened.close()


VALUES: list[tuple[object, str]] = [
    (7, "smallint"), (-70_000, "integer"), (5_000_000_000, "bigint"), (1.5, "double precision"), (0.5, "real"),
    (Decimal("12.50"), "numeric"), ("naïve ☃", "text"), ("v", "varchar"), (True, "boolean"), (b"\x00\xff", "bytea"),
    (datetime.date(2024, 2, 29), "date"), (datetime.time(1, 2, 3, 4), "time"),
    (datetime.datetime(2024, 2, 29, 1, 2, 3, 4), "timestamp"),
    (datetime.datetime(2024, 2, 29, 1, 2, 3, 4, tzinfo=datetime.UTC), "timestamptz"),
    (datetime.timedelta(days=3, seconds=4), "interval"), (["a", "b c"], "text[]"),
    (uuid.UUID("01a22a8f-7421-711b-b6f5-516e8673243a"), "uuid"), (None, "bigint"),
]  # fmt: skip


@pytest.mark.parametrize(("value", "typename"), VALUES, ids=[typename for _, typename in VALUES])
async def test_a_parameter_comes_back_as_it_was(client: asyncpg.Connection, value: object, typename: str) -> None:
    assert await client.fetchval(f"SELECT $1::{typename}", value) == value


async def test_rows_are_records(client: asyncpg.Connection) -> None:
    rows = await client.fetch("SELECT a, b FROM t WHERE a > $1 ORDER BY a", 0)
    assert [dict(row) for row in rows] == [{"a": 1, "b": "one"}, {"a": 2, "b": "two"}]
    assert await client.execute("UPDATE t SET b = 'x' WHERE a = 1") == "UPDATE 1"


async def test_a_prepared_statement_tells_its_types(client: asyncpg.Connection) -> None:
    statement = await client.prepare("SELECT a, b FROM t WHERE a = $1 AND b = $2")
    assert [parameter.name for parameter in statement.get_parameters()] == ["int8", "text"]
    assert [(column.name, column.type.name) for column in statement.get_attributes()] == [
        ("a", "int8"),
        ("b", "text"),
    ]
    assert await statement.fetchval(2, "two") == 2


async def test_a_cursor_reads_in_parts(client: asyncpg.Connection) -> None:
    await client.executemany("INSERT INTO t VALUES ($1, $2)", [(n, str(n)) for n in range(3, 200)])
    async with client.transaction():
        seen = [row["a"] async for row in client.cursor("SELECT a FROM t ORDER BY a", prefetch=17)]
    assert seen == list(range(1, 200))


async def test_transactions_nest(client: asyncpg.Connection) -> None:
    async with client.transaction(isolation="repeatable_read"):
        await client.execute("INSERT INTO t VALUES (3, 'x')")
        with pytest.raises(asyncpg.UniqueViolationError):
            async with client.transaction():
                await client.execute("INSERT INTO t VALUES (1, 'x')")
        await client.execute("INSERT INTO t VALUES (4, 'x')")
    assert await client.fetchval("SELECT count(*) FROM t") == 4
    with pytest.raises(asyncpg.ReadOnlySQLTransactionError):
        async with client.transaction(readonly=True):
            await client.execute("DELETE FROM t")


async def test_records_are_copied_in_and_a_query_out(client: asyncpg.Connection, tmp_path: object) -> None:
    records = [(n, None if n % 3 == 0 else f"text {n}") for n in range(3, 2000)]
    assert await client.copy_records_to_table("t", records=records, columns=["a", "b"]) == "COPY 1997"
    received: list[bytes] = []

    async def receive(data: bytes) -> None:
        received.append(data)

    assert await client.copy_from_query("SELECT a FROM t WHERE a < $1", 3, output=receive) == "COPY 2"
    assert b"".join(received) == b"1\n2\n"
    with pytest.raises(asyncpg.UniqueViolationError):
        await client.copy_records_to_table("t", records=[(5000, "x"), (1, "x")])
    assert await client.fetchval("SELECT count(*) FROM t WHERE a >= 5000") == 0


async def test_a_type_is_found_by_name(client: asyncpg.Connection) -> None:
    """set_type_codec looks the type up in pg_type."""
    await client.set_type_codec("uuid", schema="pg_catalog", encoder=str, decoder=lambda text: text.upper())
    assert await client.fetchval("SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid") == (
        "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11"
    )


async def test_a_session_is_reset_between_users_of_a_pool(server: RockLakeServer, connection: Connection) -> None:
    async with asyncpg.create_pool(
        host="127.0.0.1", port=server.port, user="ada", database="lake", min_size=1, max_size=1
    ) as pool:
        async with pool.acquire() as client:
            await client.execute("SET application_name = 'left behind'")
            await client.execute("BEGIN")
        async with pool.acquire() as client:
            assert await client.fetchval("SHOW application_name") == ""
            assert await client.fetchval("SELECT count(*) FROM t") == 2


async def test_a_timeout_cancels_the_statement(client: asyncpg.Connection, connection: Connection) -> None:
    with connection.transaction():
        connection.execute("INSERT INTO t VALUES (3, 'x')")
        with pytest.raises(TimeoutError):
            await client.execute("INSERT INTO t VALUES (3, 'mine')", timeout=0.3)
    assert await client.fetchval("SELECT b FROM t WHERE a = 3") == "x"


@pytest.mark.parametrize(
    ("value", "typename"),
    [
        ([True, None], "boolean[]"), ([1, 2], "integer[]"), ([uuid.UUID(int=7)], "uuid[]"),
        ([Decimal("1.5")], "numeric[]"),
    ],
)
async def test_an_array_whose_type_has_to_be_asked_for(
    client: asyncpg.Connection, value: list[object], typename: str
) -> None:
    """asyncpg looks array types up by its introspection queries."""
    assert await client.fetchval(f"SELECT $1::{typename}", value) == value


async def test_rows_by_a_list_of_keys(client: asyncpg.Connection) -> None:
    rows = await client.fetch("SELECT b FROM t WHERE a = ANY($1) ORDER BY a", [2, 1])
    assert [row["b"] for row in rows] == ["one", "two"]
    found = await client.fetchmany("SELECT b FROM t WHERE a = $1", [(1,), (2,), (3,)])
    assert [row["b"] for row in found] == ["one", "two"]


@pytest.mark.parametrize("level", ["read_uncommitted", "read_committed", "repeatable_read", "serializable"])
async def test_every_isolation_level(client: asyncpg.Connection, level: str) -> None:
    async with client.transaction(isolation=level, readonly=True, deferrable=level == "serializable"):
        assert await client.fetchval("SHOW transaction_isolation") == level.replace("_", " ")
        assert await client.fetchval("SELECT count(*) FROM t") == 2


async def test_tables_are_copied_in_and_out(client: asyncpg.Connection) -> None:
    assert await client.copy_to_table("t", source=io.BytesIO(b"3\tx\n4\t\\N\n"), columns=["a", "b"]) == "COPY 2"
    text, binary = io.BytesIO(), io.BytesIO()
    assert await client.copy_from_table("t", output=text, columns=["a"]) == "COPY 4"
    assert sorted(text.getvalue().split()) == [b"1", b"2", b"3", b"4"]
    assert await client.copy_from_table("t", output=binary, format="binary") == "COPY 4"
    assert binary.getvalue().startswith(b"PGCOPY\n")


async def test_notifications_reach_their_listeners(server: RockLakeServer, client: asyncpg.Connection) -> None:
    told: asyncio.Queue[tuple[int, str, str]] = asyncio.Queue()

    def hear(_connection: object, pid: int, channel: str, payload: str) -> None:
        told.put_nowait((pid, channel, payload))

    await client.add_listener("news", hear)
    await client.execute("SELECT pg_notify('news', 'one')")
    assert await asyncio.wait_for(told.get(), 10) == (client.get_server_pid(), "news", "one")
    await client.remove_listener("news", hear)
    await client.execute("NOTIFY news, 'two'")
    assert told.empty()


async def test_json_is_decoded_by_a_codec_of_the_program(client: asyncpg.Connection) -> None:
    for name in ("json", "jsonb"):
        await client.set_type_codec(name, schema="pg_catalog", encoder=json.dumps, decoder=json.loads)
    document = {"b": [1, None], "a": "☃"}
    assert tuple(await client.fetchrow("SELECT $1::json, $2::jsonb", document, document)) == (document, document)
