"""Damage of every kind that ``rocklake verify`` looks for: how to plant it in a whole lake, by the check's name."""

from __future__ import annotations

import json
from collections.abc import Callable

from rocklake_server.encoding.definitions import encode_definition, encode_number, encode_system_text
from rocklake_server.encoding.envelope import HEADER
from rocklake_server.encoding.indexes import file_table_key, visible_at_key
from rocklake_server.encoding.keys import counter_key, retired_key, system_key
from rocklake_server.schema.annotations import with_index
from rocklake_server.schema.model import IndexDefinition, IndexKey
from rocklake_server.schema.system_subspaces import (
    SYSTEM_COMMIT_SEQUENCE,
    SYSTEM_NEXT_RELATION,
    SYSTEM_NEXT_ROW,
    SYSTEM_PIN,
    SYSTEM_RELATION,
    SYSTEM_RETAIN_FROM,
    SYSTEM_SCHEMA_COMMENT,
    SYSTEM_STORED_BYTES,
)
from rocklake_server.store.base import Key
from tests.catalog.maintenance.whole_lake import Workbench

Plant = Callable[[Workbench], object]

PLANTED: dict[str, list[Plant]] = {}
"""At least one for each check but those of the list of lakes and of data files, which are not in a lake's store."""


def plants(check: str) -> Callable[[Plant], Plant]:
    def add(plant: Plant) -> Plant:
        PLANTED.setdefault(check, []).append(plant)
        return plant

    return add


@plants("unknown-keys")
def a_key_of_no_relation(bench: Workbench) -> None:
    bench.put_alien(b"\x70" + bytes(8), HEADER)


@plants("unknown-keys")
def a_row_of_a_relation_that_never_was(bench: Workbench) -> None:
    bench.put_alien(b"\xfd" + (900).to_bytes(8, "big") + b"\x03" + bytes(8), HEADER)


@plants("unknown-keys")
def a_system_key_that_is_not_known(bench: Workbench) -> None:
    bench.number(system_key("nonsense"), 1)


@plants("unknown-keys")
def a_counter_that_is_not_known(bench: Workbench) -> None:
    bench.number(counter_key("next_nonsense"), 1)


@plants("key-encoding")
def a_key_that_ends_within_a_field(bench: Workbench) -> None:
    key, _ = bench.one("ducklake_view")
    bench.put(key[:-3], bench.entries[key])


@plants("key-encoding")
def an_index_key_that_is_too_long(bench: Workbench) -> None:
    bench.put(file_table_key(0) + b"\0", HEADER)


@plants("key-encoding")
def a_retired_key_that_ends_within_a_field(bench: Workbench) -> None:
    key, _ = bench.one("ducklake_view")
    bench.put(retired_key(1, key)[:-3], bench.entries[key])


@plants("value-envelope")
def a_value_without_its_magic(bench: Workbench) -> None:
    key, _ = bench.one("ducklake_view")
    bench.put(key, b"\x01SDKW" + bench.entries[key][5:])


@plants("value-envelope")
def a_value_of_a_newer_version(bench: Workbench) -> None:
    key, _ = bench.one("ducklake_data_file", data_file_id=0)
    bench.put(key, b"\x02" + bench.entries[key][1:])


@plants("value-envelope")
def a_counter_that_is_nothing(bench: Workbench) -> None:
    bench.put(counter_key("column_id_9"), b"")


@plants("value-message")
def a_pin_that_keeps_nothing(bench: Workbench) -> None:
    bench.put(system_key(SYSTEM_PIN, 1), encode_system_text("{}"))


@plants("value-envelope")
def a_comment_that_is_nothing(bench: Workbench) -> None:
    bench.put(system_key(SYSTEM_SCHEMA_COMMENT), b"")


@plants("value-message")
def a_value_that_is_cut(bench: Workbench) -> None:
    key, _ = bench.one("ducklake_view")
    bench.put(key, bench.entries[key][:-2])


@plants("value-message")
def a_value_that_is_no_message(bench: Workbench) -> None:
    key, _ = bench.one("ducklake_macro")
    bench.put(key, HEADER + b"\xff\xff")


@plants("value-message")
def an_index_entry_without_a_message(bench: Workbench) -> None:
    bench.put(file_table_key(40), HEADER + b"\xff\xff")


@plants("key-matches-row")
def a_row_under_the_key_of_another(bench: Workbench) -> None:
    bench.change("ducklake_view", bench.one("ducklake_view")[0], begin_snapshot=5)


@plants("definitions")
def a_definition_under_another_number(bench: Workbench) -> None:
    relation = bench.relations["ducklake_view"]
    bench.put(system_key(SYSTEM_RELATION, relation.relation_id), None)
    bench.put(system_key(SYSTEM_RELATION, 900), encode_definition(relation))


@plants("definitions")
def two_definitions_of_one_relation(bench: Workbench) -> None:
    relation = bench.relations["ducklake_view"]
    bench.put(system_key(SYSTEM_RELATION, 900), encode_definition(relation))


@plants("definitions")
def an_index_under_the_name_of_a_relation(bench: Workbench) -> None:
    relation = bench.relations["ducklake_view"]
    index = IndexDefinition(relation.relation_id, "ducklake_tag", (IndexKey(1),))
    bench.put(system_key(SYSTEM_RELATION, relation.relation_id), encode_definition(with_index(relation, index)))


@plants("not-null")
def a_value_that_must_not_be_null(bench: Workbench) -> None:
    bench.change("ducklake_metadata", bench.one("ducklake_metadata", key="version")[0], value=None)


@plants("negative-counts")
def fewer_rows_than_none(bench: Workbench) -> None:
    bench.change("ducklake_table_stats", bench.one("ducklake_table_stats")[0], record_count=-1)


@plants("negative-counts")
def a_file_of_less_than_no_bytes(bench: Workbench) -> None:
    bench.change("ducklake_data_file", bench.one("ducklake_data_file", data_file_id=0)[0], file_size_bytes=-5)


@plants("primary-keys")
def two_versions_of_a_schema(bench: Workbench) -> None:
    key, row = bench.one("ducklake_schema")
    bench.change("ducklake_schema", key, end_snapshot=3)
    bench.add("ducklake_schema", **{**row, "begin_snapshot": 3})


@plants("tie-breakers")
def a_setting_twice(bench: Workbench) -> None:
    bench.add("ducklake_metadata", ordinal=1, key="version", value="0.9")


@plants("row-numbers")
def two_rows_of_one_ctid(bench: Workbench) -> None:
    _, other = bench.one("ducklake_view")
    bench.change("ducklake_tag", bench.one("ducklake_tag", value="new")[0], ctid=other["ctid"])


@plants("next-row")
def rows_beyond_the_next(bench: Workbench) -> None:
    bench.number(system_key(SYSTEM_NEXT_ROW), 3)


@plants("next-relation")
def relations_beyond_the_next(bench: Workbench) -> None:
    bench.number(system_key(SYSTEM_NEXT_RELATION), 2)


@plants("counters")
def files_beyond_the_counter(bench: Workbench) -> None:
    bench.number(counter_key("next_file_id"), 2)


@plants("counters")
def a_counter_that_is_gone(bench: Workbench) -> None:
    bench.put(counter_key("column_id_1"), None)


@plants("stored-bytes")
def another_size(bench: Workbench) -> None:
    bench.number(system_key(SYSTEM_STORED_BYTES), 5)


@plants("commit-sequence")
def a_sequence_that_was_set_back(bench: Workbench) -> None:
    bench.number(system_key(SYSTEM_COMMIT_SEQUENCE), 1)


@plants("commit-sequence")
def a_sequence_that_is_gone(bench: Workbench) -> None:
    bench.put(system_key(SYSTEM_COMMIT_SEQUENCE), None)


@plants("retired-rows")
def a_retired_row_of_no_relation(bench: Workbench) -> None:
    bench.put(retired_key(1, Key(b"\x70" + bytes(8))), HEADER)


@plants("version-order")
def a_file_that_ended_before_it_began(bench: Workbench) -> None:
    bench.change("ducklake_data_file", bench.one("ducklake_data_file", data_file_id=0)[0], begin_snapshot=5,
                 end_snapshot=3)  # fmt: skip


@plants("version-order")
def an_inlined_row_that_ended_before_it_began(bench: Workbench) -> None:
    key, _ = bench.one("ducklake_inlined_data_1_1", row_id=1)
    bench.change("ducklake_inlined_data_1_1", key, end_snapshot=1)


@plants("overlapping-versions")
def a_version_that_ends_after_its_successor_began(bench: Workbench) -> None:
    bench.change("ducklake_column", bench.one("ducklake_column", column_name="b")[0], end_snapshot=4)


@plants("overlapping-versions")
def an_inlined_row_that_ends_after_its_successor_began(bench: Workbench) -> None:
    bench.change("ducklake_inlined_data_1_1", bench.one("ducklake_inlined_data_1_1", a="x")[0], end_snapshot=6)


@plants("duplicate-live-rows")
def two_versions_of_a_column_that_live(bench: Workbench) -> None:
    bench.change("ducklake_column", bench.one("ducklake_column", column_name="b")[0], end_snapshot=None)


@plants("duplicate-live-rows")
def two_values_of_a_tag_that_live(bench: Workbench) -> None:
    bench.change("ducklake_tag", bench.one("ducklake_tag", value="old")[0], end_snapshot=None)


@plants("orphaned-versions")
def a_table_that_ended_without_a_drop(bench: Workbench) -> None:
    bench.change("ducklake_table", bench.one("ducklake_table", table_id=1)[0], end_snapshot=5)


@plants("orphaned-versions")
def a_table_that_ended_when_it_was_altered(bench: Workbench) -> None:
    bench.change("ducklake_table", bench.one("ducklake_table", table_id=1)[0], end_snapshot=3)


@plants("orphaned-versions")
def a_column_that_ended_at_another_snapshot_than_its_successor_began(bench: Workbench) -> None:
    bench.change("ducklake_column", bench.one("ducklake_column", column_name="a", table_id=1)[0], end_snapshot=5)


@plants("beyond-newest")
def a_file_that_ends_in_the_future(bench: Workbench) -> None:
    bench.change("ducklake_data_file", bench.one("ducklake_data_file", data_file_id=0)[0], end_snapshot=99)


@plants("retention")
def a_boundary_above_a_snapshot(bench: Workbench) -> None:
    bench.number(system_key(SYSTEM_RETAIN_FROM), 1)


@plants("retention")
def a_boundary_above_every_snapshot(bench: Workbench) -> None:
    bench.number(system_key(SYSTEM_RETAIN_FROM), 99)


@plants("retention")
def a_pin_below_the_boundary(bench: Workbench) -> None:
    bench.number(system_key(SYSTEM_RETAIN_FROM), 0)
    text = json.dumps({"snapshot": -1, "reason": "", "who": "", "when": ""})
    bench.put(system_key(SYSTEM_PIN, 1), encode_system_text(text))


@plants("snapshot-changes")
def a_snapshot_without_changes(bench: Workbench) -> None:
    bench.remove("ducklake_snapshot_changes", bench.one("ducklake_snapshot_changes", snapshot_id=1)[0])


@plants("snapshot-changes")
def changes_without_a_snapshot(bench: Workbench) -> None:
    bench.add("ducklake_snapshot_changes", snapshot_id=2, changes_made="")


@plants("snapshot-gaps")
def a_snapshot_that_is_gone(bench: Workbench) -> None:
    for name in ("ducklake_snapshot", "ducklake_snapshot_changes"):
        bench.remove(name, bench.one(name, snapshot_id=1)[0])


@plants("indexes")
def an_entry_that_is_gone(bench: Workbench) -> None:
    bench.put(visible_at_key(1, None, 0), None)


@plants("indexes")
def an_entry_without_a_row(bench: Workbench) -> None:
    bench.put(visible_at_key(1, None, 40), bench.entries[visible_at_key(1, None, 0)])


@plants("indexes")
def an_entry_that_names_another_table(bench: Workbench) -> None:
    bench.put(file_table_key(0), bench.entries[file_table_key(2)])


@plants("missing-schemas")
def a_view_in_no_schema(bench: Workbench) -> None:
    bench.move("ducklake_view", bench.one("ducklake_view")[0], schema_id=40)


@plants("missing-tables")
def a_file_of_no_table(bench: Workbench) -> None:
    bench.add("ducklake_data_file", data_file_id=40, table_id=41, begin_snapshot=2, path="40.parquet")


@plants("orphaned-columns")
def a_column_of_no_table(bench: Workbench) -> None:
    bench.add("ducklake_column", table_id=41, column_id=1, begin_snapshot=1, column_name="a")
    bench.put(counter_key("column_id_41"), encode_number(2))


@plants("orphaned-columns")
def a_tag_of_a_column_of_no_table(bench: Workbench) -> None:
    bench.add("ducklake_column_tag", table_id=41, column_id=1, key="comment", begin_snapshot=1)


@plants("orphaned-statistics")
def statistics_of_no_file(bench: Workbench) -> None:
    bench.add("ducklake_file_column_stats", table_id=1, column_id=1, data_file_id=40)


@plants("orphaned-statistics")
def statistics_of_the_file_of_another_table(bench: Workbench) -> None:
    bench.add("ducklake_file_column_stats", table_id=2, column_id=1, data_file_id=0)


@plants("orphaned-statistics")
def statistics_of_no_table(bench: Workbench) -> None:
    bench.add("ducklake_table_stats", table_id=41, record_count=1)


@plants("orphaned-statistics")
def a_partition_value_of_no_file(bench: Workbench) -> None:
    bench.add("ducklake_file_partition_value", table_id=1, data_file_id=40, partition_key_index=0)


@plants("orphaned-parts")
def a_column_of_no_partitioning(bench: Workbench) -> None:
    bench.add("ducklake_partition_column", partition_id=40, table_id=1, partition_key_index=0, column_id=1)


@plants("orphaned-parts")
def a_name_of_no_mapping(bench: Workbench) -> None:
    bench.add("ducklake_name_mapping", mapping_id=40, column_id=1)


@plants("missing-data-files")
def a_delete_file_of_no_file(bench: Workbench) -> None:
    bench.add("ducklake_delete_file", delete_file_id=40, table_id=1, data_file_id=41, begin_snapshot=2)


@plants("inlined-tables")
def inlined_rows_that_nobody_finds(bench: Workbench) -> None:
    name = "ducklake_inlined_data_tables"
    bench.remove(name, bench.one(name)[0])


@plants("inlined-tables")
def a_table_of_inlined_rows_that_is_not_there(bench: Workbench) -> None:
    bench.add("ducklake_inlined_data_tables", table_id=1, table_name="ducklake_inlined_data_1_9", schema_version=9)
