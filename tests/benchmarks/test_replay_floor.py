"""The proxy gives back the bytes that the server sent, however they are cut, and knows what it waited for."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.replay_floor import ReplayProxy
from tests.servers import RockLakeServer

STARTUP = b"\0\0\0\x08" + (196_608).to_bytes(4, "big")
GREETING = b"R\0\0\0\x08\0\0\0\0Z\0\0\0\5I"


def message(kind: bytes, body: bytes = b"") -> bytes:
    return kind + (len(body) + 4).to_bytes(4, "big") + body


class NumberingServer:
    """Answers each request with a row that holds the request and a number that was never used before."""

    def __init__(self) -> None:
        self.requests: list[bytes] = []
        self.delay_s = 0.0
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def start(self) -> int:
        self._thread.start()
        listening = asyncio.start_server(self._serve, "127.0.0.1", 0)
        self._server = asyncio.run_coroutine_threadsafe(listening, self._loop).result()
        return int(self._server.sockets[0].getsockname()[1])

    def stop(self) -> None:
        async def end() -> None:
            self._server.close()
            for task in asyncio.all_tasks() - {asyncio.current_task()}:
                task.cancel()

        asyncio.run_coroutine_threadsafe(end(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await reader.readexactly(len(STARTUP))
            writer.write(GREETING)
            request = b""
            while True:
                head = await reader.readexactly(5)
                request += head + await reader.readexactly(int.from_bytes(head[1:], "big") - 4)
                if head[:1] in b"QSc":
                    await asyncio.sleep(self.delay_s)
                    self.requests.append(request)
                    writer.write(message(b"D", b"%d " % len(self.requests) + request) + message(b"Z", b"I"))
                    request = b""
        except (asyncio.IncompleteReadError, asyncio.CancelledError, ConnectionError):
            pass  # the client went, or the test is over
        finally:
            writer.close()


@pytest.fixture
def numbering() -> Iterator[NumberingServer]:
    server = NumberingServer()
    yield server
    server.stop()


@pytest.fixture
def proxy(numbering: NumberingServer) -> Iterator[ReplayProxy]:
    proxy = ReplayProxy("127.0.0.1", numbering.start())
    proxy.start()
    yield proxy
    proxy.stop()


class Conversation:
    def __init__(self, proxy: ReplayProxy) -> None:
        self._socket = socket.create_connection(("127.0.0.1", proxy.port), timeout=10)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        assert self.ask(STARTUP) == GREETING

    def ask(self, *pieces: bytes) -> bytes:
        for piece in pieces:
            self._socket.sendall(piece)
        answer = b""
        while not answer.endswith(message(b"Z", b"I")):
            answer += self._socket.recv(1 << 16)
        return answer

    def __enter__(self) -> Conversation:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()


def test_a_repeated_request_is_answered_from_memory_only_while_it_replays(
    numbering: NumberingServer, proxy: ReplayProxy
) -> None:
    request = message(b"Q", b"SELECT 1\0")
    with Conversation(proxy) as client:
        first, second = client.ask(request), client.ask(request)
        assert first == message(b"D", b"1 " + request) + message(b"Z", b"I")
        assert second == message(b"D", b"2 " + request) + message(b"Z", b"I")
        proxy.replays = True
        assert [client.ask(request), client.ask(request)] == [second, second]
        new = message(b"Q", b"SELECT 2\0")
        assert client.ask(new) == message(b"D", b"3 " + new) + message(b"Z", b"I")
        proxy.replays = False
        assert client.ask(request) == message(b"D", b"4 " + request) + message(b"Z", b"I")
    assert numbering.requests == [request, request, new, request]


def test_a_new_client_is_replayed_from_its_first_byte(numbering: NumberingServer, proxy: ReplayProxy) -> None:
    request = message(b"Q", b"SELECT 1\0")
    with Conversation(proxy) as client:
        answer = client.ask(request)
    proxy.replays = True
    with Conversation(proxy) as client:
        assert client.ask(request) == answer
    assert numbering.requests == [request]


def test_a_describe_of_its_own_belongs_to_the_statement_that_was_parsed(
    numbering: NumberingServer, proxy: ReplayProxy
) -> None:
    sync, describe = message(b"S"), message(b"D", b"S\0")
    parses = [message(b"P", b"\0%s\0\0\0" % text) for text in (b"SELECT 1", b"SELECT 2")]
    with Conversation(proxy) as client:
        answers = [client.ask(parse + sync) + client.ask(describe + sync) for parse in parses]
        proxy.replays = True
        assert [client.ask(parse + sync) + client.ask(describe + sync) for parse in parses] == answers
    assert len(numbering.requests) == 4


def test_the_wait_for_the_server_is_counted_and_a_replay_waits_for_nothing(
    numbering: NumberingServer, proxy: ReplayProxy
) -> None:
    numbering.delay_s = 0.1
    request = message(b"Q", b"SELECT 1\0")
    with Conversation(proxy) as client:
        start, before_s = time.perf_counter(), proxy.waited_s
        client.ask(request)
        assert 0.09 < proxy.waited_s - before_s <= time.perf_counter() - start
        proxy.replays, before_s = True, proxy.waited_s
        client.ask(request)
        assert proxy.waited_s == before_s


@settings(max_examples=40, deadline=None)
@given(bodies=st.lists(st.binary(max_size=40), min_size=1, max_size=6), cuts=st.sets(st.integers(1, 400), max_size=8))
def test_messages_may_be_cut_anywhere_and_joined(bodies: list[bytes], cuts: set[int]) -> None:
    """Data of a COPY belongs to the request that its end completes."""
    request = b"".join(message(b"d", body) for body in bodies) + message(b"c")
    places = [0, *sorted(cut for cut in cuts if cut < len(request)), len(request)]
    pieces = [request[start:stop] for start, stop in pairwise(places)]
    server = NumberingServer()
    proxy = ReplayProxy("127.0.0.1", server.start())
    proxy.start()
    try:
        with Conversation(proxy) as client:
            answer = client.ask(*pieces)
            proxy.replays = True
            assert client.ask(request) == answer == message(b"D", b"1 " + request) + message(b"Z", b"I")
        assert server.requests == [request]
    finally:
        proxy.stop()
        server.stop()


def test_a_driver_gets_the_same_rows_from_the_server_and_from_memory(tmp_path: Path) -> None:
    server = RockLakeServer("memory:///replay", logs=tmp_path)
    server.start()
    proxy = ReplayProxy("127.0.0.1", server.port)
    proxy.start()
    try:
        dsn = server.dsn("lake")
        with psycopg.connect(dsn, autocommit=True) as direct, psycopg.connect(dsn, port=proxy.port) as client:
            client.autocommit = True
            direct.execute("CREATE TABLE t(a bigint, b text)")
            direct.execute("INSERT INTO t VALUES " + ",".join(f"({n}, '{'x' * 1000}')" for n in range(300)))
            query = "COPY (SELECT a, b FROM t) TO STDOUT (FORMAT binary)"
            answers = []
            for replays in (False, True):
                proxy.replays = replays
                with client.cursor().copy(query) as copied:
                    answers.append(b"".join(copied))
            with direct.cursor().copy(query) as copied:
                assert answers == [b"".join(copied)] * 2
            direct.execute("DELETE FROM t")
            assert client.execute("SELECT count(*) FROM t").fetchall() == [(0,)]
    finally:
        proxy.stop()
        server.stop()
