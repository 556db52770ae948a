"""Hypothesis strategies for relations, rows and keys, derived from the registry and from the forms of types."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from hypothesis import strategies as st

from rocklake_server.schema.catalog_tables import VERSIONS
from rocklake_server.schema.model import Relation, Table
from rocklake_server.schema.registry import TABLES, columns_of, name_in, tables_of
from rocklake_server.schema.relations import new_relation
from rocklake_server.schema.types import BIGINT, STORABLE, ColumnType, Form, Value, numeric, varchar


@dataclass(frozen=True)
class Spec:
    """A column as a client's CREATE TABLE states it."""

    name: str
    type: ColumnType
    nullable: bool = True
    default: Value = None


def specs(table: Table, version: str = VERSIONS[-1]) -> list[Spec]:
    """The columns with which a client of a catalog version creates ``table``."""
    return [Spec(column.name, column.type, column.nullable) for column in columns_of(table, version)]


def live(table: Table, version: str = VERSIONS[-1], relation_id: int = 1) -> Relation:
    """``table`` as a lake of a catalog version holds it."""
    return new_relation(relation_id, name_in(table, version), specs(table, version), table.primary_key)


def inlined(*columns: Spec, relation_id: int = 7, table_id: int = 2) -> Relation:
    """An inlined-data relation with the user columns ``columns``."""
    own = [Spec(name, BIGINT) for name in ("row_id", "begin_snapshot", "end_snapshot")]
    return new_relation(relation_id, f"ducklake_inlined_data_{table_id}_1", [*own, *columns])


ids = st.integers(0, 2**63 - 1) | st.integers(0, 300)
int64 = st.integers(-(2**63), 2**63 - 1) | st.integers(-300, 300)
texts = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=20)
ctids = st.builds(lambda block, offset: (block << 16) | offset, st.integers(0, 2**32 - 1), st.integers(1, 32767))
_INT_BITS = {2: 15, 4: 31, 8: 63}


def values_of(column_type: ColumnType) -> st.SearchStrategy[Value]:
    """Values of a type in their Python form, without NULL."""
    match column_type.form:
        case Form.BOOL:
            return st.booleans()
        case Form.INT:
            bits = _INT_BITS[column_type.size]
            return st.integers(-(1 << bits), (1 << bits) - 1) | st.integers(-2, 2)
        case Form.FLOAT:
            return st.floats(width=32 if column_type.size == 4 else 64, allow_nan=False)
        case Form.NUMERIC:
            special = st.sampled_from([Decimal("NaN"), Decimal("Infinity"), Decimal("-Infinity"), Decimal("0.00")])
            return st.decimals(allow_nan=False, allow_infinity=False) | special
        case Form.TEXT:
            return texts
        case Form.BYTES:
            return st.binary(max_size=20)
        case Form.UUID:
            return st.binary(min_size=16, max_size=16)
        case Form.TIMESTAMP:
            return int64
        case Form.DATE:
            return st.integers(-(2**31), 2**31 - 1)
        case Form.TIME:
            return st.integers(0, 86_400_000_000)
        case Form.TIMETZ:
            return st.tuples(st.integers(0, 86_400_000_000), st.integers(-57_599, 57_599))
        case Form.INTERVAL:
            int32 = st.integers(-(2**31), 2**31 - 1)
            return st.tuples(int32, int32, int64)
        case _:
            raise ValueError(f"{column_type.name} cannot be stored")


declared_relations: st.SearchStrategy[Relation] = st.sampled_from(
    [live(table, version) for version in VERSIONS for table in tables_of(version)]
)
column_types = st.sampled_from([*STORABLE, numeric(15, 2), varchar(10)])


@st.composite
def dynamic_relations(draw: st.DrawFn) -> Relation:
    """Inlined-data, inlined-delete and user relations with columns of any storable type."""
    types = draw(st.lists(column_types, max_size=12))
    columns = [Spec(f"c{position}", column_type) for position, column_type in enumerate(types)]
    relation_id = draw(st.integers(1, 2**40))
    match draw(st.sampled_from(["data", "delete", "user"])):
        case "data":
            return inlined(*columns, relation_id=relation_id)
        case "delete":
            own = [Spec(name, BIGINT) for name in ("file_id", "row_id", "begin_snapshot")]
            return new_relation(relation_id, "ducklake_inlined_delete_2", own)
        case _:
            return new_relation(relation_id, "notes", columns)


relations: st.SearchStrategy[Relation] = declared_relations | dynamic_relations()


@st.composite
def rows_of(draw: st.DrawFn, relation: Relation) -> tuple[Value, ...]:
    """A row of ``relation``: NULLs anywhere, key fields that a key can hold, a ctid at the end."""
    values: list[Value] = []
    for position, column in enumerate(relation.columns):
        value = draw(st.none() | values_of(column.type))
        values.append(0 if position in relation.key_columns and value == -(2**63) else value)
    return (*values, draw(ctids))


@st.composite
def relations_with_rows(draw: st.DrawFn) -> tuple[Relation, tuple[Value, ...]]:
    """Any relation with one of its rows."""
    relation = draw(relations)
    return relation, draw(rows_of(relation))


def key_fields_of(table: Table) -> st.SearchStrategy[tuple[Value, ...]]:
    """Key fields of ``table`` as clients use them: non-negative ids and text."""
    forms = {column.name: column.type.form for column in table.columns}
    return st.tuples(*(texts if forms[name] is Form.TEXT else ids for name in table.key))


tables: st.SearchStrategy[Table] = st.sampled_from(TABLES)
