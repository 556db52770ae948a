"""A small lake and some tables of other types, as statements that both sides run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tests.corpus.catalog_data import tables

QUERIES = Path(__file__).parent / "queries"
PLANNER_QUERIES = Path(__file__).parents[1] / "plan" / "queries"
_LAKE = (
    "ducklake_snapshot", "ducklake_schema", "ducklake_table", "ducklake_column", "ducklake_data_file",
    "ducklake_delete_file", "ducklake_table_stats", "ducklake_file_column_stats",
)
SNAPSHOTS, TABLES, FILES = 12, 4, 60


def setup() -> Iterator[str]:
    """The definitions and the rows."""
    created = tables("duckdb-1.5")
    yield from (created[name] for name in _LAKE)
    yield from (QUERIES / "setup.sql").read_text().splitlines()
    snapshots = ", ".join(
        f"({i}, '2024-0{1 + i % 9}-1{i % 10} 0{i % 10}:30:00.{i:03}+00', {i // 3}, {100 + i}, {i * 5})"
        for i in range(SNAPSHOTS)
    )
    yield f"INSERT INTO ducklake_snapshot VALUES {snapshots}"
    yield ("INSERT INTO ducklake_schema VALUES"
           " (0, '00000000-0000-0000-0000-000000000001', 0, NULL, 'main', 'main/', true),"
           " (1, '00000000-0000-0000-0000-000000000002', 2, 7, 'old', 'old/', true)")
    named = ", ".join(
        f"({i}, '00000000-0000-0000-0000-00000000010{i}', {i}, {'NULL' if i % 2 else 9}, {i % 2}, 'table_{i}', "
        f"'table_{i}/', true)" for i in range(TABLES)
    )
    yield f"INSERT INTO ducklake_table VALUES {named}"
    columns = ", ".join(
        f"({column}, {table}, NULL, {table}, {column}, '{name}', '{kind}', {'true' if column % 2 else 'false'})"
        for table in range(TABLES)
        for column, (name, kind) in enumerate((("id", "int64"), ("name", "varchar"), ("price", "decimal(10,2)")), 1)
    )
    yield ("INSERT INTO ducklake_column (column_id, begin_snapshot, end_snapshot, table_id, column_order, column_name,"
           f" column_type, nulls_allowed) VALUES {columns}")
    files = ", ".join(
        f"({i}, {i % TABLES}, {i % SNAPSHOTS}, {'NULL' if i % 3 else i % SNAPSHOTS + 1}, 'data/part-{i:03}.parquet', "
        f"{'true' if i % 5 else 'false'}, 'parquet', {(i * 37) % 101}, {1000 + i * i * 13})" for i in range(FILES)
    )
    yield ("INSERT INTO ducklake_data_file (data_file_id, table_id, begin_snapshot, end_snapshot, path,"
           f" path_is_relative, file_format, record_count, file_size_bytes) VALUES {files}")
    deletes = ", ".join(f"({i}, {i % TABLES}, {i % SNAPSHOTS}, {i * 4}, 'data/delete-{i}.parquet', {i})"
                        for i in range(10))
    yield ("INSERT INTO ducklake_delete_file (delete_file_id, table_id, begin_snapshot, data_file_id, path,"
           f" delete_count) VALUES {deletes}")
    counted = ", ".join(f"({i}, {i * 1000}, {i * 1000}, {i * 123456789})" for i in range(TABLES))
    yield f"INSERT INTO ducklake_table_stats VALUES {counted}"
    statistics = ", ".join(
        f"({i}, {i % TABLES}, {column}, {i * 11}, {i % 7 * 10}, {i % 3}, '{i * column}', '{i * column + 9}')"
        for i in range(FILES) for column in (1, 2)
    )
    yield ("INSERT INTO ducklake_file_column_stats (data_file_id, table_id, column_id, column_size_bytes, value_count,"
           f" null_count, min_value, max_value) VALUES {statistics}")


def themes() -> list[str]:
    """The files of queries that both sides answer."""
    others = ("setup", "errors", "refused", "hostile", "session_zones")
    return sorted(path.stem for path in QUERIES.glob("*.sql") if path.stem not in others)


def statements(name: str, folder: Path = QUERIES) -> list[str]:
    """One statement per line; lines that begin with -- are comments."""
    lines = (folder / f"{name}.sql").read_text().splitlines()
    return [line for line in lines if line.strip() and not line.startswith("--")]


def shared_statements() -> list[str]:
    """What the planner's own tests ask over the same tables, as far as it is not about the session."""
    return [text for name in ("selects", "expressions") for text in statements(name, PLANNER_QUERIES)
            if not any(word in text.lower() for word in ("current_", "userbyid"))]
