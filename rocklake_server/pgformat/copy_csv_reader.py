"""COPY FROM in CSV format (PostgreSQL manual, COPY, CSV Format): rows from a stream that is cut anywhere.

A line ends outside of quotes. The first one decides whether lines end in LF, CR LF or CR; the others must agree.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from rocklake_server.errors import BadCopyFileFormat, ProgramLimitExceeded
from rocklake_server.limits import MESSAGE_BYTES_MAX
from rocklake_server.pgformat.copy_csv import DEFAULT_CSV, END_OF_DATA
from rocklake_server.pgformat.copy_format import CsvFormat, Header, check_header, check_width
from rocklake_server.pgformat.csv_fields import CsvFields
from rocklake_server.pgformat.strings import decode_utf8
from rocklake_server.pgformat.text import text_decoder
from rocklake_server.schema.types import ColumnType

_END_OF_DATA = END_OF_DATA.encode()


class CsvCopyReader:
    """Rows from the payloads of CopyData messages. After an error the reader must not be used again.

    ``names`` are the columns' names, for the header and errors.
    """

    def __init__(
        self, types: Sequence[ColumnType], names: Sequence[str], options: CsvFormat = DEFAULT_CSV
    ) -> None:
        self._decoders = [text_decoder(column_type) for column_type in types]
        self._names = names
        self._options = options
        self._header = options.header
        self._forced = [
            number for number in range(len(types)) if number in options.force_null | options.force_not_null
        ]
        self._fields = CsvFields(options)
        self._quote, self._escape = options.quote.encode(), options.escape.encode()
        self._marks = re.compile(b"[%s%s\r\n]" % (re.escape(self._quote), re.escape(self._escape)))
        # What lines end with, whether after a CR, and the other of CR and LF, which must stand in quotes. Empty before
        # the first line has ended.
        self._newline = b""
        self._crlf = False
        self._stray = ""
        # The pieces of a line that has not ended yet, and whether they end within quotes, or in an escape there.
        self._pending: list[bytes] = []
        self._pending_bytes = 0
        self._quoted = False
        self._escaped = False
        self._ended = False

    def feed(self, data: bytes) -> list[tuple[Any, ...]]:
        """The rows completed by ``data``. Raises 22P04, 22021, 54000 for a line that is too long, and what the types'
        decoders raise. What follows the end-of-data marker is passed over."""
        rows: list[tuple[Any, ...]] = []
        if not self._newline:
            after = self._first_line(data, rows)
            if after is None:
                return rows
            data = after
        *lines, rest = data.split(self._newline)
        for line in lines:
            if self._ended:
                return rows
            if self._pending or self._quote in line:
                self._line_end(line, rows)
            else:
                self._line(self._without_return(line), rows)
        if rest and not self._ended:
            self._keep(rest)
            self._pass_over(rest)
        return rows

    def finish(self) -> list[tuple[Any, ...]]:
        """The row of a last line without a newline, if there is one."""
        rows: list[tuple[Any, ...]] = []
        returned = self._ends_in_return()
        line = self._take()
        if returned:
            self._line(line[:-1], rows)
        elif not self._ended and (line or self._header is Header.MATCH):
            self._content(line, rows)
        return rows

    def _ends_in_return(self) -> bool:
        """Whether what is pending is a first line and the CR that ends it, alone or with what comes next."""
        return not self._newline and self._pending[-1:] == [b"\r"] and not self._quoted

    def _first_line(self, data: bytes, rows: list[tuple[Any, ...]]) -> bytes | None:
        """Find out what lines end with. Returns what follows the first line; ``None`` before it has ended."""
        if self._ends_in_return():
            self._pending.pop()
            data = b"\r" + data
        end = self._pass_over(data, stops=True)
        self._keep(data[:end])
        if end == len(data):
            return None
        if data[end:] == b"\r":
            self._pending.append(b"\r")  # what follows it decides
            return None
        self._crlf = data.startswith(b"\r\n", end)
        self._newline = b"\n" if self._crlf else data[end : end + 1]
        self._stray = "\n" if self._newline == b"\r" else "\r"
        self._line(self._take(), rows)
        return data[end + 1 + self._crlf :]

    def _pass_over(self, piece: bytes, *, stops: bool = False) -> int:
        """Note whether ``piece`` ends within quotes. Returns its length, or where outside of them a line ends in it, if
        it ``stops`` there."""
        if not stops and self._quote == self._escape:
            if piece.count(self._quote) % 2:
                self._quoted = not self._quoted
            return len(piece)
        after = 0
        for match in self._marks.finditer(piece):
            mark = match[0]
            if match.start() != after:
                self._escaped = False
            after = match.end()
            if mark == self._quote:
                if not self._escaped:
                    self._quoted = not self._quoted
                self._escaped = False
            elif mark == self._escape:
                self._escaped = self._quoted and not self._escaped
            else:
                self._escaped = False
                if stops and not self._quoted:
                    return match.start()
        self._escaped = self._escaped and after == len(piece)
        return len(piece)

    def _keep(self, piece: bytes) -> None:
        self._pending.append(piece)
        self._pending_bytes += len(piece)
        if self._pending_bytes > MESSAGE_BYTES_MAX:
            raise ProgramLimitExceeded(f"a line of COPY data is longer than {MESSAGE_BYTES_MAX} bytes")

    def _line_end(self, piece: bytes, rows: list[tuple[Any, ...]]) -> None:
        """``piece`` is what comes before a newline, which belongs to the value if it is in quotes."""
        self._keep(piece)
        self._pass_over(piece)
        if self._quoted:
            self._keep(self._newline)
            self._escaped = False
            return
        self._line(self._without_return(self._take()), rows)

    def _take(self) -> bytes:
        line = b"".join(self._pending)
        self._pending, self._pending_bytes = [], 0
        self._quoted = self._escaped = False
        return line

    def _without_return(self, line: bytes) -> bytes:
        if not self._crlf:
            return line
        if not line.endswith(b"\r"):
            raise BadCopyFileFormat(
                "unquoted newline found in data", hint="Use quoted CSV field to represent newline."
            )
        return line[:-1]

    def _line(self, line: bytes, rows: list[tuple[Any, ...]]) -> None:
        """A line that ended."""
        if line == _END_OF_DATA:
            self._ended = True
            if self._header is Header.MATCH:
                self._content(b"", rows)
            return
        if not self._crlf and self._stray and line.startswith(_END_OF_DATA + self._stray.encode()):
            raise BadCopyFileFormat("end-of-copy marker does not match previous newline style")
        self._content(line, rows)

    def _content(self, line: bytes, rows: list[tuple[Any, ...]]) -> None:
        header = self._header
        if header is Header.ABSENT:
            rows.append(self._row(line))
            return
        self._header = Header.ABSENT
        text = decode_utf8(line)
        if header is Header.MATCH:
            check_header(self._fields.of(text, self._stray), self._names, self._options.null)

    def _row(self, line: bytes) -> tuple[Any, ...]:
        if not self._decoders and not line:
            return ()
        fields = self._fields.of(decode_utf8(line), self._stray)
        if len(fields) > len(self._decoders):
            check_width(len(fields), self._names)
        null = self._options.null
        for number in self._forced:
            if number >= len(fields):
                break
            if fields[number] is None and number in self._options.force_not_null:
                fields[number] = null
            elif fields[number] == null and number in self._options.force_null:
                fields[number] = None
        row = tuple([
            None if field is None else decode(field)
            for field, decode in zip(fields, self._decoders, strict=False)
        ])
        if len(row) < len(self._decoders):
            check_width(len(row), self._names)
        return row
