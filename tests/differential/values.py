"""The column types of DuckLake, with literals of each: ordinary, extreme, empty and NULL."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

NESTED_DEPTH_MAX = 2
Draw = Callable[[Random], str]


@dataclass(frozen=True, slots=True)
class Type:
    """A type's SQL name, the family that coverage counts it as, and literals of its values.

    ``of_row`` is an expression for the value of the row numbered ``i``, for inserts that select many rows.
    """

    sql: str
    family: str
    literals: tuple[str, ...]
    of_row: str
    wider: str = ""

    @property
    def has_default(self) -> bool:
        """Whether DuckLake takes a default of the type: a constant, and not a nested one."""
        return self.family not in ("LIST", "STRUCT", "MAP", "VARIANT", "GEOMETRY", "BLOB")

    def literal(self, random: Random) -> str:
        """A literal, one in six NULL."""
        return "NULL" if random.random() < 1 / 6 else random.choice(self.literals)


def _integers(name: str, low: int, high: int, wider: str = "") -> Type:
    modulus = min(high, 1000)
    row = f"((i * 7) % {modulus})::{name}" if low == 0 else f"((i * 7) % {modulus} - {modulus // 2})::{name}"
    return Type(name, name, (str(low), str(high), "0", "1", "7", "42", "100"), row, wider)


def _quoted(name: str, *values: str, row: str, family: str = "", wider: str = "") -> Type:
    return Type(name, family or name, tuple(f"'{value}'" for value in values), row, wider)


INTEGER = _integers("INTEGER", -(2**31), 2**31 - 1, "BIGINT")
VARCHAR = Type(
    "VARCHAR", "VARCHAR", ("''", "'a'", "'it''s'", "'Größe 日本'", "'NULL'", "'a,b\"c'", "'\\x41'", "'  '",
                           "'nul' || chr(0) || 'byte'", "repeat('long ', 60)", "E'tab\\tline\\nend'", "'10'", "'2'"),
    "'n' || (i % 13)",
)  # fmt: skip
SCALARS = (
    _integers("TINYINT", -128, 127, "SMALLINT"),
    _integers("SMALLINT", -(2**15), 2**15 - 1, "INTEGER"),
    INTEGER,
    _integers("BIGINT", -(2**63), 2**63 - 1),
    _integers("HUGEINT", -(2**127), 2**127 - 1),
    _integers("UTINYINT", 0, 255, "USMALLINT"),
    _integers("USMALLINT", 0, 2**16 - 1, "UINTEGER"),
    _integers("UINTEGER", 0, 2**32 - 1, "UBIGINT"),
    _integers("UBIGINT", 0, 2**64 - 1),
    _integers("UHUGEINT", 0, 2**128 - 1),
    Type("BOOLEAN", "BOOLEAN", ("true", "false"), "i % 2 = 0"),
    Type("FLOAT", "FLOAT", ("0", "-0.0", "1.5", "'nan'", "'inf'", "'-inf'", "3.4e38", "1e-40", "0.1"), "i / 4",
         "DOUBLE"),
    Type("DOUBLE", "DOUBLE", ("0", "'-0.0'", "2.25", "'nan'", "'inf'", "'-inf'", "1.7976931348623157e308", "5e-324",
                              "0.1"), "i / 8"),
    Type("DECIMAL(4, 1)", "DECIMAL", ("0", "-999.9", "999.9", "1.5"), "(i % 100) / 10"),
    Type("DECIMAL(18, 3)", "DECIMAL", ("0.001", "-123456789012345.678", "12.5"), "i / 8"),
    Type("DECIMAL(38, 10)", "DECIMAL", ("0", "9999999999999999999999999999.9999999999", "-0.0000000001"), "i / 8"),
    VARCHAR,
    Type("BLOB", "BLOB", ("''::BLOB", r"'\x00\xFF'::BLOB", r"'abc\x5C'::BLOB", "repeat('z', 300)::BLOB"),
         "('b' || i)::BLOB"),
    _quoted("DATE", "2024-02-29", "1970-01-01", "0001-01-01", "9999-12-31", "1969-12-31", "infinity", "0044-03-15 (BC)",
            row="DATE '2020-01-01' + (i % 900)::INTEGER"),
    _quoted("TIME", "00:00:00", "23:59:59.999999", "12:30:00", "24:00:00", row="TIME '00:00:00' + to_seconds(i)"),
    _quoted("TIMETZ", "00:00:00+00", "23:59:59.999999-15:30", "12:00:00+05:45", row="TIMETZ '01:00:00+02'"),
    _quoted("TIMESTAMP", "2024-01-01 01:02:03.000004", "1969-12-31 23:59:59.999999", "infinity", "-infinity",
            "0001-01-01 00:00:00", "9999-12-31 23:59:59.999999",
            row="TIMESTAMP '2021-01-01' + to_hours(i)", wider="TIMESTAMPTZ"),
    _quoted("TIMESTAMP_S", "2024-01-01 01:02:03", "1969-12-31 23:59:59", row="TIMESTAMP '2021-01-01' + to_hours(i)"),
    _quoted("TIMESTAMP_MS", "2024-01-01 01:02:03.123", "1969-12-31 23:59:59.9",
            row="TIMESTAMP '2021-01-01' + to_hours(i)"),
    _quoted("TIMESTAMP_NS", "2024-01-01 01:02:03.123456789", "1970-01-01 00:00:00",
            row="TIMESTAMP '2021-01-01' + to_hours(i)"),
    _quoted("TIMESTAMPTZ", "2024-01-01 01:02:03+00", "1969-12-31 23:59:59.5-08", "infinity",
            row="TIMESTAMPTZ '2021-01-01 00:00:00+00' + to_hours(i)"),
    _quoted("INTERVAL", "1 day", "-3 months 2 days 00:00:01.5", "0 seconds", "100 years",
            row="to_days((i % 40)::INTEGER)"),
    _quoted("UUID", "00112233-4455-6677-8899-aabbccddeeff", "00000000-0000-0000-0000-000000000000",
            "ffffffff-ffff-ffff-ffff-ffffffffffff", row="md5(i::VARCHAR)::UUID"),
    _quoted("JSON", '{"a": 1}', "[]", "null", '"text"', '{"k": [1, {"z": null}], "u": "ü"}',
          row="('[' || i || ']')::JSON"),
    Type("VARIANT", "VARIANT", ("1::VARIANT", "'x'::VARIANT", "{'a': 1, 'b': 'x'}::VARIANT", "[1, 2]::VARIANT",
                                "{'a': 2, 'b': 'y', 'c': [true]}::VARIANT"), "{'a': i, 'b': 'v' || i}::VARIANT"),
    Type("GEOMETRY", "GEOMETRY", ("'POINT (1 2)'::GEOMETRY", "'LINESTRING (0 0, 1 1)'::GEOMETRY",
                                  "'POLYGON ((0 0, 1 0, 1 1, 0 0))'::GEOMETRY"),
         "('POINT (' || i || ' 1)')::GEOMETRY"),
)  # fmt: skip
TYPES = {kind.sql: kind for kind in SCALARS}


FIELDS = tuple(kind for kind in SCALARS if not kind.sql.startswith(("DATE", "TIME", "INTERVAL", "UUID")))
"""Types of struct fields: DuckDB 1.5.5 dies when it reads an inlined struct with a field of one of the others."""


def column_type(random: Random, depth: int = 0) -> Type:
    """A type to give to a new column, one in four nested."""
    if depth == NESTED_DEPTH_MAX or random.random() > 1 / 4:
        return random.choice(SCALARS)
    inner = column_type(random, depth + 1)
    match random.randrange(3):
        case 0:
            values = tuple(f"[{', '.join(inner.literal(random) for _ in range(count))}]" for count in (0, 1, 3))
            return Type(f"{inner.sql}[]", "LIST", values, f"[{inner.of_row}, NULL]")
        case 1:
            inner, other = random.choice(FIELDS), random.choice(FIELDS)
            values = tuple(f"{{'f': {inner.literal(random)}, 'g': {other.literal(random)}}}" for _ in range(3))
            row = f"{{'f': {inner.of_row}, 'g': {other.of_row}}}"
            return Type(f"STRUCT(f {inner.sql}, g {other.sql})", "STRUCT", values, row)
        case _:
            values = tuple(f"MAP {{'k': {inner.literal(random)}, '': {inner.literal(random)}}}" for _ in range(2))
            values = (*values, "MAP {}")
            return Type(f"MAP(VARCHAR, {inner.sql})", "MAP", values, f"MAP {{'k' || i: {inner.of_row}}}")
