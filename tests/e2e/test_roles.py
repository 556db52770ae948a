"""A real DuckDB as each role, with a password and over TLS: what it reads, what it is refused, and that it survives."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import psycopg
import pytest

from tests.duckdb_client import LakeClient
from tests.server.certificates import Certificates
from tests.servers import RockLakeServer
from tests.verified import damage_in

PASSWORD = "a good one"
HELD = {"reading": "reader", "writing": "writer", "administering": "admin", "connecting": "connect"}
DENIED = "permission denied for lake"

Opened = Callable[..., LakeClient]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RockLakeServer]:
    folder = tmp_path_factory.mktemp("roles")
    certificates = Certificates.make(folder)
    running = RockLakeServer(
        f"file://{folder}/store",
        logs=folder,
        arguments=["--tls-cert", str(certificates.server), "--tls-key", str(certificates.server_key)],
        environment={"ROCKLAKE_PASSWORD": PASSWORD, "ROCKLAKE_USER": "root"},
    )
    running.start()
    with psycopg.connect(dsn_of(running, "root", "postgres"), autocommit=True) as root:
        for role in HELD:
            root.execute(f"CREATE USER {role} PASSWORD '{PASSWORD}'")
    yield running
    running.stop()
    assert damage_in(running.store) == []
    assert PASSWORD not in (folder / "server.log").read_text()


def dsn_of(server: RockLakeServer, user: str, database: str) -> str:
    return f"host=127.0.0.1 port={server.port} dbname={database} user={user} password='{PASSWORD}' sslmode=require"


@pytest.fixture
def root(server: RockLakeServer, dbname: str) -> Iterator[psycopg.Connection[tuple[object, ...]]]:
    """A superuser who has granted each role what it is called after on the test's database."""
    with psycopg.connect(dsn_of(server, "root", dbname), autocommit=True) as opened:
        for role, held in HELD.items():
            opened.execute(f'GRANT {held} ON DATABASE "{dbname}" TO {role}')
        yield opened


@pytest.fixture
def attached(server: RockLakeServer, root: object, dbname: str, tmp_path: Path) -> Iterator[Opened]:
    """Attaches one more DuckDB as a role."""
    clients: list[LakeClient] = []

    def attach(user: str, options: str = "", database: str = dbname) -> LakeClient:
        dsn = dsn_of(server, user, database).replace("'", "''")
        clients.append(LakeClient(dsn, tmp_path / "data", options))
        return clients[-1]

    yield attach
    for client in clients:
        client.close()


@pytest.fixture
def writer(attached: Opened) -> LakeClient:
    """Attached as a writer, who made the lake and its table ``t`` of two inlined rows and a file."""
    client = attached("writing")
    client.run(
        "CREATE TABLE t (id BIGINT, name VARCHAR)",
        "INSERT INTO t VALUES (1, 'one'), (2, 'two')",
        "INSERT INTO t SELECT range + 10, 'many' FROM range(1000)",
    )
    return client


ATTACHED = pytest.mark.parametrize("options", ["", ", READ_ONLY"], ids=["plain", "read only"])


@ATTACHED
def test_a_reader_reads_everything(writer: LakeClient, attached: Opened, options: str) -> None:
    reader = attached("reading", options)
    assert reader.rows("SELECT count(*), min(name) FROM t") == [(1002, "many")]
    assert reader.rows("SELECT name FROM t WHERE id = 2") == [("two",)]
    assert reader.value("SELECT count(*) FROM t AT (VERSION => 2)") == 2
    assert reader.value("SELECT count(*) > 0 FROM ducklake_table_info('lake')") is True
    assert reader.snapshot() == writer.snapshot()


@ATTACHED
def test_a_reader_reads_what_comes_later(writer: LakeClient, attached: Opened, options: str) -> None:
    """Among it a table and its inlined rows, which grants on tables would not cover."""
    reader = attached("reading", options)
    assert reader.value("SELECT count(*) FROM t") == 1002
    writer.run(
        "CREATE TABLE later (id BIGINT, moment TIMESTAMP)",
        "INSERT INTO later VALUES (1, NULL)",
        "ALTER TABLE t ADD COLUMN more VARCHAR",
        "INSERT INTO t VALUES (3, 'three', 'x')",
        "DELETE FROM t WHERE id = 1",
    )
    assert reader.rows("FROM later") == [(1, None)]
    assert reader.rows("SELECT id, more FROM t WHERE id < 10 ORDER BY id") == [(2, None), (3, "x")]
    changes = f"ducklake_table_changes('lake', 'main', 't', {reader.snapshot() - 1}, {reader.snapshot()})"
    assert reader.rows(f"SELECT change_type, id FROM {changes} ORDER BY ALL") == [("delete", 1), ("insert", 3)]


WRITES = (
    "INSERT INTO t VALUES (7, 'seven')",
    "INSERT INTO t SELECT range, 'many' FROM range(5000)",
    "UPDATE t SET name = 'x' WHERE id = 1",
    "DELETE FROM t WHERE id = 1",
    "DELETE FROM t",
    "CREATE TABLE u (id BIGINT)",
    "DROP TABLE t",
    "ALTER TABLE t RENAME TO u",
    "CREATE SCHEMA s",
    "CREATE VIEW v AS FROM t",
    "CALL lake.set_option('data_inlining_row_limit', 0)",
    "CALL ducklake_expire_snapshots('lake', versions => [1])",
)


def test_a_readers_writes_are_refused_and_nothing_is_lost(
    writer: LakeClient, attached: Opened, dbname: str
) -> None:
    reader = attached("reading")
    before, snapshot = writer.rows("SELECT * FROM t ORDER BY ALL"), writer.snapshot()
    for statement in WRITES:
        with pytest.raises(duckdb.Error) as caught:
            reader.run(statement)
        assert f'{DENIED} "{dbname}"' in str(caught.value), statement
        assert reader.rows("SELECT * FROM t ORDER BY ALL") == before, statement
    assert (writer.rows("SELECT * FROM t ORDER BY ALL"), writer.snapshot()) == (before, snapshot)
    writer.run("INSERT INTO t VALUES (8, 'eight')")
    assert reader.value("SELECT name FROM t WHERE id = 8") == "eight"


def test_a_readers_transaction_is_refused_as_a_whole(writer: LakeClient, attached: Opened) -> None:
    reader = attached("reading")
    reader.run("BEGIN", "INSERT INTO t VALUES (7, 'seven')")
    assert reader.value("SELECT count(*) FROM t") == 1003, "it is not sent before COMMIT"
    with pytest.raises(duckdb.Error, match=DENIED):
        reader.run("COMMIT")
    assert reader.value("SELECT count(*) FROM t") == 1002
    assert writer.value("SELECT count(*) FROM t") == 1002


def test_who_may_only_connect_attaches_nothing(writer: LakeClient, attached: Opened) -> None:
    with pytest.raises(duckdb.Error, match=DENIED):
        attached("connecting")


def test_a_reader_does_not_make_a_lake(server: RockLakeServer, attached: Opened, root: object) -> None:
    """And does not keep the one who may from making it."""
    with pytest.raises(duckdb.Error, match=DENIED):
        attached("reading")
    writer = attached("writing")
    writer.run("CREATE TABLE t AS SELECT 1 AS id")
    assert attached("reading").rows("FROM t") == [(1,)]


def test_of_other_lakes_nothing_is_seen(
    writer: LakeClient, attached: Opened, root: psycopg.Connection[tuple[object, ...]]
) -> None:
    with pytest.raises(duckdb.Error, match='permission denied for database "elsewhere"'):
        attached("reading", database="elsewhere")


def test_a_writer_maintains_what_duckdb_maintains(writer: LakeClient) -> None:
    writer.write_parquet_only()
    for number in range(3):
        writer.run(f"INSERT INTO t VALUES ({100 + number}, 'x')")
    writer.run(
        "CALL ducklake_flush_inlined_data('lake')",
        "CALL ducklake_merge_adjacent_files('lake')",
        "CALL ducklake_expire_snapshots('lake', older_than => now() + INTERVAL 1 HOUR)",
        "CALL ducklake_cleanup_old_files('lake', cleanup_all => true)",
        "CREATE SCHEMA s",
        "CREATE TABLE s.u AS SELECT 1 AS id",
        "DROP TABLE s.u",
        "DROP SCHEMA s",
    )
    assert writer.value("SELECT count(*) FROM t") == 1005


def test_an_admin_lets_others_in(
    writer: LakeClient, attached: Opened, server: RockLakeServer, dbname: str,
    root: psycopg.Connection[tuple[object, ...]],
) -> None:  # fmt: skip
    attached("administering").run("INSERT INTO t VALUES (7, 'seven')")
    root.execute(f"REVOKE ALL ON DATABASE \"{dbname}\" FROM reading")
    with pytest.raises(duckdb.Error, match=f'permission denied for database "{dbname}"'):
        attached("reading")
    with psycopg.connect(dsn_of(server, "administering", dbname), autocommit=True) as admin:
        admin.execute(f'GRANT reader ON DATABASE "{dbname}" TO reading')
    assert attached("reading").value("SELECT name FROM t WHERE id = 7") == "seven"


def test_a_revoked_writer_loses_the_lake_but_not_the_process(
    writer: LakeClient, attached: Opened, dbname: str, root: psycopg.Connection[tuple[object, ...]]
) -> None:
    writer.run("BEGIN", "INSERT INTO t VALUES (7, 'seven')")
    assert writer.value("SELECT count(*) FROM t") == 1003
    root.execute(f'REVOKE connect ON DATABASE "{dbname}" FROM writing')
    with pytest.raises(duckdb.Error):
        writer.run("COMMIT")
    with pytest.raises(duckdb.Error):
        writer.rows("FROM t")
    assert writer.value("SELECT 42") == 42
    assert attached("reading").value("SELECT count(*) FROM t") == 1002
    root.execute(f'GRANT writer ON DATABASE "{dbname}" TO writing')
    writer.run("INSERT INTO t VALUES (9, 'nine')")
    assert writer.value("SELECT count(*) FROM t") == 1003


def test_a_wrong_password_attaches_nothing(server: RockLakeServer, tmp_path: Path) -> None:
    dsn = dsn_of(server, "reading", "lake").replace(PASSWORD, "wrong").replace("'", "''")
    with pytest.raises(duckdb.Error, match="password authentication failed"):
        LakeClient(dsn, tmp_path / "data")
