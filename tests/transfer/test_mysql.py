"""Catalogs in MySQL: copies lose nothing, DuckDB answers from them, and what MySQL cannot hold is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

import pymysql
import pytest

from rocklake_server.errors import InvalidParameterValue, StoreUnavailable, Unsupported
from rocklake_server.schema.types import BIGINT, VARCHAR
from rocklake_server.transfer.copying import Copied, copy_catalog
from rocklake_server.transfer.duckdb_catalog import DuckDBSource, DuckDBTarget
from rocklake_server.transfer.mysql_catalog import WORKING, MySQLSource, MySQLTarget
from rocklake_server.transfer.notes import CatalogComment, CatalogIndex, CatalogNotes, IndexedColumn, On
from rocklake_server.transfer.relations import CatalogColumn, CatalogContents, CatalogRelation
from tests.cli.console import rocklake, the_sentence
from tests.mysql import needs_mysql, running_mysql
from tests.transfer.rich_lake import answers, make_lake

pytestmark = [pytest.mark.duckdb, needs_mysql]

NewDatabase = Callable[[], str]
SMALL = ("CREATE TABLE t(a INTEGER)", "INSERT INTO t VALUES (1), (2), (NULL)")
ID = CatalogColumn("id", BIGINT, "BIGINT", nullable=False)


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with running_mysql() as running:
        yield running


@pytest.fixture
def new_database(port: int, request: pytest.FixtureRequest) -> Iterator[NewDatabase]:
    """Makes an empty database; the value is its DSN. The server's own character set is not one of Unicode."""
    made: list[str] = []

    def new() -> str:
        made.append(f"lake_{len(made)}")
        execute(port, f"CREATE DATABASE {made[-1]}")
        return f"host=127.0.0.1 port={port} user=root password=secret database={made[-1]}"

    yield new
    for name in made:
        execute(port, f"DROP DATABASE {name}")


def execute(port: int, statement: str) -> list[tuple[object, ...]]:
    with pymysql.connect(host="127.0.0.1", port=port, user="root", autocommit=True) as connection:
        cursor = connection.cursor()
        cursor.execute(statement)
        return list(cursor.fetchall())


def lake_file(folder: Path, *statements: str) -> Path:
    path = folder / "lake.duckdb"
    make_lake(str(path), folder / "data", *([statements] if statements else []))
    return path


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return lake_file(tmp_path_factory.mktemp("small"), *SMALL)


async def exported(file: Path, dsn: str) -> Copied:
    async with aclosing(DuckDBSource(file)) as source:
        return await copy_catalog(source, MySQLTarget(dsn))


async def imported(dsn: str, file: Path) -> Copied:
    async with aclosing(MySQLSource(dsn)) as source:
        return await copy_catalog(source, DuckDBTarget(file))


async def test_a_lake_with_values_of_every_type_goes_there_and_back(new_database: NewDatabase, tmp_path: Path) -> None:
    dsn, file = new_database(), lake_file(tmp_path)
    there, expected = await exported(file, dsn), answers(str(file))
    assert answers(f"mysql:{dsn}") == expected
    assert await imported(dsn, tmp_path / "back.duckdb") == there
    assert answers(str(tmp_path / "back.duckdb")) == expected


async def test_comments_and_indexes_stay_behind_and_are_named(
    new_database: NewDatabase, small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = CatalogIndex("ducklake_table", "by_name", (IndexedColumn("table_name"),))
    notes = CatalogNotes.of([index], [CatalogComment(On.TABLE, "x", "ducklake_table")])
    plain = DuckDBSource.contents

    async def noted(source: DuckDBSource) -> CatalogContents:
        return replace(await plain(source), notes=notes)

    monkeypatch.setattr(DuckDBSource, "contents", noted)
    dsn = new_database()
    copied = await exported(small, dsn)
    assert copied.notes_left_out == ("index by_name on ducklake_table", "comment on table ducklake_table")
    assert answers(f"mysql:{dsn}", questions=("FROM t ORDER BY a",)) == {"FROM t ORDER BY a": "[(1,), (2,), (None,)]"}


async def test_what_ducklake_wrote_there_itself_is_read(new_database: NewDatabase, tmp_path: Path) -> None:
    """Columns of its own types: tinyint(1), float, datetime, decimal; one insert is all that its connector lets by."""
    dsn = new_database()
    make_lake(f"mysql:{dsn}", tmp_path / "data", (
        "CREATE TABLE t(b BOOLEAN, u UTINYINT, u8 UBIGINT, f4 FLOAT, f8 DOUBLE, d DECIMAL(38, 10), ts TIMESTAMP, "
        "tz TIMESTAMPTZ, dt DATE, i INTERVAL, s VARCHAR, bl BLOB, id UUID)",
        "INSERT INTO t VALUES (true, 255, 18446744073709551615, 16777217.123, 0.1, 1234567890.0123456789, "
        "'2020-01-01 01:02:03', '2020-01-01 01:02:03+05', '2020-02-29', INTERVAL '1 month', 'é''\\', "
        "'\\x00\\xFF'::BLOB, '12345678-1234-1234-1234-123456789abc'), (false, 0, 0, '-0.1', -1e300, -0.01, NULL, NULL, "
        "NULL, NULL, '', ''::BLOB, NULL)",
    ))  # fmt: skip
    questions = ("FROM t ORDER BY u", "SELECT snapshot_id, snapshot_time, changes FROM ducklake_snapshots('lake')")
    await imported(dsn, tmp_path / "copy.duckdb")
    assert answers(str(tmp_path / "copy.duckdb"), questions=questions) == answers(f"mysql:{dsn}", questions=questions)


def test_commands_take_its_address(new_database: NewDatabase, small: Path, tmp_path: Path) -> None:
    dsn, place = new_database(), ("--store", f"file://{tmp_path}/store", "--lake", "lake", "--output", "json")
    assert rocklake("import", *place, "--from", f"duckdb:{small}").code == 0
    ended = rocklake("export", *place, "--to", f"mysql:{dsn}")
    assert (ended.code, ended.stderr) == (0, "")
    assert answers(f"mysql:{dsn}", questions=("FROM t",)) == {"FROM t": "[(1,), (2,), (None,)]"}
    again = (*place[:2], "--lake", "again", "--output", "json")
    assert rocklake("import", *again, "--from", f"mysql:{dsn}").stdout == ended.stdout
    refused = rocklake("export", *place, "--to", f"mysql:{dsn}")
    assert "secret" not in the_sentence(refused)


async def test_a_database_with_a_catalog_is_not_written_over(new_database: NewDatabase, small: Path) -> None:
    dsn = new_database()
    await exported(small, dsn)
    with pytest.raises(InvalidParameterValue, match="holds a DuckLake catalog already"):
        await exported(small, dsn)
    assert answers(f"mysql:{dsn}", questions=("FROM t",)) == {"FROM t": "[(1,), (2,), (None,)]"}


async def test_a_copy_is_seen_whole_or_not_at_all(new_database: NewDatabase, small: Path, port: int) -> None:
    dsn = new_database()
    seen: set[str] = set()

    def look(_: str, __: int) -> None:
        seen.update(str(name) for (name,) in execute(port, "SHOW TABLES FROM lake_0"))

    async with aclosing(DuckDBSource(small)) as source:
        copied = await copy_catalog(source, MySQLTarget(dsn), progress=look)
    assert seen == {WORKING + relation.name for relation in copied.relations}
    assert {name for (name,) in execute(port, "SHOW TABLES FROM lake_0")} == {r.name for r in copied.relations}


async def test_what_a_killed_copy_left_goes_and_other_tables_stay(
    new_database: NewDatabase, small: Path, tmp_path: Path, port: int
) -> None:
    dsn = new_database()
    for table in (f"{WORKING}ducklake_snapshot", f"{WORKING}ducklake_old", "mine"):
        execute(port, f"CREATE TABLE lake_0.{table}(a INTEGER)")
    copied = await exported(small, dsn)
    tables = {name for (name,) in execute(port, "SHOW TABLES FROM lake_0")}
    assert tables == {"mine", *(relation.name for relation in copied.relations)}
    assert (await imported(dsn, tmp_path / "back.duckdb")).left_out == ("mine",)


async def test_two_copies_do_not_fill_one_database(new_database: NewDatabase, small: Path) -> None:
    dsn = new_database()
    first = MySQLTarget(dsn)
    await first.create(CatalogRelation("ducklake_first", (ID,)))
    with pytest.raises(InvalidParameterValue, match="another copy into this database is under way"):
        await exported(small, dsn)
    await first.abandon()
    await exported(small, dsn)


@pytest.mark.parametrize("name", ["a" * 65, "\U0001f986", "ends ", "a`b", "a\\b"])
async def test_names_that_mysql_does_not_take_are_refused(name: str, new_database: NewDatabase, port: int) -> None:
    target = MySQLTarget(new_database())
    relation = CatalogRelation("ducklake_inlined_data_1_1", (ID, CatalogColumn(name, VARCHAR, "VARCHAR")))
    with pytest.raises(Unsupported, match="MySQL takes no table or column called"):
        await target.create(relation)
    await target.abandon()
    assert execute(port, "SHOW TABLES FROM lake_0") == []


async def test_names_that_have_to_be_quoted_are_taken(new_database: NewDatabase, tmp_path: Path) -> None:
    name = 'a b"c % %s é \' ' + "x" * 49
    dsn, file = new_database(), lake_file(
        tmp_path, f'CREATE TABLE t("{name.replace(chr(34), chr(34) * 2)}" INTEGER)', "INSERT INTO t VALUES (7)")
    await exported(file, dsn)
    assert answers(f"mysql:{dsn}", questions=("FROM t",)) == {"FROM t": "[(7,)]"}
    await imported(dsn, tmp_path / "back.duckdb")
    question = ("DESCRIBE t",)
    assert answers(str(tmp_path / "back.duckdb"), questions=question) == answers(str(file), questions=question)


async def test_a_key_over_a_text_is_refused(new_database: NewDatabase) -> None:
    target = MySQLTarget(new_database())
    column = CatalogColumn("name", VARCHAR, "VARCHAR", nullable=False)
    with pytest.raises(Unsupported, match='no key over a text, as relation "ducklake_mine" has one'):
        await target.create(CatalogRelation("ducklake_mine", (column,), ("name",)))
    await target.abandon()


async def test_what_the_server_says_is_told_without_the_password(new_database: NewDatabase, tmp_path: Path) -> None:
    dsn = new_database()
    for wrong, said in ((dsn.replace("lake_0", "absent"), "Unknown database 'absent'"),
                        ("host=127.0.0.1 port=1 password=secret database=x", "Can't connect to MySQL server on '127")):
        source = MySQLSource(wrong)
        with pytest.raises(StoreUnavailable) as refused:
            await source.contents()
        assert str(refused.value).startswith(f"cannot connect to the database: {said}")
        assert "secret" not in str(refused.value)
        await source.aclose()
    with pytest.raises(InvalidParameterValue, match="there is no DuckLake catalog"):
        await imported(dsn, tmp_path / "none.duckdb")
    assert not (tmp_path / "none.duckdb").exists()
