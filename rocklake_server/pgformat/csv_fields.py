"""The fields of one line of CSV."""

from __future__ import annotations

import re

from rocklake_server.errors import BadCopyFileFormat
from rocklake_server.pgformat.copy_format import CsvFormat


class CsvFields:
    """Takes lines apart. A field may be quoted in part; one that is the NULL marker without quotes is NULL.

    Everything is found by searching from where the last thing was: the time is that of the line's length.
    """

    def __init__(self, options: CsvFormat) -> None:
        self._delimiter, self._quote, self._escape = options.delimiter, options.quote, options.escape
        self._null = options.null
        quote, escape = re.escape(options.quote), re.escape(options.escape)
        self._mark = re.compile(f"[{quote}{escape}]")
        self._escapes = re.compile(f"{escape}([{quote}{escape}])")

    def of(self, line: str, stray: str) -> list[str | None]:
        """Raises BadCopyFileFormat. ``stray`` is what may not stand outside of quotes, if anything."""
        if stray and stray not in line:
            stray = ""
        if self._quote in line:
            return self._quoted(line, stray)
        if stray:
            raise _stray(stray)
        null = self._null
        return [None if field == null else field for field in line.split(self._delimiter)]

    def _quoted(self, line: str, stray: str) -> list[str | None]:
        fields: list[str | None] = []
        start, end = 0, line.find(self._delimiter)
        while True:
            parts: list[str] = []
            while (opening := line.find(self._quote, start, _stop(line, end))) >= 0:
                closing = self._closing(line, opening + 1)
                parts += (self._plain(line[start:opening], stray), self._unescaped(line[opening + 1 : closing]))
                start = closing + 1
                if 0 <= end < start:
                    end = line.find(self._delimiter, start)
            parts.append(self._plain(line[start : _stop(line, end)], stray))
            field = "".join(parts)
            fields.append(None if len(parts) == 1 and field == self._null else field)
            if end < 0:
                return fields
            start = end + 1
            end = line.find(self._delimiter, start)

    def _closing(self, line: str, start: int) -> int:
        """Where the quotes end that were opened before ``start``."""
        found = self._mark.search(line, start)
        while found is not None:
            after = found.end()
            follows = line[after : after + 1]
            if found[0] == self._escape and follows and follows in (self._quote, self._escape):
                after += 1
            elif found[0] == self._quote:
                return found.start()
            found = self._mark.search(line, after)
        raise BadCopyFileFormat("unterminated CSV quoted field")

    def _unescaped(self, content: str) -> str:
        return self._escapes.sub(r"\1", content) if self._escape in content else content

    def _plain(self, part: str, stray: str) -> str:
        """What stands outside of quotes."""
        if stray and stray in part:
            raise _stray(stray)
        return part


def _stop(line: str, end: int) -> int:
    return len(line) if end < 0 else end


def _stray(character: str) -> BadCopyFileFormat:
    what = "carriage return" if character == "\r" else "newline"
    return BadCopyFileFormat(f"unquoted {what} found in data", hint=f"Use quoted CSV field to represent {what}.")
