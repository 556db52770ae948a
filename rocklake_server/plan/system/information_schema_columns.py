"""information_schema.columns: one row per column of the lake's relations, in PostgreSQL's reading of the
standard."""

from __future__ import annotations

from rocklake_server.plan.system.default_text import default_text
from rocklake_server.plan.system.pg_catalog_relations import not_null
from rocklake_server.plan.system.relation import Scope, SystemRow, SystemRows, by_schema, from_each_relation
from rocklake_server.schema.model import Relation
from rocklake_server.schema.types import DOUBLE, REAL, ColumnType, Form, Value

_TEXT_BYTES_MAX = 1 << 30
_BYTES_PER_CHARACTER_MAX = 4
_MANTISSA_BITS = {REAL.oid: 24, DOUBLE.oid: 53}
_DEFAULT_DATETIME_PRECISION = 6


def _lengths(column_type: ColumnType) -> tuple[Value, Value]:
    """Characters and bytes at most, of text types only."""
    if column_type.form is not Form.TEXT or column_type.size != -1:
        return None, None
    if column_type.typmod == -1:
        return None, _TEXT_BYTES_MAX
    length = column_type.typmod - 4
    return length, length * _BYTES_PER_CHARACTER_MAX


def _numeric(column_type: ColumnType) -> tuple[Value, Value, Value]:
    """Precision, its radix, scale."""
    match column_type.form:
        case Form.INT:
            return 8 * column_type.size, 2, 0
        case Form.FLOAT:
            return _MANTISSA_BITS[column_type.oid], 2, None
        case Form.NUMERIC if column_type.typmod == -1:
            return None, 10, None
        case Form.NUMERIC:
            modifier = column_type.typmod - 4
            return modifier >> 16, 10, modifier & 0x7FF
        case _:
            return None, None, None


def _datetime_precision(column_type: ColumnType) -> int | None:
    """Digits after the seconds' point."""
    match column_type.form:
        case Form.DATE:
            return 0
        case Form.TIME | Form.TIMETZ | Form.TIMESTAMP | Form.INTERVAL:
            return _DEFAULT_DATETIME_PRECISION if column_type.typmod == -1 else column_type.typmod
        case _:
            return None


def _column_row(relation: Relation, scope: Scope, attnum: int) -> SystemRow:
    column = relation.columns[attnum - 1]
    column_type = column.type
    return (
        scope.database, scope.schema, relation.name, column.name, attnum, default_text(column),
        "NO" if not_null(relation, attnum) else "YES",
        column_type.name if column_type.element is None else "ARRAY",
        *_lengths(column_type), *_numeric(column_type), _datetime_precision(column_type),
        None, None, None, None, None, None, None, None, None, None, None,
        scope.database, "pg_catalog", column_type.typname, None, None, None, None, str(attnum),
        "NO", "NO", None, None, None, None, None, "NO", "NEVER", None, "YES",
    )


def _columns(relation: Relation, scope: Scope) -> SystemRows:
    return tuple(_column_row(relation, scope, attnum) for attnum in range(1, len(relation.columns) + 1))


RELATIONS = (
    from_each_relation(
        "information_schema", "columns",
        "table_catalog name, table_schema name, table_name name, column_name name, ordinal_position int4,"
        "column_default varchar, is_nullable varchar, data_type varchar, character_maximum_length int4,"
        "character_octet_length int4, numeric_precision int4, numeric_precision_radix int4,"
        "numeric_scale int4, datetime_precision int4, interval_type varchar, interval_precision int4,"
        "character_set_catalog name, character_set_schema name, character_set_name name,"
        "collation_catalog name, collation_schema name, collation_name name, domain_catalog name,"
        "domain_schema name, domain_name name, udt_catalog name, udt_schema name, udt_name name,"
        "scope_catalog name, scope_schema name, scope_name name, maximum_cardinality int4,"
        "dtd_identifier name, is_self_referencing varchar, is_identity varchar,"
        "identity_generation varchar, identity_start varchar, identity_increment varchar,"
        "identity_maximum varchar, identity_minimum varchar, identity_cycle varchar, is_generated varchar,"
        "generation_expression varchar, is_updatable varchar",
        _columns, table_schema=by_schema,
    ),
)
