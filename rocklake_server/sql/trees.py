"""sqlglot's parser, whose own faults are as good as syntax errors: it fails in many ways at texts that are no SQL."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, ClassVar

from sqlglot import exp
from sqlglot.dialects.postgres import Postgres
from sqlglot.errors import ParseError, TokenError
from sqlglot.tokenizer_core import Token, TokenType


def _binary(made: type[exp.Expression]) -> Callable[[Any, exp.Expression, exp.Expression], exp.Expression]:
    def build(parser: Any, left: exp.Expression, right: exp.Expression) -> exp.Expression:
        found: exp.Expression = parser.expression(made(this=left, expression=right))
        return found

    return build


def _typed_literal(_parser: Any, node: exp.Expression, kind: exp.DataType) -> exp.Expression:
    """``date '...'`` and the casts after it, which the parser would apply to the text before it is a date."""
    outer: exp.Expression | None = None
    literal = node
    while isinstance(literal, exp.Cast):
        outer, literal = literal, literal.this
    typed = exp.Cast(this=literal, to=kind)
    if outer is None:
        return typed
    outer.set("this", typed)
    return node


class _Dialect(Postgres):
    """Dollar strings are plain ones by now (see ``lexer.normalise``): a dollar begins a parameter, as in ``$1,$2``."""

    class Tokenizer(Postgres.Tokenizer):
        HEREDOC_STRINGS: ClassVar[list[str | tuple[str, str]]] = []
        SINGLE_TOKENS: ClassVar[dict[str, TokenType]] = {**Postgres.Tokenizer.SINGLE_TOKENS, "$": TokenType.PARAMETER}


_POSTGRES = _Dialect()
_NAMED_ARRAY = re.compile(r"\b(?:oid|reg[a-z]+)\s*\[", re.IGNORECASE)
_NAMED_ARRAY_TOKENS = [TokenType.OBJECT_IDENTIFIER, TokenType.L_BRACKET, TokenType.R_BRACKET]
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
Postgres.Parser.LAMBDAS.pop(TokenType.ARROW, None)
Postgres.Parser.JSON_OPERATORS.update({
    token: _binary(made) for token, made in (
        (TokenType.ARROW, exp.JSONExtract), (TokenType.DARROW, exp.JSONExtractScalar),
        (TokenType.HASH_ARROW, exp.JSONBExtract), (TokenType.DHASH_ARROW, exp.JSONBExtractScalar),
        (TokenType.PLACEHOLDER, exp.JSONBContainsTopKey), (TokenType.AT_GT, exp.ArrayContainsAll),
        (TokenType.LT_AT, exp.ArrayContainedBy), (TokenType.QMARK_PIPE, exp.JSONBContainsAnyTopKeys),
        (TokenType.QMARK_AMP, exp.JSONBContainsAllTopKeys),
    )
})
Postgres.Parser.TYPE_LITERAL_PARSERS.update(dict.fromkeys(exp.DType, _typed_literal))
# an arrow is JSON's, with its right side as it is written; all of these bind alike
_FAULTS = (TypeError, AttributeError, ValueError, LookupError, AssertionError, NotImplementedError)


class NotParsed(Exception):
    """The text is no statement; ``where`` is what sqlglot says of the place, if it does."""

    def __init__(self, where: dict[str, object], *, ends_inside: bool = False) -> None:
        super().__init__()
        self.where = where
        self.ends_inside = ends_inside
        """A string, identifier or comment has no end."""


def _with_named_arrays(tokens: list[Token]) -> list[Token]:
    """``oid[]`` and its like, which the parser does not know, by the array type's own name."""
    found: list[Token] = []
    kinds = [token.token_type for token in tokens]
    position = 0
    while position < len(tokens):
        token = tokens[position]
        if kinds[position : position + 3] == _NAMED_ARRAY_TOKENS:
            name = f"_{token.text.lower()}"
            token = Token(TokenType.VAR, name, token.line, token.col, token.start, token.end, token.comments)
            position += 2
        found.append(token)
        position += 1
    return found


def parsed_trees(text: str) -> list[exp.Expr | None]:
    """The trees of a text's statements. Raises NotParsed, RecursionError."""
    try:
        if _NAMED_ARRAY.search(text) is None:
            return list(_POSTGRES.parse(text))
        return list(_POSTGRES.parser().parse(_with_named_arrays(_POSTGRES.tokenize(text)), text))
    except ParseError as error:
        raise NotParsed(dict(error.errors[0]) if error.errors else {}) from error
    except TokenError as error:
        raise NotParsed({}, ends_inside=True) from error
    except _FAULTS as error:
        raise NotParsed({}) from error
