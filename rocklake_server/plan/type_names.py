"""Types as the tree spells them to the server's column types."""

from __future__ import annotations

from sqlglot import exp

from rocklake_server.errors import UndefinedObject, Unsupported
from rocklake_server.schema.types import (
    BIGINT,
    BOOLEAN,
    BPCHAR,
    BY_NAME,
    BYTEA,
    DATE,
    DOUBLE,
    INTEGER,
    INTERVAL,
    NAME,
    NUMERIC,
    REAL,
    SMALLINT,
    TEXT,
    TIME,
    TIMESTAMP,
    TIMESTAMPTZ,
    TIMETZ,
    UUID,
    VARCHAR,
    ColumnType,
    array_of,
    numeric,
)
from rocklake_server.sql.names import fold

_KINDS = exp.DataType.Type
_TYPES = {
    _KINDS.BIGINT: BIGINT, _KINDS.INT: INTEGER, _KINDS.SMALLINT: SMALLINT, _KINDS.TINYINT: SMALLINT,
    _KINDS.BOOLEAN: BOOLEAN, _KINDS.VARBINARY: BYTEA, _KINDS.BINARY: BYTEA, _KINDS.CHAR: BPCHAR, _KINDS.BPCHAR: BPCHAR,
    _KINDS.VARCHAR: VARCHAR, _KINDS.TEXT: TEXT, _KINDS.NAME: NAME, _KINDS.DATE: DATE, _KINDS.DOUBLE: DOUBLE,
    _KINDS.FLOAT: REAL, _KINDS.DECIMAL: NUMERIC, _KINDS.INTERVAL: INTERVAL, _KINDS.TIME: TIME,
    _KINDS.TIMETZ: TIMETZ, _KINDS.TIMESTAMP: TIMESTAMP, _KINDS.TIMESTAMPNTZ: TIMESTAMP,
    _KINDS.TIMESTAMPTZ: TIMESTAMPTZ, _KINDS.UUID: UUID,
}
_NOT_HERE = frozenset({
    "bit", "box", "cidr", "circle", "inet", "int4range", "int8range", "daterange", "json", "jsonb", "jsonpath",
    "line", "lseg", "macaddr", "macaddr8", "money", "numrange", "path", "pg_lsn", "point", "polygon", "tsquery",
    "tsrange", "tstzrange", "tsvector", "txid_snapshot", "varbit", "xml",
})
"""Types of PostgreSQL that the server does not have."""

_LENGTHS = frozenset({VARCHAR.oid, BPCHAR.oid})
_PRECISIONS = frozenset({TIME.oid, TIMETZ.oid, TIMESTAMP.oid, TIMESTAMPTZ.oid})


def type_of(node: exp.Expr) -> ColumnType:
    """The column type of a cast's target. Raises UndefinedObject, Unsupported."""
    if isinstance(node, exp.ObjectIdentifier):
        return BY_NAME[str(node.this).lower()]
    if not isinstance(node, exp.DataType):
        raise Unsupported("this spelling of a type is not supported")
    if node.this == _KINDS.ARRAY:
        return array_of(type_of(node.expressions[0]))
    if node.this == _KINDS.USERDEFINED:
        kind = node.args["kind"]
        if isinstance(kind, exp.Dot) and kind.this.name.lower() == "pg_catalog":
            kind = kind.expression
        quoted = isinstance(kind, exp.Identifier) and bool(kind.args.get("quoted"))
        name = fold(kind.name if isinstance(kind, exp.Identifier) else str(kind), quoted=quoted)
        found = BY_NAME.get(f'"{name}"' if quoted and name == "char" else name)
    else:
        name = node.this.value.lower()
        found = _TYPES.get(node.this)
    if found is None and name in _NOT_HERE:
        raise Unsupported(f"type {name} is not supported")
    if found is None:
        raise UndefinedObject(f'type "{name}" does not exist')
    sizes = [int(parameter.this.name) for parameter in node.expressions]
    return _sized(found, sizes)


def _sized(kind: ColumnType, sizes: list[int]) -> ColumnType:
    if kind.oid == BPCHAR.oid and not sizes:
        return kind.with_typmod(5)
    if not sizes:
        return kind
    if kind.oid == NUMERIC.oid and len(sizes) <= 2:
        return numeric(*sizes)
    if kind.oid in _LENGTHS and len(sizes) == 1:
        return kind.with_typmod(sizes[0] + 4)
    if kind.oid in _PRECISIONS and len(sizes) == 1:
        return kind.with_typmod(sizes[0])
    if kind.oid == REAL.oid or kind.oid == DOUBLE.oid:
        return REAL if sizes[0] <= 24 else DOUBLE
    raise Unsupported(f"type modifiers of {kind.name} are not supported")
