"""Statements that read: tables now and in the past, change feeds, and what DuckLake tells about itself."""

from __future__ import annotations

from random import Random

from tests.differential.changes import condition
from tests.differential.lake import Lake, Table
from tests.differential.recipes import recipe

ABOUT = (
    "SELECT snapshot_id, schema_version, changes::VARCHAR, author, commit_message, commit_extra_info "
    "FROM ducklake_snapshots('lake')",
    "SELECT table_name, schema_id, table_id, file_count, file_size_bytes, delete_file_count "
    "FROM ducklake_table_info('lake')",
    "FROM ducklake_options('lake') WHERE option_name <> 'data_path'",
    "FROM ducklake_current_snapshot('lake')",
    "FROM ducklake_last_committed_snapshot('lake')",
    "SELECT schema_name, table_name, column_name, data_type, column_default, is_nullable, comment "
    "FROM duckdb_columns() WHERE database_name = 'lake'",
    "SELECT schema_name, table_name, estimated_size, column_count, comment FROM duckdb_tables() "
    "WHERE database_name = 'lake'",
    "SELECT schema_name, view_name, sql, comment FROM duckdb_views() WHERE database_name = 'lake'",
    "SELECT schema_name, function_name, parameters, macro_definition FROM duckdb_functions() "
    "WHERE database_name = 'lake'",
    "SELECT catalog_type FROM ducklake_settings('lake')",
)


def _table(random: Random, lake: Lake) -> Table:
    return lake.tables[random.choice(sorted(lake.tables))]


@recipe("read", 4, needs="tables")
def read(random: Random, lake: Lake) -> str:
    table = _table(random, lake)
    last = table.columns[-1].name
    return random.choice((
        f"SELECT COLUMNS(*)::VARCHAR FROM {table.sql}",
        f"FROM {table.sql}",
        f"SELECT * FROM {table.sql} WHERE {condition(random)}",
        f"SELECT count(*), sum(id), min({last})::VARCHAR, max({last})::VARCHAR, count({last}) FROM {table.sql}",
        f"SELECT rowid, id FROM {table.sql} WHERE {last} IS NOT NULL",
        f"SELECT rowid, snapshot_id, id FROM {table.sql}",
        f"SELECT count(*) FROM {table.sql} x JOIN {_table(random, lake).sql} y USING (id)",
        f"SELECT id, {last} FROM {table.sql} ORDER BY ALL LIMIT 7",
    ))  # fmt: skip


@recipe("read a literal", 1.5, needs="tables")
def read_by_value(random: Random, lake: Lake) -> str:
    """Filters that are pushed down to statistics."""
    table = _table(random, lake)
    column = random.choice(table.columns)
    comparison = random.choice(("=", "<", ">", "<>", ">="))
    return f"SELECT id FROM {table.sql} WHERE {column.name} {comparison} {random.choice(column.type.literals)}"


@recipe("time travel", 3, needs="tables")
def time_travel(random: Random, lake: Lake) -> str:
    version = random.randrange(lake.versions + 2)
    what = random.choice(("*", "count(*), sum(id)", "COLUMNS(*)::VARCHAR"))
    when = f"VERSION => {version}" if random.random() < 0.9 else "TIMESTAMP => now()"
    return f"SELECT {what} FROM {_table(random, lake).sql} AT ({when})"


@recipe("change feed", 3, needs="tables", in_transaction=False)
def change_feed(random: Random, lake: Lake) -> str:
    table = _table(random, lake)
    start = random.randrange(lake.versions + 1)
    end = random.choice((start, lake.versions, lake.versions // 2))
    function = random.choice(("table_changes", "table_insertions", "table_deletions"))
    return f"FROM ducklake_{function}('lake', {', '.join(table.literals)}, {start}, {end})"


@recipe("list files", 1.5, needs="tables")
def list_files(random: Random, lake: Lake) -> str:
    schema, name = _table(random, lake).literals
    version = f", snapshot_version => {random.randrange(lake.versions + 1)}" if random.random() < 0.3 else ""
    return (
        "SELECT data_file, data_file_size_bytes, data_file_footer_size, delete_file IS NULL "
        f"FROM ducklake_list_files('lake', {name}, schema => {schema}{version})"
    )


@recipe("about the lake", 2.5)
def about(random: Random, lake: Lake) -> str:
    return random.choice(ABOUT)


@recipe("read view", 1.5, needs="views")
def read_view(random: Random, lake: Lake) -> str:
    return f"FROM {random.choice(sorted(lake.views))}"


@recipe("call macro", 1.5, needs="macros")
def call_macro(random: Random, lake: Lake) -> str:
    name = random.choice(sorted(lake.macros))
    return f"FROM {name}(20)" if lake.macros[name] == "table" else f"SELECT {name}(1)"
