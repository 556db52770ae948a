"""Live relations: which kind a CREATE TABLE makes, field numbers that are never reused, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocklake_server.errors import DuplicateColumn, TooManyColumns, UndefinedColumn, Unsupported
from rocklake_server.schema.catalog_tables import VERSIONS
from rocklake_server.schema.messages import FIELD_NUMBER_MAX
from rocklake_server.schema.model import Relation, RelationKind, Table
from rocklake_server.schema.registry import BY_NAME, TABLES, tables_of
from rocklake_server.schema.relations import (
    add_column,
    drop_column,
    inlined_relation,
    new_relation,
    relation_for,
    rename_column,
)
from rocklake_server.schema.types import BIGINT, BOOLEAN, INTEGER, REGCLASS, TEXT, TIMESTAMP, UUID, VARCHAR, array_of
from tests.strategies import Spec, live, relations, specs

DATA_FILE = BY_NAME["ducklake_data_file"]
INLINED = [Spec("row_id", BIGINT), Spec("begin_snapshot", BIGINT), Spec("end_snapshot", BIGINT)]
DELETES = [Spec("file_id", BIGINT), Spec("row_id", BIGINT), Spec("begin_snapshot", BIGINT)]


@pytest.mark.parametrize(("table", "version"),
                         [(table, version) for version in VERSIONS for table in tables_of(version)],
                         ids=lambda value: value.name if isinstance(value, Table) else value)
def test_every_version_of_a_declared_table_is_recognised(table: Table, version: str) -> None:
    relation = live(table, version, relation_id=3)
    assert relation.kind is RelationKind.DECLARED
    assert relation.table is table
    assert relation.behaviour is table.behaviour
    assert relation.key_prefix == bytes([table.tag])
    assert tuple(relation.columns[position].name for position in relation.primary_key) == table.primary_key
    for name, position in zip(table.key, relation.key_columns, strict=True):
        assert position is None or relation.columns[position].name == name
    numbers = {column.name: column.number for column in table.columns}
    assert all(column.number == numbers[column.name] for column in relation.columns)


def test_a_key_column_that_the_version_lacks_reads_null() -> None:
    assert live(BY_NAME["ducklake_schema_versions"], "0.3").key_columns == (None, 0, 1)
    assert live(BY_NAME["ducklake_metadata"], "0.1").key_columns == (None, None, 0)


def test_other_types_of_the_same_form_and_unknown_columns_are_accepted() -> None:
    columns = [Spec("snapshot_id", INTEGER), Spec("snapshot_time", TIMESTAMP), Spec("x", TEXT), Spec("y", TEXT)]
    relation = relation_for(BY_NAME["ducklake_snapshot"], 1, columns)
    assert relation is not None
    assert [column.number for column in relation.columns] == [1, 2, 1000, 1001]
    assert relation.next_column_number == 1002


@pytest.mark.parametrize("columns", [
    [Spec("snapshot_id", TEXT)],
    [Spec("snapshot_time", TIMESTAMP)],
    [],
    [Spec("snapshot_id", BIGINT), Spec("schema_version", BOOLEAN)],
])
def test_columns_that_contradict_the_declaration_make_a_user_relation(columns: list[Spec]) -> None:
    assert relation_for(BY_NAME["ducklake_snapshot"], 1, columns) is None
    relation = new_relation(5, "ducklake_snapshot", columns)
    assert relation.kind is RelationKind.USER
    assert relation.key_prefix == bytes.fromhex("fd000000000000000503")


def test_another_primary_key_makes_a_user_relation() -> None:
    assert relation_for(DATA_FILE, 1, specs(DATA_FILE), ["table_id"]) is None
    without = relation_for(DATA_FILE, 1, specs(DATA_FILE))
    assert without is not None
    assert without.primary_key == ()
    user = new_relation(1, "notes", [Spec("a", TEXT), Spec("b", BIGINT)], ["b"])
    assert user.primary_key == (1,)
    assert [column.nullable for column in user.columns] == [True, False]


@pytest.mark.parametrize("prefix", ["", "_ducklake_"])
def test_inlined_data_is_recognised_by_name_and_columns(prefix: str) -> None:
    columns = [replace(column, name=prefix + column.name) for column in INLINED]
    relation = new_relation(9, "ducklake_inlined_data_12_3", [*columns, Spec("a", TEXT)])
    assert relation.kind is RelationKind.INLINED_DATA
    assert relation.key_prefix == bytes.fromhex("fd000000000000000901")
    assert relation.key_columns == (0, 1)
    assert [column.number for column in relation.columns] == [1, 2, 3, 4]
    assert relation.next_column_number == 5


def test_inlined_deletes_are_recognised_by_name_and_columns() -> None:
    relation = new_relation(9, "ducklake_inlined_delete_12", DELETES)
    assert relation.kind is RelationKind.INLINED_DELETE
    assert relation.key_prefix == bytes.fromhex("fd000000000000000902")
    assert relation.key_columns == (0, 1, 2)


@pytest.mark.parametrize(("name", "columns"), [
    ("ducklake_inlined_data_1", INLINED),
    ("ducklake_inlined_data_1_2_3", INLINED),
    ("ducklake_inlined_data_a_1", INLINED),
    ("xducklake_inlined_data_1_1", INLINED),
    ("ducklake_inlined_data_1_1", INLINED[:2]),
    ("ducklake_inlined_data_1_1", [INLINED[1], INLINED[0], INLINED[2]]),
    ("ducklake_inlined_data_1_1", [Spec("row_id", INTEGER), *INLINED[1:]]),
    ("ducklake_inlined_data_1_1", [Spec("_ducklake_row_id", BIGINT), *INLINED[1:]]),
    ("ducklake_inlined_delete_1", INLINED),
    ("ducklake_inlined_delete_1", [*DELETES, Spec("more", BIGINT)]),
    ("ducklake_inlined_delete_1_1", DELETES),
])
def test_a_name_that_only_looks_inlined_makes_a_user_relation(name: str, columns: list[Spec]) -> None:
    assert inlined_relation(1, name, columns) is None
    assert new_relation(1, name, columns).kind is RelationKind.USER


def test_an_inlined_table_with_a_primary_key_is_a_user_relation() -> None:
    assert new_relation(1, "ducklake_inlined_data_1_1", INLINED, ["row_id"]).kind is RelationKind.USER


def test_adding_the_columns_of_the_next_version_gives_their_permanent_numbers() -> None:
    for table in TABLES:
        relation = live(table, table.since)
        for column in table.columns:
            if column.name not in relation.index and column.until is None:
                relation = add_column(relation, Spec(column.name, column.type))
        numbers = {column.name: column.number for column in relation.columns}
        assert numbers == numbers | {column.name: column.number for column in live(table).columns}
        assert [relation.columns[place].name for place in relation.key_columns] == list(table.key)


def test_the_migration_that_drops_a_column_leaves_permanent_numbers_to_later_ones() -> None:
    relation = drop_column(live(DATA_FILE, "0.3"), "partial_file_info")
    assert add_column(relation, Spec("row_group_count", BIGINT)).columns[-1].number == 17
    assert add_column(relation, Spec("partial_file_info", VARCHAR)).columns[-1].number == 1000


@given(relations, st.data())
def test_a_field_number_is_never_given_twice(relation: Relation, data: st.DataObject) -> None:
    used = {column.number for column in relation.columns}
    declared = {column.name: column.type for column in relation.table.columns} if relation.table else {}
    names = [*declared, "x", "y"]
    for _ in range(data.draw(st.integers(1, 12))):
        if relation.columns and data.draw(st.booleans()):
            relation = drop_column(relation, data.draw(st.sampled_from(sorted(relation.index))))
            continue
        name = data.draw(st.sampled_from(names))
        if name in relation.index:
            continue
        relation = add_column(relation, Spec(name, declared.get(name, TEXT)))
        assert relation.columns[-1].number not in used
        used.add(relation.columns[-1].number)


@given(relations, st.data())
def test_key_columns_follow_their_names_through_drops(relation: Relation, data: st.DataObject) -> None:
    if not relation.columns:
        return
    name = data.draw(st.sampled_from(sorted(relation.index)))
    dropped = drop_column(relation, name)
    for before, after in zip(relation.key_columns, dropped.key_columns, strict=True):
        expected = None if before is None or relation.columns[before].name == name else relation.columns[before].name
        assert (None if after is None else dropped.columns[after].name) == expected
    assert len(dropped.columns) == len(relation.columns) - 1


@pytest.mark.parametrize("name", ["ducklake_file_column_stats", "ducklake_file_column_statistics"])
def test_two_relations_never_share_keys(name: str) -> None:
    table = BY_NAME[name]
    relation = new_relation(4, name, specs(table), taken={b"\x02", b"\x13"})
    assert relation.kind is RelationKind.USER
    assert new_relation(4, name, specs(table), taken={b"\x02"}).kind is RelationKind.DECLARED


def test_dropping_a_primary_key_column_drops_the_key() -> None:
    assert drop_column(live(DATA_FILE), "data_file_id").primary_key == ()
    user = new_relation(1, "notes", [Spec("a", TEXT), Spec("b", BIGINT)], ["b"])
    assert drop_column(user, "a").primary_key == (0,)


def test_a_declared_name_with_another_form_gets_a_fresh_number() -> None:
    relation = live(DATA_FILE, "1.0")
    assert add_column(relation, Spec("row_group_count", TEXT)).columns[-1].number == 1000


def test_a_renamed_column_keeps_number_and_key_place() -> None:
    relation = new_relation(9, "ducklake_inlined_data_1_1", INLINED)
    renamed = rename_column(relation, "row_id", "_ducklake_row_id")
    assert renamed.columns[0].name == "_ducklake_row_id"
    assert renamed.columns[0].number == 1
    assert renamed.key_columns == relation.key_columns
    assert renamed.index["_ducklake_row_id"] == 0


def test_names_that_do_not_fit_are_refused() -> None:
    relation = new_relation(1, "notes", [Spec("a", TEXT), Spec("b", TEXT)])
    with pytest.raises(DuplicateColumn):
        new_relation(1, "notes", [Spec("a", TEXT), Spec("a", TEXT)])
    with pytest.raises(DuplicateColumn):
        add_column(relation, Spec("a", TEXT))
    with pytest.raises(DuplicateColumn):
        rename_column(relation, "a", "b")
    with pytest.raises(UndefinedColumn, match='column "c" named in key'):
        new_relation(1, "notes", [Spec("a", TEXT)], ["c"])
    for change in (drop_column, lambda relation, name: rename_column(relation, name, "d")):
        with pytest.raises(UndefinedColumn, match='column "c" of relation "notes" does not exist'):
            change(relation, "c")


@pytest.mark.parametrize("column_type", [array_of(UUID), REGCLASS])
def test_types_that_cannot_be_stored_are_refused(column_type: object) -> None:
    with pytest.raises(Unsupported, match='column "a"'):
        new_relation(1, "notes", [Spec("a", column_type)])
    with pytest.raises(Unsupported, match='column "a"'):
        add_column(new_relation(1, "notes", []), Spec("a", column_type))


def test_field_numbers_end_before_those_of_the_row_itself() -> None:
    relation = replace(new_relation(1, "notes", []), next_column_number=FIELD_NUMBER_MAX)
    last = add_column(relation, Spec("a", TEXT))
    with pytest.raises(TooManyColumns):
        add_column(last, Spec("b", TEXT))
    with pytest.raises(TooManyColumns):
        new_relation(1, "notes", [Spec(f"c{number}", TEXT) for number in range(13_000)])
