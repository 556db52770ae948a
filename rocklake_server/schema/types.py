"""The column types the server knows: one row each, with PostgreSQL's name, OID and size.

Values in rows have one Python form per ``Form``; every layer above uses these and nothing else:

==============  =====================================================================================
form            Python value (``None`` is SQL NULL)
==============  =====================================================================================
BOOL            bool
INT             int
FLOAT           float
NUMERIC         decimal.Decimal (finite, NaN or an infinity)
TEXT            str
BYTES           bytes
UUID            bytes of length 16
TIMESTAMP       int: microseconds since 2000-01-01 00:00:00 (UTC); the int64 bounds are the infinities
DATE            int: days since 2000-01-01; the int32 bounds are the infinities
TIME            int: microseconds since midnight
TIMETZ          (int microseconds since local midnight, int seconds west of UTC)
INTERVAL        (int months, int days, int microseconds)
TID             int: (block << 16) | offset, both unsigned
ARRAY           tuple of element values
==============  =====================================================================================
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from enum import Enum, auto
from typing import TypeAlias

Value: TypeAlias = "bool | int | float | Decimal | str | bytes | tuple[Value, ...] | None"


class Form(Enum):
    """The Python form of a type's values."""

    __hash__ = object.__hash__  # members are singletons; Enum's own hash is a Python call

    BOOL = auto()
    INT = auto()
    FLOAT = auto()
    NUMERIC = auto()
    TEXT = auto()
    BYTES = auto()
    UUID = auto()
    TIMESTAMP = auto()
    DATE = auto()
    TIME = auto()
    TIMETZ = auto()
    INTERVAL = auto()
    TID = auto()
    ARRAY = auto()


@dataclass(frozen=True, slots=True)
class ColumnType:
    """A type as PostgreSQL describes it. ``typmod`` is -1 without a modifier, as in pg_attribute.atttypmod."""

    name: str
    typname: str
    oid: int
    size: int
    form: Form
    aliases: tuple[str, ...] = ()
    array_oid: int = 0
    element: ColumnType | None = None
    typmod: int = -1
    storable: bool = True

    def with_typmod(self, typmod: int) -> ColumnType:
        return replace(self, typmod=typmod)

    @property
    def sql(self) -> str:
        """The type as SQL text, modifiers included: ``numeric(15,2)``."""
        if self.typmod == -1:
            return self.name
        if self.form is Form.NUMERIC:
            return f"numeric({(self.typmod - 4) >> 16},{(self.typmod - 4) & 0x7FF})"
        if self.form is Form.TEXT:
            return f"{self.name}({self.typmod - 4})"
        head, _, tail = self.name.partition(" ")
        return f"{head}({self.typmod})" + (f" {tail}" if tail else "")


BOOLEAN = ColumnType("boolean", "bool", 16, 1, Form.BOOL, ("bool",), 1000)
BYTEA = ColumnType("bytea", "bytea", 17, -1, Form.BYTES, ("blob",), 1001)
CHAR = ColumnType('"char"', "char", 18, 1, Form.TEXT, (), 1002, storable=False)
NAME = ColumnType("name", "name", 19, 64, Form.TEXT, (), 1003, storable=False)
BIGINT = ColumnType("bigint", "int8", 20, 8, Form.INT, ("int8",), 1016)
SMALLINT = ColumnType("smallint", "int2", 21, 2, Form.INT, ("int2", "tinyint"), 1005)
INTEGER = ColumnType("integer", "int4", 23, 4, Form.INT, ("int4", "int"), 1007)
REGPROC = ColumnType("regproc", "regproc", 24, 4, Form.INT, (), 1008, storable=False)
TEXT = ColumnType("text", "text", 25, -1, Form.TEXT, (), 1009)
OID = ColumnType("oid", "oid", 26, 4, Form.INT, (), 1028, storable=False)
TID = ColumnType("tid", "tid", 27, 6, Form.TID, (), 1010, storable=False)
XID = ColumnType("xid", "xid", 28, 4, Form.INT, (), 1011, storable=False)
JSON = ColumnType("json", "json", 114, -1, Form.TEXT, (), 199, storable=False)
REAL = ColumnType("real", "float4", 700, 4, Form.FLOAT, ("float4",), 1021)
DOUBLE = ColumnType("double precision", "float8", 701, 8, Form.FLOAT, ("float8", "double", "float"), 1022)
UNKNOWN = ColumnType("unknown", "unknown", 705, -2, Form.TEXT, storable=False)
BPCHAR = ColumnType("character", "bpchar", 1042, -1, Form.TEXT, ("char", "bpchar"), 1014, storable=False)
VARCHAR = ColumnType("character varying", "varchar", 1043, -1, Form.TEXT, ("varchar",), 1015)
DATE = ColumnType("date", "date", 1082, 4, Form.DATE, (), 1182)
TIME = ColumnType("time without time zone", "time", 1083, 8, Form.TIME, ("time",), 1183)
TIMESTAMP = ColumnType("timestamp without time zone", "timestamp", 1114, 8, Form.TIMESTAMP, ("timestamp",), 1115)
TIMESTAMPTZ = ColumnType("timestamp with time zone", "timestamptz", 1184, 8, Form.TIMESTAMP, ("timestamptz",), 1185)
INTERVAL = ColumnType("interval", "interval", 1186, 16, Form.INTERVAL, (), 1187)
TIMETZ = ColumnType("time with time zone", "timetz", 1266, 12, Form.TIMETZ, ("timetz",), 1270)
NUMERIC = ColumnType("numeric", "numeric", 1700, -1, Form.NUMERIC, ("decimal",), 1231)
REGCLASS = ColumnType("regclass", "regclass", 2205, 4, Form.INT, (), 2210, storable=False)
REGTYPE = ColumnType("regtype", "regtype", 2206, 4, Form.INT, (), 2211, storable=False)
REGPROCEDURE = ColumnType("regprocedure", "regprocedure", 2202, 4, Form.INT, (), 2207, storable=False)
REGOPER = ColumnType("regoper", "regoper", 2203, 4, Form.INT, (), 2208, storable=False)
REGOPERATOR = ColumnType("regoperator", "regoperator", 2204, 4, Form.INT, (), 2209, storable=False)
REGNAMESPACE = ColumnType("regnamespace", "regnamespace", 4089, 4, Form.INT, (), 4090, storable=False)
REGROLE = ColumnType("regrole", "regrole", 4096, 4, Form.INT, (), 4097, storable=False)
VOID = ColumnType("void", "void", 2278, 4, Form.TEXT, storable=False)
UUID = ColumnType("uuid", "uuid", 2950, 16, Form.UUID, (), 2951)
JSONB = ColumnType("jsonb", "jsonb", 3802, -1, Form.TEXT, (), 3807, storable=False)

SCALARS: tuple[ColumnType, ...] = (
    BOOLEAN, BYTEA, CHAR, NAME, BIGINT, SMALLINT, INTEGER, REGPROC, TEXT, OID, TID, XID, JSON, REAL, DOUBLE, UNKNOWN,
    BPCHAR, VARCHAR, DATE, TIME, TIMESTAMP, TIMESTAMPTZ, INTERVAL, TIMETZ, NUMERIC, REGCLASS, REGTYPE, REGPROCEDURE,
    REGOPER, REGOPERATOR, REGNAMESPACE, REGROLE, VOID, UUID, JSONB,
)
REGISTERED = (REGCLASS, REGPROC, REGTYPE, REGPROCEDURE, REGOPER, REGOPERATOR, REGNAMESPACE, REGROLE)
"""Types of OIDs whose text is a name."""


class NamedOid(int):
    """A value of a registered type in a result: its text is ``name``, which only a catalog knows."""

    name: str

    def __new__(cls, oid: int, name: str) -> NamedOid:
        made = super().__new__(cls, oid)
        made.name = name
        return made


def array_of(element: ColumnType) -> ColumnType:
    """The one-dimensional array type over ``element``."""
    return ColumnType(
        f"{element.name}[]", f"_{element.typname}", element.array_oid, -1, Form.ARRAY, (), 0, element, storable=False
    )


INT2VECTOR = ColumnType("int2vector", "int2vector", 22, -1, Form.ARRAY, (), 1006, SMALLINT, storable=False)
OIDVECTOR = ColumnType("oidvector", "oidvector", 30, -1, Form.ARRAY, (), 1013, OID, storable=False)
VECTORS = (INT2VECTOR, OIDVECTOR)
"""Arrays of the system catalogs: their text is the elements with a space between them, their first subscript 0."""

ARRAYS: tuple[ColumnType, ...] = tuple(array_of(scalar) for scalar in SCALARS if scalar.array_oid)
ALL_TYPES: tuple[ColumnType, ...] = SCALARS + VECTORS + ARRAYS
BY_OID = {column_type.oid: column_type for column_type in ALL_TYPES}
BY_NAME = {
    name: column_type
    for column_type in ALL_TYPES
    for name in (column_type.name, column_type.typname, *column_type.aliases)
}
STORABLE = tuple(column_type for column_type in SCALARS if column_type.storable)

if len(BY_OID) != len(ALL_TYPES):
    raise ValueError("a type OID is declared twice")


def numeric(precision: int, scale: int = 0) -> ColumnType:
    """``numeric(precision, scale)``, with PostgreSQL's typmod encoding."""
    return NUMERIC.with_typmod(((precision << 16) | (scale & 0x7FF)) + 4)


def varchar(length: int) -> ColumnType:
    """``character varying(length)``."""
    return VARCHAR.with_typmod(length + 4)
