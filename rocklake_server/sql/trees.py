"""sqlglot's parser, whose own faults are as good as syntax errors: it fails in many ways at texts that are no SQL."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.dialects.postgres import Postgres
from sqlglot.errors import ParseError, TokenError

_POSTGRES = Postgres()
_CALLED_BY_NAME = (
    "ACOS", "AGE", "ARRAY_APPEND", "ARRAY_CAT", "ARRAY_CONCAT", "ARRAY_LENGTH", "ARRAY_LOWER", "ARRAY_NDIMS",
    "ARRAY_POSITION", "ARRAY_PREPEND", "ARRAY_REMOVE", "ARRAY_SIZE", "ARRAY_UPPER", "ASCII", "ASIN", "ATAN",
    "BIT_AND", "BIT_LENGTH", "BIT_OR", "BIT_XOR", "CARDINALITY", "CBRT", "CHARACTER_LENGTH", "CHAR_LENGTH", "CHR",
    "CONVERT_FROM", "COS", "DATE_BIN", "DATE_PART", "DATE_TRUNC", "DECODE", "DEGREES", "DIV", "ENCODE", "EXP",
    "FORMAT", "GCD", "JSONB_AGG", "JSONB_OBJECT_AGG", "JSON_AGG", "JSON_EXTRACT_PATH", "JSON_EXTRACT_PATH_TEXT",
    "JSON_OBJECT_AGG", "JUSTIFY_DAYS", "JUSTIFY_HOURS", "LCM", "LN", "LOG", "LOG10", "LPAD", "MAKE_DATE",
    "MAKE_TIME", "MAKE_TIMESTAMP", "MOD", "PI", "POW", "POWER", "RADIANS", "REGEXP_COUNT", "REGEXP_LIKE",
    "REGEXP_MATCH", "REGEXP_REPLACE", "REGEXP_SPLIT_TO_ARRAY", "REPEAT", "REVERSE", "RPAD", "SHA224", "SHA256",
    "SHA384", "SHA512", "SIN", "SQRT", "STDDEV", "STDDEV_POP", "STDDEV_SAMP", "STRING_TO_ARRAY", "STRPOS",
    "SUBSTR", "TAN", "TIMEZONE", "TO_CHAR", "TO_DATE", "TO_HEX", "TO_TIMESTAMP", "TRANSLATE", "TRUNC", "VARIANCE",
    "VAR_POP", "VAR_SAMP", "WIDTH_BUCKET",
)
"""Functions that the parser would give classes of their own, and lose their names, arguments or formats by it."""

for _name in _CALLED_BY_NAME:
    Postgres.Parser.FUNCTIONS.pop(_name, None)
    Postgres.Parser.FUNCTION_PARSERS.pop(_name, None)
_FAULTS = (TypeError, AttributeError, ValueError, LookupError, AssertionError, NotImplementedError)


class NotParsed(Exception):
    """The text is no statement; ``where`` is what sqlglot says of the place, if it does."""

    def __init__(self, where: dict[str, object], *, ends_inside: bool = False) -> None:
        super().__init__()
        self.where = where
        self.ends_inside = ends_inside
        """A string, identifier or comment has no end."""


def parsed_trees(text: str) -> list[exp.Expr | None]:
    """The trees of a text's statements. Raises NotParsed, RecursionError."""
    try:
        return list(_POSTGRES.parse(text))
    except ParseError as error:
        raise NotParsed(dict(error.errors[0]) if error.errors else {}) from error
    except TokenError as error:
        raise NotParsed({}, ends_inside=True) from error
    except _FAULTS as error:
        raise NotParsed({}) from error
