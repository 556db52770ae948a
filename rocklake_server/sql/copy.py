"""COPY (PostgreSQL manual, COPY), its old spellings ``COPY BINARY t ..`` and ``.. WITH BINARY`` included."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial

from rocklake_server.errors import InvalidParameterValue, SyntaxProblem, Unsupported
from rocklake_server.sql.copy_options import parse_options
from rocklake_server.sql.cursor import Cursor
from rocklake_server.sql.kinds import query_kind
from rocklake_server.sql.lexer import TokenKind
from rocklake_server.sql.statements import CopyIn, CopyOptions, CopyOut, Query


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
        return CopyOut(None, table, columns, _options(cursor, binary=binary, is_from=False))
    cursor.expect("FROM")
    _expect_end(cursor, "STDIN")
    return CopyIn(table, columns, _options(cursor, binary=binary, is_from=True))


def _expect_end(cursor: Cursor, keyword: str) -> None:
    if cursor.token.kind is TokenKind.STRING:
        cursor.refuse("COPY to or from a file")
    if cursor.at("PROGRAM"):
        cursor.refuse("COPY to or from a program")
    cursor.expect(keyword)


def _options(cursor: Cursor, *, is_from: bool, binary: bool = False) -> CopyOptions:
    return _from_tail(cursor, partial(parse_options, is_from=is_from, binary=binary))


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
    return _options(cursor, is_from=False)
