"""Whether the catalog's rows about a lake agree with each other and with the lake, whatever maintenance did to it.

Counts in statistics and files are left to the history check of writers: merged and flushed files hold rows of several
snapshots, whose counts mean nothing for one of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psycopg

from tests.duckdb_client import LakeClient
from tests.soak.roles import TABLES

Connection = psycopg.Connection[tuple[int, ...]]

_IDS = (
    ("ducklake_data_file", "data_file_id", "next_file_id"),
    ("ducklake_delete_file", "delete_file_id", "next_file_id"),
    ("ducklake_table", "table_id", "next_catalog_id"),
)


def faults_in_the_books(connection: Connection, lake: LakeClient) -> list[str]:
    """A sentence for each thing that does not add up."""
    return [*_ids(connection), *(fault for table in TABLES for fault in _table(lake, table))]


def _ids(connection: Connection) -> Iterator[str]:
    for relation, column, counter in _IDS:
        ids = [row[0] for row in connection.execute(f"SELECT {column} FROM {relation}".encode())]
        newest = f"SELECT {counter} FROM ducklake_snapshot ORDER BY snapshot_id DESC LIMIT 1"
        ((following,),) = connection.execute(newest.encode()).fetchall()
        if len(ids) != len(set(ids)):
            yield f"{relation} gives an id twice"
        if ids and max(ids) >= following:
            yield f"{relation} holds id {max(ids)} and the newest snapshot gives out {following} next"


def _table(lake: LakeClient, table: str) -> Iterator[str]:
    rows, row_ids = lake.rows(f"SELECT count(*), count(DISTINCT rowid) FROM {table}")[0]
    if rows != row_ids:
        yield f"{table} has {rows} rows with {row_ids} row ids"
    for (path,) in lake.rows(f"SELECT data_file FROM ducklake_list_files('lake', '{table}')"):
        if not Path(path).exists():
            yield f"{table} names file {path}, which is not there"
