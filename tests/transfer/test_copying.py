"""Copies that go wrong leave nothing behind, and say what is wrong."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from pathlib import Path

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocklake_server.catalog.databases import Databases
from rocklake_server.errors import CorruptValue, DuplicateSchema, InvalidParameterValue, Unsupported
from rocklake_server.schema.types import BIGINT, VARCHAR
from rocklake_server.transfer.catalogs import Target
from rocklake_server.transfer.checksums import Checksum
from rocklake_server.transfer.copying import copy_catalog
from rocklake_server.transfer.duckdb_catalog import DuckDBSource, DuckDBTarget
from rocklake_server.transfer.lake_catalog import LakeSource, LakeTarget
from rocklake_server.transfer.notes import CatalogNotes
from rocklake_server.transfer.relations import CatalogColumn, CatalogRelation, Row
from rocklake_server.transfer.sqlite_catalog import SQLiteTarget
from tests.transfer.rich_lake import answers, make_lake

pytestmark = pytest.mark.duckdb

OpenLake = Callable[[str], Awaitable[LakeSource]]
RELATION = CatalogRelation(
    "ducklake_x", (CatalogColumn("id", BIGINT, "BIGINT"), CatalogColumn("t", VARCHAR, "VARCHAR"))
)


@pytest.fixture
def lake_file(tmp_path: Path) -> Path:
    path = tmp_path / "lake.duckdb"
    make_lake(str(path), tmp_path / "data", ("CREATE TABLE t(a INTEGER)", "INSERT INTO t VALUES (1), (2), (NULL)"))
    return path


class Tampering:
    """A target that keeps something else than it is given."""

    def __init__(self, below: Target, change: Callable[[list[Row]], list[Row]]) -> None:
        self._below = below
        self._change = change

    async def create(self, relation: CatalogRelation) -> None:
        await self._below.create(relation)

    async def write(self, relation: CatalogRelation, rows: Sequence[Row]) -> None:
        is_inlined = relation.name == "ducklake_inlined_data_1_1"
        await self._below.write(relation, self._change(list(rows)) if is_inlined else rows)

    async def as_kept(self, relation: CatalogRelation, rows: Sequence[Row]) -> Sequence[Row]:
        return await self._below.as_kept(relation, rows)

    def rows_kept(self, relation: CatalogRelation) -> AsyncIterator[Sequence[Row]]:
        return self._below.rows_kept(relation)

    async def annotate(self, notes: CatalogNotes) -> Sequence[str]:
        return await self._below.annotate(notes)

    async def publish(self) -> None:
        await self._below.publish()

    async def abandon(self) -> None:
        await self._below.abandon()


CHANGES: dict[str, Callable[[list[Row]], list[Row]]] = {
    "a row is lost": lambda rows: rows[1:],
    "a row is doubled": lambda rows: [*rows, rows[0]],
    "a value is another": lambda rows: [(*rows[0][:3], 9), *rows[1:]],
    "two values are exchanged": lambda rows: [(*rows[0][:3], rows[1][3]), (*rows[1][:3], rows[0][3]), *rows[2:]],
    "NULL is 0": lambda rows: [(*row[:3], row[3] or 0) for row in rows],
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
@pytest.mark.parametrize("kind", ["duckdb", "sqlite", "lake"])
async def test_a_copy_that_differs_is_refused_and_removed(
    kind: str, change: Callable[[list[Row]], list[Row]], lake_file: Path, tmp_path: Path, databases: Databases
) -> None:
    copy = tmp_path / "copy"
    below: dict[str, Target] = {
        "duckdb": DuckDBTarget(copy), "sqlite": SQLiteTarget(copy), "lake": LakeTarget(databases, "copy", "public"),
    }  # fmt: skip
    with pytest.raises(CorruptValue, match='relation "ducklake_inlined_data_1_1" is not the same'):
        await copy_catalog(DuckDBSource(lake_file), Tampering(below[kind], change))
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith("copy")] == []
    assert "copy" not in databases.directory.databases()


async def test_an_imported_lake_is_seen_whole_or_not_at_all(lake_file: Path, databases: Databases) -> None:
    seen: list[bool] = []
    target = LakeTarget(databases, "copy", "public")
    await copy_catalog(DuckDBSource(lake_file), target,
                       progress=lambda _, __: seen.append("copy" in databases.directory.databases()))
    assert seen
    assert not any(seen)
    assert "copy" in databases.directory.databases()


async def test_a_lake_is_not_written_over(lake_file: Path, databases: Databases, open_lake: OpenLake) -> None:
    await copy_catalog(DuckDBSource(lake_file), LakeTarget(databases, "lake", "public"))
    with pytest.raises(DuplicateSchema, match='lake "lake/public" exists'):
        await copy_catalog(DuckDBSource(lake_file), LakeTarget(databases, "lake", "public"))
    await copy_catalog(DuckDBSource(lake_file), LakeTarget(databases, "lake", "second"))
    assert [r.name for r in (await (await open_lake("lake")).contents()).relations]


async def test_an_attempt_that_failed_can_be_repeated(lake_file: Path, databases: Databases) -> None:
    with pytest.raises(CorruptValue):
        await copy_catalog(DuckDBSource(lake_file), Tampering(LakeTarget(databases, "lake", "public"), lambda _: []))
    copied = await copy_catalog(DuckDBSource(lake_file), LakeTarget(databases, "lake", "public"))
    assert copied.rows == 20


async def test_a_file_is_not_written_over(lake_file: Path, tmp_path: Path) -> None:
    with pytest.raises(InvalidParameterValue, match="exists; nothing is written over it"):
        DuckDBTarget(lake_file)
    with pytest.raises(InvalidParameterValue, match="is no folder"):
        SQLiteTarget(tmp_path / "nowhere" / "file")


async def test_what_an_attempt_that_was_killed_left_is_no_hindrance(lake_file: Path, tmp_path: Path) -> None:
    (tmp_path / "copy.duckdb.incomplete").write_bytes(b"half")
    (tmp_path / "copy.duckdb.incomplete.wal").write_bytes(b"half")
    await copy_catalog(DuckDBSource(lake_file), DuckDBTarget(tmp_path / "copy.duckdb"))
    assert answers(str(tmp_path / "copy.duckdb"), questions=("FROM t",)) == {"FROM t": "[(1,), (2,), (None,)]"}
    assert not list(tmp_path.glob("*.incomplete*"))


async def test_a_file_without_a_catalog_is_refused(tmp_path: Path, databases: Databases) -> None:
    duckdb.connect(str(tmp_path / "plain.duckdb")).execute("CREATE TABLE t(a INTEGER)").close()
    with pytest.raises(InvalidParameterValue, match="there is no DuckLake catalog"):
        await copy_catalog(DuckDBSource(tmp_path / "plain.duckdb"), LakeTarget(databases, "lake", "public"))


async def test_tables_that_are_none_of_ducklakes_stay_behind_and_are_named(
    lake_file: Path, databases: Databases
) -> None:
    duckdb.connect(str(lake_file)).execute("CREATE TABLE mine(a INTEGER)").close()
    copied = await copy_catalog(DuckDBSource(lake_file), LakeTarget(databases, "lake", "public"))
    assert copied.left_out == ("mine",)
    assert not any(relation.name == "mine" for relation in copied.relations)


async def test_inlined_variants_are_refused_with_the_way_out(tmp_path: Path, databases: Databases) -> None:
    path = tmp_path / "lake.duckdb"
    make_lake(str(path), tmp_path / "data", ("CREATE TABLE t(v VARIANT)", "INSERT INTO t VALUES (42::VARIANT)"))
    with pytest.raises(Unsupported, match="VARIANT") as refused:
        await copy_catalog(DuckDBSource(path), LakeTarget(databases, "lake", "public"))
    assert "ducklake_flush_inlined_data" in str(refused.value.hint)


async def test_a_frozen_file_cannot_be_changed_and_answers(lake_file: Path, tmp_path: Path) -> None:
    frozen = tmp_path / "frozen.duckdb"
    await copy_catalog(DuckDBSource(lake_file), DuckDBTarget(frozen, frozen=True))
    assert frozen.stat().st_mode & 0o777 == 0o444
    assert answers(str(frozen), "(READ_ONLY)", ("FROM t",)) == {"FROM t": "[(1,), (2,), (None,)]"}


async def test_a_frozen_lake_of_everything_answers_and_stays_as_it_is(
    tmp_path: Path, databases: Databases, open_lake: OpenLake
) -> None:
    """Every type, inlined and in files, deletes, views, macros, comments, options, changes and earlier snapshots."""
    original, frozen = tmp_path / "lake.duckdb", tmp_path / "frozen" / "lake.duckdb"
    make_lake(str(original), tmp_path / "data")
    await copy_catalog(DuckDBSource(original), LakeTarget(databases, "lake", "public"))
    frozen.parent.mkdir()
    copied = await copy_catalog(await open_lake("lake"), DuckDBTarget(frozen, frozen=True))
    content = frozen.read_bytes()
    assert answers(str(frozen), "(READ_ONLY)") == answers(str(original))
    assert ([path.name for path in frozen.parent.iterdir()], frozen.read_bytes()) == (["lake.duckdb"], content)
    with duckdb.connect(str(frozen), read_only=True) as connection:
        tables = connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()
        counts = {name: connection.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] for (name,) in tables}
    assert counts == {relation.name: relation.checksum.rows for relation in copied.relations}


ROWS = st.lists(st.tuples(st.none() | st.integers(-(2**63), 2**63 - 1), st.none() | st.text("ab", max_size=2)))


@given(rows=ROWS, cut=st.integers(0, 20), seed=st.randoms())
def test_a_checksum_knows_no_order_and_no_batches(rows: list[Row], cut: int, seed: object) -> None:
    shuffled = rows[:]
    seed.shuffle(shuffled)  # type: ignore[attr-defined]
    whole = Checksum().with_rows(RELATION, rows)
    assert Checksum().with_rows(RELATION, shuffled[:cut]).with_rows(RELATION, shuffled[cut:]) == whole


@given(rows=ROWS, others=ROWS)
def test_other_rows_have_another_checksum(rows: list[Row], others: list[Row]) -> None:
    same = sorted(map(repr, rows)) == sorted(map(repr, others))
    assert (Checksum().with_rows(RELATION, rows) == Checksum().with_rows(RELATION, others)) is same


