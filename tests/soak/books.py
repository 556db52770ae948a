"""Whether the catalog's rows about a lake agree with each other and with the lake, whatever maintenance did to it."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg

from tests.duckdb_client import LakeClient

Connection = psycopg.Connection[tuple[int, ...]]


def faults_in_the_books(connection: Connection, lake: LakeClient) -> list[str]:
    """A sentence for each thing that does not add up."""
    relations = {name for (name,) in connection.execute("SELECT relname FROM pg_class WHERE relkind = 'r'")}
    tables = connection.execute("SELECT table_id, table_name FROM ducklake_table WHERE end_snapshot IS NULL").fetchall()
    faults = [fault for table_id, name in tables for fault in _table(connection, lake, relations, table_id, str(name))]
    newest = "SELECT next_file_id, next_catalog_id FROM ducklake_snapshot ORDER BY snapshot_id DESC LIMIT 1"
    ((next_file, next_catalog),) = connection.execute(newest).fetchall()
    for relation, column, bound in (("ducklake_data_file", "data_file_id", next_file),
                                    ("ducklake_delete_file", "delete_file_id", next_file),
                                    ("ducklake_table", "table_id", next_catalog)):
        ids = [row[0] for row in connection.execute(f"SELECT {column} FROM {relation}".encode())]
        if ids and max(ids) >= bound:
            faults.append(f"{relation} holds id {max(ids)} and the newest snapshot gives out {bound} next")
    return faults


def _table(connection: Connection, lake: LakeClient, relations: set[int], table_id: int, name: str) -> Iterator[str]:
    files = connection.execute(
        "SELECT data_file_id, record_count, row_id_start FROM ducklake_data_file "
        f"WHERE table_id = {table_id} AND end_snapshot IS NULL".encode()
    ).fetchall()
    deletes = connection.execute(
        f"SELECT delete_count FROM ducklake_delete_file WHERE table_id = {table_id} AND end_snapshot IS NULL".encode()
    ).fetchall()
    inlined = [row for (relation,) in connection.execute(
        f"SELECT table_name FROM ducklake_inlined_data_tables WHERE table_id = {table_id}".encode()
    ).fetchall() for row in connection.execute(f"SELECT row_id FROM {relation} WHERE end_snapshot IS NULL".encode())]
    deleted_inline = 0
    if f"ducklake_inlined_delete_{table_id}" in relations:
        live = {file[0] for file in files}
        rows = connection.execute(f"SELECT file_id, row_id FROM ducklake_inlined_delete_{table_id}".encode())
        deleted_inline = sum(file in live for file, _ in rows)
    booked = sum(file[1] for file in files) - sum(row[0] for row in deletes) + len(inlined) - deleted_inline
    if (found := lake.value(f"SELECT count(*) FROM (SELECT rowid FROM {name} WHERE rowid >= 0)")) != booked:
        yield f"{name} has {found} rows and its files and inlined rows have {booked}"
    next_row = connection.execute(f"SELECT next_row_id FROM ducklake_table_stats WHERE table_id = {table_id}".encode())
    used = max([-1, *(file[2] + file[1] - 1 for file in files if file[2] is not None), *(row[0] for row in inlined)])
    if [row[0] for row in next_row.fetchall() if row[0] <= used]:
        yield f"{name} used row id {used}, which its statistics give out again"
    for path, in lake.rows(f"SELECT data_file FROM ducklake_list_files('lake', '{name}')"):
        if not lake.value(f"SELECT count(*) FROM glob('{path}')"):
            yield f"{name} names file {path}, which is not there"
