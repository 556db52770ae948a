"""Result rows as messages: column descriptions, and DataRow frames built in runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from rocklake_server.limits import SEND_BUFFER_BYTES
from rocklake_server.pgformat.binary import binary_encoder
from rocklake_server.pgformat.text import session_text_encoder
from rocklake_server.pgformat.zones import session_zone
from rocklake_server.plan.model import ResultColumn
from rocklake_server.schema.types import Value
from rocklake_server.wire.connection import Raw, framed
from rocklake_server.wire.messages import DataRow, FieldDescription, RowDescription

TEXT_FORMAT = 0
BINARY_FORMAT = 1

ROWS_PER_RUN_FIRST = 64
ROWS_PER_RUN_MAX = 512
"""Rows that are encoded between two looks at the send buffer and the clock, where they are short."""

Rows = Sequence[Sequence[Value]]


_NULL = b"\xff\xff\xff\xff"


def paced(rows: Rows, encode: Callable[[Rows], bytes]) -> Iterator[tuple[int, bytes]]:
    """(rows, their bytes) in runs of about SEND_BUFFER_BYTES, going by the size of the run before."""
    start, wanted = 0, ROWS_PER_RUN_FIRST
    while start < len(rows):
        run = rows[start : start + wanted]
        data = encode(run)
        yield len(run), data
        start += len(run)
        wanted = min(max(SEND_BUFFER_BYTES * len(run) // max(len(data), 1), 1), ROWS_PER_RUN_MAX)


def formats_for(requested: Sequence[int], count: int) -> tuple[int, ...]:
    """One format per parameter or column from Bind's list: none is all text, one is for all."""
    if not requested:
        return (TEXT_FORMAT,) * count
    if len(requested) == 1:
        return tuple(requested) * count
    return tuple(requested)


def row_description(columns: Sequence[ResultColumn], formats: Sequence[int]) -> RowDescription:
    return RowDescription(
        tuple(
            FieldDescription(c.name, c.table_oid, c.attnum, c.type.oid, c.type.size, c.type.typmod, f)
            for c, f in zip(columns, formats, strict=True)
        )
    )


class ResultFormat:
    """One result's columns in given formats, as messages: RowDescription and DataRow."""

    def __init__(self, columns: Sequence[ResultColumn], formats: Sequence[int]) -> None:
        self.columns = columns
        self.formats = formats
        self.description = framed(row_description(columns, formats))
        self._encoders = [_encoder(c, f) for c, f in zip(columns, formats, strict=True)]
        self._head = len(columns).to_bytes(2, "big")

    def runs(self, rows: Rows) -> Iterator[Raw]:
        """Whole messages, many in each run."""
        for _, data in paced(rows, self._framed):
            yield Raw(DataRow, data)

    def _framed(self, rows: Rows) -> bytes:
        return b"".join(map(self._frame, rows))

    def _frame(self, row: Sequence[Value]) -> bytes:
        parts = [self._head]
        for encode, value in zip(self._encoders, row, strict=False):
            if value is None:
                parts.append(_NULL)
            else:
                data = encode(value)
                parts.append(len(data).to_bytes(4, "big"))
                parts.append(data)
        body = b"".join(parts)
        return b"D" + (len(body) + 4).to_bytes(4, "big") + body


def _encoder(column: ResultColumn, wanted: int) -> Callable[[Value], bytes]:
    if wanted == BINARY_FORMAT:
        return binary_encoder(column.type)
    encode = session_text_encoder(column.type)
    return lambda value: encode(value).encode()


def result_format(columns: Sequence[ResultColumn], formats: Sequence[int]) -> ResultFormat:
    """A plan that comes again has the very same columns: what was made of them is known by their identity."""
    if session_zone() is not None:
        return ResultFormat(columns, formats)
    known = _RESULT_FORMATS.get(id(columns))
    if known is None or known.columns is not columns or known.formats != formats:
        known = ResultFormat(columns, formats)
        if len(_RESULT_FORMATS) >= RESULT_FORMATS_MAX:
            del _RESULT_FORMATS[next(iter(_RESULT_FORMATS))]
        _RESULT_FORMATS[id(columns)] = known
    return known


RESULT_FORMATS_MAX = 1024
_RESULT_FORMATS: dict[int, ResultFormat] = {}
