"""Lakes of older DuckLake versions: migrated as on PostgreSQL, once, and wholly or not at all."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import duckdb
import psycopg
import pytest

from tests.duckdb_client import LakeClient
from tests.duckdb_environments import duckdb_python
from tests.e2e.catalog_diff import Catalog, CatalogReader, differences
from tests.e2e.conftest import OpenLake
from tests.e2e.old_catalogs import MIGRATIONS, make_old_lake
from tests.servers import CatalogServer, ExternalServer

MIGRATE = ", AUTOMATIC_MIGRATION TRUE"
CLIENT_MIGRATES = ("0.3", "0.4")
"""DuckDB's PostgreSQL extension refuses the statements of the older migrations before it sends any."""
EVENTS = [(1, "a"), (2, "a"), (3, "a")]
SCRIPT_1_4 = Path(__file__).with_name("duckdb_1_4_script.py")


@pytest.fixture
def old_lake(dsn: str, tmp_path: Path) -> Callable[[str], None]:
    """Makes the test's lake one of an old version."""
    return lambda version: make_old_lake(dsn, tmp_path / "data", version)


@pytest.fixture
def catalog(dsn: str, tmp_path: Path) -> Iterator[Callable[[], Catalog]]:
    """Reads the test's whole catalog."""
    readers: list[CatalogReader] = []

    def read() -> Catalog:
        readers.append(CatalogReader(dsn, str(tmp_path / "data")))
        return readers[-1].read()

    yield read
    for reader in readers:
        reader.close()


@pytest.fixture
def postgres(postgres_dsn: str) -> Iterator[ExternalServer]:
    server = ExternalServer(postgres_dsn)
    yield server
    server.stop()


def _version(dsn: str) -> str:
    with psycopg.connect(dsn) as connection:
        ((version,),) = connection.execute("SELECT value FROM ducklake_metadata WHERE key = 'version'").fetchall()
    return str(version)


@pytest.mark.parametrize("version", CLIENT_MIGRATES)
def test_a_client_refuses_then_migrates_an_old_lake(
    version: str, old_lake: Callable[[str], None], open_lake: OpenLake, dsn: str
) -> None:
    old_lake(version)
    with pytest.raises(duckdb.Error, match=f"catalog version is {version}"):
        open_lake()
    assert _version(dsn) == version
    lake = open_lake(MIGRATE)
    assert _version(dsn) == "1.0"
    assert lake.rows("FROM events ORDER BY id") == EVENTS
    lake.run("INSERT INTO events VALUES (4, 'b')", "DELETE FROM events WHERE id = 1")
    lake.run("ALTER TABLE events ADD COLUMN n INTEGER")
    later = open_lake()
    assert later.rows("FROM events ORDER BY id") == [(2, "a", None), (3, "a", None), (4, "b", None)]
    assert later.rows("FROM events AT (VERSION => 2) ORDER BY id") == EVENTS
    assert later.rows("FROM events AT (VERSION => 1)") == []
    assert later.rows("FROM events AT (TIMESTAMP => TIMESTAMPTZ '2025-01-03 12:00:00+00') ORDER BY id") == EVENTS


@pytest.mark.postgres
@pytest.mark.parametrize("version", CLIENT_MIGRATES)
def test_a_client_migrates_as_on_postgres(
    version: str, rocklake_server: CatalogServer, postgres: ExternalServer, dbname: str, tmp_path: Path
) -> None:
    catalogs = []
    for name, server in (("ours", rocklake_server), ("pgsql", postgres)):
        data_path = tmp_path / name
        make_old_lake(server.dsn(dbname), data_path, version)
        with LakeClient(server.dsn(dbname), data_path, MIGRATE) as lake:
            lake.run("SET threads = 1", "INSERT INTO events VALUES (4, 'a')")
            lake.run("UPDATE events SET kind = 'c' WHERE id = 2")
        reader = CatalogReader(server.dsn(dbname), str(data_path))
        catalogs.append(reader.read())
        reader.close()
    assert differences(*catalogs) == []


@pytest.mark.postgres
@pytest.mark.parametrize("again", [False, True], ids=["once", "with what exists already"])
@pytest.mark.parametrize("version", MIGRATIONS)
def test_the_statements_of_each_migration_answer_as_on_postgres(
    version: str, again: bool, rocklake_server: CatalogServer, postgres: ExternalServer, dbname: str, tmp_path: Path
) -> None:
    """``again`` runs the forms for development versions (IF NOT EXISTS) after the plain ones."""
    statements = [s.format(if_not_exists="", if_exists="") for s in MIGRATIONS[version]]
    if again:
        statements += [s.format(if_not_exists="IF NOT EXISTS", if_exists="IF EXISTS") for s in MIGRATIONS[version]]
    catalogs, answers = [], []
    for name, server in (("ours", rocklake_server), ("pgsql", postgres)):
        make_old_lake(server.dsn(dbname), tmp_path / name, version)
        answers.append([_answer(server.dsn(dbname), statement) for statement in statements])
        reader = CatalogReader(server.dsn(dbname), str(tmp_path / name))
        catalogs.append(reader.read())
        reader.close()
    assert list(zip(statements, answers[0], strict=True)) == list(zip(statements, answers[1], strict=True))
    assert differences(*catalogs) == []


def _answer(dsn: str, statement: str) -> object:
    with psycopg.connect(dsn, autocommit=True) as connection:
        try:
            return connection.execute(statement).statusmessage
        except psycopg.Error as error:
            return error.sqlstate, error.diag.message_primary


def test_renamed_columns_of_inlined_rows_keep_their_values(dsn: str, open_lake: OpenLake) -> None:
    """The next catalog version names the first three columns of inlined tables anew, in one message."""
    open_lake().run("CREATE TABLE t(id INTEGER, name VARCHAR)", "INSERT INTO t VALUES (1, 'a'), (2, NULL)")
    with psycopg.connect(dsn) as connection:
        ((table,),) = connection.execute("SELECT table_name FROM ducklake_inlined_data_tables").fetchall()
        before = connection.execute(f'SELECT row_id, begin_snapshot, end_snapshot, id, name FROM "{table}"').fetchall()
        renames = ";".join(
            f'ALTER TABLE "public"."{table}" RENAME COLUMN {name} TO _ducklake_{name}'
            for name in ("row_id", "begin_snapshot", "end_snapshot")
        )
        connection.execute(renames)
    with psycopg.connect(dsn) as connection:
        after = connection.execute(f'SELECT * FROM "{table}" WHERE _ducklake_end_snapshot IS NULL')
        names = [column.name for column in after.description or []]
        assert names == ["_ducklake_row_id", "_ducklake_begin_snapshot", "_ducklake_end_snapshot", "id", "name"]
        assert after.fetchall() == before


@pytest.mark.parametrize("version", CLIENT_MIGRATES)
def test_clients_that_migrate_at_once_all_attach(
    version: str, old_lake: Callable[[str], None], open_lake: OpenLake, catalog: Callable[[], Catalog]
) -> None:
    old_lake(version)
    barrier = Barrier(4)

    def attach(number: int) -> list[tuple[object, ...]]:
        barrier.wait()
        lake = open_lake(MIGRATE)
        return lake.rows("FROM events ORDER BY id")

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(attach, range(4))) == [EVENTS] * 4
    migrated = catalog()
    assert sorted(row[:2] for row in migrated["ducklake_metadata"].rows.elements() if row[0] == "version") == [
        ("version", "1.0")
    ]
    assert migrated["ducklake_schema_versions"].rows.total() == 1


def test_a_block_that_only_reads_does_not_keep_others_from_an_old_lake(
    old_lake: Callable[[str], None], open_lake: OpenLake, dsn: str
) -> None:
    old_lake("0.3")
    with psycopg.connect(dsn) as reader, psycopg.connect(dsn) as idle:
        reader.execute("SELECT count(*) FROM ducklake_snapshot")
        idle.execute("SELECT count(*) FROM pg_catalog.pg_class")
        assert open_lake(MIGRATE).rows("FROM events ORDER BY id") == EVENTS
        assert reader.execute("SELECT value FROM ducklake_metadata WHERE key = 'version'").fetchone() in [
            ("0.3",), ("1.0",)
        ]  # fmt: skip


def test_a_migration_that_fails_half_way_leaves_the_old_version_whole(
    old_lake: Callable[[str], None], open_lake: OpenLake, catalog: Callable[[], Catalog], dsn: str
) -> None:
    old_lake("0.3")
    with psycopg.connect(dsn) as connection:  # one of the last statements of the migration finds this in its way
        connection.execute("CREATE TABLE ducklake_file_variant_stats(data_file_id BIGINT)")
    before = catalog()
    with pytest.raises(duckdb.Error, match="Failed to migrate"):
        open_lake(MIGRATE)
    assert catalog() == before
    with psycopg.connect(dsn) as connection:
        connection.execute("DROP TABLE ducklake_file_variant_stats")
    assert open_lake(MIGRATE).rows("FROM events ORDER BY id") == EVENTS


@pytest.mark.parametrize("end", ["rollback", "lost connection", "killed server"])
def test_an_interrupted_migration_leaves_the_old_version_whole(
    end: str, old_lake: Callable[[str], None], open_lake: OpenLake, catalog: Callable[[], Catalog], dsn: str,
    rocklake_server: CatalogServer,
) -> None:  # fmt: skip
    old_lake("0.3")
    before = catalog()
    connection = psycopg.connect(dsn)
    statements = [s.format(if_not_exists="", if_exists="") for s in MIGRATIONS["0.3"]]
    for statement in statements[: -len(statements) // 3]:
        connection.execute(statement)
    if end == "rollback":
        connection.rollback()
    elif end == "lost connection":
        with socket.socket(fileno=connection.fileno()) as raw:
            raw.shutdown(socket.SHUT_RDWR)
            raw.detach()
    else:
        rocklake_server.kill()
        rocklake_server.start()
    connection.close()
    assert catalog() == before
    assert open_lake(MIGRATE).rows("FROM events ORDER BY id") == EVENTS


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_lake_of_the_previous_line_is_migrated(dsn: str, tmp_path: Path, open_lake: OpenLake) -> None:
    command = [duckdb_python("1.4"), SCRIPT_1_4, dsn, tmp_path / "data"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert _version(dsn) == "0.3"
    with pytest.raises(duckdb.Error, match=r"catalog version is 0\.3"):
        open_lake()
    lake = open_lake(MIGRATE)
    assert _version(dsn) == "1.0"
    assert lake.rows("FROM small ORDER BY id") == [(1, "A"), (3, None), (10, "first"), (20, "second")]
    assert lake.rows("FROM small AT (VERSION => 2) ORDER BY id") == [(1, "a"), (2, "it's"), (3, None)]
    assert lake.rows("SELECT count(*), min(id), count(name) FROM big AT (VERSION => 11)") == [(5950, 50, 4950)]
    lake.run("CREATE TABLE fresh(id INTEGER, name VARCHAR)", "INSERT INTO fresh VALUES (1, 'new')")
    lake.run("UPDATE fresh SET name = 'newer'", "DELETE FROM small WHERE id = 3")
    other = open_lake()
    assert other.rows("FROM fresh") == [(1, "newer")]
    assert other.rows("SELECT id FROM small ORDER BY id") == [(1,), (10,), (20,)]
