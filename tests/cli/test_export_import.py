"""``rocklake export`` and ``rocklake import`` as people run them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.console import Ended, rocklake
from tests.s3_stub import S3Stub
from tests.servers import RockLakeServer
from tests.transfer.rich_lake import answers, make_lake

pytestmark = pytest.mark.duckdb

STATEMENTS = (
    "CREATE TABLE t(a INTEGER, d DATE)", "INSERT INTO t VALUES (1, '2020-01-01'), (2, NULL)",
    "CREATE TABLE big AS SELECT i FROM range(500) r(i)", "DELETE FROM t WHERE a = 1",
)  # fmt: skip
QUESTIONS = ("FROM t", "FROM t AT (VERSION => 2) ORDER BY a", "SELECT sum(i) FROM big",
             "SELECT snapshot_id, changes FROM ducklake_snapshots('lake') ORDER BY ALL")  # fmt: skip


@pytest.fixture
def lake_file(tmp_path: Path) -> Path:
    make_lake(str(tmp_path / "lake.duckdb"), tmp_path / "data", STATEMENTS)
    return tmp_path / "lake.duckdb"


@pytest.fixture
def store(tmp_path: Path) -> str:
    return f"file://{tmp_path}/store"


@pytest.fixture
def server(store: str, tmp_path: Path) -> Iterator[RockLakeServer]:
    running = RockLakeServer(store, logs=tmp_path)
    running.start()
    yield running
    running.stop()


def done(ended: Ended) -> list[dict[str, object]]:
    assert ended.code == 0, ended
    records: list[dict[str, object]] = json.loads(ended.stdout)
    return records


def refused(ended: Ended, code: int = 1) -> str:
    assert ended.code == code, ended
    assert ended.stdout == ""
    (line,) = ended.stderr.splitlines()
    return line.removeprefix("rocklake: ")


def test_a_lake_comes_in_and_goes_out(lake_file: Path, store: str, tmp_path: Path) -> None:
    imported = done(rocklake("import", "--store", store, "--lake", "lake", "--from", f"duckdb:{lake_file}",
                             "--output", "json"))  # fmt: skip
    exported = done(rocklake("export", "--store", store, "--to", f"sqlite:{tmp_path}/out.sqlite", "--output", "json"))
    assert exported == imported
    assert {"relation": "ducklake_inlined_data_1_1", "rows": 2} in [
        {name: record[name] for name in ("relation", "rows")} for record in exported
    ]
    assert answers(f"sqlite:{tmp_path}/out.sqlite", questions=QUESTIONS) == answers(str(lake_file), questions=QUESTIONS)


def test_a_running_server_is_exported_beside_and_imported_through(
    lake_file: Path, store: str, server: RockLakeServer, tmp_path: Path
) -> None:
    said = refused(rocklake("import", "--store", store, "--lake", "lake", "--from", f"duckdb:{lake_file}"), code=5)
    held = f'a server holds store "{store}", and this command has to write: stop the server first, '
    assert said.startswith(held + "or run it through that server: rocklake import --lake lake --from duckdb:")
    assert said.endswith(" --server HOST:PORT")
    through = ("--server", f"host=127.0.0.1 port={server.port} user=x")
    done(rocklake("import", *through, "--lake", "lake/second", "--from", f"duckdb:{lake_file}", "--output", "json"))
    taken = ("import", "--server", f"127.0.0.1:{server.port}", "--lake", "lake/second", "--from", f"duckdb:{lake_file}")
    assert "holds a DuckLake catalog already" in refused(rocklake(*taken))
    attach = f"postgres:{server.dsn('lake')}"
    expected = answers(str(lake_file), questions=QUESTIONS)
    assert answers(attach, "(METADATA_SCHEMA 'second')", QUESTIONS) == expected
    done(rocklake("export", "--store", store, "--lake", "lake/second", "--to", f"duckdb:{tmp_path}/out.duckdb",
                  "--output", "json"))  # fmt: skip
    assert answers(f"{tmp_path}/out.duckdb", questions=QUESTIONS) == expected
    assert answers(attach, "(METADATA_SCHEMA 'second')", QUESTIONS) == expected


def test_a_bucket_is_imported_into_and_exported_from(lake_file: Path, tmp_path: Path) -> None:
    with S3Stub() as stub:
        place = ("--store", "s3://bucket/prefix")
        done(rocklake("import", *place, "--lake", "lake", "--from", f"duckdb:{lake_file}", "--output", "json",
                      variables=stub.variables))  # fmt: skip
        done(rocklake("export", *place, "--to", f"duckdb:{tmp_path}/out.duckdb", "--output", "json", "--pin",
                      variables=stub.variables))  # fmt: skip
    assert answers(f"{tmp_path}/out.duckdb", questions=QUESTIONS) == answers(str(lake_file), questions=QUESTIONS)


def test_a_frozen_lake_is_one_read_only_file_with_its_new_data_path(
    lake_file: Path, store: str, tmp_path: Path
) -> None:
    rocklake("import", "--store", store, "--lake", "lake", "--from", f"duckdb:{lake_file}")
    (tmp_path / "data").rename(tmp_path / "published")
    frozen = tmp_path / "frozen" / "lake.duckdb"
    frozen.parent.mkdir()
    ended = rocklake("export", "--store", store, "--to", f"duckdb:{frozen}", "--frozen", "--data-path",
                     f"{tmp_path}/published")  # fmt: skip
    assert ended.code == 0
    assert ended.stderr == f"data path {tmp_path}/data/ is now {tmp_path}/published/; rows changed: 1\n"
    assert [path.name for path in frozen.parent.iterdir()] == ["lake.duckdb"]
    question = "SELECT sum(i) FROM big"
    assert answers(str(frozen), "(READ_ONLY)", (question,)) == {question: "[(124750,)]"}


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("export", "--to", "oracle:x"), 1, '"oracle" is no kind of catalog'),
        (("export", "--to", "duckdb:{tmp}/lake.duckdb"), 1, "exists; nothing is written over it"),
        (("export", "--to", "duckdb:{tmp}/new", "--lake", "absent"), 4, 'there is no lake "absent"'),
        (("export", "--to", "sqlite:{tmp}/new", "--to-schema", "x"), 1, "has no schemas"),
        (("export", "--to", "sqlite:{tmp}/new", "--frozen"), 1, "a frozen catalog is a DuckDB file"),
        (("import", "--lake", "lake", "--from", "duckdb:{tmp}/lake.duckdb"), 1, 'lake "lake/public" exists'),
        (("import", "--lake", "/x", "--from", "duckdb:{tmp}/lake.duckdb"), 1, "names no lake"),
        (("import", "--lake", "new", "--from", "duckdb:{tmp}/absent"), 1, "is no file"),
        (("import", "--lake", "new", "--from", "sqlite:{tmp}/lake.duckdb"), 1, "cannot be read as a SQLite file"),
        (("import", "--lake", "new", "--from", "sqlite:{tmp}/plain.sqlite"), 1, "there is no DuckLake catalog"),
        (("import", "--lake", "new", "--from", "postgres:host=127.0.0.1 port=1"), 6, "cannot connect"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(
    arguments: tuple[str, ...], code: int, said: str, lake_file: Path, store: str, tmp_path: Path
) -> None:
    sqlite3.connect(tmp_path / "plain.sqlite").execute("CREATE TABLE t(a)").connection.close()
    assert rocklake("import", "--store", store, "--lake", "lake", "--from", f"duckdb:{lake_file}").code == 0
    filled = [argument.format(tmp=tmp_path) for argument in arguments]
    assert said in refused(rocklake(*filled, "--store", store), code)
    assert not (tmp_path / "new").exists()


def test_neither_store_nor_server_is_refused(lake_file: Path) -> None:
    assert "--store, or a running server" in refused(rocklake("import", "--lake", "l", "--from", f"duckdb:{lake_file}"))
