"""COPY ... FROM STDIN (FORMAT binary): a push parser over chunks cut anywhere.

Source: PostgreSQL manual, COPY, Binary Format. Stricter than PostgreSQL in one point: the trailer is required, so
that a stream which ends early is never taken for a shorter one.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

from rocklake_server.errors import BadCopyFileFormat
from rocklake_server.limits import MESSAGE_BYTES_MAX
from rocklake_server.pgformat.binary import binary_decoder
from rocklake_server.pgformat.copy_binary import SIGNATURE
from rocklake_server.schema.types import ColumnType

_HEAD_BYTES = len(SIGNATURE) + 8
_FLAG_OIDS = 1 << 16
_CRITICAL_FLAGS = 0xFFFF_0000
_COUNT = struct.Struct("!h")
_LENGTH = struct.Struct("!i")
_WORDS = struct.Struct("!II")


class BinaryCopyReader:
    """Rows from the payloads of CopyData messages. After an error the reader must not be used again."""

    __slots__ = ("_decoders", "_ended", "_extension_bytes", "_needed_bytes", "_pending", "_pending_bytes", "_started")

    def __init__(self, types: Sequence[ColumnType]) -> None:
        self._decoders = [binary_decoder(column_type) for column_type in types]
        # Data that completes no row is kept in pieces, and joined once a row can be complete.
        self._pending: list[bytes] = []
        self._pending_bytes = 0
        self._needed_bytes = _HEAD_BYTES
        self._started = False
        self._ended = False
        self._extension_bytes = 0

    def feed(self, data: bytes) -> list[tuple[Any, ...]]:
        """The rows completed by ``data``. Raises 22P04, 22P03 and what the types' decoders raise."""
        self._pending.append(data)
        self._pending_bytes += len(data)
        if self._pending_bytes < self._needed_bytes:
            return []
        data = b"".join(self._pending)
        position = 0
        if not self._started:
            self._read_header(data)
            position = _HEAD_BYTES
        if self._extension_bytes:
            skipped = min(self._extension_bytes, len(data) - position)
            self._extension_bytes -= skipped
            position += skipped
        rows: list[tuple[Any, ...]] = []
        if not self._ended:
            position = self._read_tuples(data, position, rows)
        if self._ended and position < len(data):
            raise BadCopyFileFormat("received copy data after EOF marker")
        rest = data[position:]
        self._pending, self._pending_bytes = [rest], len(rest)
        return rows

    def finish(self) -> None:
        """The client says that the stream is over. Raises 22P04 unless the trailer was the last thing read."""
        if not self._started:
            if b"".join(self._pending).startswith(SIGNATURE):
                raise BadCopyFileFormat("invalid COPY file header (missing flags)")
            raise BadCopyFileFormat("COPY file signature not recognized")
        if not self._ended:
            raise BadCopyFileFormat("unexpected EOF in COPY data")

    def _read_header(self, data: bytes) -> None:
        if not data.startswith(SIGNATURE):
            raise BadCopyFileFormat("COPY file signature not recognized")
        flags, self._extension_bytes = _WORDS.unpack_from(data, len(SIGNATURE))
        if flags & _FLAG_OIDS:
            raise BadCopyFileFormat("invalid COPY file header (WITH OIDS)")
        if flags & _CRITICAL_FLAGS:
            raise BadCopyFileFormat("unrecognized critical flags in COPY file header")
        if self._extension_bytes > MESSAGE_BYTES_MAX:
            raise BadCopyFileFormat("invalid COPY file header (wrong length)")
        self._started = True

    def _read_tuples(self, data: bytes, position: int, rows: list[tuple[Any, ...]]) -> int:
        """Append the complete tuples from ``position`` on; the position of the first byte not consumed."""
        decoders, expected, end = self._decoders, len(self._decoders), len(data)
        read_count, read_length = _COUNT.unpack_from, _LENGTH.unpack_from
        self._needed_bytes = 1
        while position + 2 <= end:
            (count,) = read_count(data, position)
            if count == -1:
                self._ended = True
                return position + 2
            if count != expected:
                raise BadCopyFileFormat(f"row field count is {count}, expected {expected}")
            at = position + 2
            values: list[Any] = []
            for decode in decoders:
                if at + 4 > end:
                    return position
                (length,) = read_length(data, at)
                at += 4
                if length == -1:
                    values.append(None)
                    continue
                if not 0 <= length <= MESSAGE_BYTES_MAX:
                    raise BadCopyFileFormat("invalid field size")
                if at + length > end:
                    self._needed_bytes = at + length - position
                    return position
                values.append(decode(data[at : at + length]))
                at += length
            rows.append(tuple(values))
            position = at
        return position


def read_all(types: Sequence[ColumnType], stream: bytes) -> list[tuple[Any, ...]]:
    """The rows of a complete stream."""
    reader = BinaryCopyReader(types)
    rows = reader.feed(stream)
    reader.finish()
    return rows
