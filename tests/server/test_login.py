"""Who gets in and who does not: psycopg, asyncpg and psql with every sslmode, SCRAM with and without channel binding,
certificates, rules, and what can be read of it afterwards."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import ssl
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import asyncpg
import psycopg
import pytest
from psycopg import pq

from rocklake_server.wire import messages as m
from rocklake_server.wire.layout import encode
from rocklake_server.wire.startup import SSLRequest, StartupMessage
from tests.audited import audited
from tests.server.certificates import HOST, Certificates
from tests.server.raw_client import RawClient
from tests.servers import RockLakeServer

PASSWORD = "pässword 1"
RULES = """
hostssl   all       ada,bob       all   scram-sha-256
hostnossl lake      ada           all   scram-sha-256
hostssl   all       cleartext     all   password
hostssl   all       certified     all   cert
hostssl   all       both          all   scram-sha-256 clientcert=verify-full
host      all       trusted,ghost all   trust
host      all       mallory       all   reject
host      all       nologin,expired,norights,nopassword,nobody all scram-sha-256
"""
SOON_S = 10.0


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return Certificates.make(tmp_path_factory.mktemp("certificates"))


@pytest.fixture(scope="module")
def hba(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("rules") / "hba.conf"
    file.write_text(RULES)
    return file


@pytest.fixture(scope="module")
def server(
    tmp_path_factory: pytest.TempPathFactory, certificates: Certificates, hba: Path
) -> Iterator[RockLakeServer]:
    logs = tmp_path_factory.mktemp("login")
    running = RockLakeServer(
        "memory:///login",
        logs=logs,
        arguments=[
            "--tls-cert", str(certificates.server), "--tls-key", str(certificates.server_key),
            "--tls-client-ca", str(certificates.ca_file), "--hba-file", str(hba), "--initial-user", "ada",
        ],
        environment={"ROCKLAKE_PASSWORD": PASSWORD},
    )  # fmt: skip
    running.start()
    with connect(running, user="ada", password=PASSWORD) as admin:
        for name in ("bob", "cleartext", "both", "trusted", "nologin", "expired", "norights"):
            admin.execute(f"CREATE USER {name} PASSWORD '{PASSWORD}'")
            if name != "norights":
                admin.execute(f"GRANT reader ON DATABASE lake TO {name}")
        admin.execute("ALTER ROLE nologin NOLOGIN")
        admin.execute("ALTER ROLE expired VALID UNTIL '2001-01-01'")
        admin.execute("CREATE USER certified; CREATE USER nopassword")
        admin.execute("GRANT reader ON DATABASE lake TO certified, nopassword")
    yield running
    running.stop()
    log = (logs / "server.log").read_text()
    assert "Traceback" not in log
    assert PASSWORD not in log
    assert "SCRAM-SHA-256$" not in log


def connect(server: RockLakeServer, **options: object) -> psycopg.Connection[tuple[object, ...]]:
    chosen = {"host": HOST, "hostaddr": "127.0.0.1", "port": server.port, "dbname": "lake", "user": "bob"} | options
    return psycopg.connect(autocommit=True, connect_timeout=10, **chosen)  # type: ignore[arg-type]


def refused(server: RockLakeServer, **options: object) -> str:
    with pytest.raises(psycopg.OperationalError) as caught:
        connect(server, **options)
    return str(caught.value)


def uses_tls(connection: psycopg.Connection[tuple[object, ...]]) -> bool:
    return bool(pq.PGconn.ssl_in_use.__get__(connection.pgconn))


# -- sslmode ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sslmode", "encrypted"),
    [("disable", False), ("allow", False), ("prefer", True), ("require", True), ("verify-ca", True),
     ("verify-full", True)],
)  # fmt: skip
def test_psycopg_in_every_sslmode(
    server: RockLakeServer, certificates: Certificates, sslmode: str, encrypted: bool
) -> None:
    with connect(
        server, user="ada", password=PASSWORD, sslmode=sslmode, sslrootcert=certificates.ca_file
    ) as connection:
        assert uses_tls(connection) is encrypted
        assert connection.execute("SELECT current_user, session_user").fetchone() == ("ada", "ada")


@pytest.mark.parametrize("sslmode", ["verify-ca", "verify-full"])
def test_a_stranger_is_no_server_to_psycopg(server: RockLakeServer, certificates: Certificates, sslmode: str) -> None:
    said = refused(server, password=PASSWORD, sslmode=sslmode, sslrootcert=certificates.stranger_ca)
    assert "certificate verify failed" in said


def test_a_server_of_another_name_is_none_to_psycopg(server: RockLakeServer, certificates: Certificates) -> None:
    said = refused(
        server, host="db.example.org", password=PASSWORD, sslmode="verify-full", sslrootcert=certificates.ca_file
    )
    assert "does not match" in said


@pytest.mark.parametrize("sslmode", ["disable", "prefer", "require", "verify-full"])
def test_psql_in_every_sslmode(server: RockLakeServer, certificates: Certificates, sslmode: str) -> None:
    program = shutil.which("psql")
    if program is None:
        pytest.skip("psql is not installed: apt-get install postgresql-client")
    dsn = (
        f"host={HOST} hostaddr=127.0.0.1 port={server.port} dbname=lake user=ada sslmode={sslmode} "
        f"sslrootcert={certificates.ca_file}"
    )
    command = [program, dsn, "-X", "-At", "-c", "SELECT current_user", "-c", "\\conninfo"]
    done = subprocess.run(
        command, env={**os.environ, "PGPASSWORD": PASSWORD}, capture_output=True, text=True, timeout=30, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("ada\n")
    assert ("SSL connection" in done.stdout) is (sslmode != "disable")


@pytest.mark.parametrize("mode", ["disable", "prefer", "require", "verify-full"])
def test_asyncpg_in_every_sslmode(server: RockLakeServer, certificates: Certificates, mode: str) -> None:
    context: ssl.SSLContext | str = mode
    if mode == "verify-full":
        context = ssl.create_default_context(cafile=str(certificates.ca_file))

    async def ask() -> object:
        connection = await asyncpg.connect(
            host=HOST, port=server.port, user="ada", password=PASSWORD, database="lake", ssl=context
        )
        try:
            return await connection.fetchval("SELECT current_user")
        finally:
            await connection.close()

    assert asyncio.run(ask()) == "ada"


def test_much_goes_through_tls_both_ways(server: RockLakeServer) -> None:
    with connect(server, user="ada", password=PASSWORD, sslmode="require") as connection:
        text = "x" * 3_000_000
        assert connection.execute("SELECT %s::text || 'y'", [text]).fetchone() == (text + "y",)
        connection.execute("CREATE TABLE IF NOT EXISTS big (a bigint, b text)")
        with connection.cursor() as cursor, cursor.copy("COPY big FROM STDIN") as copy:
            for number in range(20_000):
                copy.write_row((number, "row" * 10))
        with connection.cursor() as cursor, cursor.copy("COPY (SELECT a, b FROM big) TO STDOUT") as copy:
            assert sum(1 for _ in copy.rows()) == 20_000
        connection.execute("DROP TABLE big")


def test_a_statement_is_cancelled_over_tls(server: RockLakeServer) -> None:
    with connect(server, user="ada", password=PASSWORD, sslmode="require") as connection:
        connection.cancel_safe(timeout=10)
        assert connection.execute("SELECT 1").fetchone() == (1,)


# -- SCRAM and passwords ----------------------------------------------------------------------------------------------


def test_channel_binding_can_be_required(server: RockLakeServer) -> None:
    with connect(server, password=PASSWORD, sslmode="require", channel_binding="require") as connection:
        assert connection.execute("SELECT current_user").fetchone() == ("bob",)
    assert "channel binding" in refused(
        server, user="ada", password=PASSWORD, sslmode="disable", channel_binding="require"
    )


def test_scram_can_be_required_by_the_client(server: RockLakeServer) -> None:
    with connect(server, password=PASSWORD, sslmode="require", require_auth="scram-sha-256"):
        pass
    assert "authentication method requirement" in refused(
        server, user="cleartext", password=PASSWORD, sslmode="require", require_auth="scram-sha-256"
    )


def test_a_password_in_the_clear_within_tls(server: RockLakeServer) -> None:
    with connect(server, user="cleartext", password=PASSWORD, sslmode="require"):
        pass
    assert 'password authentication failed for user "cleartext"' in refused(
        server, user="cleartext", password="wrong", sslmode="require"
    )
    assert "no hba file entry" in refused(server, user="cleartext", password=PASSWORD, sslmode="disable")


@pytest.mark.parametrize("user", ["bob", "nobody", "expired", "nopassword"])
def test_nothing_tells_why_a_login_failed(server: RockLakeServer, user: str) -> None:
    """A wrong password, no such user, a password that has expired, a user without one."""
    password = "wrong" if user == "bob" else PASSWORD
    said = refused(server, user=user, password=password, sslmode="require")
    assert said.endswith(f'FATAL:  password authentication failed for user "{user}"')


def test_strangers_see_the_same_salt_each_time(server: RockLakeServer) -> None:
    def challenge(user: str) -> str:
        with RawClient(server.port) as client:
            client.send(StartupMessage(3, 0, {"user": user, "database": "lake"}))
            offered = client.message()
            assert offered == m.AuthenticationSASL.offering("SCRAM-SHA-256")
            first = b"n,,n=,r=abc"
            client.send(m.PasswordMessage(b"SCRAM-SHA-256\0" + len(first).to_bytes(4, "big") + first))
            answer = client.message()
            assert isinstance(answer, m.AuthenticationSASLContinue)
            return bytes(answer.data).decode().partition(",")[2]

    assert challenge("nobody") == challenge("nobody") != challenge("nopassword")
    assert challenge("nobody").endswith(",i=4096")


def test_whoever_may_not_log_in_is_told_after_the_password(server: RockLakeServer) -> None:
    assert "password authentication failed" in refused(server, user="nologin", password="wrong", sslmode="require")
    assert 'role "nologin" is not permitted to log in' in refused(server, user="nologin", password=PASSWORD)


def test_whoever_was_granted_nothing_may_not_connect(server: RockLakeServer) -> None:
    assert 'permission denied for database "lake"' in refused(server, user="norights", password=PASSWORD)
    assert 'permission denied for database "other"' in refused(server, password=PASSWORD, dbname="other")


def test_psql_asks_for_the_password_without_counting_it_as_a_failure(server: RockLakeServer) -> None:
    for _ in range(10):
        assert "fe_sendauth: no password supplied" in refused(server, sslmode="require")
    with connect(server, password=PASSWORD, sslmode="require"):
        pass


# -- rules and certificates -------------------------------------------------------------------------------------------


def test_rules_decide_by_encryption_database_and_user(server: RockLakeServer) -> None:
    assert "no hba file entry" in refused(server, password=PASSWORD, sslmode="disable")
    assert "no hba file entry" in refused(server, user="ada", password=PASSWORD, dbname="other", sslmode="disable")
    assert "hba file rejects connection" in refused(server, user="mallory", password=PASSWORD)
    with connect(server, user="trusted", sslmode="disable") as connection:
        assert connection.execute("SELECT current_user").fetchone() == ("trusted",)
    assert 'role "ghost" does not exist' in refused(server, user="ghost")


def test_a_certificate_is_a_login_for_its_name(server: RockLakeServer, certificates: Certificates) -> None:
    certificate, key = certificates.client("certified")
    with connect(server, user="certified", sslcert=certificate, sslkey=key) as connection:
        assert connection.execute("SELECT current_user").fetchone() == ("certified",)
    other, other_key = certificates.client("somebody")
    assert 'certificate authentication failed for user "certified"' in refused(
        server, user="certified", sslcert=other, sslkey=other_key
    )
    assert "requires a valid client certificate" in refused(server, user="certified", sslcert="", sslmode="require")


def test_a_certificate_of_a_stranger_ends_the_handshake(server: RockLakeServer, certificates: Certificates) -> None:
    certificate, key = certificates.client("certified", stranger=True)
    said = refused(server, user="certified", sslcert=certificate, sslkey=key, sslmode="require")
    assert "alert" in said or "closed the connection" in said


def test_a_rule_may_want_both_certificate_and_password(server: RockLakeServer, certificates: Certificates) -> None:
    certificate, key = certificates.client("both")
    with connect(server, user="both", password=PASSWORD, sslcert=certificate, sslkey=key):
        pass
    assert "password authentication failed" in refused(
        server, user="both", password="wrong", sslcert=certificate, sslkey=key
    )
    assert "requires a valid client certificate" in refused(server, user="both", password=PASSWORD, sslmode="require")


# -- TLS itself -------------------------------------------------------------------------------------------------------


def wrapped(client: RawClient, certificates: Certificates, **options: object) -> ssl.SSLSocket:
    context = ssl.create_default_context(cafile=str(certificates.ca_file))
    for name, value in options.items():
        if name == "alpn":
            context.set_alpn_protocols([str(value)])
        else:
            setattr(context, name, value)
    return context.wrap_socket(client.socket, server_hostname=HOST)


@pytest.mark.skipif(pq.version() < 170000, reason="libpq 17 was the first that begins with TLS")
def test_psycopg_may_begin_with_tls(server: RockLakeServer, certificates: Certificates) -> None:
    with connect(
        server, password=PASSWORD, sslnegotiation="direct", sslmode="verify-full", sslrootcert=certificates.ca_file,
        channel_binding="require",
    ) as connection:  # fmt: skip
        assert connection.execute("SELECT current_user").fetchone() == ("bob",)


def test_a_connection_may_begin_with_tls(server: RockLakeServer, certificates: Certificates) -> None:
    with RawClient(server.port) as client:
        client.socket = wrapped(client, certificates, alpn="postgresql")
        client.send(StartupMessage(3, 0, {"user": "trusted", "database": "lake"}))
        assert isinstance(client.message(), m.AuthenticationOk)
        client.until(m.ReadyForQuery)


@pytest.mark.parametrize("alpn", [None, "http/1.1"])
def test_one_that_begins_with_tls_names_the_protocol(
    server: RockLakeServer, certificates: Certificates, alpn: str | None
) -> None:
    def login() -> None:
        """When it learns that it is refused depends on TLS's version."""
        with RawClient(server.port) as client:
            client.socket = wrapped(client, certificates, **({} if alpn is None else {"alpn": alpn}))
            client.send(StartupMessage(3, 0, {"user": "trusted", "database": "lake"}))
            client.message()

    with pytest.raises((ssl.SSLError, OSError, EOFError)):
        login()


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_versions_that_are_spoken(server: RockLakeServer, certificates: Certificates, version: ssl.TLSVersion) -> None:
    with RawClient(server.port) as client:
        client.send(SSLRequest())
        assert client.socket.recv(1) == b"S"
        client.socket = wrapped(client, certificates, minimum_version=version, maximum_version=version)
        client.send(StartupMessage(3, 0, {"user": "trusted", "database": "lake"}))
        client.until(m.ReadyForQuery)


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion.TLSv1_1 is deprecated")
def test_versions_that_are_not(server: RockLakeServer, certificates: Certificates) -> None:
    with RawClient(server.port) as client:
        client.send(SSLRequest())
        assert client.socket.recv(1) == b"S"
        with pytest.raises((ssl.SSLError, OSError)):
            wrapped(client, certificates, minimum_version=ssl.TLSVersion.TLSv1_1,
                    maximum_version=ssl.TLSVersion.TLSv1_1)  # fmt: skip


@pytest.mark.parametrize("at_once", [True, False])
def test_nothing_that_came_before_tls_is_used_after_it(
    server: RockLakeServer, certificates: Certificates, at_once: bool
) -> None:
    """A man in the middle puts a startup message and a query behind the client's SSLRequest (CVE-2021-23214)."""
    injected = encode(StartupMessage(3, 0, {"user": "trusted", "database": "lake"})) + encode(m.Query("SELECT 1"))
    with RawClient(server.port) as client:
        if at_once:
            client.socket.sendall(encode(SSLRequest()) + injected)
            error = client.message()
            assert isinstance(error, m.ErrorResponse)
            assert error.fields["M"] == "received unencrypted data after SSL request"
            assert client.rest() == b""
        else:
            client.socket.sendall(encode(SSLRequest()))
            assert client.socket.recv(1) == b"S"
            client.socket.sendall(injected)
            answer = client.rest()
            assert answer[:1] in (b"", b"\x15"), "a TLS alert, and the end"


def test_a_connection_that_goes_silent_in_its_handshake_harms_nobody(server: RockLakeServer) -> None:
    with RawClient(server.port) as client:
        client.send(SSLRequest())
        assert client.socket.recv(1) == b"S"
        client.socket.sendall(b"\x16\x03\x01\x02\x00")
        with connect(server, password=PASSWORD, sslmode="require"):
            pass


# -- SIGHUP -----------------------------------------------------------------------------------------------------------


def until(happened: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SOON_S
    while not happened():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)


def served_certificate(server: RockLakeServer, certificates: Certificates) -> bytes | None:
    with RawClient(server.port) as client:
        client.send(SSLRequest())
        assert client.socket.recv(1) == b"S"
        client.socket = wrapped(client, certificates)
        return client.socket.getpeercert(binary_form=True)


def test_certificates_and_rules_are_read_again_on_sighup(
    server: RockLakeServer, certificates: Certificates, hba: Path
) -> None:
    before = served_certificate(server, certificates)
    with connect(server, password=PASSWORD, sslmode="require") as stays:
        certificates.renew_server()
        hba.write_text("hostssl all mallory all trust\n" + RULES.replace("host      all       mallory", "#"))
        os.kill(server.pid, signal.SIGHUP)
        until(lambda: served_certificate(server, certificates) != before)
        until(lambda: "no hba" not in refused(server, user="mallory", sslmode="require"))
        assert 'role "mallory" does not exist' in refused(server, user="mallory", sslmode="require")
        assert stays.execute("SELECT 1").fetchone() == (1,)
    with connect(server, password=PASSWORD, sslmode="require", channel_binding="require"):
        pass

    renewed = served_certificate(server, certificates)
    certificates.server.write_text("no certificate")
    hba.write_text("host all all all md5\n")
    os.kill(server.pid, signal.SIGHUP)
    until(lambda: 'method "md5" is not supported' in server.log_tail())
    assert served_certificate(server, certificates) == renewed
    with connect(server, password=PASSWORD, sslmode="require"):
        pass
    assert "it holds no PEM certificate" in server.log_tail() or "cannot use TLS certificate" in server.log_tail()


def test_the_audit_log_tells_of_logins(server: RockLakeServer) -> None:
    refused(server, user="nobody", password="x", sslmode="require")
    with connect(server, password=PASSWORD, sslmode="require"):
        pass
    lines = audited(server.log_path.read_text())
    accepted = [line for line in lines if line.startswith("login outcome=accepted user=bob database=lake")]
    assert any(line.endswith("address=127.0.0.1 method=scram-sha-256 tls=TLSv1.3") for line in accepted)
    assert any(
        line.startswith("login outcome=refused user=nobody") and "28P01 password authentication failed" in line
        for line in lines
    )
    assert any(line.startswith("role user=ada address=127.0.0.1 action=create role=bob") for line in lines)
    assert any(line.startswith("grant user=ada") and line.endswith("database=lake role=bob") for line in lines)
