"""The main flow of a lake's life under each setting of the client: the same answers, whatever it sends for them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import duckdb
import pytest

from tests.duckdb_client import EXTENSIONS, LakeClient
from tests.servers import CatalogServer

SHOW_QUERIES = "SET GLOBAL pg_debug_show_queries = true"
"""DuckDB writes what it sends to its standard error."""

FLOW = """
    CREATE SCHEMA s
    CREATE TABLE t(id INTEGER, name VARCHAR, price DECIMAL(10, 2), day TIMESTAMP, tags VARCHAR[])
    INSERT INTO t VALUES (1, 'one', 1.5, '2024-01-01 00:00:01', ['a', NULL]), (2, 'it''s "2"', NULL, NULL, NULL)
    INSERT INTO t SELECT range, 'n' || range, range / 4, NULL, ['x'] FROM range(100, 1099)
    CREATE TABLE s.u AS SELECT range AS k, range % 3 AS part FROM range(20)
    COMMENT ON COLUMN t.name IS 'it''s a "name"'
    UPDATE t SET name = 'uno' WHERE id = 1
    UPDATE t SET price = 0.25 WHERE id BETWEEN 100 AND 109
    DELETE FROM t WHERE id % 7 = 0
    ALTER TABLE t ADD COLUMN note VARCHAR DEFAULT 'none'
    INSERT INTO t VALUES (3, NULL, 9.99, NULL, [], 'new')
    ALTER TABLE t RENAME COLUMN name TO label
    BEGIN
    INSERT INTO s.u VALUES (500, 1)
    DELETE FROM s.u WHERE k < 5
    ROLLBACK
    BEGIN
    INSERT INTO s.u VALUES (501, 1)
    DELETE FROM s.u WHERE k = 0
    COMMIT
    MERGE INTO s.u USING (VALUES (1), (900)) n(k) ON u.k = n.k \
        WHEN MATCHED THEN UPDATE SET part = 2 WHEN NOT MATCHED THEN INSERT VALUES (n.k, 0)
    SELECT count(*), sum(id) FROM t AT (VERSION => 4)
    SELECT id, name FROM lake.table_insertions('t', 3, 4) WHERE id < 110 ORDER BY ALL
    CALL ducklake_flush_inlined_data('lake')
    SELECT table_name FROM ducklake_merge_adjacent_files('lake') WHERE false
    CALL ducklake_rewrite_data_files('lake', 't', delete_threshold => 0)
    SELECT count(*) > 0 FROM ducklake_expire_snapshots('lake', versions => [2, 3])
    CALL ducklake_cleanup_old_files('lake', cleanup_all => true)
    INSERT INTO t VALUES (4, 'last', 0, '2024-02-29', NULL, NULL)
"""

READS = """
    SELECT id, label, price, day, tags, note FROM t ORDER BY id
    SELECT count(*), sum(id), min(label), max(price) FROM t WHERE id > 150 AND id <= 1000
    FROM s.u ORDER BY k
    SELECT count(*), sum(part) FROM s.u WHERE part = 1
    SELECT count(*), sum(id) FROM t AT (VERSION => 4)
    SELECT table_schema, table_name FROM information_schema.tables WHERE table_catalog = 'lake' ORDER BY ALL
    SELECT column_name, comment FROM duckdb_columns() WHERE database_name = 'lake' AND comment IS NOT NULL
    SELECT list(snapshot_id ORDER BY snapshot_id)[:12] FROM ducklake_snapshots('lake')
"""


@dataclass(frozen=True, slots=True)
class Client:
    """How a client is set up, and a piece of text that it sends only then, or never sends then."""

    settings: tuple[str, ...] = ()
    options: str = ""
    sends: str | None = None
    omits: str | None = None


def setting(name: str, value: str, *, sends: str | None = None, omits: str | None = None) -> Client:
    return Client((f"SET GLOBAL {name} = {value}",), "", sends, omits)


CLIENTS = {
    "text protocol": setting("pg_use_text_protocol", "true", omits="TO STDOUT"),
    "text copy": setting("pg_use_binary_copy", "false", sends="STDIN (FORMAT TEXT", omits="STDIN (FORMAT BINARY"),
    "no filter pushdown": setting("pg_experimental_filter_pushdown", "false", omits='WHERE "'),
    "no pool": setting("pg_pool_max_connections", "0"),
    "thread-local cache": setting("pg_pool_enable_thread_local_cache", "true"),
    "short lives of connections": Client(
        ("SET GLOBAL pg_pool_max_lifetime_millis = 1", "SET GLOBAL pg_pool_health_check_query = ''")
    ),
    "one connection to wait for": Client(
        ("SET GLOBAL pg_connection_limit = 1", "SET GLOBAL pg_pool_acquire_mode = 'wait'")
    ),
    "information_schema": setting(
        "pg_use_information_schema_introspection", "true", sends="information_schema.columns"
    ),
    "staleness queries": setting("pg_staleness_query_enabled", "true", sends="pg_class.xmin"),
    "what sends nothing new": Client(
        (
            "SET GLOBAL pg_use_ctid_scan = false",
            "SET GLOBAL pg_pages_per_task = 1",
            "SET GLOBAL pg_statement_timeout_millis = 60000",
            "SET GLOBAL pg_idle_in_transaction_timeout_millis = 60000",
            "SET GLOBAL pg_null_byte_replacement = '?'",
            "SET GLOBAL pg_array_as_varchar = true",
        )
    ),
    "deletion vectors": setting("ducklake_write_deletion_vectors", "true"),
    "metadata schema": Client(options=", METADATA_SCHEMA 'my meta'", sends='"my meta"', omits='"public"'),
    "catalog loads of one schema": Client(
        options=", META_SCHEMA 'public'", sends="FROM pg_namespace\nWHERE pg_namespace.nspname IN ('public')"
    ),
    "read committed": Client(
        options=", META_ISOLATION_LEVEL 'READ COMMITTED'", sends="LEVEL READ COMMITTED", omits="REPEATABLE READ"
    ),
    "serializable": Client(
        options=", META_ISOLATION_LEVEL 'SERIALIZABLE'", sends="LEVEL SERIALIZABLE", omits="REPEATABLE READ"
    ),
    "secret table": Client(options=", META_SECRET_STORAGE_TABLE 'my_secrets'", sends="EXISTS my_secrets"),
    "encrypted": Client(options=", ENCRYPTED", sends=', "encryption_key", "'),
    "inlining off": Client(options=", DATA_INLINING_ROW_LIMIT 0", omits="ducklake_inlined_data_2_"),
    "inlining 10": Client(options=", DATA_INLINING_ROW_LIMIT 10"),
    "inlining 1000": Client(options=", DATA_INLINING_ROW_LIMIT 1000", sends="(999, 4, NULL, 1097,"),
    "all at once": Client(
        (
            "SET GLOBAL pg_use_text_protocol = true",
            "SET GLOBAL pg_use_binary_copy = false",
            "SET GLOBAL pg_experimental_filter_pushdown = false",
            "SET GLOBAL pg_pool_max_connections = 0",
            "SET GLOBAL pg_staleness_query_enabled = true",
        ),
        ", METADATA_SCHEMA 'm', META_SCHEMA 'm', META_ISOLATION_LEVEL 'SERIALIZABLE', DATA_INLINING_ROW_LIMIT 1000",
        sends="nspname IN ('m')",
    ),
}  # fmt: skip


def said(capfd: pytest.CaptureFixture[str]) -> str:
    """What DuckDB wrote since the last call."""
    return capfd.readouterr().err


def opened(server: CatalogServer, dbname: str, folder: Path, client: Client, options: str = "") -> LakeClient:
    extensions = (*EXTENSIONS, "httpfs") if "ENCRYPTED" in client.options else EXTENSIONS
    settings = (SHOW_QUERIES, *client.settings)
    return LakeClient(server.dsn(dbname), folder, client.options + options, extensions, settings)


def answers(lake: LakeClient, script: str) -> list[tuple[str, object]]:
    """Each statement of a script with its rows; what CALL answers depends on how rows are kept, and is left out."""
    lines = [line.strip() for line in script.strip().splitlines()]
    return [(line, rows) for line in lines if (rows := lake.rows(line)) is not None and not line.startswith("CALL")]


def lived(server: CatalogServer, dbname: str, folder: Path, client: Client) -> list[tuple[str, object]]:
    """The answers of the flow, and of reads in a new process."""
    with opened(server, dbname, folder, client) as lake:
        found = answers(lake, FLOW)
    with opened(server, dbname, folder, client) as lake:
        return found + answers(lake, READS)


PLAIN = "client_settings_plain"


@pytest.fixture(scope="module")
def plain_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("plain")


@pytest.fixture(scope="module")
def plain(rocklake_server: CatalogServer, plain_folder: Path) -> list[tuple[str, object]]:
    """The answers that a client without settings gets; its lake stays."""
    return lived(rocklake_server, PLAIN, plain_folder, Client())


@pytest.mark.parametrize("name", CLIENTS)
def test_a_client_gets_the_answers_of_one_without_settings(
    name: str,
    rocklake_server: CatalogServer,
    dbname: str,
    tmp_path: Path,
    plain: list[tuple[str, object]],
    capfd: pytest.CaptureFixture[str],
) -> None:
    client = CLIENTS[name]
    said(capfd)
    found = lived(rocklake_server, dbname, tmp_path, client)
    sent = said(capfd)
    for got, expected in zip(found, plain, strict=True):
        assert got == expected
    assert "ducklake_snapshot" in sent
    assert client.sends is None or client.sends in sent
    assert client.omits is None or client.omits not in sent


def test_what_a_setting_changes_is_there_without_it(
    rocklake_server: CatalogServer, dbname: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    said(capfd)
    lived(rocklake_server, dbname, tmp_path, Client())
    sent = said(capfd)
    assert [name for name, client in CLIENTS.items() if client.sends is not None and client.sends in sent] == []
    assert [name for name, client in CLIENTS.items() if client.omits is not None and client.omits not in sent] == []


@pytest.mark.parametrize("isolation", ["", ", META_ISOLATION_LEVEL 'SERIALIZABLE'"])
def test_a_read_only_client_reads_all_and_writes_nothing(
    isolation: str,
    rocklake_server: CatalogServer,
    plain_folder: Path,
    plain: list[tuple[str, object]],
    capfd: pytest.CaptureFixture[str],
) -> None:
    said(capfd)
    with opened(rocklake_server, PLAIN, plain_folder, Client(options=isolation), ", READ_ONLY") as reader:
        assert answers(reader, READS) == plain[-len(READS.strip().splitlines()) :]
        # of one table: for several DuckDB flushes them at once, and may tell the second error instead of the first
        flush = "CALL ducklake_flush_inlined_data('lake', table_name => 't')"
        for statement in ("INSERT INTO t(id) VALUES (5)", "DROP TABLE t", flush):
            with pytest.raises(duckdb.Error, match=r"(?i)read-only"):
                reader.run(statement)
    assert " READ ONLY;" in said(capfd)


def test_files_of_an_encrypted_lake_cannot_be_read_without_its_catalog(
    rocklake_server: CatalogServer, dbname: str, tmp_path: Path
) -> None:
    with opened(rocklake_server, dbname, tmp_path, Client(options=", ENCRYPTED")) as lake:
        lake.run("CREATE TABLE t AS SELECT range AS id FROM range(5000)")
        (file,) = tmp_path.rglob("*.parquet")
        with pytest.raises(duckdb.Error, match="encrypted"):
            lake.rows(f"FROM read_parquet('{file}')")
        assert lake.rows("SELECT count(*), sum(id) FROM t") == [(5000, 12497500)]


def test_secrets_are_kept_in_the_catalog(rocklake_server: CatalogServer, dbname: str, tmp_path: Path) -> None:
    storage = "postgres___ducklake_metadata_lake"
    client = CLIENTS["secret table"]
    known = f"SELECT name, secret_string FROM duckdb_secrets() WHERE storage = '{storage}'"
    with opened(rocklake_server, dbname, tmp_path, client) as lake:
        lake.run(f"CREATE PERSISTENT SECRET one IN {storage} (TYPE postgres, HOST 'first')")
        lake.run(f"CREATE PERSISTENT SECRET two IN {storage} (TYPE postgres, HOST 'it''s')")
        lake.run(f"CREATE OR REPLACE PERSISTENT SECRET one IN {storage} (TYPE postgres, HOST 'second')")
        lake.run(f"CREATE OR REPLACE PERSISTENT SECRET three IN {storage} (TYPE postgres, HOST 'third')")
        with pytest.raises(duckdb.Error, match="already exists"):
            lake.run(f"CREATE PERSISTENT SECRET two IN {storage} (TYPE postgres, HOST 'again')")
    with opened(rocklake_server, dbname, tmp_path, client) as other:
        hosts = {name: text.split("host=")[1] for name, text in other.rows(known)}
        assert hosts == {"one": "second", "two": "it's", "three": "third"}
        assert other.value("SELECT name FROM which_secret('anything', 'postgres')") in hosts
        other.run(f"DROP PERSISTENT SECRET two FROM {storage}")
    with opened(rocklake_server, dbname, tmp_path, client) as third:
        assert {name for name, _ in third.rows(known)} == {"one", "three"}
