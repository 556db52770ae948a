"""COPY ... TO STDOUT (FORMAT binary): tuples, and their framing in CopyData messages.

Source: PostgreSQL manual, COPY, Binary Format. Each tuple travels in a CopyData message of its own, since a client
may read only the first tuple of a message; the header joins the first tuple, or the trailer when there is none,
since a client may need more than the header in the first message.

"Framed" bytes are concatenated CopyData messages of bare tuples: they can be cached and joined in any order.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from rocklake_server.pgformat.row_codegen import RowFramer
from rocklake_server.schema.types import BY_OID, ColumnType

SIGNATURE = b"PGCOPY\n\xff\r\n\0"
HEADER = SIGNATURE + bytes(8)
"""19 bytes: signature, no flags, no extension."""
TRAILER = b"\xff\xff"
_FRAME = struct.Struct("!ci")
_FRAME_BYTES = _FRAME.size
TRAILER_MESSAGE = _FRAME.pack(b"d", 4 + len(TRAILER)) + TRAILER
EMPTY_MESSAGE = _FRAME.pack(b"d", 4 + len(HEADER) + len(TRAILER)) + HEADER + TRAILER
"""The whole stream of a result without rows."""

ENCODERS_MAX = 512
"""Encoders kept with their generated code, one per list of types and columns."""

Row = Sequence[Any]


class TupleEncoder:
    """Encodes rows of one list of types. Values must fit their types (see ``coerce``).

    ``columns`` projects: the item of a row that each type shows, None for a constant NULL. Without it rows hold
    the types' values in order, and nothing else.
    """

    __slots__ = ("_framer", "_width")

    def __init__(self, types: Sequence[ColumnType], columns: Sequence[int | None] | None = None) -> None:
        self._width = len(types) if columns is None else None
        self._framer = RowFramer(tuple(types), tuple(range(len(types)) if columns is None else columns))

    def encode(self, row: Row) -> bytes:
        """One tuple without frame: int16 column count, then int32 length and payload of each column."""
        return self.framed((row,))[_FRAME_BYTES:]

    def framed(self, rows: Sequence[Row]) -> bytes:
        """The framed bytes of ``rows``; empty without rows."""
        if self._width is not None and rows and len(rows[0]) != self._width:
            raise ValueError("a row has another number of values than there are types")
        return self._framer.frame(rows)


@lru_cache(maxsize=ENCODERS_MAX)
def _encoder_of(oids: tuple[int, ...], columns: tuple[int | None, ...] | None) -> TupleEncoder:
    return TupleEncoder([BY_OID[oid] for oid in oids], columns)


def tuple_encoder(types: Iterable[ColumnType], columns: Iterable[int | None] | None = None) -> TupleEncoder:
    """The shared encoder of these types and columns; modifiers do not change payloads."""
    oids = tuple([column_type.oid for column_type in types])
    return _encoder_of(oids, None if columns is None else tuple(columns))


def framed_rows(types: Iterable[ColumnType], rows: Sequence[Row]) -> bytes:
    """The framed bytes of ``rows``, to be cached or passed to ``with_header``."""
    return tuple_encoder(types).framed(rows)


def frame(tuples: Iterable[bytes]) -> list[bytes]:
    """The messages of a whole stream from bare tuples, as ``TupleEncoder.encode`` gives them."""
    return with_header([_FRAME.pack(b"d", 4 + len(data)) + data for data in tuples])


def first_message(framed: bytes) -> bytes:
    """Framed bytes with the stream's header in their first message."""
    length = int.from_bytes(framed[1:_FRAME_BYTES], "big")
    return _FRAME.pack(b"d", length + len(HEADER)) + HEADER + framed[_FRAME_BYTES:]


def with_header(framed: Iterable[bytes]) -> list[bytes]:
    """A whole stream from framed parts: the header goes into the first message, the trailer gets its own.

    The result joins to complete messages; a part may be cut into several items.
    """
    parts = [part for part in framed if part]
    if not parts:
        return [EMPTY_MESSAGE]
    return [first_message(parts[0]), *parts[1:], TRAILER_MESSAGE]
