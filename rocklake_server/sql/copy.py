"""COPY (PostgreSQL manual, COPY), its old spellings ``COPY BINARY t ..`` and ``.. WITH BINARY`` included."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

from rocklake_server.errors import InvalidParameterValue, SyntaxProblem, Unsupported
from rocklake_server.sql.cursor import Cursor
from rocklake_server.sql.kinds import query_kind
from rocklake_server.sql.lexer import TokenKind
from rocklake_server.sql.statements import CopyFormat, CopyIn, CopyOptions, CopyOut, Query

_DEFAULT = CopyOptions()
_REFUSED_OPTIONS = frozenset({
    "HEADER", "QUOTE", "ESCAPE", "FORCE_QUOTE", "FORCE_NOT_NULL", "FORCE_NULL", "FREEZE", "ENCODING", "OIDS", "DEFAULT",
    "ON_ERROR", "LOG_VERBOSITY", "REJECT_LIMIT",
})
_LEGACY_REFUSED = ("CSV", "HEADER", "QUOTE", "ESCAPE", "FORCE", "FREEZE", "ENCODING")


def parse_copy(cursor: Cursor, database: str | None = None) -> CopyOut | CopyIn:
    """The statement after the word COPY."""
    if cursor.at("("):
        text, start = cursor.parenthesised()
        body = text.lstrip()
        offset = start + len(text) - len(body)
        body = body.rstrip()
        query = Query(body, query_kind(body), offset)
        return CopyOut(query, None, None, _from_tail(cursor, _parse_out_tail))
    binary = cursor.at("BINARY") and cursor.take("BINARY")
    table = cursor.qualified_name(database)
    columns = cursor.column_list() if cursor.at("(") else None
    if cursor.take("TO"):
        _expect_end(cursor, "STDOUT")
        return CopyOut(None, table, columns, _options(cursor, binary=binary))
    cursor.expect("FROM")
    _expect_end(cursor, "STDIN")
    options = _options(cursor, binary=binary)
    return CopyIn(table, columns, options)


def _expect_end(cursor: Cursor, keyword: str) -> None:
    if cursor.token.kind is TokenKind.STRING:
        cursor.refuse("COPY to or from a file")
    if cursor.at("PROGRAM"):
        cursor.refuse("COPY to or from a program")
    cursor.expect(keyword)


def _options(cursor: Cursor, *, binary: bool = False) -> CopyOptions:
    options = _from_tail(cursor, _parse_options)
    return replace(options, format=CopyFormat.BINARY) if binary else options


def _from_tail(cursor: Cursor, parse: Callable[[str], CopyOptions]) -> CopyOptions:
    """What the rest of the statement says; ``parse`` remembers the few rests that clients send."""
    tail_start = cursor.token.start
    try:
        return parse(cursor.rest())
    except (SyntaxProblem, Unsupported, InvalidParameterValue) as error:
        if error.position is not None:
            error.position += tail_start
        raise


@lru_cache(maxsize=256)
def _parse_out_tail(tail: str) -> CopyOptions:
    """What follows the query of COPY (query)."""
    cursor = Cursor(tail)
    cursor.expect("TO")
    _expect_end(cursor, "STDOUT")
    return _options(cursor)


@lru_cache(maxsize=256)
def _parse_options(tail: str) -> CopyOptions:
    cursor = Cursor(tail)
    with_word = cursor.take("WITH")
    given: dict[str, str] = {}
    if cursor.take("("):
        while True:
            _generic_option(cursor, given)
            if not cursor.take(","):
                break
        cursor.expect(")")
    elif with_word and cursor.token.kind is TokenKind.END:
        cursor.fail()
    else:
        _legacy_options(cursor, given)
    if cursor.at("WHERE"):
        cursor.refuse("COPY FROM with WHERE")
    cursor.end()
    return _checked(given)


def _generic_option(cursor: Cursor, given: dict[str, str]) -> None:
    token = cursor.token
    name = cursor.name().upper()
    if name in _REFUSED_OPTIONS:
        raise Unsupported(f"COPY option {name} is not supported", position=token.start + 1)
    if name not in ("FORMAT", "NULL", "DELIMITER"):
        raise SyntaxProblem(f'option "{name.lower()}" not recognized', position=token.start + 1)
    if name in given:
        raise SyntaxProblem("redundant options are not allowed here", position=token.start + 1)
    if cursor.token.kind is TokenKind.STRING:
        given[name] = cursor.string()
    elif name == "FORMAT":
        given[name] = cursor.name()
    else:
        cursor.fail()


def _legacy_options(cursor: Cursor, given: dict[str, str]) -> None:
    while cursor.token.kind is not TokenKind.END and not cursor.at("WHERE"):
        if cursor.at(*_LEGACY_REFUSED):
            cursor.refuse(f"COPY option {cursor.token.value}")
        if cursor.take("BINARY"):
            given["FORMAT"] = "binary"
        elif cursor.take("NULL"):
            cursor.take("AS")
            given["NULL"] = cursor.string()
        elif cursor.take("DELIMITER") or cursor.take("DELIMITERS"):
            cursor.take("AS")
            given["DELIMITER"] = cursor.string()
        else:
            cursor.fail()


def _checked(given: dict[str, str]) -> CopyOptions:
    written = given.get("FORMAT", "text")
    if written == "csv":
        raise Unsupported("COPY format csv is not supported")
    if written not in ("text", "binary"):
        raise InvalidParameterValue(f'COPY format "{written}" not recognized')
    if written == "binary":
        for name in ("DELIMITER", "NULL"):
            if name in given:
                raise SyntaxProblem(f"cannot specify {name} in BINARY mode")
        return CopyOptions(CopyFormat.BINARY)
    options = CopyOptions(CopyFormat.TEXT, given.get("NULL", _DEFAULT.null), given.get("DELIMITER", _DEFAULT.delimiter))
    if len(options.delimiter.encode()) != 1:
        raise Unsupported("COPY delimiter must be a single one-byte character")
    if options.delimiter in "\\.abcdefghijklmnopqrstuvwxyz0123456789\r\n":
        raise InvalidParameterValue(f'COPY delimiter cannot be "{options.delimiter}"')
    if "\r" in options.null or "\n" in options.null:
        raise InvalidParameterValue("COPY null representation cannot use newline or carriage return")
    if options.delimiter in options.null:
        raise InvalidParameterValue("COPY delimiter must not appear in the NULL specification")
    return options
