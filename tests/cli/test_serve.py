"""``rocklake serve``: what it refuses to start on, what it reads from the environment, and how it stops."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryFile

import psycopg
import pytest

from rocklake_server.config import server_settings
from rocklake_server.encoding.definitions import encode_number
from rocklake_server.encoding.keys import system_key
from rocklake_server.errors import CorruptValue, FormatVersionUnsupported, InvalidParameterValue
from rocklake_server.schema.system_subspaces import (
    CATALOG_FORMAT_VERSION,
    SYSTEM_COMMIT_SEQUENCE,
    SYSTEM_FORMAT_VERSION,
)
from rocklake_server.store.base import Key, Prefix
from tests.cli import tampering
from tests.cli.console import command, environment, rocklake, the_sentence
from tests.forks import fork_command
from tests.s3_stub import S3Stub
from tests.servers import RockLakeServer

ANY_PORT = "127.0.0.1:0"
DIRECTORY_FORMAT = Key(b"\x00")
FIRST_LAKE = "lakes/1"
STOP_SECONDS_MAX = 20


@pytest.fixture
def taken_port() -> Iterator[int]:
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        yield holder.getsockname()[1]


@pytest.fixture
def closed_port() -> Iterator[int]:
    """Bound, so that nobody else gets it, and refusing connections, since nobody listens."""
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        yield holder.getsockname()[1]


# -- refused starts ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("store", "why"),
    [
        ("lake", "it must begin with one of memory://, file://, s3://, gs://, az://"),
        ("http://127.0.0.1/lake", "it must begin with one of memory://, file://, s3://, gs://, az://"),
        ("s3://", "a bucket must follow s3://"),
        ("s3://bucket/a?endpoint=x", 'option "endpoint" is not known; object stores are configured by variables'),
        ("file://host/folder", "a folder is written file:///absolute/path, without a host"),
        ("file://", "a folder must follow file://"),
    ],
)
def test_a_wrong_store_url_is_refused(store: str, why: str) -> None:
    sentence = the_sentence(rocklake("serve", "--store", store, "--listen", ANY_PORT))
    assert sentence == f'store URL "{store.split("?")[0]}": {why}'


def test_credentials_in_the_store_url_are_refused_and_not_repeated() -> None:
    sentence = the_sentence(rocklake("serve", "--store", "s3://key:hunter2@bucket/prefix", "--listen", ANY_PORT))
    assert "credentials do not belong into it" in sentence
    assert "hunter2" not in sentence


def test_a_file_in_the_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    sentence = the_sentence(rocklake("serve", "--store", f"file://{tmp_path}/file", "--listen", ANY_PORT))
    assert sentence.startswith(f'store "file://{tmp_path}/file')
    assert "the folder cannot be created: File exists" in sentence


@pytest.mark.slow
def test_an_unreachable_bucket_is_refused_in_bounded_time(closed_port: int) -> None:
    variables = {
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{closed_port}",
        "AWS_ACCESS_KEY_ID": "access",
        "AWS_SECRET_ACCESS_KEY": "hunter2",
    }
    ended = rocklake("serve", "--store", "s3://bucket/prefix", "--listen", ANY_PORT, variables=variables)
    assert re.fullmatch(
        r'store "s3://bucket/prefix\S*": it (cannot be reached|does not answer in time)', the_sentence(ended)
    )
    assert "hunter2" not in ended.stderr


@pytest.mark.parametrize("store", ["memory:///", "file:///tmp/nothing-there"])
def test_a_store_without_a_lease_cannot_be_taken_over(store: str) -> None:
    sentence = the_sentence(rocklake("serve", "--store", store, "--listen", ANY_PORT, "--takeover"))
    assert sentence == f'store "{store}" cannot be taken over: only a bucket has a lease'


def test_a_lease_that_is_too_short_is_refused() -> None:
    ended = rocklake("serve", "--store", "memory:///", "--listen", ANY_PORT, variables={"ROCKLAKE_LEASE_TIME": "1.9"})
    assert (ended.code, ended.stdout) == (2, "")
    assert "lease-time" in ended.stderr
    with pytest.raises(InvalidParameterValue, match=r"a lease of 1.9 s is too short; 2 s is the least"):
        server_settings(store="memory:///", listen=ANY_PORT, log_level="info", insecure_trust=False, variables={},
                        lease_time_s=1.9)  # fmt: skip


def test_a_bucket_that_does_not_exist_is_refused() -> None:
    with S3Stub("another") as stub:
        ended = rocklake("serve", "--store", "s3://missing/prefix", "--listen", ANY_PORT, variables=stub.variables)
    assert the_sentence(ended).startswith('store "s3://missing/prefix')


def test_a_port_in_use_is_refused(taken_port: int) -> None:
    sentence = the_sentence(rocklake("serve", "--store", "memory:///", "--listen", f"127.0.0.1:{taken_port}"))
    assert sentence == f"cannot listen on 127.0.0.1:{taken_port}: Address already in use"


def test_an_address_of_another_machine_is_refused() -> None:
    sentence = the_sentence(rocklake("serve", "--store", "memory:///", "--listen", "192.0.2.1:0", "--insecure-trust"))
    assert sentence == "cannot listen on 192.0.2.1:0: Cannot assign requested address"


@pytest.mark.parametrize("admin", ["0.0.0.0:0", "[::]:0", "192.0.2.1:5432", "example.com:5432"])
def test_an_admin_port_beyond_this_machine_wants_a_flag(admin: str) -> None:
    sentence = the_sentence(rocklake("serve", "--store", "memory:///", "--listen", ANY_PORT, "--admin", admin))
    assert sentence.startswith(f"the admin port on {admin} would tell anyone on the network about the lakes")
    assert sentence.endswith("pass --insecure-admin if the network is private")


@pytest.mark.parametrize("listen", ["127.0.0.1:http", "127.0.0.1:65536", ":5432", "127.0.0.1:-1"])
def test_an_address_that_is_none_is_refused(listen: str) -> None:
    sentence = the_sentence(rocklake("serve", "--store", "memory:///", "--listen", listen))
    assert sentence == f'"{listen}" is not an address to listen on; write host:port, as 127.0.0.1:5432'


def test_an_unknown_log_level_is_refused() -> None:
    sentence = the_sentence(rocklake("serve", "--store", "memory:///", "--log-level", "loud"))
    assert sentence == '"loud" is not a log level; choose one of debug, info, warning, error'


def test_a_missing_store_is_a_usage_error() -> None:
    ended = rocklake("serve")
    assert ended.code == 2
    assert "--store" in ended.stderr
    assert "ROCKLAKE_STORE" in ended.stderr


def test_a_store_of_a_newer_catalog_format_is_refused(tmp_path: Path) -> None:
    url = f"file://{tmp_path}/store"
    newer = CATALOG_FORMAT_VERSION + 1
    tampering.put(url, "system", DIRECTORY_FORMAT, newer.to_bytes(8, "big"))
    sentence = the_sentence(rocklake("serve", "--store", url, "--listen", ANY_PORT))
    assert sentence.startswith("the store was written in catalog format")
    assert sentence.endswith(f"this server reads format {CATALOG_FORMAT_VERSION}")


@pytest.mark.parametrize(
    ("key", "size"), [(Key(b"\x01lake\x00\x00public\x00\x00"), 16), (Key(b"\x02"), 8)], ids=["a lake", "next lake"]
)
def test_a_damaged_list_of_lakes_is_refused(key: Key, size: int, tmp_path: Path) -> None:
    url = f"file://{tmp_path}/store"
    tampering.put(url, "system", key, b"short")
    sentence = the_sentence(rocklake("serve", "--store", url, "--listen", ANY_PORT))
    assert sentence == f"system store key {key.hex()} holds 5 bytes, not {size}"


# -- damaged lakes ----------------------------------------------------------------------------------------------------


@pytest.fixture
def stopped(tmp_path: Path) -> Iterator[RockLakeServer]:
    """A stopped server whose first lake, in database ``lake``, holds a table of one row."""
    server = RockLakeServer(f"file://{tmp_path}/store", logs=tmp_path)
    server.start()
    with psycopg.connect(server.dsn("lake"), autocommit=True) as connection:
        connection.execute("CREATE TABLE notes(id bigint, body text)")
        connection.execute("INSERT INTO notes VALUES (1, 'secret words')")
    server.stop()
    yield server
    server.kill()


def refusal(server: RockLakeServer) -> psycopg.Error:
    """The error of a reader of the damaged lake; twice, and another database is not touched by it."""
    server.start()
    for _ in range(2):
        with (
            pytest.raises(psycopg.Error) as caught,
            psycopg.connect(server.dsn("lake"), autocommit=True) as connection,
        ):
            connection.execute("SELECT * FROM notes")
    with psycopg.connect(server.dsn("another"), autocommit=True) as connection:
        connection.execute("CREATE TABLE fine(id bigint)")
        assert connection.execute("SELECT count(*) FROM fine").fetchone() == (0,)
    server.stop()
    assert "Traceback" not in server.log_tail()
    assert "secret words" not in server.log_tail() + str(caught.value)
    return caught.value


def test_a_lake_of_a_newer_catalog_format_is_an_error_response(stopped: RockLakeServer) -> None:
    newer = CATALOG_FORMAT_VERSION + 1
    tampering.put(stopped.store, FIRST_LAKE, system_key(SYSTEM_FORMAT_VERSION), encode_number(newer))
    error = refusal(stopped)
    assert error.sqlstate == FormatVersionUnsupported.sqlstate
    expected = f"the lake has catalog format version {newer}; this server reads version {CATALOG_FORMAT_VERSION}"
    assert expected in str(error)


def test_a_corrupt_system_value_is_an_error_response(stopped: RockLakeServer) -> None:
    key = system_key(SYSTEM_COMMIT_SEQUENCE)
    tampering.put(stopped.store, FIRST_LAKE, key, b"\x01nonsense")
    error = refusal(stopped)
    assert error.sqlstate == CorruptValue.sqlstate
    assert key.hex() in str(error)


@pytest.mark.parametrize("value", [b"", b"\x01SDK", b"\x01XXXX\x08\x01", b"\x01SDKV\xff\xff\xff"])
def test_a_corrupt_row_is_an_error_response_that_names_its_key(stopped: RockLakeServer, value: bytes) -> None:
    (key,) = tampering.keys(stopped.store, FIRST_LAKE, Prefix(b"\xfd"))
    tampering.put(stopped.store, FIRST_LAKE, key, value)
    error = refusal(stopped)
    assert error.sqlstate == CorruptValue.sqlstate
    assert key.hex() in str(error)


def test_a_row_of_a_newer_encoding_is_an_error_response(stopped: RockLakeServer) -> None:
    (key,) = tampering.keys(stopped.store, FIRST_LAKE, Prefix(b"\xfd"))
    tampering.put(stopped.store, FIRST_LAKE, key, b"\x02SDKV\x08\x01")
    error = refusal(stopped)
    assert error.sqlstate == FormatVersionUnsupported.sqlstate
    assert key.hex() in str(error)


# -- settings ---------------------------------------------------------------------------------------------------------


class Running:
    """A ``rocklake serve`` that is controlled by signals; ``lines`` are what it printed until it listened."""

    def __init__(self, *arguments: str, variables: dict[str, str] | None = None) -> None:
        reading, writing = os.pipe()
        self._stdout, self._stderr = os.fdopen(reading), TemporaryFile()  # noqa: SIM115  closed when it ends
        with os.fdopen(writing, "wb") as stdout:
            self.process = fork_command(("serve", *arguments), environment(variables), stdout.fileno(),
                                        self._stderr.fileno())  # fmt: skip
        self.lines = [self._stdout.readline(), self._stdout.readline()]
        found = re.search(r"listening on \S+:(\d+), store", self.lines[0])
        self.port = int(found[1]) if found else 0

    @property
    def dsn(self) -> str:
        return f"host=127.0.0.1 port={self.port} dbname=lake user=lake"

    def stop(self, number: signal.Signals) -> tuple[int, str]:
        """(exit code, standard error) after the signal."""
        self.process.send_signal(number)
        code = self.process.wait(STOP_SECONDS_MAX)
        self._stderr.seek(0)
        return code, self._stderr.read().decode()

    def __enter__(self) -> Running:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait(STOP_SECONDS_MAX)
        self._stdout.close()
        self._stderr.close()


def test_settings_come_from_the_environment() -> None:
    variables = {
        "ROCKLAKE_STORE": "memory:///named",
        "ROCKLAKE_LISTEN": "0.0.0.0:0",
        "ROCKLAKE_INSECURE_TRUST": "true",
        "ROCKLAKE_LOG_LEVEL": "error",
        "ROCKLAKE_MAX_CONNECTIONS": "1",
        "ROCKLAKE_DRAIN_TIMEOUT": "1.5",
    }
    with Running(variables=variables) as running:
        assert running.lines[0] == f"RockLake is listening on 0.0.0.0:{running.port}, store memory:///named\n"
        with psycopg.connect(running.dsn), pytest.raises(psycopg.OperationalError, match="too many clients already"):
            psycopg.connect(running.dsn)
        code, stderr = running.stop(signal.SIGTERM)
    assert code == 0
    assert all("[rocklake.audit]" in line for line in stderr.splitlines()), "nothing is logged below the level"


def test_flags_win_over_the_environment() -> None:
    variables = {"ROCKLAKE_STORE": "nonsense", "ROCKLAKE_LISTEN": "nonsense"}
    with Running("--store", "memory:///", "--listen", ANY_PORT, variables=variables) as running:
        assert running.port
        assert running.stop(signal.SIGTERM)[0] == 0


def test_the_start_lines_give_the_statement_to_paste() -> None:
    with Running("--store", "memory:///", "--listen", "0.0.0.0:0", "--insecure-trust") as running:
        expected = f"ATTACH 'ducklake:postgres:host=127.0.0.1 port={running.port} dbname=lake"
        assert running.lines[1].startswith(expected)
        assert running.lines[1].rstrip().endswith(");")


def test_help_shows_examples() -> None:
    for arguments in ((), ("serve",)):
        ended = rocklake(*arguments, "--help")
        assert ended.code == 0
        assert "rocklake serve --store file:///var/lib/rocklake" in ended.stdout


# -- stopping ---------------------------------------------------------------------------------------------------------

SIGNALS = pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "SIGINT"])
PUT_SECONDS = 1.0


def wait_until(has_happened: Callable[[], bool]) -> None:
    deadline = time.monotonic() + STOP_SECONDS_MAX
    while not has_happened():
        assert time.monotonic() < deadline, "it has not happened in time"
        time.sleep(0.01)


@pytest.mark.slow
@SIGNALS
def test_a_signal_lets_the_running_commit_finish(number: signal.Signals) -> None:
    with S3Stub("lakes") as stub:
        arguments = ("--store", "s3://lakes/catalog", "--listen", ANY_PORT)
        with Running(*arguments, variables=stub.variables) as running:
            with psycopg.connect(running.dsn, autocommit=True) as connection:
                connection.execute("CREATE TABLE notes(id bigint)")
                puts_before = stub.count("PUT", "wal")
                stub.delays_s["PUT"] = PUT_SECONDS
                tags: list[str | None] = []

                def insert() -> None:
                    tags.append(connection.execute("INSERT INTO notes VALUES (1)").statusmessage)

                writer = threading.Thread(target=insert)
                writer.start()
                wait_until(lambda: stub.count("PUT", "wal") > puts_before)
                code, stderr = running.stop(number)
                writer.join(STOP_SECONDS_MAX)
            assert tags == ["INSERT 0 1"]
            assert (code, "Traceback" in stderr) == (0, False), stderr
        stub.delays_s.clear()
        with Running(*arguments, variables=stub.variables) as again, psycopg.connect(again.dsn) as connection:
            assert connection.execute("SELECT id FROM notes").fetchall() == [(1,)]


@SIGNALS
def test_a_signal_ends_idle_sessions_and_says_why(number: signal.Signals, tmp_path: Path) -> None:
    with (
        Running("--store", f"file://{tmp_path}/store", "--listen", ANY_PORT) as running,
        psycopg.connect(running.dsn, autocommit=True) as connection,
    ):
        connection.execute("SELECT 1")
        code, stderr = running.stop(number)
        with pytest.raises(psycopg.errors.AdminShutdown, match="administrator command"):
            connection.execute("SELECT 1")
    assert (code, "Traceback" in stderr) == (0, False), stderr


@SIGNALS
def test_a_forgotten_block_is_rolled_back_when_the_drain_ends(number: signal.Signals, tmp_path: Path) -> None:
    arguments = ("--store", f"file://{tmp_path}/store", "--listen", ANY_PORT)
    with (
        Running(*arguments, "--drain-timeout", "0.5") as running,
        psycopg.connect(running.dsn, autocommit=True) as connection,
    ):
        connection.execute("CREATE TABLE notes(id bigint)")
        connection.execute("BEGIN")
        connection.execute("INSERT INTO notes VALUES (1)")
        code, stderr = running.stop(number)
        with pytest.raises(psycopg.errors.AdminShutdown):
            connection.execute("COMMIT")
    assert (code, "Traceback" in stderr) == (0, False), stderr
    with Running(*arguments) as again, psycopg.connect(again.dsn) as connection:
        assert connection.execute("SELECT count(*) FROM notes").fetchone() == (0,)


@SIGNALS
def test_a_signal_ends_a_start_on_a_store_that_does_not_answer(number: signal.Signals) -> None:
    """In a container the server is process 1, where a signal without a handler does nothing."""
    with S3Stub("lakes") as stub:
        stub.delays_s = dict.fromkeys(("GET", "PUT", "LIST", "HEAD"), 60.0)
        process = subprocess.Popen(
            command("serve", "--store", "s3://lakes/catalog", "--listen", ANY_PORT),
            env=environment(stub.variables), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        with process:
            try:
                wait_until(lambda: bool(stub.counts))
                began = time.monotonic()
                process.send_signal(number)
                stdout, stderr = process.communicate(timeout=STOP_SECONDS_MAX)
            finally:
                process.kill()
        assert (process.returncode, stdout, stderr) == (0, "", "")
        assert time.monotonic() - began < 5.0
