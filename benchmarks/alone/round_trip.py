"""The round trip of a statement that the server has a plan for, seen by one client that does nothing else.

The client is a plain socket that sends prepared bytes, so that what is measured is the server's share and the two
wake-ups. Beside it, the same statement on a PostgreSQL.
"""

from __future__ import annotations

import socket
import statistics
import time
from collections.abc import Iterator
from contextlib import ExitStack

import psycopg
from psycopg import conninfo

from benchmarks.alone.figures import Figure
from benchmarks.targets import Target, postgres, rocklake

MICROSECONDS_MAX = 60.0
STATEMENT = "SELECT schema_version, next_catalog_id, next_file_id FROM ducklake_snapshot WHERE snapshot_id = {}"
SNAPSHOTS = 100
WARM_UP = 200
BATCH = 250
PAUSE_S = 0.001


class Client:
    """A session that speaks the protocol itself: one Query in, everything to ReadyForQuery out."""

    def __init__(self, target: Target) -> None:
        parts = conninfo.conninfo_to_dict(target.dsn)
        self._socket = socket.create_connection((str(parts["host"]), int(str(parts["port"]))))
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        words = f"user\0{parts['user']}\0database\0{parts['dbname']}\0\0".encode()
        self._exchange((len(words) + 8).to_bytes(4, "big") + (196_608).to_bytes(4, "big") + words)

    def ask(self, text: str) -> float:
        """Seconds until the answer is complete. Raises AssertionError when it is an error."""
        body = text.encode() + b"\0"
        request = b"Q" + (len(body) + 4).to_bytes(4, "big") + body
        start = time.perf_counter()
        answer = self._exchange(request)
        elapsed_s = time.perf_counter() - start
        assert answer[:1] == b"T", answer
        return elapsed_s

    def _exchange(self, request: bytes) -> bytes:
        self._socket.sendall(request)
        answer = b""
        while answer[-6:-1] != b"Z\0\0\0\5":
            answer += self._socket.recv(1 << 16)
        return answer

    def close(self) -> None:
        self._socket.close()


def round_trip(batches: int = 20) -> Iterator[Figure]:
    """In turn on both servers, back to back and with a pause before each statement, which lets the cores sleep."""
    with ExitStack() as stack:
        targets = [stack.enter_context(rocklake()), stack.enter_context(postgres())]
        clients = {target.name: _prepared(target) for target in targets}
        for client in clients.values():
            stack.callback(client.close)
        at_once: dict[str, list[float]] = {name: [] for name in clients}
        paused: dict[str, list[float]] = {name: [] for name in clients}
        for number in range(batches):
            for name in list(clients) if number % 2 == 0 else list(clients)[::-1]:
                client = clients[name]
                at_once[name] += [client.ask(STATEMENT.format(n % SNAPSHOTS)) * 1e6 for n in range(BATCH)]
                for n in range(BATCH // 5):
                    time.sleep(PAUSE_S)
                    paused[name].append(client.ask(STATEMENT.format(n % SNAPSHOTS)) * 1e6)
        trivial = [clients["rocklake"].ask("SELECT 1") * 1e6 for _ in range(batches * BATCH)]
    busy, idle = ({name: statistics.median(each) for name, each in times.items()} for times in (at_once, paused))
    yield Figure("round trip of a cached statement", busy["rocklake"], "µs", MICROSECONDS_MAX,
                 details={"PostgreSQL, µs": busy["postgres"], "ours, SELECT 1, µs": statistics.median(trivial),
                          "ours after a pause of 1 ms, µs": idle["rocklake"],
                          "PostgreSQL after a pause of 1 ms, µs": idle["postgres"]})


def _prepared(target: Target) -> Client:
    with psycopg.connect(target.dsn, autocommit=True) as connection:
        connection.execute("CREATE TABLE ducklake_snapshot(snapshot_id BIGINT PRIMARY KEY, snapshot_time TIMESTAMPTZ, "
                           "schema_version BIGINT, next_catalog_id BIGINT, next_file_id BIGINT)")
        for number in range(SNAPSHOTS):
            connection.execute(f"INSERT INTO ducklake_snapshot VALUES ({number}, now(), 1, 2, 3)".encode())
        target.settle(connection)
    client = Client(target)
    for number in range(WARM_UP):
        client.ask(STATEMENT.format(number % SNAPSHOTS))
    return client
