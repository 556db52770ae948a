"""COPY FROM STDIN: the client's stream, parsed as it comes and staged in slices."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Protocol

from rocklake_server.catalog.view import TransactionView
from rocklake_server.errors import QueryCanceled
from rocklake_server.pacing import Turns
from rocklake_server.pgformat.copy_binary_reader import BinaryCopyReader
from rocklake_server.pgformat.copy_csv_reader import CsvCopyReader
from rocklake_server.pgformat.copy_format import CsvFormat, TextFormat
from rocklake_server.pgformat.copy_text import TextCopyReader
from rocklake_server.plan.writes import CopyTarget, insert_rows
from rocklake_server.schema.types import Value
from rocklake_server.session.channel import Channel, ClientGone
from rocklake_server.session.copy_formats import in_format
from rocklake_server.session.rows import BINARY_FORMAT, TEXT_FORMAT
from rocklake_server.sql.statements import CopyOptions
from rocklake_server.wire.messages import CopyData, CopyDone, CopyFail, CopyInResponse

ROWS_PER_INSERT = 1000

BYTES_PER_STEP = 16 * 1024
"""Bytes of the stream that are parsed between two turns of the event loop."""


class CopyReader(Protocol):
    """Parses a COPY stream piece by piece."""

    def feed(self, data: bytes) -> Sequence[tuple[Value, ...]]: ...

    def finish(self) -> Sequence[tuple[Value, ...]] | None: ...


async def copy_in(view: TransactionView, target: CopyTarget, options: CopyOptions, channel: Channel) -> int:
    """Read the client's COPY stream into ``target``. Returns the number of rows. The stream is read to its end even
    when it is wrong, as far as the protocol asks for it."""
    form = in_format(options, target)
    wire_format = BINARY_FORMAT if form is None else TEXT_FORMAT
    channel.send(CopyInResponse(wire_format, (wire_format,) * len(target.indexes)))
    reader = _reader(target, form)
    count = 0
    waiting: list[tuple[Value, ...]] = []
    turns = Turns()
    async for data in _stream(channel):
        for start in range(0, len(data), BYTES_PER_STEP):
            waiting += reader.feed(data[start : start + BYTES_PER_STEP])
            if len(waiting) >= ROWS_PER_INSERT:
                count += await insert_rows(view, target.relation, target.indexes, waiting)
                waiting = []
            await turns.take()
    waiting += reader.finish() or ()
    return count + await insert_rows(view, target.relation, target.indexes, waiting)


def _reader(target: CopyTarget, form: TextFormat | CsvFormat | None) -> CopyReader:
    columns = [target.relation.columns[index] for index in target.indexes]
    types, names = [column.type for column in columns], [column.name for column in columns]
    match form:
        case TextFormat():
            return TextCopyReader(types, names, form)
        case CsvFormat():
            return CsvCopyReader(types, names, form)
        case None:
            return BinaryCopyReader(types)


async def _stream(channel: Channel) -> AsyncIterator[bytes]:
    """The data of a COPY stream. Raises QueryCanceled when the client gives up, ClientGone when it leaves."""
    while True:
        message = await channel.receive()
        match message:
            case CopyData():
                yield bytes(message.data)
            case CopyDone():
                return
            case CopyFail():
                raise QueryCanceled(f"COPY from stdin failed: {message.reason}")
            case _:
                raise ClientGone
