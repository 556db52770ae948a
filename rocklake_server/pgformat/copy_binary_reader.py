"""COPY ... FROM STDIN (FORMAT binary): a push parser over chunks cut anywhere.

Source: PostgreSQL manual, COPY, Binary Format. Stricter than PostgreSQL in one point: the trailer is required, so
that a stream which ends early is never taken for a shorter one.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

from rocklake_server.errors import BadCopyFileFormat, ProgramLimitExceeded
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

    __slots__ = (
        "_decoders", "_ended", "_extension_bytes", "_needed_bytes", "_pending", "_pending_bytes", "_row_bytes",
        "_started", "_values",
    )

    def __init__(self, types: Sequence[ColumnType]) -> None:
        self._decoders = [binary_decoder(column_type) for column_type in types]
        # Data that completes no field is kept in pieces, and joined once a field can be complete.
        self._pending: list[bytes] = []
        self._pending_bytes = 0
        self._needed_bytes = _HEAD_BYTES
        self._started = False
        self._ended = False
        self._extension_bytes = 0
        self._values: list[Any] | None = None
        self._row_bytes = 0

    def feed(self, data: bytes) -> list[tuple[Any, ...]]:
        """The rows completed by ``data``. Raises 22P04, 22P03, 54000 for a row that is too long, and what the
        types' decoders raise."""
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
        """Append the tuples that are complete; the position of the first byte not consumed."""
        end = len(data)
        while True:
            if self._values is None:
                if position + 2 > end:
                    self._needed_bytes = 2
                    return position
                (count,) = _COUNT.unpack_from(data, position)
                position += 2
                if count == -1:
                    self._ended, self._needed_bytes = True, 1
                    return position
                if count != len(self._decoders):
                    raise BadCopyFileFormat(f"row field count is {count}, expected {len(self._decoders)}")
                self._values, self._row_bytes = [], 0
            position = self._read_fields(self._values, data, position)
            if len(self._values) < len(self._decoders):
                return position
            rows.append(tuple(self._values))
            self._values = None

    def _read_fields(self, values: list[Any], data: bytes, position: int) -> int:
        """Append the fields of one tuple that are complete; the position of the first byte not consumed."""
        end, read_length = len(data), _LENGTH.unpack_from
        start = position
        for decode in self._decoders[len(values) :] if values else self._decoders:
            if position + 4 > end:
                self._needed_bytes = 4
                break
            (length,) = read_length(data, position)
            if length == -1:
                values.append(None)
                position += 4
                continue
            if not 0 <= length <= MESSAGE_BYTES_MAX:
                raise BadCopyFileFormat("invalid field size")
            stop = position + 4 + length
            if stop > end:
                self._needed_bytes = 4 + length
                break
            values.append(decode(data[position + 4 : stop]))
            position = stop
        self._row_bytes += position - start
        if self._row_bytes > MESSAGE_BYTES_MAX:
            raise ProgramLimitExceeded(f"a row of COPY data is longer than {MESSAGE_BYTES_MAX} bytes")
        return position


def read_all(types: Sequence[ColumnType], stream: bytes) -> list[tuple[Any, ...]]:
    """The rows of a complete stream."""
    reader = BinaryCopyReader(types)
    rows = reader.feed(stream)
    reader.finish()
    return rows
