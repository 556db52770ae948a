"""Every type that DuckLake stores, inlined in the catalog and in Parquet files: the values come back unchanged."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.duckdb_client import LakeClient, connect
from tests.e2e.conftest import OpenLake
from tests.servers import CatalogServer

# name -> (type, literals); NULL is added to each, and the first literal is also searched for
TYPES: dict[str, tuple[str, list[str]]] = {
    "boolean": ("BOOLEAN", ["true", "false"]),
    "tinyint": ("TINYINT", ["-128", "127", "0"]),
    "smallint": ("SMALLINT", ["-32768", "32767"]),
    "integer": ("INTEGER", ["-2147483648", "2147483647"]),
    "bigint": ("BIGINT", ["-9223372036854775808", "9223372036854775807"]),
    "hugeint": ("HUGEINT", ["-170141183460469231731687303715884105727", "170141183460469231731687303715884105727"]),
    "utinyint": ("UTINYINT", ["255", "0"]),
    "usmallint": ("USMALLINT", ["65535", "0"]),
    "uinteger": ("UINTEGER", ["4294967295", "0"]),
    "ubigint": ("UBIGINT", ["18446744073709551615", "0"]),
    "uhugeint": ("UHUGEINT", ["340282366920938463463374607431768211455", "0"]),
    "float": ("FLOAT", ["1.5", "-3.4028235e38", "1e-45", "0.1"]),
    "float_special": ("FLOAT", ["'nan'", "'inf'", "'-inf'"]),
    "double": ("DOUBLE", ["0.1", "-1.7976931348623157e308", "5e-324", "2.718281828459045"]),
    "double_special": ("DOUBLE", ["'nan'", "'inf'", "'-inf'"]),
    "decimal_small": ("DECIMAL(4, 1)", ["-999.9", "0.1"]),
    "decimal_middle": ("DECIMAL(18, 3)", ["123456789012345.678", "-0.001"]),
    "decimal_large": ("DECIMAL(38, 10)", ["1234567890123456789012345678.0123456789", "-1"]),
    "varchar": ("VARCHAR", ["'plain'", "''", "'it''s \"quoted\" \\ %s; --'", "'ß 日本 🦆'", "chr(10) || chr(9)"]),
    "varchar_words": ("VARCHAR", ["'NULL'", "'primary key conflict'", "'\\x41'", "'{a,b}'"]),
    "blob": ("BLOB", ["'\\x00\\xFF\\x27\\x5C'::BLOB", "''::BLOB", "'abc'::BLOB"]),
    "date": ("DATE", ["'2024-02-29'", "'0001-01-01'", "'9999-12-31'", "'1969-12-31'"]),
    "time": ("TIME", ["'00:00:00'", "'23:59:59.999999'"]),
    "timetz": ("TIMETZ", ["'12:30:00+02'", "'23:59:59.999999-08:00'"]),
    "timestamp": ("TIMESTAMP", ["'2024-02-29 12:34:56.789012'", "'1900-01-01 00:00:00'"]),
    "timestamp_s": ("TIMESTAMP_S", ["'2024-02-29 12:34:56'", "'1900-01-01 00:00:00'"]),
    "timestamp_ms": ("TIMESTAMP_MS", ["'2024-02-29 12:34:56.789'", "'1900-01-01 00:00:00'"]),
    "timestamp_ns": ("TIMESTAMP_NS", ["'2024-02-29 12:34:56.789012345'", "'1900-01-01 00:00:00'"]),
    "timestamptz": ("TIMESTAMPTZ", ["'2024-02-29 12:34:56.789012+02'", "'1900-01-01 00:00:00Z'"]),
    "interval": ("INTERVAL", ["'1 year 2 months 3 days 04:05:06.789'", "'-5 minutes'"]),
    "uuid": ("UUID", ["'00112233-4455-6677-8899-aabbccddeeff'", "'ffffffff-ffff-ffff-ffff-ffffffffffff'"]),
    "json": ("JSON", ["'{\"a\": [1, null, \"x\"]}'", "'null'", "'42'"]),
    "list": ("INTEGER[]", ["[1, 2, NULL]", "[]"]),
    "list_of_varchar": ("VARCHAR[]", ["['a', 'it''s', '', NULL, 'b,c']", "['NULL', '[x]']"]),
    "list_of_lists": ("INTEGER[][]", ["[[1], [], NULL, [2, 3]]"]),
    "struct": ("STRUCT(a INTEGER, b VARCHAR)", ["{'a': 1, 'b': 'x'}", "{'a': NULL, 'b': 'y z'}"]),
    "struct_nested": ("STRUCT(a STRUCT(b BIGINT, c INTEGER[]), d BOOLEAN)", ["{'a': {'b': 7, 'c': [1]}, 'd': true}"]),
    "map": ("MAP(VARCHAR, INTEGER)", ["MAP {'a': 1, 'b c': NULL}", "MAP {}"]),
    "list_of_structs": ("STRUCT(k VARCHAR, v DOUBLE)[]", ["[{'k': 'x', 'v': 0.5}, NULL]"]),
    "list_of_blobs": ("BLOB[]", ["['\\x00\\xFF'::BLOB, NULL]"]),
    "list_of_timestamps": ("TIMESTAMP[]", ["['2024-02-29 12:34:56.789012'::TIMESTAMP]"]),
}
# What DuckDB's Parquet writer cannot keep, whatever the catalog: 128-bit integers become doubles, a time's zone
# becomes UTC, and negative intervals are refused.
PARQUET_LITERALS = {
    "hugeint": ["-4611686018427387904", "1"],
    "uhugeint": ["4611686018427387904", "1"],
    "timetz": ["'12:30:00+00'", "'23:59:59.999999+00'"],
    "interval": ["'1 year 2 months 3 days 04:05:06.789'"],
}
REFUSED = {
    "array": "INTEGER[3]",
    "union": "UNION(i INTEGER, s VARCHAR)",
    "enum": "ENUM('a', 'b')",
}


@pytest.fixture(params=["inlined", "parquet"])
def typed_lake(
    request: pytest.FixtureRequest, rocklake_server: CatalogServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LakeClient]:
    """A client on the one lake of all types of a storage form; ``inlined`` keeps rows in the catalog."""
    dsn = rocklake_server.dsn(f"types_{request.param}")
    with LakeClient(dsn, tmp_path_factory.getbasetemp() / "types" / request.param) as client:
        if request.param == "parquet":
            client.write_parquet_only()
        yield client


@pytest.mark.parametrize("name", sorted(TYPES))
def test_values_come_back_as_duckdb_holds_them(name: str, typed_lake: LakeClient) -> None:
    type_name, literals = TYPES[name]
    if typed_lake.data_path.name == "parquet":
        literals = PARQUET_LITERALS.get(name, literals)
    values = [*literals, "NULL"]
    rows = ", ".join(f"({number}, {literal})" for number, literal in enumerate(values))
    lake = typed_lake
    lake.run(f"CREATE TABLE {name}(id INTEGER, v {type_name})", f"INSERT INTO {name} VALUES {rows}")
    with connect(extensions=()) as plain:
        plain.execute(f"CREATE TABLE expected(id INTEGER, v {type_name})")
        plain.execute(f"INSERT INTO expected VALUES {rows}")
        read = "SELECT id, typeof(v), v::VARCHAR FROM {} ORDER BY id"
        expected = plain.execute(read.format("expected")).fetchall()
        assert lake.rows(read.format(name)) == expected
        found = "SELECT id FROM {} WHERE v = CAST({} AS {}) ORDER BY id"
        wanted = plain.execute(found.format("expected", literals[0], type_name)).fetchall()
        assert lake.rows(found.format(name, literals[0], type_name)) == wanted
    lake.run(f"UPDATE {name} SET v = {literals[-1]} WHERE id = {len(literals)}", f"DELETE FROM {name} WHERE id = 0")
    remaining = [row for row in expected if row[0] != 0]
    remaining[-1] = (len(literals), expected[0][1], expected[len(literals) - 1][2])
    assert lake.rows(read.format(name)) == remaining


def test_older_snapshots_and_added_columns_of_every_type(lake: LakeClient, open_lake: OpenLake) -> None:
    """Column types and their absence in older rows go through the catalog and come back to a new client."""
    lake.run("BEGIN")
    for name in TYPES:
        lake.run(f"CREATE TABLE {name}(id INTEGER)", f"INSERT INTO {name} VALUES (1)")
    lake.run("COMMIT", "BEGIN")
    for name, (type_name, literals) in TYPES.items():
        lake.run(f"ALTER TABLE {name} ADD COLUMN v {type_name}", f"INSERT INTO {name} VALUES (2, {literals[0]})")
    lake.run("COMMIT")
    version = lake.snapshot()
    lake.run("BEGIN", *(f"DELETE FROM {name}" for name in TYPES), "COMMIT")
    other = open_lake()
    for name, (type_name, literals) in TYPES.items():
        assert other.rows(f"FROM {name}") == []
        value = other.value(f"SELECT CAST({literals[0]} AS {type_name})::VARCHAR")
        found = other.rows(f"SELECT id, v::VARCHAR FROM {name} AT (VERSION => {version}) ORDER BY id")
        assert found == [(1, None), (2, value)], name


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_types_that_ducklake_refuses_leave_the_lake_as_it_was(name: str, typed_lake: LakeClient) -> None:
    before = typed_lake.snapshot()
    with pytest.raises(Exception, match=r"(?i)unsupported type"):
        typed_lake.run(f"CREATE TABLE refused_{name}(v {REFUSED[name]})")
    assert typed_lake.snapshot() == before


def test_variants_of_several_kinds(parquet_lake: LakeClient) -> None:
    parquet_lake.run("CREATE TABLE t(id INTEGER, v VARIANT)")
    parquet_lake.run("INSERT INTO t VALUES (1, 42), (2, 'text'), (3, {'a': 1}), (4, NULL)")
    assert parquet_lake.rows("SELECT id, v::VARCHAR FROM t ORDER BY id") == [
        (1, "42"), (2, "text"), (3, "{'a': 1}"), (4, None)
    ]  # fmt: skip
