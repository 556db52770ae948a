"""A fast reader for long VALUES lists: one compiled pattern per row shape instead of a parser.

The first row proves the shape: which kind of literal each column holds (NULL goes with every kind). The pattern for
that shape is matched row after row; matches must follow each other without a gap. A row of another shape widens the
shape and reading goes on from there; a row outside the grammar raises ValuesUnfit, and the caller reads the
statement with ``parse.parse_tree`` instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import TypeAlias

from rocklake_server.errors import CatalogError
from rocklake_server.sql.cursor import Cursor
from rocklake_server.sql.lexer import MANY, STRING, TokenKind
from rocklake_server.sql.names import QualifiedName

SLICE_ROWS_MAX = 4000
"""Rows of one slice: about 8 ms of reading at 16 columns."""

SLICE_CHARACTERS = 1 << 19
"""How far ahead rows are taken apart at once."""

_PLAIN_GAPS = {",", ", "}
_COMMA = re.compile(r"\s*+,\s*+")

_Run: TypeAlias = "tuple[list[list[str]], int]"
"""Cells by column, and where the last row ends."""


class FieldKind(Enum):
    """How every value of a column of a slice is written. NULLs are ``None`` whatever the kind.

    STRING: decoded text of a string literal. NUMBER: the number's text, sign joined (``-122.4``). BOOL: Python
    bool. NOW: the cell is ``"now"``. NULL: the whole column is None. CAST: decoded texts of string literals under one
    type (``type_name``, upper-cased, single spaces). MIXED: cells are ``Cell`` or None.
    """

    STRING = "string"
    NUMBER = "number"
    BOOL = "bool"
    NOW = "now"
    NULL = "null"
    CAST = "cast"
    MIXED = "mixed"


@dataclass(frozen=True, slots=True)
class Cell:
    """One value of a MIXED column; a BOOL's text is ``true`` or ``false``."""

    kind: FieldKind
    text: str
    type_name: str | None = None


CellValue: TypeAlias = "str | bool | Cell | None"


@dataclass(frozen=True, slots=True)
class ValuesColumn:
    """One column of a slice: ``cells`` in row order."""

    kind: FieldKind
    cells: list[CellValue]
    type_name: str | None = None


@dataclass(frozen=True, slots=True)
class ValuesSlice:
    """At most ``SLICE_ROWS_MAX`` rows, column-major."""

    count: int
    columns: tuple[ValuesColumn, ...]


class ValuesUnfit(Exception):
    """The list is not in the reader's grammar: discard what was read and parse the statement with parse_tree."""


@dataclass(frozen=True, slots=True)
class InsertValues:
    """``INSERT INTO target [(columns)] VALUES rows``; the rows are read by ``slices``."""

    target: QualifiedName
    columns: tuple[str, ...] | None
    width: int
    text: str
    start: int

    def slices(self) -> Iterator[ValuesSlice]:
        """The rows, slice by slice, each read when asked for. Raises ValuesUnfit when a row has another form."""
        return _slices(self.text, self.start, len(self.text))


@dataclass(frozen=True, slots=True)
class CteValues:
    """``WITH name(columns) AS (VALUES rows) rest``: ``rest_start`` is the index of the statement after the CTE."""

    name: str
    columns: tuple[str, ...]
    width: int
    text: str
    start: int
    end: int
    rest_start: int

    def slices(self) -> Iterator[ValuesSlice]:
        """As InsertValues.slices."""
        return _slices(self.text, self.start, self.end)


_NUMBER = r"[-+]?\s*+(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][-+]?\d++)?"
_NULL = "NULL|null"
_SIMPLE = {
    FieldKind.STRING: STRING,
    FieldKind.NUMBER: _NUMBER,
    FieldKind.BOOL: "true|false|TRUE|FALSE",
    FieldKind.NOW: r"(?:NOW|now)\(\)",
}
_TYPE = rf"[A-Za-z_]\w*+(?:\s++[A-Za-z_]\w*+){MANY}(?:\s*+\(\s*+\d++\s*+(?:,\s*+\d++\s*+)?\))?"
_CAST = re.compile(rf"(?i:CAST)\s*+\(\s*+{STRING}\s++(?i:AS)\s++({_TYPE})\s*+\)|{STRING}\s*+::\s*+({_TYPE})")
_FIELD_END = r"(?=\s*+[,)])"
_FIELDS = [(kind, re.compile(f"(?:{pattern}){_FIELD_END}")) for kind, pattern in _SIMPLE.items()]
_NULL_FIELD = re.compile(rf"(?:{_NULL}){_FIELD_END}")
_BLANKS = re.compile(r"\s*+")

_Kind: TypeAlias = "tuple[FieldKind, str | None]"
_Shape: TypeAlias = "tuple[frozenset[_Kind], ...]"


def read_insert_values(text: str) -> InsertValues | None:
    """The head of an INSERT .. VALUES without further clauses, or ``None`` when it is anything else."""
    try:
        cursor = Cursor(text)
        if not cursor.take("INSERT", "INTO"):
            return None
        target = cursor.qualified_name()
        columns = cursor.column_list() if cursor.at("(") else None
        if not cursor.take("VALUES") or not cursor.at("("):
            return None
        start = cursor.token.start
        width = len(_row_shape(text, start, len(text)))
    except (CatalogError, ValuesUnfit):
        return None
    return InsertValues(target, columns, width, text, start)


def read_cte_values(text: str) -> CteValues | None:
    """The head of a statement with one VALUES CTE, or ``None`` when it is anything else."""
    try:
        cursor = Cursor(text)
        if not cursor.take("WITH") or cursor.at("RECURSIVE"):
            return None
        name = cursor.name()
        columns = cursor.column_list()
        if not cursor.take("AS") or not cursor.at("("):
            return None
        inside = Cursor(text, cursor.token.end)
        if not inside.take("VALUES") or not inside.at("("):
            return None
        body, body_start = cursor.parenthesised()
        if cursor.token.kind is not TokenKind.WORD:
            return None
        start, end = inside.token.start, body_start + len(body)
        width = len(_row_shape(text, start, end))
    except (CatalogError, ValuesUnfit):
        return None
    return CteValues(name, columns, width, text, start, end, cursor.token.start)


def _row_shape(text: str, position: int, end: int) -> _Shape:
    """The kinds of the fields of the row at ``position``. Raises ValuesUnfit."""
    shape: list[frozenset[_Kind]] = []
    while True:
        position = _after_blanks(text, position + 1)
        kind, position = _field(text, position, end)
        shape.append(frozenset() if kind is None else frozenset((kind,)))
        position = _after_blanks(text, position)
        if text[position] == ")":
            return tuple(shape)


def _after_blanks(text: str, position: int) -> int:
    match = _BLANKS.match(text, position)
    return position if match is None else match.end()


def _field(text: str, position: int, end: int) -> tuple[_Kind | None, int]:
    null = _NULL_FIELD.match(text, position, end)
    if null is not None:
        return None, null.end()
    for kind, pattern in _FIELDS:
        match = pattern.match(text, position, end)
        if match is not None:
            return (kind, None), match.end()
    match = _CAST.match(text, position, end)
    if match is None or _after_blanks(text, match.end()) >= end or text[_after_blanks(text, match.end())] not in ",)":
        raise ValuesUnfit("a field that is no literal")
    return (FieldKind.CAST, match[1] or match[2]), match.end()


@lru_cache(maxsize=128)
def _row_pattern(shape: _Shape) -> re.Pattern[str]:
    """One group per column."""
    fields = r"\s*+,\s*+".join(_column_pattern(kinds) for kinds in shape)
    return re.compile(rf"\(\s*+{fields}\s*+\)")


def _column_pattern(kinds: frozenset[_Kind]) -> str:
    choices: list[str] = []
    for kind, type_name in sorted(kinds, key=lambda kind: (kind[0] is not FieldKind.CAST, kind[0].value)):
        if type_name is None:
            choices.append(_SIMPLE[kind])
            continue
        written = r"\s++".join(map(re.escape, type_name.split()))
        choices.append(rf"(?i:CAST)\s*+\(\s*+{STRING}\s++(?i:AS)\s++{written}\s*+\)")
        choices.append(rf"{STRING}\s*+::\s*+{written}(?!\w)")
    return f"({'|'.join((*choices, _NULL))})"


def _slices(text: str, position: int, end: int) -> Iterator[ValuesSlice]:
    shape = _row_shape(text, position, end)
    while True:
        run = _plain_run(_row_pattern(shape), text, position, end) or _run(_row_pattern(shape), text, position, end)
        if run is None:
            shape = _widened(shape, text, position, end)
            continue
        columns, position = run
        yield ValuesSlice(len(columns[0]), tuple(map(_column, columns, shape)))
        comma = _COMMA.match(text, position, end)
        if comma is None:
            break
        position = comma.end()
    if _after_blanks(text, position) < end:
        raise ValuesUnfit("text after the rows")


def _plain_run(pattern: re.Pattern[str], text: str, position: int, end: int) -> _Run | None:
    """The rows at ``position``, if all that is between them is commas: they are taken apart in one call. What follows
    the last one may be a row of another shape, or cut off."""
    window = text[position : min(end, position + SLICE_CHARACTERS)]
    pieces = pattern.split(window, SLICE_ROWS_MAX)
    width = pattern.groups + 1
    gaps = pieces[::width]
    if len(gaps) == 1 or gaps[0] or not {*gaps[1:-1]} <= _PLAIN_GAPS:
        return None
    return [pieces[column::width] for column in range(1, width)], position + len(window) - len(gaps[-1])


def _run(pattern: re.Pattern[str], text: str, position: int, end: int) -> _Run | None:
    """The rows at ``position`` with a comma and blanks between them; ``None`` when there is none of this shape."""
    rows: list[tuple[str, ...]] = []
    for _ in range(SLICE_ROWS_MAX):
        comma = _COMMA.match(text, position, end) if rows else None
        match = pattern.match(text, position if comma is None else comma.end(), end)
        if match is None or (rows and comma is None):
            break
        rows.append(match.groups())
        position = match.end()
    return ([list(column) for column in zip(*rows, strict=True)], position) if rows else None


def _widened(shape: _Shape, text: str, position: int, end: int) -> _Shape:
    """The shape that the row at ``position`` has, too. Raises ValuesUnfit when that changes nothing."""
    if not text.startswith("(", position):
        raise ValuesUnfit("not a row")
    row = _row_shape(text, position, end)
    if len(row) != len(shape):
        raise ValuesUnfit("VALUES lists must all be the same length")
    wider = tuple(known | found for known, found in zip(shape, row, strict=True))
    if wider == shape:
        raise ValuesUnfit("a row that does not match its own shape")
    return wider


def _column(cells: list[str], kinds: frozenset[_Kind]) -> ValuesColumn:
    if not kinds:
        return ValuesColumn(FieldKind.NULL, [None] * len(cells))
    if len(kinds) > 1:
        return ValuesColumn(FieldKind.MIXED, [_cell(cell) for cell in cells])
    ((kind, type_name),) = kinds
    values: list[CellValue]
    written = " ".join(cells)
    has_null = "NULL" in written or "null" in written
    if kind is FieldKind.NUMBER:
        values = [None if cell in ("NULL", "null") else cell for cell in cells] if has_null else [*cells]
        if "-" in written or "+" in written:
            values = [_number(cell) if isinstance(cell, str) else None for cell in values]
    elif kind is FieldKind.STRING:
        values = [cell[1:-1] if cell[0] == "'" else None for cell in cells]
        if "''" in written:
            values = [cell.replace("''", "'") if isinstance(cell, str) else None for cell in values]
    elif kind is FieldKind.CAST:
        values = [_quoted(cell) if "'" in cell else None for cell in cells]
    elif kind is FieldKind.BOOL:
        values = [None if cell in ("NULL", "null") else cell in ("true", "TRUE") for cell in cells]
    else:
        values = [None if cell in ("NULL", "null") else "now" for cell in cells]
    return ValuesColumn(kind, values, None if type_name is None else _type_name(type_name))


def _number(cell: str) -> str:
    sign = "-" if cell[0] == "-" else ""
    return sign + cell.lstrip("+-").lstrip()


def _quoted(cell: str) -> str:
    return cell[cell.index("'") + 1:cell.rindex("'")].replace("''", "'")


def _type_name(written: str) -> str:
    return " ".join(written.upper().split())


def _cell(cell: str) -> Cell | None:
    if cell in ("NULL", "null"):
        return None
    found = _CAST.fullmatch(cell)
    if found is not None:
        return Cell(FieldKind.CAST, _quoted(cell), _type_name(found[1] or found[2]))
    if cell[0] == "'":
        return Cell(FieldKind.STRING, _quoted(cell))
    if cell.lower() in ("true", "false"):
        return Cell(FieldKind.BOOL, cell.lower())
    if cell.lower() == "now()":
        return Cell(FieldKind.NOW, "now")
    return Cell(FieldKind.NUMBER, _number(cell))
