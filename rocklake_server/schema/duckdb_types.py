"""Which column types one relation has in DuckDB, PostgreSQL, SQLite and MySQL catalogs.

A DuckDB catalog holds inlined rows in the table's own types. PostgreSQL and SQLite hold those that they lack, or whose
range is narrower there, as the text that DuckDB writes, and PostgreSQL holds texts as bytes, since it cannot store a
NUL. Source: GetColumnType of DuckLake's metadata managers. A lake has PostgreSQL's types.
"""

from __future__ import annotations

import re

from rocklake_server.schema.types import (
    BIGINT,
    BOOLEAN,
    BYTEA,
    DATE,
    DOUBLE,
    INTEGER,
    INTERVAL,
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
    Form,
    numeric,
)

TIMESTAMPTZ_NAME = "TIMESTAMP WITH TIME ZONE"
TIMETZ_NAME = "TIME WITH TIME ZONE"

_DECIMAL = re.compile(r"DECIMAL\((\d+),\s*(\d+)\)")

_SAME_EVERYWHERE = {
    "BOOLEAN": BOOLEAN,
    "TINYINT": SMALLINT,
    "SMALLINT": SMALLINT,
    "INTEGER": INTEGER,
    "BIGINT": BIGINT,
    "UTINYINT": INTEGER,
    "USMALLINT": INTEGER,
    "UINTEGER": BIGINT,
    "FLOAT": REAL,
    "DOUBLE": DOUBLE,
    "TIME": TIME,
    TIMETZ_NAME: TIMETZ,
    "INTERVAL": INTERVAL,
    "UUID": UUID,
    "BLOB": BYTEA,
}
_OF_RELATION = {"VARCHAR": VARCHAR, TIMESTAMPTZ_NAME: TIMESTAMPTZ, "TIMESTAMP": TIMESTAMP, "DATE": DATE}
_INLINED = {"VARCHAR": BYTEA, "JSON": BYTEA}

_DUCKDB_NAMES = {
    BOOLEAN: "BOOLEAN",
    SMALLINT: "SMALLINT",
    INTEGER: "INTEGER",
    BIGINT: "BIGINT",
    REAL: "FLOAT",
    DOUBLE: "DOUBLE",
    VARCHAR: "VARCHAR",
    TEXT: "VARCHAR",
    BYTEA: "BLOB",
    UUID: "UUID",
    DATE: "DATE",
    TIME: "TIME",
    TIMETZ: TIMETZ_NAME,
    TIMESTAMP: "TIMESTAMP",
    TIMESTAMPTZ: TIMESTAMPTZ_NAME,
    INTERVAL: "INTERVAL",
}

_DUCKLAKE_NAMES = {
    "boolean": "BOOLEAN",
    "int8": "TINYINT",
    "int16": "SMALLINT",
    "int32": "INTEGER",
    "int64": "BIGINT",
    "int128": "HUGEINT",
    "uint8": "UTINYINT",
    "uint16": "USMALLINT",
    "uint32": "UINTEGER",
    "uint64": "UBIGINT",
    "uint128": "UHUGEINT",
    "float32": "FLOAT",
    "float64": "DOUBLE",
    "decimal": "DECIMAL(18,3)",
    "time": "TIME",
    "time_ns": "TIME_NS",
    "timetz": TIMETZ_NAME,
    "date": "DATE",
    "timestamp": "TIMESTAMP",
    "timestamp_us": "TIMESTAMP",
    "timestamp_ms": "TIMESTAMP_MS",
    "timestamp_ns": "TIMESTAMP_NS",
    "timestamp_s": "TIMESTAMP_S",
    "timestamptz": TIMESTAMPTZ_NAME,
    "interval": "INTERVAL",
    "varchar": "VARCHAR",
    "blob": "BLOB",
    "uuid": "UUID",
    "json": "JSON",
    "variant": "VARIANT",
    "geometry": "GEOMETRY",
}
"""DuckLake's names of types in ducklake_column, without the nested ones."""


def duckdb_scalar(column_type: str) -> str | None:
    """DuckDB's name of a scalar type that ducklake_column names; ``None`` for one that is not known here."""
    if column_type.lower().startswith("decimal("):
        return column_type.upper()
    return _DUCKLAKE_NAMES.get(column_type.lower())


def lake_type(duckdb_type: str, *, inlined: bool) -> ColumnType:
    """The type in a lake, and in PostgreSQL, of a column that a DuckDB catalog holds as ``duckdb_type``."""
    decimal = _DECIMAL.fullmatch(duckdb_type)
    if decimal:
        return numeric(int(decimal[1]), int(decimal[2]))
    known = _SAME_EVERYWHERE.get(duckdb_type) or (_INLINED if inlined else _OF_RELATION).get(duckdb_type)
    return known if known is not None else VARCHAR


def duckdb_type(column_type: ColumnType) -> str:
    """The type in a DuckDB catalog of a lake's column that is not one of the user's table."""
    if column_type.form is Form.NUMERIC:
        return "VARCHAR" if column_type.typmod == -1 else column_type.sql.replace("numeric", "DECIMAL")
    return _DUCKDB_NAMES[column_type.with_typmod(-1)]


def sqlite_type(name: str) -> str:
    """The declared type in a SQLite catalog of a column that a DuckDB catalog holds as ``name``."""
    if name == "BLOB":
        return "BLOB"
    column_type = _SAME_EVERYWHERE.get(name)
    return "BIGINT" if column_type is not None and column_type.form in (Form.INT, Form.BOOL) else "VARCHAR"


def mysql_type(name: str) -> str:
    """The type in a MySQL catalog of a column that a DuckDB catalog holds as ``name``. DuckLake casts what it reads
    there; its own columns are narrower: times without fractions, texts of 64 KiB."""
    if name == "BLOB":
        return "LONGBLOB"
    column_type = _SAME_EVERYWHERE.get(name)
    if column_type is None or column_type.form not in (Form.INT, Form.BOOL):
        return "LONGTEXT"
    return "BOOLEAN" if column_type.form is Form.BOOL else "BIGINT"
