"""Does a result match what a file expects?"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterable, Sequence
from decimal import Decimal, InvalidOperation

from tests.conformance.exchange import shortened
from tests.conformance.printing import INTEGERS, Result

REGEX = "<REGEX>:"
NOT_REGEX = "<!REGEX>:"
RELATIVE_TOLERANCE = 0.01
ABSOLUTE_TOLERANCE = 1e-8
SORTS = {"nosort": "nosort", "sort": "rowsort", "rowsort": "rowsort", "valuesort": "valuesort"}
_HASH = re.compile(r"\d+ values hashing to [0-9a-f]{32}")
_BOOLEANS = {"true": "1", "false": "0"}


class Mismatch(Exception):
    """The result is another than expected; the text says where."""


def is_hash(lines: Sequence[str]) -> bool:
    """Whether a file expects a number of values and their digest instead of the values."""
    return len(lines) == 1 and _HASH.fullmatch(lines[0]) is not None


def digest(values: Sequence[str]) -> str:
    """Number of values and MD5 of the values, a line end after each: the form in which files write them."""
    text = "".join(value + "\n" for value in values)
    return f"{len(values)} values hashing to {hashlib.md5(text.encode('utf-8', 'surrogateescape')).hexdigest()}"


def sorted_values(rows: Iterable[Sequence[str]], sort: str) -> list[str]:
    """The values of rows in order, under a mode of ``SORTS``: rows sorted, all values sorted, or as they came."""
    ordered = sorted(map(tuple, rows)) if sort == "rowsort" else list(map(tuple, rows))
    values = [value for row in ordered for value in row]
    return sorted(values) if sort == "valuesort" else values


def expected_rows(lines: Sequence[str], columns: int, row_count: int) -> list[list[str]]:
    """Expected lines as rows: a row a line with tabs between the values, or a value a line. Raises Mismatch."""
    if columns == 1:
        return [[line] for line in lines]
    if len(lines) == row_count or all("\t" in line for line in lines):
        rows = [line.split("\t") for line in lines]
        if any(len(row) != columns for row in rows):
            raise Mismatch("a row of the expected result has another number of columns")
        return rows
    if len(lines) % columns:
        raise Mismatch(f"{len(lines)} expected values do not make rows of {columns}")
    return [list(lines[start : start + columns]) for start in range(0, len(lines), columns)]


def compare(result: Result, lines: Sequence[str], sort: str) -> None:
    """Raises Mismatch for the first value that differs, or for another number of rows."""
    columns = len(result.types)
    wanted = expected_rows(lines, columns, len(result.rows))
    if len(wanted) != len(result.rows):
        raise Mismatch(f"{len(result.rows)} rows instead of {len(wanted)}")
    pairs = zip(sorted_values(result.rows, sort), sorted_values(wanted, sort), strict=True)
    for index, (got, want) in enumerate(pairs):
        row, column = divmod(index, columns)
        if not values_match(got, want, result.types[column]):
            place = f"row {row + 1} column {column + 1}"
            raise Mismatch(f"{place}: {shortened(got)} instead of {shortened(want)}")


def text_matches(got: str, want: str) -> bool:
    """Whether a text is the expected one, or fits the pattern that is expected instead of a text."""
    if want.startswith(REGEX):
        return re.fullmatch(want.removeprefix(REGEX), got, re.DOTALL) is not None
    if want.startswith(NOT_REGEX):
        return re.fullmatch(want.removeprefix(NOT_REGEX), got, re.DOTALL) is None
    return got == want


def values_match(got: str, want: str, type_name: str) -> bool:
    """Whether a printed value is the expected one; numbers by value, floating-point ones within a tolerance."""
    if text_matches(got, want):
        return True
    if want.startswith((REGEX, NOT_REGEX)):
        return False
    if type_name == "BOOLEAN":
        return _BOOLEANS.get(got.lower(), got) == _BOOLEANS.get(want.lower(), want)
    if "NULL" in (got, want):
        return False
    try:
        if type_name in ("FLOAT", "DOUBLE"):
            return _floats_match(float(got), float(want))
        if type_name in INTEGERS or type_name.startswith("DECIMAL"):
            return Decimal(got) == Decimal(want)
    except (ValueError, InvalidOperation):
        pass  # one of them is no number, so they differ
    return False


def _floats_match(got: float, want: float) -> bool:
    if math.isnan(got) or math.isnan(want):
        return math.isnan(got) and math.isnan(want)
    if math.isinf(got) or math.isinf(want):
        return got == want
    return abs(got - want) <= abs(want) * RELATIVE_TOLERANCE + ABSOLUTE_TOLERANCE
