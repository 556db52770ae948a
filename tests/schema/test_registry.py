"""The registry's totals, the lifetimes of columns, and the checks that refuse a contradictory declaration."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rocklake_server.schema.catalog_files import DATA_FILE
from rocklake_server.schema.catalog_objects import SCHEMA, SNAPSHOT
from rocklake_server.schema.model import Behaviour, Column
from rocklake_server.schema.registry import BY_NAME, BY_TAG, TABLES, check, columns_of, name_in, tables_of
from rocklake_server.schema.types import BIGINT, DOUBLE, TIMESTAMPTZ, UUID, VARCHAR, array_of
from tests.schema.created_tables import CREATED_BY_0_3, CREATED_BY_1_0, columns_from

TAGS = {
    0x01: "ducklake_metadata", 0x02: "ducklake_snapshot", 0x03: "ducklake_snapshot_changes",
    0x04: "ducklake_schema", 0x05: "ducklake_table", 0x06: "ducklake_column", 0x07: "ducklake_view",
    0x08: "ducklake_macro", 0x09: "ducklake_macro_impl", 0x0A: "ducklake_macro_parameters",
    0x0B: "ducklake_data_file", 0x0C: "ducklake_delete_file", 0x0D: "ducklake_files_scheduled_for_deletion",
    0x0E: "ducklake_inlined_data_tables", 0x0F: "ducklake_column_mapping", 0x10: "ducklake_name_mapping",
    0x11: "ducklake_table_stats", 0x12: "ducklake_table_column_stats", 0x13: "ducklake_file_column_stats",
    0x14: "ducklake_file_variant_stats", 0x15: "ducklake_partition_info", 0x16: "ducklake_partition_column",
    0x17: "ducklake_file_partition_value", 0x18: "ducklake_sort_info", 0x19: "ducklake_sort_expression",
    0x1A: "ducklake_tag", 0x1B: "ducklake_column_tag", 0x1C: "ducklake_schema_versions",
    0x1D: "ducklake_view_column_tag",
}
BEHAVIOURS = {
    Behaviour.SINGLETON: {0x01, 0x11, 0x12},
    Behaviour.VERSIONED: {0x04, 0x05, 0x06, 0x07, 0x08, 0x15, 0x18, 0x1A, 0x1B, 0x1D},
}


def test_twenty_nine_relations_have_their_permanent_tags() -> None:
    assert {table.tag: table.name for table in TABLES} == TAGS
    assert len(TABLES) == 29
    assert BY_TAG[0x0B] is BY_NAME["ducklake_data_file"]


def test_behaviours_are_those_of_the_key_table() -> None:
    for table in TABLES:
        expected = next((b for b, tags in BEHAVIOURS.items() if table.tag in tags), Behaviour.APPEND_ONLY)
        assert table.behaviour is expected, table.name


@pytest.mark.parametrize(("version", "texts"), [("0.3", CREATED_BY_0_3), ("1.0", CREATED_BY_1_0)])
def test_a_version_has_exactly_the_columns_that_its_clients_create(version: str, texts: tuple[str, ...]) -> None:
    created = dict(map(columns_from, texts))
    assert {name_in(table, version) for table in tables_of(version)} == set(created)
    for table in tables_of(version):
        declared = {
            column.name: (column.type.name, not column.nullable, column.name in table.primary_key)
            for column in columns_of(table, version)
        }
        assert declared == created[table.name]


def test_the_newest_stable_version_keeps_the_order_of_columns() -> None:
    created = dict(map(columns_from, CREATED_BY_1_0))
    for table in tables_of("1.0"):
        assert [column.name for column in columns_of(table, "1.0")] == list(created[table.name]), table.name


@pytest.mark.parametrize(("older", "newer", "added", "removed"), [
    ("0.1", "0.2", {
        "ducklake_schema.path", "ducklake_schema.path_is_relative", "ducklake_table.path",
        "ducklake_table.path_is_relative", "ducklake_metadata.scope", "ducklake_metadata.scope_id",
        "ducklake_data_file.mapping_id", "ducklake_column_mapping", "ducklake_name_mapping",
    }, set()),
    ("0.2", "0.3", {
        "ducklake_name_mapping.is_partition", "ducklake_snapshot_changes.author",
        "ducklake_snapshot_changes.commit_message", "ducklake_snapshot_changes.commit_extra_info",
        "ducklake_schema_versions", "ducklake_file_column_stats.extra_stats",
        "ducklake_table_column_stats.extra_stats",
    }, set()),
    ("0.3", "0.4", {
        "ducklake_macro", "ducklake_macro_impl", "ducklake_macro_parameters", "ducklake_sort_info",
        "ducklake_sort_expression", "ducklake_file_variant_stats", "ducklake_column.default_value_type",
        "ducklake_column.default_value_dialect", "ducklake_schema_versions.table_id",
        "ducklake_data_file.partial_max", "ducklake_delete_file.partial_max",
    }, {"ducklake_data_file.partial_file_info"}),
    ("0.4", "1.0", set(), set()),
    ("1.0", "1.1", {
        "ducklake_data_file.row_group_count", "ducklake_delete_file.row_group_count", "ducklake_view_column_tag",
        "ducklake_table_column_stats.min_is_exact", "ducklake_table_column_stats.max_is_exact",
    }, set()),
])
def test_each_version_changes_what_its_migration_changes(older: str, newer: str, added: set[str],
                                                         removed: set[str]) -> None:
    def contents(version: str) -> set[str]:
        return {
            f"{table.name}.{column.name}" for table in tables_of(version) for column in columns_of(table, version)
        }

    known = {table.name for table in tables_of(older)}
    changes = {name if name.split(".")[0] in known else name.split(".")[0]
               for name in contents(newer) - contents(older)}
    assert changes == added
    assert contents(older) - contents(newer) == removed


def test_a_relation_is_found_under_its_former_name() -> None:
    table = BY_NAME["ducklake_file_column_statistics"]
    assert table is BY_NAME["ducklake_file_column_stats"]
    assert name_in(table, "0.2") == "ducklake_file_column_statistics"
    assert name_in(table, "0.3") == "ducklake_file_column_stats"


def test_images_are_partitioned_for_the_big_relations_only() -> None:
    assert {table.name for table in TABLES if table.partition} == {
        "ducklake_data_file", "ducklake_delete_file", "ducklake_file_column_stats", "ducklake_file_variant_stats",
        "ducklake_file_partition_value",
    }


def test_every_column_that_carries_a_file_id_follows_its_counter() -> None:
    for table in TABLES:
        for column in table.columns:
            if column.name in ("data_file_id", "delete_file_id"):
                assert (column.name, "next_file_id") in table.counters


@pytest.mark.parametrize(("broken", "complaint"), [
    ((SNAPSHOT, replace(SNAPSHOT, tag=0x40)), "declared twice"),
    ((SNAPSHOT, replace(SNAPSHOT, name="other")), "declared twice"),
    ((replace(SNAPSHOT, name="ducklake_file_column_statistics"),), "declared twice"),
    ((replace(SNAPSHOT, tag=0xFD),), "reserved or retired"),
    ((replace(SNAPSHOT, key=("missing",)),), "no column is named missing"),
    ((replace(SNAPSHOT, key=()),), "key is empty"),
    ((replace(SNAPSHOT, primary_key=("schema_version",)),), "not fit for a primary key"),
    ((replace(SNAPSHOT, counters=(("snapshot_id", "next_moon_id"),)),), "is not declared"),
    ((replace(SCHEMA, key=("schema_uuid",), primary_key=()),), "cannot be a key field"),
    ((replace(SCHEMA, since="0.9"),), "not in tuple"),
    ((replace(SNAPSHOT, columns=(*SNAPSHOT.columns, Column("snapshot_id", BIGINT, 9))),), "declared twice"),
    ((replace(SNAPSHOT, columns=(*SNAPSHOT.columns, Column("again", BIGINT, 1))),), "declared twice"),
    ((replace(SNAPSHOT, columns=(*SNAPSHOT.columns, Column("far", BIGINT, 1000))),), "is outside 1 to 999"),
    ((replace(SNAPSHOT, columns=(*SNAPSHOT.columns, Column("list", array_of(BIGINT), 9))),), "cannot be stored"),
    ((replace(SNAPSHOT, columns=(*SNAPSHOT.columns, Column("gone", BIGINT, 9, since="0.4", until="0.2"))),),
     "ends before it begins"),
    ((replace(SNAPSHOT, since="0.3"),), "older than its table"),
    ((replace(DATA_FILE, columns=(Column("gone", VARCHAR, 99, until="0.4"), *DATA_FILE.columns)),), "not last"),
])
def test_a_contradictory_declaration_is_refused_at_import(broken: tuple, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        check(broken)


def test_the_registry_uses_few_types() -> None:
    used = {column.type for table in TABLES for column in table.columns}
    assert DOUBLE not in used
    assert {BIGINT, VARCHAR, UUID, TIMESTAMPTZ} < used
