"""COPY TO STDOUT. A plain scan sends cached bytes for every chunk that passes whole; everything else is encoded."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence

from rocklake_server.catalog.chunk import RowChunk
from rocklake_server.limits import SEND_BUFFER_BYTES
from rocklake_server.pgformat.copy_binary import framed_rows, tuple_encoder, with_header
from rocklake_server.pgformat.copy_text import TextFormat, text_row_encoder
from rocklake_server.plan.model import BaseScan, Context, Plan
from rocklake_server.schema.types import ColumnType, Value
from rocklake_server.session.channel import Channel
from rocklake_server.session.rows import BINARY_FORMAT, TEXT_FORMAT
from rocklake_server.sql.statements import CopyFormat, CopyOptions
from rocklake_server.wire.connection import Raw
from rocklake_server.wire.messages import CopyData, CopyDone, CopyOutResponse

Rows = Sequence[Sequence[Value]]

CACHED_ROWS_MIN = 256
"""Chunks shorter than this are encoded each time: it costs less than keeping their bytes."""

ENCODINGS_PER_CHUNK_MAX = 8
ROWS_PER_TURN = 2000


async def copy_out(plan: Plan, context: Context, options: CopyOptions, channel: Channel) -> int:
    """Send the rows of ``plan`` as a COPY stream. Returns their number."""
    columns = plan.columns or ()
    types = [column.type for column in columns]
    binary = options.format is CopyFormat.BINARY
    runs = _binary_runs(plan, context, types) if binary else _text_runs(plan, context, types, options)
    wire_format = BINARY_FORMAT if binary else TEXT_FORMAT
    first = await anext(runs, None)
    channel.send(CopyOutResponse(wire_format, (wire_format,) * len(types)))
    count = await (_send_binary if binary else _send_text)(first, runs, channel)
    channel.send(CopyDone())
    return count


Run = tuple[int, bytes]
"""(rows, one CopyData message per row)"""


async def _send_binary(first: Run | None, runs: AsyncIterator[Run], channel: Channel) -> int:
    """The header shares a message with the first tuple, or with the trailer when there is none."""
    if first is None:
        channel.send(Raw(CopyData, b"".join(with_header([]))))
        return 0
    *head, trailer = with_header([first[1]])
    for data in head:
        channel.send(Raw(CopyData, data))
    count = first[0]
    async for rows, data in runs:
        count += rows
        channel.send(Raw(CopyData, data))
        if channel.buffered_bytes > SEND_BUFFER_BYTES:
            await channel.drain()
    channel.send(Raw(CopyData, trailer))
    return count


async def _send_text(first: Run | None, runs: AsyncIterator[Run], channel: Channel) -> int:
    count = 0
    if first is not None:
        count += first[0]
        channel.send(Raw(CopyData, first[1]))
    async for rows, data in runs:
        count += rows
        channel.send(Raw(CopyData, data))
        if channel.buffered_bytes > SEND_BUFFER_BYTES:
            await channel.drain()
    return count


async def _binary_runs(plan: Plan, context: Context, types: list[ColumnType]) -> AsyncIterator[Run]:
    scan = plan.scan
    if scan is None:
        rows = (await plan.run(context)).rows
        async for part in _slices(rows):
            yield len(part), framed_rows(types, part)
        return
    left = scan.limit
    for chunk in await context.view.chunks(scan.relation, scan.bounds):
        if left == 0:
            return
        count, data = _encoded(scan, chunk, types, left)
        if count:
            yield count, data
        if left is not None:
            left -= count
        if count >= CACHED_ROWS_MIN:
            await asyncio.sleep(0)


def _encoded(scan: BaseScan, chunk: object, types: list[ColumnType], limit: int | None) -> Run:
    """The rows of one chunk that belong to the result."""
    if not isinstance(chunk, RowChunk):
        raise TypeError("chunks are made by the engine")
    whole = scan.predicate is None or scan.covers(chunk)
    cached = whole and len(chunk.rows) >= CACHED_ROWS_MIN and (limit is None or limit >= len(chunk.rows))
    if cached and (known := chunk.encodings.get(scan.projection)) is not None:
        return len(chunk.rows), known
    rows: Rows = chunk.rows
    if not whole:
        keeps = scan.predicate
        rows = [row for row in chunk.rows if keeps is not None and keeps(row) is True]
    if limit is not None:
        rows = rows[:limit]
    data = tuple_encoder(types, scan.projection).framed(rows)
    if cached and len(chunk.encodings) < ENCODINGS_PER_CHUNK_MAX:
        chunk.encodings[scan.projection] = data
    return len(rows), data


async def _text_runs(
    plan: Plan, context: Context, types: list[ColumnType], options: CopyOptions
) -> AsyncIterator[Run]:
    encode = text_row_encoder(types, TextFormat(options.delimiter, options.null))
    async for part in _slices((await plan.run(context)).rows):
        yield len(part), b"".join(_framed(encode(row)) for row in part)


def _framed(data: bytes) -> bytes:
    return b"d" + (len(data) + 4).to_bytes(4, "big") + data


async def _slices(rows: Rows) -> AsyncIterator[Rows]:
    for start in range(0, len(rows), ROWS_PER_TURN):
        yield rows[start : start + ROWS_PER_TURN]
        await asyncio.sleep(0)
