"""COPY TO in CSV format (PostgreSQL manual, COPY, CSV Format). Reading it is ``copy_csv_reader``'s."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from rocklake_server.pgformat.copy_format import CsvFormat
from rocklake_server.pgformat.text import text_encoder
from rocklake_server.schema.types import ColumnType

END_OF_DATA = "\\."
"""Alone on a line it would end the data when it is read again."""

DEFAULT_CSV = CsvFormat()


def csv_row_encoder(
    types: Sequence[ColumnType], options: CsvFormat = DEFAULT_CSV
) -> Callable[[Iterable[Any]], bytes]:
    """The function from a row to its line, newline included."""
    encoders = [text_encoder(column_type) for column_type in types]
    places = [_field_writer(options, number in options.force_quote, len(types)) for number in range(len(types))]
    delimiter, null = options.delimiter, options.null

    def encode(row: Iterable[Any]) -> bytes:
        fields = [
            null if value is None else write(render(value))
            for render, write, value in zip(encoders, places, row, strict=True)
        ]
        return (delimiter.join(fields) + "\n").encode()

    return encode


def csv_header_line(names: Sequence[str], options: CsvFormat = DEFAULT_CSV) -> bytes:
    """The line of column names, newline included."""
    write = _field_writer(options, False, len(names))
    return (options.delimiter.join(map(write, names)) + "\n").encode()


def _field_writer(options: CsvFormat, always: bool, columns: int) -> Callable[[str], str]:
    """The function from a value's text to its field, in quotes where it needs them."""
    quote, escape, null = options.quote, options.escape, options.null
    needs_quotes = re.compile(f"[{re.escape(options.delimiter)}{re.escape(quote)}\r\n]").search
    escapes = str.maketrans({quote: escape + quote, escape: escape + escape})
    alone = columns == 1

    def write(text: str) -> str:
        if always or text == null or needs_quotes(text) or (alone and text == END_OF_DATA):
            return f"{quote}{text.translate(escapes)}{quote}"
        return text

    return write
