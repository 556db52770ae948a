"""A lake whose data has moved: the copy names the new place, and answers from there."""

from __future__ import annotations

from pathlib import Path

import pytest

from rocklake_server.catalog.databases import Databases
from rocklake_server.errors import InvalidParameterValue
from rocklake_server.schema.types import BIGINT, BOOLEAN, VARCHAR
from rocklake_server.transfer.copying import copy_catalog
from rocklake_server.transfer.duckdb_catalog import DuckDBSource
from rocklake_server.transfer.lake_catalog import LakeTarget
from rocklake_server.transfer.relations import CatalogColumn, CatalogRelation
from rocklake_server.transfer.relocation import Relocation
from rocklake_server.transfer.sqlite_catalog import SQLiteTarget
from tests.transfer.rich_lake import answers, make_lake

TEXTS = [CatalogColumn(name, VARCHAR, "VARCHAR") for name in ("key", "value", "scope")]
METADATA = CatalogRelation("ducklake_metadata", (*TEXTS, CatalogColumn("scope_id", BIGINT, "BIGINT")))
FILES = CatalogRelation(
    "ducklake_data_file",
    (CatalogColumn("path", VARCHAR, "VARCHAR"), CatalogColumn("path_is_relative", BOOLEAN, "BOOLEAN")),
)


def test_absolute_paths_below_the_data_path_move_and_nothing_else() -> None:
    change = Relocation("s3://new/place")
    assert change(METADATA, [("version", "1.0", None, None), ("data_path", "/old/data/", None, None),
                             ("data_path", "/old/data/", "schema", 3)]) == [
        ("version", "1.0", None, None), ("data_path", "s3://new/place/", None, None),
        ("data_path", "/old/data/", "schema", 3),
    ]  # fmt: skip
    rows = [("a.parquet", True), ("/old/data/t/b.parquet", False), ("/old/data2/c.parquet", False),
            ("/old/data/t/d.parquet", None), (None, False)]  # fmt: skip
    assert change(FILES, rows) == [rows[0], ("s3://new/place/t/b.parquet", False), *rows[2:]]
    assert (change.old, change.changed_rows) == ("/old/data/", 2)


def test_paths_without_a_data_path_are_not_guessed() -> None:
    with pytest.raises(InvalidParameterValue, match="names no data path"):
        Relocation("/new")(FILES, [("/a", False)])
    with pytest.raises(InvalidParameterValue, match="is empty"):
        Relocation(" ")


@pytest.mark.duckdb
async def test_a_moved_lake_answers_from_its_new_place(tmp_path: Path, databases: Databases) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    added = tmp_path / "old" / "main" / "extra.parquet"
    make_lake(str(tmp_path / "lake.duckdb"), old, (
        "CREATE TABLE t AS SELECT i AS id FROM range(1000) r(i)",
        f"COPY (SELECT 5000::BIGINT AS id) TO '{added}'",
        f"CALL ducklake_add_data_files('lake', 't', '{added}')",  # by its absolute path
    ))  # fmt: skip
    question = ("SELECT count(*), max(id) FROM t",)
    assert answers(str(tmp_path / "lake.duckdb"), questions=question)[question[0]] == "[(1001, 5000)]"
    old.rename(new)
    change = Relocation(str(new))
    await copy_catalog(DuckDBSource(tmp_path / "lake.duckdb"), SQLiteTarget(tmp_path / "moved.sqlite"), change=change)
    assert change.changed_rows == 2
    assert answers(f"sqlite:{tmp_path}/moved.sqlite", questions=question)[question[0]] == "[(1001, 5000)]"
    copied = await copy_catalog(DuckDBSource(tmp_path / "lake.duckdb"), LakeTarget(databases, "lake", "public"))
    assert copied.rows > 0
