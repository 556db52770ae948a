"""Statements that run a query later: PREPARE, EXECUTE, DECLARE, FETCH, MOVE (PostgreSQL manual, SQL Commands)."""

from __future__ import annotations

from rocklake_server.errors import CatalogError, Unsupported
from rocklake_server.sql.cursor import Cursor
from rocklake_server.sql.kinds import query_kind
from rocklake_server.sql.lexer import TokenKind, next_token
from rocklake_server.sql.statements import (
    DeclareCursor,
    Direction,
    ExecutePrepared,
    Fetch,
    Prepare,
    Query,
    QueryKind,
)

_ONE_ROW = {
    "NEXT": (Direction.FORWARD, 1),
    "PRIOR": (Direction.BACKWARD, 1),
    "FIRST": (Direction.ABSOLUTE, 1),
    "LAST": (Direction.ABSOLUTE, -1),
}


def parse_prepare(cursor: Cursor) -> Prepare:
    """``PREPARE name [(type, ...)] AS query``"""
    if cursor.at("TRANSACTION"):
        cursor.refuse("two-phase commit")
    name = cursor.name()
    types: tuple[str, ...] = ()
    if cursor.at("("):
        start = cursor.token.start
        text, _ = cursor.parenthesised()
        types = _listed(text)
        if not all(types):
            Cursor(cursor.text, start + 1).fail()
    cursor.expect("AS")
    query = _query(cursor)
    if query.kind is QueryKind.DDL:
        Cursor(cursor.text, query.offset).fail()
    return Prepare(name, types, query)


def _listed(text: str) -> tuple[str, ...]:
    """The items between commas that stand in no parentheses."""
    items: list[str] = []
    start = depth = position = 0
    while (token := next_token(text, position)).kind is not TokenKind.END:
        if token.kind is TokenKind.SYMBOL:
            depth += (token.value == "(") - (token.value == ")")
            if token.value == "," and not depth:
                items.append(text[start : token.start].strip())
                start = token.end
        position = token.end
    return (*items, text[start:].strip())


def _query(cursor: Cursor) -> Query:
    """The rest of the statement. Raises what ``query_kind`` raises, with positions in the whole of it."""
    start = cursor.token.start
    if cursor.token.kind is TokenKind.END:
        cursor.fail()
    text = cursor.rest()
    try:
        return Query(text, query_kind(text), start)
    except CatalogError as error:
        if error.position is not None:
            error.position += start
        raise


def parse_execute(cursor: Cursor) -> ExecutePrepared:
    """``EXECUTE name [(argument, ...)]``"""
    name = cursor.name()
    if not cursor.at("("):
        return ExecutePrepared(name)
    start = cursor.token.end
    text, _ = cursor.parenthesised()
    if not text.strip():
        Cursor(cursor.text, start).fail()
    return ExecutePrepared(name, text)


def parse_declare(cursor: Cursor) -> DeclareCursor:
    """``DECLARE name [options] CURSOR [WITH HOLD | WITHOUT HOLD] FOR query``"""
    name = cursor.name()
    binary = False
    scroll: bool | None = None
    while not cursor.take("CURSOR"):
        if cursor.take("BINARY"):
            binary = True
        elif cursor.take("NO", "SCROLL"):
            scroll = False
        elif cursor.take("SCROLL"):
            scroll = True
        elif cursor.take_one_of("INSENSITIVE", "ASENSITIVE") is None:
            cursor.fail()
    hold = cursor.take("WITH", "HOLD")
    if not hold:
        cursor.take("WITHOUT", "HOLD")
    cursor.expect("FOR")
    at_with = cursor.at("WITH")
    query = _query(cursor)
    if query.kind is not QueryKind.SELECT:
        if at_with:
            raise Unsupported("DECLARE CURSOR must not contain data-modifying statements in WITH")
        Cursor(cursor.text, query.offset).fail()
    return DeclareCursor(name, query, scroll, hold, binary)


def parse_fetch(cursor: Cursor) -> Fetch:
    return _fetch(cursor, rows=True)


def parse_move(cursor: Cursor) -> Fetch:
    return _fetch(cursor, rows=False)


def _fetch(cursor: Cursor, *, rows: bool) -> Fetch:
    """``[direction] [FROM | IN] name``. A word that names a direction is the cursor's name where nothing follows."""
    word = cursor.token.value if cursor.token.kind is TokenKind.WORD else ""
    is_last = next_token(cursor.text, cursor.token.end).kind is TokenKind.END
    direction, count = Direction.FORWARD, 1
    every = False
    if is_last:
        pass
    elif word in _ONE_ROW:
        cursor.advance()
        direction, count = _ONE_ROW[word]
    elif word in ("ABSOLUTE", "RELATIVE"):
        cursor.advance()
        direction, count = Direction(word), _signed(cursor)
    elif word in ("FORWARD", "BACKWARD"):
        cursor.advance()
        direction = Direction(word)
        every = cursor.take("ALL")
        if not every and (cursor.token.kind is TokenKind.NUMBER or cursor.at("-", "+")):
            count = _signed(cursor)
    elif cursor.token.kind is TokenKind.NUMBER or cursor.at("-", "+"):
        count = _signed(cursor)
    else:
        every = cursor.take("ALL")
    cursor.take("FROM") or cursor.take("IN")
    return Fetch(cursor.name(), direction, None if every else count, rows)


def _signed(cursor: Cursor) -> int:
    """A whole number of 32 bits with its sign."""
    negative = cursor.take("-")
    if not negative:
        cursor.take("+")
    token = cursor.token
    if token.kind is not TokenKind.NUMBER or not token.source.isdecimal() or int(token.source) >= 1 << 31:
        cursor.fail()
    cursor.advance()
    return -int(token.source) if negative else int(token.source)
