"""Clients that vanish, stop reading, send rubbish or send slowly: the server keeps serving and forgets them."""

from __future__ import annotations

import random
import re
import socket
import threading
import time
from contextlib import ExitStack
from pathlib import Path

import psycopg
import pytest

from rocklake_server.limits import MESSAGE_BYTES_MAX
from rocklake_server.wire import messages as m
from rocklake_server.wire.layout import encode
from rocklake_server.wire.startup import SSLRequest
from tests.server.conftest import MAX_CONNECTIONS, Connection, wait_for_free_sessions
from tests.server.raw_client import STARTUP, RawClient
from tests.servers import RockLakeServer

MEGABYTE = 1 << 20
GROWTH_BYTES_MAX = 80 * MEGABYTE
SMALL_WINDOW_BYTES = 4096


def resident_bytes(pid: int) -> int:
    found = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    assert found is not None
    return int(found[1]) * 1024


@pytest.fixture
def wide(small_server: RockLakeServer) -> None:
    """Table ``wide``: 2,000 rows of 5 KB."""
    with psycopg.connect(small_server.dsn("lake"), autocommit=True) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS wide (a bigint PRIMARY KEY, b text)")
        if connection.execute("SELECT count(*) FROM wide").fetchone() == (0,):
            with connection.cursor().copy("COPY wide FROM STDIN") as copy:
                for number in range(2000):
                    copy.write_row((number, "x" * 5000))


HUNDRED_MEGABYTES = f"SELECT {', '.join(['b'] * 10)} FROM wide"


@pytest.mark.parametrize(
    "text",
    [
        HUNDRED_MEGABYTES,
        f"COPY ({HUNDRED_MEGABYTES}) TO STDOUT",
        f"COPY ({HUNDRED_MEGABYTES}) TO STDOUT (FORMAT BINARY)",
    ],
    ids=["select", "copy-text", "copy-binary"],
)
@pytest.mark.usefixtures("wide")
def test_a_client_that_stops_reading_costs_little_memory(small_server: RockLakeServer, text: str) -> None:
    with RawClient(small_server.port, receive_buffer_bytes=SMALL_WINDOW_BYTES).login() as client:
        before = resident_bytes(small_server.pid)
        client.send(m.Query(text))
        client.message()
        for _ in range(10):
            time.sleep(0.1)
            assert resident_bytes(small_server.pid) - before < GROWTH_BYTES_MAX
        with psycopg.connect(small_server.dsn("lake"), connect_timeout=5) as other:
            assert other.execute("SELECT count(*) FROM wide").fetchone() == (2000,)
        client.reset()
    wait_for_free_sessions(small_server)


@pytest.mark.usefixtures("wide")
def test_a_hundred_megabytes_arrive_whole_and_cost_little_memory(small_server: RockLakeServer) -> None:
    before = resident_bytes(small_server.pid)
    with psycopg.connect(small_server.dsn("lake")) as connection:
        with connection.cursor().copy(f"COPY ({HUNDRED_MEGABYTES}) TO STDOUT (FORMAT BINARY)") as copy:
            received = sum(len(data) for data in copy)
        assert resident_bytes(small_server.pid) - before < GROWTH_BYTES_MAX
    assert received == 19 + 2000 * (2 + 10 * (4 + 5000)) + 2


@pytest.mark.parametrize("how", ["reset", "close", "shutdown"])
@pytest.mark.parametrize("text", [HUNDRED_MEGABYTES, f"COPY ({HUNDRED_MEGABYTES}) TO STDOUT (FORMAT BINARY)"])
@pytest.mark.usefixtures("wide")
def test_a_client_vanishes_while_a_result_streams(small_server: RockLakeServer, text: str, how: str) -> None:
    for _ in range(MAX_CONNECTIONS + 1):
        client = RawClient(small_server.port, receive_buffer_bytes=SMALL_WINDOW_BYTES).login()
        client.send(m.Query(text))
        client.message()
        if how == "reset":
            client.reset()
        elif how == "shutdown":
            client.socket.shutdown(socket.SHUT_RDWR)
        client.socket.close()
        wait_for_free_sessions(small_server, 1)
    wait_for_free_sessions(small_server)


@pytest.mark.parametrize("how", ["reset", "close", "half a message"])
def test_a_client_vanishes_while_it_sends(small_server: RockLakeServer, how: str) -> None:
    with psycopg.connect(small_server.dsn("lake"), autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS sent")
        connection.execute("CREATE TABLE sent (a bigint PRIMARY KEY)")
    for _ in range(MAX_CONNECTIONS + 1):
        client = RawClient(small_server.port).login()
        client.send(m.Query("BEGIN; COPY sent FROM STDIN"))
        client.until(m.CopyInResponse)
        client.send(*(m.CopyData(f"{number}\n".encode()) for number in range(4000)))
        if how == "half a message":
            client.socket.sendall(b"d\0\0\xff\xff1\n2\n")
        if how == "reset":
            client.reset()
        client.socket.close()
        wait_for_free_sessions(small_server, 1)
    wait_for_free_sessions(small_server)
    with psycopg.connect(small_server.dsn("lake"), autocommit=True) as connection:
        connection.execute("SET lock_timeout = '2s'")
        assert connection.execute("SELECT count(*) FROM sent").fetchone() == (0,)
        connection.execute("INSERT INTO sent VALUES (1), (3999)")


@pytest.mark.parametrize("how", ["reset", "close"])
def test_a_client_that_waits_for_a_lock_vanishes(small_server: RockLakeServer, how: str) -> None:
    with psycopg.connect(small_server.dsn("lake"), autocommit=True) as setup:
        setup.execute("DROP TABLE IF EXISTS held")
        setup.execute("CREATE TABLE held (a bigint PRIMARY KEY)")
    with psycopg.connect(small_server.dsn("lake")) as holder:
        holder.execute("INSERT INTO held VALUES (1)")
        clients = [RawClient(small_server.port).login() for _ in range(MAX_CONNECTIONS - 1)]
        for number, client in enumerate(clients):
            client.send(m.Query(f"BEGIN; INSERT INTO held VALUES ({number + 2}); INSERT INTO held VALUES (1)"))
        time.sleep(0.2)
        for client in clients:
            if how == "reset":
                client.reset()
            client.socket.close()
        wait_for_free_sessions(small_server, MAX_CONNECTIONS - 1)
        with psycopg.connect(small_server.dsn("lake"), autocommit=True) as other:
            other.execute("SET lock_timeout = '5s'")
            assert other.execute("INSERT INTO held VALUES (2), (3)").rowcount == 2
        holder.commit()
    with psycopg.connect(small_server.dsn("lake")) as connection:
        assert connection.execute("SELECT a FROM held ORDER BY a").fetchall() == [(1,), (2,), (3,)]


@pytest.mark.parametrize("how", ["reset", "close"])
def test_a_client_vanishes_in_a_block(small_server: RockLakeServer, how: str) -> None:
    with psycopg.connect(small_server.dsn("lake"), autocommit=True) as other:
        other.execute("DROP TABLE IF EXISTS held")
        other.execute("CREATE TABLE held (a bigint PRIMARY KEY)")
        client = RawClient(small_server.port).login()
        client.send(m.Query("BEGIN; INSERT INTO held VALUES (1)"))
        client.until(m.ReadyForQuery)
        threading.Timer(0.2, client.reset if how == "reset" else client.socket.close).start()
        other.execute("SET lock_timeout = '10s'")
        other.execute("INSERT INTO held VALUES (1)")
        assert other.execute("SELECT count(*) FROM held").fetchone() == (1,)
    wait_for_free_sessions(small_server)


def test_a_client_vanishes_while_a_long_statement_computes(small_server: RockLakeServer) -> None:
    with psycopg.connect(small_server.dsn("lake"), autocommit=True) as setup:
        setup.execute("DROP TABLE IF EXISTS many")
        setup.execute("CREATE TABLE many (a bigint)")
        with setup.cursor().copy("COPY many FROM STDIN") as copy:
            for number in range(20_000):
                copy.write_row((number,))
    clients = [RawClient(small_server.port).login() for _ in range(MAX_CONNECTIONS)]
    for client in clients:
        client.send(m.Query("SELECT count(*) FROM many x, many y WHERE x.a + y.a < 0"))
    time.sleep(0.3)
    for client in clients:
        client.reset()
    wait_for_free_sessions(small_server)


def test_a_client_that_sends_queries_and_never_reads_costs_little_memory(small_server: RockLakeServer) -> None:
    data = encode(m.Query(f"SELECT '{'x' * 4000}'")) * 50
    with RawClient(small_server.port, receive_buffer_bytes=SMALL_WINDOW_BYTES).login() as client:
        before = resident_bytes(small_server.pid)
        client.socket.settimeout(2)
        with pytest.raises(TimeoutError):
            client.socket.sendall(data * (GROWTH_BYTES_MAX * 4 // len(data)))
        assert resident_bytes(small_server.pid) - before < GROWTH_BYTES_MAX / 2
        with psycopg.connect(small_server.dsn("lake"), connect_timeout=5) as other:
            assert other.execute("SELECT 1").fetchone() == (1,)
        client.reset()
    wait_for_free_sessions(small_server)


def test_an_announced_length_takes_no_memory(small_server: RockLakeServer) -> None:
    before = resident_bytes(small_server.pid)
    with ExitStack() as clients:
        for _ in range(MAX_CONNECTIONS):
            client = clients.enter_context(RawClient(small_server.port).login())
            client.socket.sendall(b"Q" + MESSAGE_BYTES_MAX.to_bytes(4, "big") + b"SELECT")
        time.sleep(0.3)
        assert resident_bytes(small_server.pid) - before < MEGABYTE
    wait_for_free_sessions(small_server)
    with RawClient(small_server.port).login() as client:
        client.socket.sendall(b"Q" + (MESSAGE_BYTES_MAX + 1).to_bytes(4, "big") + b"SELECT")
        assert b"invalid message length" in client.rest()


def test_half_open_startups_take_no_session(small_server: RockLakeServer) -> None:
    with ExitStack() as clients:
        opened = [clients.enter_context(RawClient(small_server.port)) for _ in range(3 * MAX_CONNECTIONS)]
        for client in opened[::2]:
            client.socket.sendall(encode(STARTUP)[:9])
        opened[1].send(SSLRequest())
        assert opened[1].socket.recv(1) == b"N"
        wait_for_free_sessions(small_server)
        assert isinstance(opened[1].login(), RawClient)


RUBBISH = {
    "http": b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
    "tls": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(500),
    "zeros": bytes(64),
    "huge length": b"\x7f\xff\xff\xff\0\x03\0\0",
    "negative length": b"\xff\xff\xff\xff\0\x03\0\0",
    "old protocol": b"\0\0\0\x08\0\x02\0\0",
    "no user": b"\0\0\0\x09\0\x03\0\0\0",
    "random": random.Random(7).randbytes(20_000),
}


@pytest.mark.parametrize("data", RUBBISH.values(), ids=RUBBISH)
def test_rubbish_instead_of_a_startup_ends_the_connection(small_server: RockLakeServer, data: bytes) -> None:
    with RawClient(small_server.port) as client:
        client.socket.settimeout(5)
        client.socket.sendall(data)
        reply = client.rest()
    assert reply == b"" or reply[:1] == b"E"
    wait_for_free_sessions(small_server)


@pytest.mark.parametrize("data", [b"!\0\0\0\4", b"Q\0\0\0\3", b"Q\x7f\xff\xff\xff", random.Random(3).randbytes(9000)])
def test_rubbish_after_the_startup_ends_the_session(small_server: RockLakeServer, data: bytes) -> None:
    with RawClient(small_server.port).login() as client:
        client.socket.settimeout(5)
        client.socket.sendall(data)
        reply = client.rest()
    assert b"08P01" in reply
    wait_for_free_sessions(small_server)


def test_the_bytes_of_a_conversation_may_come_one_by_one(server: RockLakeServer) -> None:
    data = encode(STARTUP) + encode(m.Query("SELECT 1 AS a")) + encode(m.Terminate())
    with RawClient(server.port) as client:
        client.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for byte in data:
            client.socket.sendall(bytes([byte]))
        assert b"SELECT 1\0" in client.rest()


def test_a_client_that_only_listens_any_more_is_answered(server: RockLakeServer) -> None:
    with RawClient(server.port) as client:
        client.send(STARTUP, m.Query("SELECT 1 AS a"), m.Query("SELECT 2 AS a"))
        client.socket.shutdown(socket.SHUT_WR)
        assert client.rest().count(b"SELECT 1\0") == 2


def test_a_query_of_twenty_megabytes_that_comes_in_small_pieces(
    server: RockLakeServer, connection: Connection
) -> None:
    data = encode(m.Query(f"SELECT length('{'x' * (20 * MEGABYTE)}')"))
    slowest_s = 0.0
    began = time.monotonic()
    with RawClient(server.port).login() as client:
        for position, start in enumerate(range(0, len(data), 16_384)):
            client.socket.sendall(data[start : start + 16_384])
            if position % 100 == 0:
                asked = time.monotonic()
                connection.execute("SELECT 1")
                slowest_s = max(slowest_s, time.monotonic() - asked)
        row = client.until(m.ReadyForQuery)[1]
    assert isinstance(row, m.DataRow)
    assert [bytes(value) for value in row.values if value is not None] == [str(20 * MEGABYTE).encode()]
    assert slowest_s < 1.0
    assert time.monotonic() - began < 10.0


def test_two_hundred_idle_connections(server: RockLakeServer, connection: Connection) -> None:
    before = resident_bytes(server.pid)
    with ExitStack() as clients:
        opened = [clients.enter_context(psycopg.connect(server.dsn("lake"), autocommit=True)) for _ in range(200)]
        for each in opened[::20]:
            assert each.execute("SELECT count(*) FROM t").fetchone() == (2,)
        began = time.monotonic()
        for _ in range(50):
            connection.execute("SELECT b FROM t WHERE a = 1")
        assert time.monotonic() - began < 2.0
        assert resident_bytes(server.pid) - before < GROWTH_BYTES_MAX


def test_a_client_that_does_not_read_its_notifications_is_ended(server: RockLakeServer, connection: Connection) -> None:
    with RawClient(server.port, receive_buffer_bytes=SMALL_WINDOW_BYTES).login() as client:
        client.send(m.Query("LISTEN news"))
        client.until(m.ReadyForQuery)
        listening = "SELECT count(*) FROM pg_stat_activity WHERE query = 'LISTEN news'"
        assert connection.execute(listening).fetchone() == (1,)
        deadline = time.monotonic() + 30
        told = "SELECT pg_notify('news', g::text || %s) FROM unnest(%s::int4[]) g"
        while connection.execute(listening).fetchone() == (1,):
            assert time.monotonic() < deadline
            connection.execute(told, ["x" * 7900, list(range(100))])
