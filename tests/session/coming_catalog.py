"""The catalog that the next line of clients finds, and how it reads: whole tables by binary COPY."""

from __future__ import annotations

from rocklake_server.wire import messages as m
from tests.corpus.catalog_data import tables
from tests.session.conversation import Conversation

BEGIN = "BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ"
INLINED = "row_id BIGINT, begin_snapshot BIGINT, end_snapshot BIGINT, i INTEGER"
HEADER = b"PGCOPY\n\xff\r\n\0" + bytes(8)
TRAILER = b"\xff\xff"
STATISTICS = [f"(1, {column}, false, NULL, '{column}', '{column * 10}', NULL)" for column in range(1, 4)]


async def fill(client: Conversation) -> None:
    """Make a catalog of version 1.0 with a table of three columns, three snapshots and inlined rows."""
    await client.run(*tables("duckdb-1.5").values())
    await client.run(
        f"CREATE TABLE public.ducklake_inlined_data_1_1 ({INLINED})",
        "CREATE TABLE public.ducklake_inlined_delete_1 (file_id BIGINT, row_id BIGINT, begin_snapshot BIGINT)",
        "INSERT INTO ducklake_metadata VALUES ('version', '1.0', NULL, NULL), ('created_by', 'x', NULL, NULL)",
        "INSERT INTO ducklake_snapshot VALUES (0, NOW(), 0, 1, 0), (1, NOW(), 1, 2, 0), (2, NOW(), 1, 2, 1)",
        f"INSERT INTO ducklake_table_column_stats VALUES {', '.join(STATISTICS)}",
        "INSERT INTO ducklake_table_stats VALUES (1, 3, 3, 0)",
        "INSERT INTO ducklake_data_file (data_file_id, table_id, path) VALUES (0, 1, 'a.parquet')",
        "INSERT INTO ducklake_inlined_data_1_1 VALUES (0, 1, NULL, 7), (1, 1, NULL, NULL), (2, 1, 2, 9)",
        "INSERT INTO ducklake_inlined_delete_1 VALUES (0, 5, 2), (0, 6, 2)",
    )


async def copied(client: Conversation, query: str) -> list[tuple[bytes | None, ...]]:
    """The rows of a binary COPY; each comes alone, the header with the first, and the trailer ends the stream."""
    replies = await client.exchange(m.Query(f'COPY ({query}) TO STDOUT (FORMAT "binary");'))
    assert isinstance(replies[0], m.CopyOutResponse), replies[0]
    assert isinstance(replies[-2], m.CommandComplete), replies[-2]
    chunks = [bytes(reply.data) for reply in replies if isinstance(reply, m.CopyData)]
    assert chunks[0].startswith(HEADER)
    assert len(chunks[0]) > len(HEADER)
    stream = b"".join(chunks).removeprefix(HEADER)
    assert stream.endswith(TRAILER)
    rows = list(_tuples(stream.removesuffix(TRAILER)))
    assert replies[-2].command_tag == f"COPY {len(rows)}"
    return rows


def _tuples(stream: bytes) -> list[tuple[bytes | None, ...]]:
    rows: list[tuple[bytes | None, ...]] = []
    while stream:
        count, stream = int.from_bytes(stream[:2], "big"), stream[2:]
        row: list[bytes | None] = []
        for _ in range(count):
            length, stream = int.from_bytes(stream[:4], "big", signed=True), stream[4:]
            row.append(None if length < 0 else stream[:length])
            stream = stream[max(length, 0) :]
        rows.append(tuple(row))
    return rows


def number(value: int, size: int = 8) -> bytes:
    return value.to_bytes(size, "big", signed=True)
