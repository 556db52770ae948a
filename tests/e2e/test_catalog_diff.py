"""The comparison of two catalogs sees what it has to see, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.duckdb_client import LakeClient
from tests.e2e.catalog_diff import CatalogReader, differences

DAMAGES_LAKES = True


@pytest.fixture
def reader(lake: LakeClient, tmp_path: Path) -> Iterator[CatalogReader]:
    """Reads the catalog of a lake with one table."""
    lake.run("CREATE TABLE t(id INTEGER)", "INSERT INTO t VALUES (1)")
    reader = CatalogReader(lake.dsn, str(lake.data_path))
    yield reader
    reader.close()


def test_a_catalog_equals_itself(reader: CatalogReader) -> None:
    assert differences(reader.read(), reader.read()) == []


@pytest.mark.parametrize(
    ("change", "relation"),
    [
        ("UPDATE ducklake_table_stats SET next_row_id = next_row_id + 1", "ducklake_table_stats"),
        ("DELETE FROM ducklake_snapshot_changes WHERE snapshot_id = 1", "ducklake_snapshot_changes"),
        (
            "UPDATE ducklake_snapshot_changes SET changes_made = 'a,b' WHERE snapshot_id = 1",
            "ducklake_snapshot_changes",
        ),
        ("INSERT INTO ducklake_tag VALUES (1, 1, NULL, 'comment', 'x')", "ducklake_tag"),
        ("UPDATE ducklake_inlined_data_1_1 SET end_snapshot = 9", "ducklake_inlined_data_1_1"),
        ("DROP TABLE ducklake_inlined_data_1_1", "ducklake_inlined_data_1_1"),
        ("ALTER TABLE ducklake_sort_info ADD COLUMN more bigint", "ducklake_sort_info"),
    ],
)
def test_each_difference_names_its_relation(change: str, relation: str, reader: CatalogReader, dsn: str) -> None:
    before = reader.read()
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(change.encode())
    found = differences(reader.read(), before)
    assert found
    assert all(line.startswith(f"relation {relation}: ") for line in found), found


def test_random_and_local_values_are_made_equal(reader: CatalogReader, lake: LakeClient) -> None:
    path = f"{lake.data_path}/main/ducklake-01a22b1f-2e87-753f-b3f8-b68e1e6b6839.parquet"
    assert reader.comparable(path) == "<data>/main/ducklake-<uuid>.parquet"


def test_the_order_of_the_listed_changes_does_not_matter(reader: CatalogReader, dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(
            'UPDATE ducklake_snapshot_changes SET changes_made = \'created_table:"main"."a",dropped_table:1\''
        )
        before = reader.read()
        connection.execute(
            'UPDATE ducklake_snapshot_changes SET changes_made = \'dropped_table:1,created_table:"main"."a"\''
        )
        assert differences(reader.read(), before) == []
        connection.execute(
            'UPDATE ducklake_snapshot_changes SET changes_made = \'dropped_table:2,created_table:"main"."a"\''
        )
        assert differences(reader.read(), before)
