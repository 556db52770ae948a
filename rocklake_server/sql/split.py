"""Splitting a simple-query string into its statements.

One possessive pattern carries a whole statement up to its semicolon; only comments, dollar quotes and E strings stop
it for a closer look, so a long VALUES list costs one pass in C.
"""

from __future__ import annotations

from typing import NamedTuple

from rocklake_server.errors import SyntaxProblem
from rocklake_server.sql.lexer import TokenKind, next_token, skip


class Piece(NamedTuple):
    """A statement and the index at which it begins in the query string: add it to positions in errors."""

    text: str
    offset: int


def split_statements(text: str) -> list[str]:
    """The statements of ``text``, without the semicolons and outer white space; empty ones are dropped."""
    return [piece.text for piece in split_pieces(text)]


def split_pieces(text: str) -> list[Piece]:
    """As ``split_statements``, with positions. A string or comment without an end runs to the end of the text: the
    statement's parser reports it."""
    pieces: list[Piece] = []
    start, length = 0, len(text)
    while start < length:
        try:
            end = skip(text, start, parentheses=False)
        except SyntaxProblem:
            end = length
        raw = text[start:end]
        statement = raw.strip()
        if statement and not _is_blank(statement):
            offset = start if statement is raw else start + len(raw) - len(raw.lstrip())
            pieces.append(Piece(statement, offset))
        start = end + 1
    return pieces


def _is_blank(statement: str) -> bool:
    """Whether the statement is nothing but comments."""
    if statement[0] not in "-/":
        return False
    try:
        return next_token(statement, 0).kind is TokenKind.END
    except SyntaxProblem:
        return False
