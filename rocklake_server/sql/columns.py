"""Column definitions and type names, read from tokens (PostgreSQL manual, CREATE TABLE and Data Types)."""

from __future__ import annotations

import re
from functools import lru_cache

from rocklake_server.errors import (
    CatalogError,
    InvalidParameterValue,
    InvalidTableDefinition,
    SyntaxProblem,
    UndefinedObject,
    Unsupported,
)
from rocklake_server.schema import types
from rocklake_server.schema.types import ColumnType, Form
from rocklake_server.sql.cursor import Cursor
from rocklake_server.sql.definitions import ColumnDefinition, Constant
from rocklake_server.sql.lexer import TokenKind

_PRECISION_MAX = 1000
_VARCHAR_LENGTH_MAX = 10_485_760
_SECONDS_DIGITS_MAX = 6
_FLOAT_BITS_SINGLE, _FLOAT_BITS_MAX = 24, 53
_ENDS_OF_CONSTANT = (")", ",", "NOT", "NULL", "PRIMARY", "UNIQUE", "CHECK", "REFERENCES", "CONSTRAINT", "COLLATE",
                     "GENERATED", "DEFAULT")

_PLAIN_COLUMN = re.compile(
    r"""\s*+ ( (?: "[^"\\]+" | (?!(?i:CONSTRAINT|PRIMARY|UNIQUE|CHECK|FOREIGN|EXCLUDE|LIKE)\b) [A-Za-z_]\w*+ )
        \ [A-Za-z0-9_ ]++ (?: \(\d++ (?:,\ ?\d++)?+ \) )?+ [A-Za-z ]*+ ) (?=[,)])""", re.VERBOSE | re.ASCII)
"""A column whose definition has no quotes but around its name, no comments and no parentheses but a precision's."""


def plain_columns(cursor: Cursor) -> list[ColumnDefinition]:
    """The columns that come next and are written as most are, each known by its text: the tables of a lake have many
    that are written alike. Raises nothing: one that is wrong is left to ``column_definition``."""
    text, columns = cursor.text, list[ColumnDefinition]()
    end = position = cursor.token.start
    while (match := _PLAIN_COLUMN.match(text, position)) is not None:
        try:
            columns.append(_column_of(match[1]))
        except CatalogError:
            break
        end = match.end()
        if text[end] == ")":
            break
        position = end + 1
    cursor.skip_to(end)
    return columns


@lru_cache(maxsize=4096)
def _column_of(text: str) -> ColumnDefinition:
    cursor = Cursor(text)
    column = column_definition(cursor)
    cursor.end()
    return column


def column_definition(cursor: Cursor) -> ColumnDefinition:
    """``name type [constraints]``. Raises as ``ddl.parse_ddl`` does."""
    name = cursor.name()
    position = cursor.token.start + 1
    column_type = type_name(cursor)
    if not column_type.storable:
        raise Unsupported(f"columns of type {column_type.name} are not supported", position=position)
    nullable: bool | None = None
    default: Constant | None = None
    primary_key = False
    while True:
        if cursor.at("CONSTRAINT"):
            cursor.advance()
            cursor.name()
        said: bool | None = None
        if cursor.take("PRIMARY", "KEY"):
            primary_key = True
        elif cursor.take("NOT", "NULL"):
            said = False
        elif cursor.take("NULL"):
            said = True
        elif cursor.take("DEFAULT"):
            if default is not None:
                raise SyntaxProblem(f'multiple default values specified for column "{name}"')
            default = constant(cursor)
        elif cursor.at("UNIQUE", "CHECK", "REFERENCES", "EXCLUDE"):
            cursor.refuse_at()
        elif cursor.at("GENERATED", "COLLATE", "STORAGE", "COMPRESSION", "DEFERRABLE", "INITIALLY"):
            cursor.refuse(f"column clause {cursor.token.value}")
        else:
            return ColumnDefinition(name, column_type, nullable is not False and not primary_key, default, primary_key)
        if said is not None and nullable not in (None, said):
            raise SyntaxProblem(f'contradicting NULL/NOT NULL declarations for column "{name}"')
        nullable = said if said is not None else nullable
        if primary_key and nullable is True:
            raise InvalidTableDefinition(f'contradicting NULL declaration for key column "{name}"')


def constant(cursor: Cursor) -> Constant:
    """A DEFAULT's literal, with a sign, a cast, or in parentheses. Raises Unsupported for any other expression."""
    start = cursor.token.start
    if cursor.take("("):
        inner = constant(cursor)
        cursor.expect(")")
        return inner
    found = _literal(cursor)
    if cursor.take("::"):
        found = Constant(found.kind, found.text, type_name(cursor))
    if cursor.token.kind is not TokenKind.END and not cursor.at(*_ENDS_OF_CONSTANT):
        raise Unsupported("a DEFAULT that is not a constant is not supported", position=start + 1)
    return found


def _literal(cursor: Cursor) -> Constant:
    if cursor.token.kind is TokenKind.STRING:
        return Constant("string", cursor.string())
    if cursor.at("-", "+"):
        sign = "-" if cursor.advance().value == "-" else ""
        return Constant("number", sign + cursor.number())
    if cursor.token.kind is TokenKind.NUMBER:
        return Constant("number", cursor.number())
    if cursor.take("NULL"):
        return Constant("null", None)
    word = cursor.take_one_of("TRUE", "FALSE")
    if word is not None:
        return Constant("boolean", word.lower())
    if cursor.take("CAST"):
        cursor.expect("(")
        inner = _literal(cursor)
        cursor.expect("AS")
        inner = Constant(inner.kind, inner.text, type_name(cursor))
        cursor.expect(")")
        return inner
    if cursor.token.kind in (TokenKind.WORD, TokenKind.QUOTED):
        cursor.refuse("a DEFAULT that is not a constant")
    cursor.fail()


def type_name(cursor: Cursor) -> ColumnType:
    """A type with its modifiers. Raises UndefinedObject for a type that is not known, Unsupported for one that is
    known but not served, InvalidParameterValue for a modifier out of range."""
    start = cursor.token
    quoted = start.kind is TokenKind.QUOTED
    name = cursor.name()
    if cursor.at(".") and name == "pg_catalog":
        cursor.advance()
        name = cursor.name()
    if not quoted:
        name = _several_words(cursor, name)
    modifiers = _modifiers(cursor)
    if name in ("time", "timestamp"):
        name += _zone(cursor)
    found = types.BY_NAME.get('"char"' if quoted and name == "char" else name)
    if found is None:
        raise UndefinedObject(f'type "{name}" does not exist', position=start.start + 1)
    if modifiers:
        found = _modified(found, modifiers, name, start.start + 1)
    if cursor.at("[", "ARRAY"):
        raise Unsupported(f"columns of type {found.name}[] are not supported", position=start.start + 1)
    return found


def _several_words(cursor: Cursor, name: str) -> str:
    if name == "double" and cursor.take("PRECISION"):
        return "double precision"
    if name in ("character", "char") and cursor.take("VARYING"):
        return "character varying"
    if name == "interval":
        if cursor.at("YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND"):
            cursor.refuse("an interval with fields")
        return name
    return "numeric" if name == "dec" else name


def _zone(cursor: Cursor) -> str:
    if cursor.take("WITH", "TIME", "ZONE"):
        return " with time zone"
    cursor.take("WITHOUT", "TIME", "ZONE")
    return " without time zone"


def _modifiers(cursor: Cursor) -> tuple[int, ...]:
    if not cursor.take("("):
        return ()
    found = [_modifier(cursor)]
    while cursor.take(","):
        found.append(_modifier(cursor))
    cursor.expect(")")
    return tuple(found)


def _modifier(cursor: Cursor) -> int:
    sign = -1 if cursor.take("-") else 1
    if not cursor.token.value.isdecimal() or cursor.token.kind is not TokenKind.NUMBER:
        cursor.fail()
    return sign * int(cursor.number())


def _modified(found: ColumnType, modifiers: tuple[int, ...], name: str, position: int) -> ColumnType:
    first = modifiers[0]
    if found.form is Form.NUMERIC and len(modifiers) <= 2:
        scale = modifiers[1] if len(modifiers) == 2 else 0
        if not 1 <= first <= _PRECISION_MAX:
            raise InvalidParameterValue(f"NUMERIC precision {first} must be between 1 and {_PRECISION_MAX}",
                                        position=position)
        if not 0 <= scale <= first:
            raise InvalidParameterValue(f"NUMERIC scale {scale} must be between 0 and precision {first}",
                                        position=position)
        return types.numeric(first, scale)
    if len(modifiers) == 1 and found is types.VARCHAR:
        if not 1 <= first <= _VARCHAR_LENGTH_MAX:
            raise InvalidParameterValue(f"length for type varchar must be between 1 and {_VARCHAR_LENGTH_MAX}",
                                        position=position)
        return types.varchar(first)
    if len(modifiers) == 1 and name == "float":
        if not 1 <= first <= _FLOAT_BITS_MAX:
            raise InvalidParameterValue("precision for type float must be between 1 and 53 bits", position=position)
        return types.REAL if first <= _FLOAT_BITS_SINGLE else types.DOUBLE
    if len(modifiers) == 1 and found.form in (Form.TIMESTAMP, Form.TIME, Form.TIMETZ, Form.INTERVAL):
        if first == _SECONDS_DIGITS_MAX:
            return found
        raise Unsupported(f"a precision of {first} for type {found.name} is not supported", position=position)
    if not found.storable:
        return found
    raise SyntaxProblem(f'type modifier is not allowed for type "{found.name}"', position=position)
