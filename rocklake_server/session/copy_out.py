"""COPY TO STDOUT. A plain scan sends cached bytes for every chunk that passes whole; everything else is encoded."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import aclosing
from functools import partial

from rocklake_server.catalog.chunk import RowChunk
from rocklake_server.limits import SEND_BUFFER_BYTES
from rocklake_server.pgformat.copy_binary import (
    EMPTY_MESSAGE,
    TRAILER_MESSAGE,
    first_message,
    framed_rows,
    tuple_encoder,
    with_header,
)
from rocklake_server.pgformat.copy_csv import csv_header_line, csv_row_encoder
from rocklake_server.pgformat.copy_format import CsvFormat, Header, TextFormat
from rocklake_server.pgformat.copy_text import header_line, text_row_encoder
from rocklake_server.plan.model import BaseScan, Context, Plan
from rocklake_server.schema.types import ColumnType
from rocklake_server.session.channel import Channel
from rocklake_server.session.providing import outcome_of
from rocklake_server.session.replies import COPY_DONE, copy_out_response
from rocklake_server.session.rows import BINARY_FORMAT, TEXT_FORMAT, Rows, paced
from rocklake_server.session.statement_meter import RUN, StatementWatch
from rocklake_server.wire.connection import Raw
from rocklake_server.wire.messages import CopyData

CACHED_ROWS_MIN = 64
"""Chunks shorter than this are encoded each time: it costs less than keeping their bytes."""

ROWS_PER_TURN = 256
"""After so many rows of a chunk others get their turn."""

ENCODINGS_PER_CHUNK_MAX = 8
ENCODING_BYTES_MAX = 2 * 1024 * 1024
"""Encodings of a chunk that are longer are not kept."""


async def copy_out(
    plan: Plan,
    context: Context,
    form: TextFormat | CsvFormat | None,
    channel: Channel,
    watch: StatementWatch | None = None,
) -> int:
    """Send the rows of ``plan`` as a COPY stream, which is binary without a ``form``. Returns their number. For
    ``watch`` running ends when the first rows are there; what is encoded and sent by turns is sending."""
    types = [column.type for column in plan.columns or ()]
    scan = await plan.base_scan(context.view) if form is None else None
    if scan is not None:
        return await _copy_scan(scan, context, types, channel, watch)
    runs = _binary_runs(plan, context, types) if form is None else _text_runs(plan, context, types, form)
    wire_format = BINARY_FORMAT if form is None else TEXT_FORMAT
    async with aclosing(runs):
        first = await anext(runs, None)
        if watch is not None:
            watch.ended(RUN)
        channel.send(copy_out_response(wire_format, len(types)))
        if form is not None and form.header is not Header.ABSENT:
            names = [column.name for column in plan.columns or ()]
            line = csv_header_line(names, form) if isinstance(form, CsvFormat) else header_line(names, form)
            channel.send(Raw(CopyData, _framed(line)))
        count = await (_send_binary if form is None else _send_text)(first, runs, channel)
    channel.send(COPY_DONE)
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


async def _binary_runs(plan: Plan, context: Context, types: list[ColumnType]) -> AsyncGenerator[Run]:
    async with aclosing(_results(plan, context)) as results:
        async for rows in results:
            for run in paced(rows, partial(framed_rows, types)):
                yield run
                await asyncio.sleep(0)


async def _results(plan: Plan, context: Context) -> AsyncGenerator[Rows]:
    """The rows of ``plan``: all at once, or as they are computed."""
    outcome = await outcome_of(plan, context)
    if outcome.stream is None:
        yield outcome.rows
        return
    try:
        while rows := await outcome.stream.take(None):
            yield rows
    finally:
        outcome.stream.close()


async def _copy_scan(
    scan: BaseScan, context: Context, types: list[ColumnType], channel: Channel, watch: StatementWatch | None
) -> int:
    """A plain scan, chunk by chunk."""
    chunks = await context.view.chunks(scan.relation, scan.bounds)
    if watch is not None:
        watch.ended(RUN)
    channel.send(copy_out_response(BINARY_FORMAT, len(types)))
    count, left = 0, scan.limit
    for chunk in chunks:
        if left == 0:
            break
        for rows, data in _encoded(scan, chunk, types, left):
            if not rows:
                continue
            channel.send(Raw(CopyData, data if count else first_message(data)))
            count += rows
            left = None if left is None else left - rows
            if channel.buffered_bytes > SEND_BUFFER_BYTES:
                await channel.drain()
            elif rows >= ROWS_PER_TURN:
                await asyncio.sleep(0)
    channel.send(Raw(CopyData, TRAILER_MESSAGE if count else EMPTY_MESSAGE))
    channel.send(COPY_DONE)
    return count


def _encoded(scan: BaseScan, chunk: object, types: list[ColumnType], limit: int | None) -> Iterator[Run]:
    """The rows of one chunk that belong to the result."""
    if not isinstance(chunk, RowChunk):
        raise TypeError("chunks are made by the engine")
    whole = scan.make_predicate is None or scan.covers(chunk)
    cached = whole and len(chunk.rows) >= CACHED_ROWS_MIN and (limit is None or limit >= len(chunk.rows))
    if cached and (known := chunk.encodings.get(scan.projection)) is not None:
        yield len(chunk.rows), known
        return
    rows: Rows = chunk.rows
    if not whole:
        keeps = scan.predicate
        rows = [row for row in chunk.rows if keeps is not None and keeps(row) is True]
    if limit is not None:
        rows = rows[:limit]
    kept: list[bytes] = []
    if cached and chunk.begun is not None and (known := chunk.begun.encodings.get(scan.projection)) is not None:
        yield chunk.begun.rows, known
        kept.append(known)
        rows = rows[chunk.begun.rows :]
    for count, data in paced(rows, tuple_encoder(types, scan.projection).framed):
        yield count, data
        kept.append(data)
        cached = cached and sum(map(len, kept)) <= ENCODING_BYTES_MAX
        if not cached:
            kept.clear()
    if cached and len(chunk.encodings) < ENCODINGS_PER_CHUNK_MAX:
        chunk.encodings[scan.projection] = b"".join(kept)


async def _text_runs(
    plan: Plan, context: Context, types: list[ColumnType], form: TextFormat | CsvFormat
) -> AsyncGenerator[Run]:
    encode = csv_row_encoder(types, form) if isinstance(form, CsvFormat) else text_row_encoder(types, form)

    def framed(rows: Rows) -> bytes:
        return b"".join(_framed(encode(row)) for row in rows)

    async with aclosing(_results(plan, context)) as results:
        async for rows in results:
            for run in paced(rows, framed):
                yield run
                await asyncio.sleep(0)


def _framed(data: bytes) -> bytes:
    return b"d" + (len(data) + 4).to_bytes(4, "big") + data
