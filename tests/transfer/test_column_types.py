from __future__ import annotations

import pytest

from rocklake_server.errors import Unsupported
from rocklake_server.schema.types import BYTEA, INTEGER, VARCHAR, numeric
from rocklake_server.transfer.column_types import ColumnTypes, TypedColumn, schema_version_starts
from rocklake_server.transfer.duckdb_types import duckdb_scalar, duckdb_type, lake_type, sqlite_type
from rocklake_server.transfer.relations import InlinedName, inlined_name

FIRST, SECOND = InlinedName(1, 1), InlinedName(1, 2)
COLUMNS = (
    TypedColumn(1, 1, 1, 5, 1, "a", "int32", None),
    TypedColumn(1, 1, 5, None, 1, "a", "varchar", None),
    TypedColumn(1, 2, 1, None, 2, "s", "struct", None),
    TypedColumn(1, 3, 1, None, 3, "x y", "list", 2),
    TypedColumn(1, 4, 1, None, 4, "element", "decimal(9,2)", 3),
    TypedColumn(1, 5, 5, None, 5, "later", "date", 2),
    TypedColumn(1, 6, 1, None, 6, "m", "map", None),
    TypedColumn(1, 8, 1, None, 8, "value", "timestamptz", 6),
    TypedColumn(1, 7, 1, None, 7, "key", "varchar", 6),
    TypedColumn(1, 9, 1, None, 9, "odd", "circle", None),
    TypedColumn(1, 10, 1, None, 10, "hollow", "struct", None),
    TypedColumn(2, 1, 1, None, 1, "a", "float64", None),
)
TYPES = ColumnTypes(COLUMNS, {FIRST: 1, SECOND: 5})


def test_a_columns_type_is_that_of_its_schema_version() -> None:
    assert TYPES.duckdb_type(FIRST, "a") == "INTEGER"
    assert TYPES.duckdb_type(SECOND, "a") == "VARCHAR"


def test_nested_types_have_the_fields_of_their_schema_version() -> None:
    assert TYPES.duckdb_type(FIRST, "s") == 'STRUCT("x y" DECIMAL(9,2)[])'
    assert TYPES.duckdb_type(SECOND, "s") == 'STRUCT("x y" DECIMAL(9,2)[], "later" DATE)'
    assert TYPES.duckdb_type(FIRST, "m") == "MAP(VARCHAR, TIMESTAMP WITH TIME ZONE)"


def test_without_the_versions_snapshot_the_stored_type_decides() -> None:
    expired = ColumnTypes(COLUMNS, {})
    assert expired.duckdb_type(FIRST, "a", INTEGER) == "INTEGER"
    assert expired.duckdb_type(FIRST, "a", BYTEA) == "VARCHAR"


@pytest.mark.parametrize(("name", "said"), [("odd", "circle"), ("hollow", "no fields"), ("absent", "is not known")])
def test_types_that_nothing_tells_are_refused(name: str, said: str) -> None:
    with pytest.raises(Unsupported, match=said):
        TYPES.duckdb_type(FIRST, name)


def test_versions_begin_where_the_table_says_or_else_the_lake() -> None:
    starts = schema_version_starts([(7, 2, 1), (9, 2, 1), (3, 2, 4)], [(1, 1), (2, 1), (3, 2)], [FIRST, SECOND])
    assert starts == {FIRST: 1, SECOND: 7}


def test_names_of_other_relations_are_not_those_of_inlined_rows() -> None:
    assert inlined_name("ducklake_inlined_data_12_3") == (12, 3)
    assert inlined_name("ducklake_inlined_data_tables") is None
    assert inlined_name("ducklake_inlined_delete_1") is None


def test_types_of_the_three_kinds_fit_each_other() -> None:
    assert lake_type("DECIMAL(9,2)", inlined=True) == numeric(9, 2)
    assert duckdb_type(numeric(9, 2)) == "DECIMAL(9,2)"
    assert duckdb_scalar("decimal(9,2)") == "DECIMAL(9,2)"
    assert lake_type("VARCHAR", inlined=False) == VARCHAR
    assert [sqlite_type(name) for name in ("UBIGINT", "UINTEGER", "BOOLEAN", "BLOB", "DOUBLE", "DATE")] == [
        "VARCHAR", "BIGINT", "BIGINT", "BLOB", "VARCHAR", "VARCHAR",
    ]  # fmt: skip
