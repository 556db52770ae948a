"""The options of COPY's text and CSV formats, and the header line that both may have (PostgreSQL manual, COPY)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from rocklake_server.errors import BadCopyFileFormat


class Header(Enum):
    """PRESENT: a line of names is written, or passed over. MATCH: it is read and must be that of the columns."""

    ABSENT = "false"
    PRESENT = "true"
    MATCH = "match"


@dataclass(frozen=True, slots=True)
class TextFormat:
    """``delimiter`` is one character of one byte."""

    delimiter: str = "\t"
    null: str = "\\N"
    header: Header = Header.ABSENT


@dataclass(frozen=True, slots=True)
class CsvFormat:
    """``delimiter``, ``quote`` and ``escape`` are one character of one byte each. The sets hold places of columns:
    those that are always quoted, those whose NULL marker is a value, and those whose marker is NULL though quoted."""

    delimiter: str = ","
    null: str = ""
    header: Header = Header.ABSENT
    quote: str = '"'
    escape: str = '"'
    force_quote: frozenset[int] = frozenset()
    force_not_null: frozenset[int] = frozenset()
    force_null: frozenset[int] = frozenset()


def check_header(fields: Sequence[str | None], names: Sequence[str], null: str) -> None:
    """Raises BadCopyFileFormat unless ``fields`` are ``names``."""
    if len(fields) != len(names):
        raise BadCopyFileFormat(
            f"wrong number of fields in header line: got {len(fields)}, expected {len(names)}"
        )
    for number, (field, name) in enumerate(zip(fields, names, strict=True), 1):
        if field != name:
            got = f'null value ("{null}")' if field is None else f'"{field}"'
            raise BadCopyFileFormat(
                f'column name mismatch in header line field {number}: got {got}, expected "{name}"'
            )


def check_width(count: int, names: Sequence[str]) -> None:
    """Raises BadCopyFileFormat for another number of fields than there are columns."""
    if count > len(names):
        raise BadCopyFileFormat("extra data after last expected column")
    if count < len(names):
        raise BadCopyFileFormat(f'missing data for column "{names[count]}"')
