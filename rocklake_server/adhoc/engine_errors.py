"""What the embedded engine refuses, as PostgreSQL's errors. Its wording names generated columns and never gets out."""

from __future__ import annotations

import logging
import re

from rocklake_server.errors import (
    CardinalityViolation,
    CatalogError,
    DatetimeOverflow,
    DivisionByZero,
    GroupingProblem,
    InvalidParameterValue,
    NumericOutOfRange,
    OutOfMemory,
    QueryCanceled,
    StatementTooComplex,
    Unsupported,
)

logger = logging.getLogger(__name__)

_INTEGER_NAMES = {"8": "smallint", "16": "smallint", "32": "integer", "64": "bigint"}
_WIDTH = re.compile(r"\bINT(\d+)\b")


def _out_of_range(text: str) -> CatalogError:
    found = _WIDTH.findall(text)
    if "timestamp" in text.lower() or "date" in text.lower():
        return DatetimeOverflow("timestamp out of range")
    return NumericOutOfRange(f"{_INTEGER_NAMES.get(found[-1], 'bigint') if found else 'value'} out of range")


def engine_error(error: Exception) -> CatalogError:
    """The error that a client sees for one that the engine raised."""
    text = str(error)
    if "INTERRUPT" in text or "Interrupted" in text:
        return QueryCanceled("canceling statement due to user request")
    if "division by zero" in text:
        return DivisionByZero("division by zero")
    if "More than one row returned by a subquery" in text:
        return CardinalityViolation("more than one row returned by a subquery used as an expression")
    if "Out of Memory" in text or "could not allocate" in text or "failed to allocate" in text.lower():
        return OutOfMemory("out of memory: the statement needs more than the embedded engine may take",
                           hint="Narrow the rows, or group fewer of them.")
    if "larger than 2^32" in text:
        return OutOfMemory("out of memory: the statement makes a list that is too long")
    if "must appear in the GROUP BY" in text:
        return GroupingProblem("a column must appear in the GROUP BY clause or be used in an aggregate function")
    if "Max expression depth" in text:
        return StatementTooComplex.default()
    if "Out of Range Error" in text or "Conversion Error" in text:
        return _out_of_range(text)
    if "Invalid Input Error" in text and "ntile" in text.lower():
        return InvalidParameterValue("argument of ntile must be greater than zero")
    logger.warning("the embedded engine refused a statement: %s", type(error).__name__)
    logger.debug("its words: %s", text)
    return Unsupported("the embedded engine does not support this statement")
