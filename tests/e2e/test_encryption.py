"""DuckLake's ENCRYPTED lakes work, the keys of their files are told to clients alone, and a store that is encrypted
serves as any other."""

from __future__ import annotations

import time
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.duckdb_client import EXTENSIONS, LakeClient
from tests.servers import RockLakeServer

OLD, NEW = (f"{name}:{b64encode(bytes([number]) * 32).decode()}" for number, name in enumerate(("old", "new"), 1))

WITH_CRYPTO = (*EXTENSIONS, "httpfs")
"""DuckDB writes encrypted files with OpenSSL, which comes with httpfs."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RockLakeServer]:
    """It logs everything that it can, and its store is encrypted."""
    folder = tmp_path_factory.mktemp("encrypted")
    found = RockLakeServer(
        f"file://{folder}/store", logs=folder, log_level="debug", arguments=["--slow-statement", "0"],
        environment={"ROCKLAKE_ENCRYPTION_KEYS": OLD},
    )  # fmt: skip
    found.start()
    yield found
    found.stop()


def file_keys(server: RockLakeServer, database: str) -> list[str]:
    with psycopg.connect(server.dsn(database)) as client:
        found: list[str] = []
        for relation in ("ducklake_data_file", "ducklake_delete_file"):
            rows = client.execute(f"SELECT encryption_key FROM {relation} WHERE encryption_key IS NOT NULL").fetchall()
            found += [key for (key,) in rows]
    return found


def test_an_encrypted_lake_does_what_others_do_and_nobody_hears_its_keys(
    server: RockLakeServer, tmp_path: Path
) -> None:
    with LakeClient(server.dsn("secret"), tmp_path / "data", ", ENCRYPTED", WITH_CRYPTO) as duck:
        duck.run("CREATE TABLE t (a INTEGER, b VARCHAR)", "CALL lake.set_option('data_inlining_row_limit', 10)")
        duck.run("INSERT INTO t SELECT i, 'word ' || i FROM range(1000) r(i)")
        after_insert = duck.snapshot()
        duck.run("DELETE FROM t WHERE a % 3 = 0", "UPDATE t SET b = 'changed' WHERE a = 1")
        duck.run("INSERT INTO t VALUES (5000, 'inlined'), (5001, 'inlined too')")
        assert duck.rows("SELECT count(*), max(a) FROM t") == [(668, 5001)]
        duck.run("CALL ducklake_flush_inlined_data('lake')")
        assert duck.rows("SELECT count(*), max(a) FROM t") == [(668, 5001)]
        assert duck.rows(f"SELECT count(*), max(b) FROM t AT (VERSION => {after_insert})") == [(1000, "word 999")]
        assert duck.rows("SELECT b FROM t WHERE a = 1") == [("changed",)]
    keys = file_keys(server, "secret")
    assert len(keys) >= 3
    assert len(set(keys)) == len(keys)
    with LakeClient(server.dsn("secret"), tmp_path / "data", extensions=WITH_CRYPTO) as again:
        assert again.rows("SELECT count(*), max(a) FROM t") == [(668, 5001)]
    parquet = next((tmp_path / "data").rglob("*.parquet")).read_bytes()
    assert b"word 9" not in parquet
    told = _errors_about(server, keys[0])
    log = server.log_path.read_text()
    assert "slow statement" in log.lower() or "took" in log
    for key in keys:
        assert key not in log
        assert key not in told


def _errors_about(server: RockLakeServer, key: str) -> str:
    """Everything that a client is told when statements with a key in them fail."""
    failing = [
        f"SELECT '{key}' FROM nowhere",
        f"SELEC '{key}'",
        f"INSERT INTO ducklake_data_file (data_file_id, encryption_key) VALUES (0, '{key}'), (0, '{key}')",
        f"INSERT INTO ducklake_data_file (data_file_id, encryption_key) SELECT data_file_id, '{key}' "
        "FROM ducklake_data_file",
        f"UPDATE ducklake_data_file SET record_count = '{key}'",
        f"SELECT CAST(encryption_key AS BIGINT) FROM ducklake_data_file WHERE encryption_key = '{key}'",
        f"SELECT * FROM ducklake_data_file WHERE encryption_key = '{key}' LIMIT -1",
        f"CALL nothing('{key}')",
    ]  # fmt: skip
    told: list[str] = []
    with psycopg.connect(server.dsn("secret"), autocommit=True) as client:
        client.add_notice_handler(lambda notice: told.append(str(notice.message_primary)))
        for statement in failing:
            with pytest.raises(psycopg.Error) as caught:
                client.execute(statement)
            found = caught.value.diag
            told += [part or "" for part in (found.message_primary, found.message_detail, found.message_hint,
                                             found.context, found.internal_query)]  # fmt: skip
        with pytest.raises(psycopg.Error) as caught:
            client.execute("SELECT CAST(encryption_key AS BIGINT) FROM ducklake_data_file")
        told.append(str(caught.value))
    return "\n".join(told)


def test_a_store_changes_its_key_while_it_is_served(server: RockLakeServer, tmp_path: Path) -> None:
    with LakeClient(server.dsn("plain"), tmp_path / "data") as duck:
        duck.run("CREATE TABLE t (a VARCHAR)", "INSERT INTO t VALUES ('MARKED-1')")
    for keys, arguments in ((f"{NEW},{OLD}", ["--rekey"]), (NEW, [])):
        server.stop()
        server._environment["ROCKLAKE_ENCRYPTION_KEYS"] = keys
        server.arguments = ["--slow-statement", "0", *arguments]
        server.start()
        with LakeClient(server.dsn("plain"), tmp_path / "data") as duck:
            duck.run("INSERT INTO t VALUES ('MARKED-2')")
            assert duck.rows("SELECT DISTINCT a FROM t ORDER BY a") == [("MARKED-1",), ("MARKED-2",)]
        if arguments:
            _wait_for(server, "sealed with the newest key; rocklake rekey plan counts it")
    server.stop()
    folder = Path(server.store.removeprefix("file://"))
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert files
    assert [path for path in files if b"MARKED-" in path.read_bytes()] == []
    for keys in (OLD, NEW):
        for part in keys.split(":")[1:]:
            assert part not in server.log_path.read_text()
    server.start()


def _wait_for(server: RockLakeServer, text: str, seconds: float = 20.0) -> None:
    until = time.monotonic() + seconds
    while text not in server.log_path.read_text():
        assert time.monotonic() < until, server.log_tail()
        time.sleep(0.05)
