"""A session's time zone: what it is for, and that it is nobody else's. That values are right, tests/adhoc compares with
PostgreSQL."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from rocklake_server.wire import messages as m
from tests.session.conversation import Conversation, Place, place

MOMENT = "SELECT '2024-07-01 12:00:00+00'::timestamptz"
COUNTED = "SELECT '2024-07-01 12:00'::timestamptz, current_date = now()::date, x FROM unnest(ARRAY[1]) x"


@pytest.fixture
async def server() -> AsyncIterator[Place]:
    async with place() as opened:
        yield opened


@pytest.fixture
async def client(server: Place) -> Conversation:
    client = await server.client()
    await client.run("CREATE TABLE t (a bigint PRIMARY KEY, f timestamptz)")
    return client


async def test_set_time_zone_is_shown_told_and_used_at_once(client: Conversation) -> None:
    replies = await client.query(f"SET TIME ZONE 'europe/berlin'; SHOW TimeZone; {MOMENT}")
    assert "row Europe/Berlin" in replies
    assert "row 2024-07-01 14:00:00+02" in replies
    assert "TimeZone=Europe/Berlin" in "".join(replies)
    assert await client.rows("RESET TimeZone; " + MOMENT) == ["2024-07-01 12:00:00+00"]


@pytest.mark.parametrize(("value", "shown", "moment"), [
    ("'UTC'", "UTC", "12:00:00+00"), ("'Etc/UTC'", "Etc/UTC", "12:00:00+00"), ("2", "<+02>-02", "14:00:00+02"),
    ("-5", "<-05>+05", "07:00:00-05"), ("'Asia/Kolkata'", "Asia/Kolkata", "17:30:00+05:30"),
    ("'GMT+3'", "GMT+3", "09:00:00-03"), ("'EST5EDT'", "EST5EDT", "08:00:00-04"), ("DEFAULT", "UTC", "12:00:00+00"),
])
async def test_every_spelling_of_a_zone(client: Conversation, value: str, shown: str, moment: str) -> None:
    await client.run(f"SET TIME ZONE {value}")
    assert await client.rows("SHOW TimeZone") == [shown]
    assert await client.rows(MOMENT) == [f"2024-07-01 {moment}"]
    await client.run(f"SET TIME ZONE '{shown}'")
    assert await client.rows(MOMENT) == [f"2024-07-01 {moment}"]


@pytest.mark.parametrize(
    "value", ["'Europe/Atlantis'", "'right/Europe/Berlin'", "'../etc/passwd'", "'/etc/passwd'", "99"])
async def test_what_is_no_zone_is_refused(client: Conversation, value: str) -> None:
    assert (await client.query(f"SET TIME ZONE {value}"))[0].startswith("ERROR 22023")
    assert await client.rows(MOMENT) == ["2024-07-01 12:00:00+00"]


async def test_a_zone_goes_back_with_its_transaction(client: Conversation) -> None:
    await client.run("BEGIN", "SET LOCAL TIME ZONE 'Asia/Tokyo'")
    assert await client.rows(MOMENT) == ["2024-07-01 21:00:00+09"]
    await client.run("COMMIT")
    assert await client.rows(MOMENT) == ["2024-07-01 12:00:00+00"]
    await client.run("BEGIN", "SAVEPOINT s", "SET TimeZone = 'Asia/Tokyo'", "ROLLBACK TO s")
    assert await client.rows(MOMENT) == ["2024-07-01 12:00:00+00"]
    await client.run("SET TimeZone = 'Asia/Tokyo'", "ROLLBACK")
    assert await client.rows(MOMENT) == ["2024-07-01 12:00:00+00"]


async def test_the_same_statements_of_sessions_in_other_zones_do_not_meet(server: Place, client: Conversation) -> None:
    others = {"UTC": client, "Europe/Berlin": await server.client(timezone="Europe/Berlin"),
              "Asia/Tokyo": await server.client(timezone="Asia/Tokyo")}
    expected = {"UTC": "2024-07-01 12:00:00+00", "Europe/Berlin": "2024-07-01 12:00:00+02",
                "Asia/Tokyo": "2024-07-01 12:00:00+09"}
    windowed = "SELECT '2024-07-01 12:00'::timestamptz, row_number() OVER ()"
    for _ in range(3):
        for zone, each in others.items():
            assert await each.rows(COUNTED) == [f"{expected[zone]}|t|1"]
            assert await each.rows(windowed) == [f"{expected[zone]}|1"]


async def test_what_is_written_without_an_offset_is_in_the_sessions_zone(server: Place, client: Conversation) -> None:
    there = await server.client(timezone="America/New_York")
    many = ", ".join(f"({number}, '2024-01-01 {number % 24:02}:00')" for number in range(100, 400))
    await there.run("INSERT INTO t VALUES (1, '2024-07-01 12:00'), (2, '2024-01-01 12:00')",
                    "INSERT INTO t VALUES (3, '2024-07-01 12:00+00')", f"INSERT INTO t VALUES {many}",
                    "INSERT INTO t SELECT 4, TIMESTAMP '2024-03-10 02:30'",
                    "UPDATE t SET f = '2024-11-03 01:30' WHERE a = 2")
    await there.say(m.Parse("", "INSERT INTO t VALUES (5, $1)", ()), m.Bind("", "", (), (b"2024-07-01 12:00",), ()),
                    m.Execute("", 0), m.Sync())
    await there.exchange(m.Query("COPY t FROM STDIN"), m.CopyData(b"6\t2024-07-01 12:00\n"), m.CopyDone())
    assert await client.rows("SELECT a, f FROM t WHERE a < 100 ORDER BY a") == [
        "1|2024-07-01 16:00:00+00", "2|2024-11-03 06:30:00+00", "3|2024-07-01 12:00:00+00", "4|2024-03-10 07:30:00+00",
        "5|2024-07-01 16:00:00+00", "6|2024-07-01 16:00:00+00",
    ]
    assert await client.rows("SELECT DISTINCT f - (a % 24) * INTERVAL '1 hour' FROM t WHERE a >= 100") == [
        "2024-01-01 05:00:00+00"]
    replies = await there.exchange(m.Query("COPY (SELECT f FROM t WHERE a = 1) TO STDOUT"))
    assert [bytes(reply.data) for reply in replies if isinstance(reply, m.CopyData)] == [b"2024-07-01 12:00:00-04\n"]


@pytest.mark.parametrize("text", [
    "SELECT count(*) OVER (ORDER BY f RANGE BETWEEN INTERVAL '1 day' PRECEDING AND CURRENT ROW) FROM t",
    "SELECT '12:00'::timetz", "SELECT TIME '12:00'::timetz", "SELECT now() AT TIME ZONE 'CEST'",
    "SELECT now() AT TIME ZONE '+02'", "SELECT * FROM generate_series(now(), now() + INTERVAL '1 day', '1 second')",
])
async def test_what_is_not_done_in_a_zone_is_refused_by_name(client: Conversation, text: str) -> None:
    await client.run("SET TIME ZONE 'Europe/Berlin'")
    assert (await client.query(text))[0].startswith("ERROR 0A000"), text
