"""DuckLake's maintenance functions; each stands outside transactions, as people call them."""

from __future__ import annotations

from random import Random

from tests.differential.lake import Lake, Table
from tests.differential.recipes import recipe
from tests.differential.statements import FILES

COMPACTED = "SELECT schema_name, table_name, files_processed, files_created FROM"


def _table(random: Random, lake: Lake) -> Table:
    return lake.tables[random.choice(sorted(lake.tables))]


@recipe("expire_snapshots", 2, in_transaction=False, alone=True)
def expire_snapshots(random: Random, lake: Lake) -> str:
    drawn = sorted({random.randrange(lake.versions + 1) for _ in range(random.randint(1, 4))})
    which = random.choice((f"versions => {drawn}", f"versions => {drawn}", "older_than => now()",
                           "older_than => now() - INTERVAL 1 day",
                           f"dry_run => true, versions => {drawn}"))  # fmt: skip
    shown = "snapshot_id, schema_version, changes::VARCHAR"
    return f"SELECT {shown} FROM ducklake_expire_snapshots('lake', {which})"


@recipe("cleanup_old_files", 2, in_transaction=False)
def cleanup_old_files(random: Random, lake: Lake) -> str:
    which = random.choice(("cleanup_all => true", "cleanup_all => true", "dry_run => true, cleanup_all => true",
                           "older_than => now() - INTERVAL 1 day"))  # fmt: skip
    return f"FROM ducklake_cleanup_old_files('lake', {which})"


@recipe("delete_orphaned_files", 1, in_transaction=False)
def delete_orphaned_files(random: Random, lake: Lake) -> str:
    dry = random.choice(("", "dry_run => true, "))
    return f"FROM ducklake_delete_orphaned_files('lake', {dry}cleanup_all => true)"


@recipe("merge_adjacent_files", 2.5, in_transaction=False)
def merge_adjacent_files(random: Random, lake: Lake) -> str:
    of_table = ""
    if lake.tables and random.random() < 0.5:
        schema, name = _table(random, lake).literals
        of_table = f", {name}, schema => {schema}"
    limit = random.choice(("", "", ", max_compacted_files => 2"))
    return f"{COMPACTED} ducklake_merge_adjacent_files('lake'{of_table}{limit})"


@recipe("rewrite_data_files", 2.5, in_transaction=False)
def rewrite_data_files(random: Random, lake: Lake) -> str:
    of_table = ""
    if lake.tables and random.random() < 0.5:
        schema, name = _table(random, lake).literals
        of_table = f", {name}, schema => {schema}"
    threshold = random.choice((", delete_threshold => 0", ", delete_threshold => 0.4", ""))
    return f"{COMPACTED} ducklake_rewrite_data_files('lake'{of_table}{threshold})"


@recipe("flush_inlined_data", 2.5, in_transaction=False, alone=True)
def flush_inlined_data(random: Random, lake: Lake) -> str:
    of_table = ""
    if lake.tables and random.random() < 0.4:
        schema, name = _table(random, lake).literals
        of_table = f", table_name => {name}, schema_name => {schema}"
    return f"FROM ducklake_flush_inlined_data('lake'{of_table})"


@recipe("checkpoint", 1.2, in_transaction=False, alone=True)
def checkpoint(random: Random, lake: Lake) -> str:
    return "CHECKPOINT lake"


@recipe("add_data_files", 1, needs="tables")
def add_data_files(random: Random, lake: Lake) -> str:
    schema, name = _table(random, lake).literals
    clauses = random.choice(("", ", allow_missing => true", ", allow_missing => true, ignore_extra_columns => true"))
    file = f"{FILES}/{random.randrange(2)}.parquet"
    return f"CALL ducklake_add_data_files('lake', {name}, '{file}', schema => {schema}{clauses})"


@recipe("maintenance of a name that is not there", 0.4, in_transaction=False)
def no_such_table(random: Random, lake: Lake) -> str:
    return f"CALL ducklake_{random.choice(('merge_adjacent_files', 'rewrite_data_files'))}('lake', 'none_such')"
