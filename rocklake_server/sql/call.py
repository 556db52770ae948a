"""CALL: a procedure's name and its arguments, in order or by name (PostgreSQL manual, Calling Functions)."""

from __future__ import annotations

from rocklake_server.sql.cursor import Cursor
from rocklake_server.sql.lexer import TokenKind
from rocklake_server.sql.statements import Call, CallArgument


def parse_call(cursor: Cursor) -> Call:
    """``name ([name =>] literal or $n, ...)``"""
    procedure = cursor.qualified_name()
    cursor.expect("(")
    arguments: list[CallArgument] = []
    if not cursor.at(")"):
        arguments.append(_argument(cursor))
        while cursor.take(","):
            arguments.append(_argument(cursor))
    cursor.expect(")")
    return Call(procedure, tuple(arguments))


def _argument(cursor: Cursor) -> CallArgument:
    name = None
    if cursor.token.kind is TokenKind.QUOTED or (
        cursor.token.kind is TokenKind.WORD and not cursor.at("TRUE", "FALSE", "NULL", "ARRAY")
    ):
        name = cursor.name()
        is_arrow = cursor.text.startswith("=>", cursor.token.start)
        if not (cursor.take("=", ">") if is_arrow else cursor.take(":=")):
            cursor.fail()
    if cursor.token.kind is TokenKind.PARAMETER:
        argument = CallArgument(name, parameter=int(cursor.advance().value.removeprefix("$")))
    else:
        argument = CallArgument(name, _literal(cursor))
    while cursor.take("::"):
        _type(cursor)
    return argument


def _literal(cursor: Cursor) -> str | None:
    """As the text that the argument's type reads; ``None`` for NULL."""
    if cursor.take("NULL"):
        return None
    if cursor.take("ARRAY"):
        return _array(cursor)
    return _scalar(cursor)


def _array(cursor: Cursor) -> str:
    cursor.expect("[")
    elements: list[str] = []
    if not cursor.at("]"):
        elements.append(_scalar(cursor))
        while cursor.take(","):
            elements.append(_scalar(cursor))
    cursor.expect("]")
    return "{" + ",".join(map(_element, elements)) + "}"


def _element(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _scalar(cursor: Cursor) -> str:
    if cursor.token.kind is TokenKind.STRING:
        return cursor.string()
    if (word := cursor.take_one_of("TRUE", "FALSE")) is not None:
        return word.lower()
    sign = "-" if cursor.take("-") else ""
    return sign + cursor.number()


def _type(cursor: Cursor) -> None:
    """Drivers say which type they mean; the argument has its own, which reads the text."""
    cursor.qualified_name()
    if cursor.at("("):
        cursor.parenthesised()
    if cursor.take("["):
        cursor.expect("]")
