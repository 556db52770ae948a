"""What the admin port answers on each path, to good clients and bad ones, and while the store is away."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from rocklake_server.config import ADMIN_PORT, Listen, server_settings
from rocklake_server.errors import InvalidParameterValue
from rocklake_server.limits import ADMIN_CONNECTIONS_MAX, ADMIN_HEAD_BYTES_MAX, READY_TIMEOUT_S
from tests.cli.console import command, environment, rocklake, the_sentence
from tests.s3_stub import S3Stub
from tests.server.admin.watched_server import Answer, ask, scrape, watched
from tests.servers import RockLakeServer

SOON_S = 20.0


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[RockLakeServer, int]]:
    with watched(tmp_path_factory.mktemp("admin"), "memory:///admin") as started:
        yield started


@pytest.fixture
def port(server: tuple[RockLakeServer, int]) -> int:
    return server[1]


def ask_until(port: int, path: str, status: int) -> Answer:
    deadline = time.monotonic() + SOON_S
    while (answer := ask(port, path)).status != status:
        assert time.monotonic() < deadline, answer
        time.sleep(0.1)
    return answer


# -- paths ------------------------------------------------------------------------------------------------------------


def test_a_server_that_serves_is_live_and_ready(port: int) -> None:
    assert (ask(port, "/live").status, ask(port, "/live").text) == (200, "live\n")
    assert (ask(port, "/ready").status, ask(port, "/ready?verbose").text) == (200, "ready\n")


def test_the_status_tells_what_the_server_does(server: tuple[RockLakeServer, int]) -> None:
    running, port = server
    with psycopg.connect(running.dsn("told"), autocommit=True) as idle, psycopg.connect(running.dsn("told")) as block:
        idle.execute("CREATE TABLE t (a bigint)")
        block.execute("SELECT a FROM t")
        answer = ask(port, "/status")
        status = json.loads(answer.text)
    assert answer.headers["Content-Type"] == "application/json"
    assert status["store"] == "memory:///admin"
    assert (status["ready"], status["problem"], status["owns_store"]) == (True, None, True)
    assert status["sessions"]["states"] == {"idle": 1, "idle in transaction": 1}
    (lake,) = (lake for lake in status["open_lakes"] if lake["database"] == "told")
    assert (lake["schema"], lake["commit_sequence"], lake["available"]) == ("public", 1, True)
    assert status["process_id"] == running.pid


def test_metrics_come_as_openmetrics_to_those_who_ask(port: int) -> None:
    plain = ask(port, "/metrics")
    open_metrics = ask(port, "/metrics", headers={"Accept": "application/openmetrics-text; version=1.0.0"})
    assert plain.headers["Content-Type"].startswith("text/plain; version=0.0.4")
    assert open_metrics.headers["Content-Type"].startswith("application/openmetrics-text; version=1.0.0")
    assert open_metrics.text.endswith("# EOF\n")


def test_an_unknown_path_is_told_the_known_ones(port: int) -> None:
    answer = ask(port, "/missing")
    assert (answer.status, answer.text) == (404, "there are /console/, /metrics, /live, /ready, /status\n")


def test_head_is_answered_without_a_body(port: int) -> None:
    answer = ask(port, "/live", method="HEAD")
    assert (answer.status, answer.text, answer.headers["Content-Length"]) == (200, "", "5")


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_nothing_can_be_changed(port: int, method: str) -> None:
    answer = ask(port, "/status", method=method)
    assert (answer.status, answer.headers["Allow"]) == (405, "GET, HEAD")


def test_answers_are_for_this_moment(port: int) -> None:
    for path in ("/live", "/ready", "/metrics", "/status"):
        headers = ask(port, path).headers
        assert (headers["Cache-Control"], headers["X-Content-Type-Options"]) == ("no-store", "nosniff")


# -- clients ----------------------------------------------------------------------------------------------------------


def exchange(port: int, sent: bytes) -> bytes:
    """What comes back until the server closes the connection."""
    with socket.create_connection(("127.0.0.1", port), SOON_S) as connection:
        connection.sendall(sent)
        received = b""
        while data := connection.recv(65_536):
            received += data
    return received


def test_requests_may_follow_each_other_on_one_connection(port: int) -> None:
    one = b"GET /live HTTP/1.1\r\nHost: x\r\n\r\n"
    last = b"GET /live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    assert exchange(port, one + one + last).count(b"HTTP/1.1 200 OK\r\n") == 3


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"\x00\x00\x00\x08\x04\xd2\x16\x2f", b"400"),
        (b"nonsense\r\n\r\n", b"400"),
        (b"GET /live HTTP/1.1\r\n\r\n", b"400"),
        (b"GET /live HTTP/1.1\r\nHost: x\r\nX: " + b"x" * 2 * ADMIN_HEAD_BYTES_MAX, b"431"),
        (b"POST /live HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n", b"405"),
    ],
    ids=["a PostgreSQL client", "no HTTP", "no host", "a head without end", "a body that is announced"],
)
def test_what_is_no_request_is_refused_and_ended(port: int, sent: bytes, status: bytes) -> None:
    with socket.create_connection(("127.0.0.1", port), SOON_S) as connection:
        connection.sendall(sent)
        connection.shutdown(socket.SHUT_WR)
        received = connection.recv(65_536)
    assert received[9:12] == status
    assert ask(port, "/live").status == 200


def test_connections_are_bounded(port: int) -> None:
    silent = [socket.create_connection(("127.0.0.1", port), SOON_S) for _ in range(ADMIN_CONNECTIONS_MAX)]
    try:
        with socket.create_connection(("127.0.0.1", port), SOON_S) as one_too_many:
            try:
                assert one_too_many.recv(1) == b""
            except ConnectionResetError:
                pass  # as good an end as the other
    finally:
        for connection in silent:
            connection.close()
    deadline = time.monotonic() + SOON_S
    while True:
        try:
            assert ask(port, "/live").status == 200
        except (ConnectionError, OSError):
            assert time.monotonic() < deadline, "the places of connections that are gone stay taken"
            time.sleep(0.05)
        else:
            return


# -- the store's state ------------------------------------------------------------------------------------------------


def test_a_server_whose_store_is_silent_is_live_but_not_ready(tmp_path: Path) -> None:
    with S3Stub("lakes") as stub, watched(tmp_path, "s3://lakes/catalog", **stub.variables) as (_, port):
        ask_until(port, "/ready", 200)
        stub.delays_s["GET"] = 5.0
        time.sleep(1.1)  # an answer is given again for a second
        began = time.monotonic()
        answer = ask(port, "/ready")
        assert (answer.status, answer.text) == (503, "not ready: the store did not answer within 2 s\n")
        assert time.monotonic() - began < READY_TIMEOUT_S + 2
        assert json.loads(ask(port, "/status").text)["problem"] == "the store did not answer within 2 s"
        assert ask(port, "/live").status == 200
        stub.delays_s.clear()
        ask_until(port, "/ready", 200)


def test_a_start_that_waits_is_live_but_not_ready() -> None:
    with S3Stub("lakes") as stub, socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        probe.close()
        stub.delays_s = dict.fromkeys(("GET", "PUT", "LIST", "HEAD"), 60.0)
        arguments = ("--store", "s3://lakes/catalog", "--listen", "127.0.0.1:0", "--admin", f"127.0.0.1:{port}")
        with subprocess.Popen(command("serve", *arguments), env=environment(stub.variables)) as process:
            try:
                deadline = time.monotonic() + SOON_S
                while True:
                    try:
                        assert ask(port, "/live").status == 200
                        break
                    except OSError:
                        assert time.monotonic() < deadline
                        time.sleep(0.05)
                for path in ("/ready", "/metrics"):
                    assert (ask(port, path).status, ask(port, path).text) == (
                        503, "not ready: the store is being opened\n"
                    )  # fmt: skip
                assert json.loads(ask(port, "/status").text)["ready"] is False
                process.terminate()
                assert process.wait(SOON_S) == 0
            finally:
                process.kill()


def test_a_server_that_stops_is_no_longer_ready(tmp_path: Path) -> None:
    with watched(tmp_path, "memory:///stopping") as (server, port), psycopg.connect(server.dsn("lake")) as block:
        block.execute("CREATE TABLE t (a bigint)")
        os.kill(server.pid, signal.SIGTERM)
        assert ask_until(port, "/ready", 503).text == "not ready: the server is stopping\n"
        assert ask(port, "/live").status == 200
        assert scrape(port)["rocklake_sessions", (("state", "idle in transaction"),)] == 1
        block.commit()


def test_sessions_and_those_that_are_refused_are_counted(tmp_path: Path) -> None:
    with watched(tmp_path, "memory:///full", ROCKLAKE_MAX_CONNECTIONS="1") as (server, port):
        with psycopg.connect(server.dsn("lake")) as first:
            first.execute("SELECT 1")
            with pytest.raises(psycopg.OperationalError, match="too many clients"):
                psycopg.connect(server.dsn("lake"))
        told = scrape(port)
    assert told["rocklake_sessions_begun_total", ()] == 1
    assert told["rocklake_sessions_limit", ()] == 1
    assert told["rocklake_errors_total", (("retryable", "false"), ("sqlstate", "53300"))] == 1
    assert told["rocklake_statement_duration_seconds_count", (("kind", "select"),)] == 1


def test_slow_statements_are_logged_without_an_admin_port(tmp_path: Path) -> None:
    wanted = {"ROCKLAKE_SLOW_STATEMENT": "0", "ROCKLAKE_LOG_FORMAT": "json"}
    server = RockLakeServer("memory:///slow", logs=tmp_path, environment=wanted)
    server.start()
    try:
        with psycopg.connect(server.dsn("lake"), autocommit=True) as connection:
            connection.execute("SELECT 'hidden'")
    finally:
        server.stop()
    log = (tmp_path / "server.log").read_text()
    assert "in session 1 of database 'lake': SELECT ?" in log
    told = [json.loads(line) for line in log.splitlines()]
    assert {"select"} <= {line.get("kind") for line in told}, "every line is an object, the slow statement's has fields"
    assert "hidden" not in log


# -- settings ---------------------------------------------------------------------------------------------------------


def test_there_is_no_admin_port_unless_asked_for(tmp_path: Path) -> None:
    server = RockLakeServer("memory:///quiet", logs=tmp_path)
    server.start()
    try:
        assert "http://" not in "".join(server.lines_so_far(seconds=1.0))
    finally:
        server.stop()


def settings(**given: str) -> Listen | None:
    return server_settings(
        store="memory:///", listen="127.0.0.1:0", log_level="info", insecure_trust=False, variables={}, **given
    ).admin


def test_the_address_has_a_port_of_its_own() -> None:
    assert settings() is None
    assert settings(admin="127.0.0.1") == Listen("127.0.0.1", ADMIN_PORT)
    assert settings(admin="[::1]:9000") == Listen("::1", 9000)


@pytest.mark.parametrize(("address", "why"), [("0.0.0.0:8432", "anyone on the network"), ("x:y", "127.0.0.1:8432")])
def test_an_address_that_cannot_be_meant_is_refused(address: str, why: str) -> None:
    with pytest.raises(InvalidParameterValue, match=why):
        settings(admin=address)


def test_an_admin_port_in_use_is_refused() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        ended = rocklake("serve", "--store", "memory:///", "--listen", "127.0.0.1:0", "--admin", address)
    assert the_sentence(ended) == f"cannot listen on {address}: Address already in use"
