"""Which types meet: categories, common types and the casts an assignment or comparison may apply by itself.

Source: PostgreSQL manual, chapter Type Conversion.
"""

from __future__ import annotations

from collections.abc import Sequence

from rocklake_server.errors import DatatypeMismatch
from rocklake_server.schema.types import (
    BIGINT,
    BPCHAR,
    CHAR,
    DATE,
    DOUBLE,
    INTEGER,
    NAME,
    NUMERIC,
    OID,
    REAL,
    REGCLASS,
    REGPROC,
    REGTYPE,
    SMALLINT,
    TEXT,
    TIME,
    TIMESTAMP,
    TIMESTAMPTZ,
    TIMETZ,
    UNKNOWN,
    VARCHAR,
    ColumnType,
    Form,
)

NUMBER_RANK = {kind.oid: rank for rank, kind in enumerate((SMALLINT, INTEGER, BIGINT, NUMERIC, REAL, DOUBLE))}
INTEGERS = frozenset({SMALLINT.oid, INTEGER.oid, BIGINT.oid})
OIDS = frozenset({OID.oid, REGCLASS.oid, REGTYPE.oid, REGPROC.oid})
STRINGS = frozenset({TEXT.oid, VARCHAR.oid, BPCHAR.oid, NAME.oid, CHAR.oid})
MOMENTS = {DATE.oid: 0, TIMESTAMP.oid: 1, TIMESTAMPTZ.oid: 2}
CLOCKS = {TIME.oid: 0, TIMETZ.oid: 1}

INTEGER_BOUNDS = {
    SMALLINT.oid: (-(2**15), 2**15 - 1),
    INTEGER.oid: (-(2**31), 2**31 - 1),
    BIGINT.oid: (-(2**63), 2**63 - 1),
}


def widens(source: ColumnType, target: ColumnType) -> bool:
    """Whether every value of ``source`` is the same integer in ``target``."""
    inner, outer = INTEGER_BOUNDS.get(source.oid), INTEGER_BOUNDS.get(target.oid)
    return inner is not None and outer is not None and outer[0] <= inner[0] and inner[1] <= outer[1]


def category(kind: ColumnType) -> str:
    """The type's category; types of different categories never meet without a cast."""
    if kind.oid in NUMBER_RANK or kind.oid in OIDS:
        return "number"
    if kind.oid in STRINGS:
        return "string"
    if kind.oid in MOMENTS:
        return "moment"
    if kind.oid in CLOCKS:
        return "clock"
    return kind.name


def is_number(kind: ColumnType) -> bool:
    return kind.oid in NUMBER_RANK


def is_string(kind: ColumnType) -> bool:
    return kind.oid in STRINGS


def comparable(left: ColumnType, right: ColumnType) -> bool:
    if left.oid in OIDS or right.oid in OIDS:
        return left.form is Form.INT and right.form is Form.INT
    return category(left) == category(right)


def wider(left: ColumnType, right: ColumnType) -> ColumnType | None:
    """The type that both convert to implicitly, or ``None``. The left one wins a draw."""
    if left.oid == right.oid:
        return left if left.typmod == right.typmod else left.with_typmod(-1)
    if left.oid in NUMBER_RANK and right.oid in NUMBER_RANK:
        chosen = max(left, right, key=lambda kind: NUMBER_RANK[kind.oid])
        return chosen.with_typmod(-1)
    if left.oid in OIDS or right.oid in OIDS:
        return OID if left.form is right.form is Form.INT else None
    if is_string(left) and is_string(right):
        return right if (left.oid, right.oid) == (VARCHAR.oid, NAME.oid) else left.with_typmod(-1)
    for ranks in (MOMENTS, CLOCKS):
        if left.oid in ranks and right.oid in ranks:
            return max(left, right, key=lambda kind: ranks[kind.oid])
    return None


def common_type(kinds: Sequence[ColumnType], what: str) -> ColumnType:
    """The type of a UNION column, CASE, COALESCE, VALUES column or ARRAY. Raises DatatypeMismatch."""
    chosen: ColumnType | None = None
    for kind in kinds:
        if kind.oid == UNKNOWN.oid:
            continue
        met = kind if chosen is None else wider(chosen, kind)
        if met is None:
            assert chosen is not None
            raise DatatypeMismatch(f"{what} types {chosen.name} and {kind.name} cannot be matched")
        chosen = met
    return TEXT if chosen is None else chosen


def assignable(source: ColumnType, target: ColumnType) -> bool:
    """Whether a value of ``source`` may be stored in a column of ``target`` without an explicit cast."""
    if source.oid == target.oid or source.oid == UNKNOWN.oid or target.oid in (TEXT.oid, VARCHAR.oid, BPCHAR.oid):
        return True
    if category(source) == category(target):
        return True
    return source.oid in MOMENTS and source.oid != DATE.oid and target.oid in CLOCKS
