"""COPY in text format, both directions (PostgreSQL manual, COPY, Text Format).

One row a line; fields are separated by a delimiter; a field whose raw text is the NULL marker is NULL. DuckDB's
marker is one raw backspace byte.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from rocklake_server.errors import BadCopyFileFormat, ProgramLimitExceeded
from rocklake_server.limits import MESSAGE_BYTES_MAX
from rocklake_server.pgformat.copy_format import Header, TextFormat, check_header, check_width
from rocklake_server.pgformat.strings import decode_utf8
from rocklake_server.pgformat.text import session_text_decoder, session_text_encoder
from rocklake_server.schema.types import ColumnType

_SINGLE = {b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v"}
_ESCAPE = re.compile(rb"\\(?:([0-7]{1,3})|x([0-9A-Fa-f]{1,2})|(.)|$)", re.DOTALL)
_OUTPUT_ESCAPES = {"\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\v": "\\v", "\\": "\\\\"}


DEFAULT_FORMAT = TextFormat()


def text_row_encoder(
    types: Sequence[ColumnType], options: TextFormat = DEFAULT_FORMAT
) -> Callable[[Iterable[Any]], bytes]:
    """The function from a row to its line, newline included."""
    encoders = [session_text_encoder(column_type) for column_type in types]
    delimiter, null = options.delimiter, options.null
    escapes = str.maketrans({**_OUTPUT_ESCAPES, delimiter: _OUTPUT_ESCAPES.get(delimiter, "\\" + delimiter)})

    def encode(row: Iterable[Any]) -> bytes:
        fields = [
            null if value is None else render(value).translate(escapes)
            for render, value in zip(encoders, row, strict=True)
        ]
        return (delimiter.join(fields) + "\n").encode()

    return encode


def header_line(names: Iterable[str], options: TextFormat = DEFAULT_FORMAT) -> bytes:
    """The line of column names, newline included."""
    delimiter = options.delimiter
    escapes = str.maketrans({**_OUTPUT_ESCAPES, delimiter: _OUTPUT_ESCAPES.get(delimiter, "\\" + delimiter)})
    return (delimiter.join([name.translate(escapes) for name in names]) + "\n").encode()


def _unescape(match: re.Match[bytes]) -> bytes:
    octal, hexadecimal, single = match.groups()
    if octal is not None:
        return bytes((int(octal, 8) & 0xFF,))
    if hexadecimal is not None:
        return bytes((int(hexadecimal, 16),))
    return _SINGLE.get(single, single) if single is not None else b""


class TextCopyReader:
    """Rows from the payloads of CopyData messages. After an error the reader must not be used again.

    ``names`` are the columns' names, for errors.
    """

    __slots__ = (
        "_crlf", "_decoders", "_delimiter", "_ended", "_header", "_names", "_null", "_pending", "_pending_bytes",
        "_split",
    )

    def __init__(
        self, types: Sequence[ColumnType], names: Sequence[str], options: TextFormat = DEFAULT_FORMAT
    ) -> None:
        if len(types) != len(names):
            raise ValueError("a column needs a name")
        self._decoders = [session_text_decoder(column_type) for column_type in types]
        self._names = names
        self._delimiter = options.delimiter.encode()
        self._null = options.null.encode()
        self._header = options.header
        self._split = re.compile(rb"(?:\\.|[^\\%s]+)*" % re.escape(self._delimiter), re.DOTALL)
        # The pieces of a line that has not ended yet.
        self._pending: list[bytes] = []
        self._pending_bytes = 0
        self._crlf: bool | None = None
        self._ended = False

    def feed(self, data: bytes) -> list[tuple[Any, ...]]:
        """The rows completed by ``data``. Raises 22P04, 22021, 54000 for a line that is too long, and what the types'
        decoders raise."""
        *lines, rest = data.split(b"\n")
        rows: list[tuple[Any, ...]] = []
        for line in lines:
            if not self._pending and not line.endswith(b"\\"):
                self._line(line, rows)
            else:
                self._line_end(line, rows)
        if rest:
            self._keep(rest)
            if self._ended:
                raise BadCopyFileFormat("received copy data after EOF marker")
        return rows

    def _keep(self, piece: bytes) -> None:
        self._pending.append(piece)
        self._pending_bytes += len(piece)
        if self._pending_bytes > MESSAGE_BYTES_MAX:
            raise ProgramLimitExceeded(f"a line of COPY data is longer than {MESSAGE_BYTES_MAX} bytes")

    def _line_end(self, piece: bytes, rows: list[tuple[Any, ...]]) -> None:
        """``piece`` is what comes before a newline, which belongs to the value if it is escaped."""
        self._keep(piece)
        if self._is_escaped():
            self._keep(b"\n")
            return
        self._line(self._take(), rows)

    def _is_escaped(self) -> bool:
        """Whether an odd number of backslashes ends what is pending."""
        count = 0
        for piece in reversed(self._pending):
            left = piece.rstrip(b"\\")
            count += len(piece) - len(left)
            if left:
                break
        return count % 2 == 1

    def _take(self) -> bytes:
        line = b"".join(self._pending)
        self._pending, self._pending_bytes = [], 0
        return line

    def finish(self) -> list[tuple[Any, ...]]:
        """The row of a last line without a newline, if there is one."""
        rows: list[tuple[Any, ...]] = []
        line = self._take()
        if line or (self._header is Header.MATCH and not self._ended):
            if self._crlf and not line.endswith(b"\r"):
                line += b"\r"
            self._line(line, rows)
        return rows

    def _line(self, line: bytes, rows: list[tuple[Any, ...]]) -> None:
        if self._ended:
            raise BadCopyFileFormat("received copy data after EOF marker")
        line = self._without_return(line)
        if line == b"\\.":
            self._ended = True
            self._pass_header(b"")
        elif self._header is Header.ABSENT:
            rows.append(self._row(line))
        else:
            self._pass_header(line)

    def _pass_header(self, line: bytes) -> None:
        matched = self._header is Header.MATCH
        self._header = Header.ABSENT
        if matched:
            fields = self._raw_fields(line)
            values = [None if field == self._null else decode_utf8(_value(field)) for field in fields]
            check_header(values, self._names, self._null.decode())

    def _without_return(self, line: bytes) -> bytes:
        """The first line decides whether lines end in CR LF or LF; the rest must agree."""
        ends_in_return = line.endswith(b"\r") and not _ends_escaped(line[:-1])
        if self._crlf is None:
            self._crlf = ends_in_return
        if self._crlf:
            if not ends_in_return:
                raise BadCopyFileFormat("literal newline found in data", hint='Use "\\n" to represent newline.')
            line = line[:-1]
        if b"\r" in line and re.search(rb"(?<!\\)(?:\\\\)*\r", line):
            hint = 'Use "\\r" to represent carriage return.'
            raise BadCopyFileFormat("literal carriage return found in data", hint=hint)
        return line

    def _row(self, line: bytes) -> tuple[Any, ...]:
        fields = self._raw_fields(line)
        if len(fields) > len(self._decoders):
            if not self._decoders and fields == [b""]:
                return ()
            check_width(len(fields), self._names)
        null = self._null
        row = tuple([
            None if field == null else decode(decode_utf8(_value(field)))
            for field, decode in zip(fields, self._decoders, strict=False)
        ])
        if len(row) < len(self._decoders):
            check_width(len(row), self._names)
        return row

    def _raw_fields(self, line: bytes) -> list[bytes]:
        return line.split(self._delimiter) if b"\\" not in line else self._escaped_fields(line)

    def _escaped_fields(self, line: bytes) -> list[bytes]:
        """The raw fields of a line in which a backslash may escape the delimiter."""
        fields: list[bytes] = []
        position = 0
        while True:
            match = self._split.match(line, position)
            if match is None:
                raise AssertionError("the pattern matches the empty string")
            end = match.end()
            if line.startswith(b"\\", end):  # a lone backslash at the very end
                end += 1
            fields.append(line[position:end])
            if end >= len(line):
                return fields
            position = end + 1


def _value(field: bytes) -> bytes:
    if b"\\" not in field:
        return field
    if field == b"\\.":
        raise BadCopyFileFormat("end-of-copy marker corrupt")
    return _ESCAPE.sub(_unescape, field)


def _ends_escaped(line: bytes) -> bool:
    """Whether an odd number of backslashes ends ``line``."""
    return line.endswith(b"\\") and (len(line) - len(line.rstrip(b"\\"))) % 2 == 1
