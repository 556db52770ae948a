"""CREATE, ALTER and DROP DATABASE, and ALTER SCHEMA, read from tokens (PostgreSQL manual, SQL Commands).

Options of CREATE DATABASE are accepted when they say what is true here: UTF-8, byte order, no template's content. They
stand outside of transactions, so they are utility statements.
"""

from __future__ import annotations

from collections.abc import Callable

from rocklake_server.errors import SyntaxProblem
from rocklake_server.sql.cursor import Cursor
from rocklake_server.sql.lexer import TokenKind
from rocklake_server.sql.statements import (
    CreateDatabase,
    DropDatabase,
    RenameDatabase,
    RenameSchema,
    UtilityStatement,
)

DEFAULT = "default"

_BYTE_ORDER = frozenset({"c", "posix", "c.utf8", "c.utf-8", "ucs_basic", DEFAULT})
_UTF8 = frozenset({"utf8", "utf-8", "unicode", "6", "-1", DEFAULT})
_ACCEPTED: dict[str, frozenset[str]] = {
    "TEMPLATE": frozenset({"template0", "template1", DEFAULT}),
    "ENCODING": _UTF8,
    "LOCALE": _BYTE_ORDER,
    "LC_COLLATE": _BYTE_ORDER,
    "LC_CTYPE": _BYTE_ORDER,
    "LOCALE_PROVIDER": frozenset({"libc", DEFAULT}),
    "STRATEGY": frozenset({"wal_log", "file_copy", DEFAULT}),
    "TABLESPACE": frozenset({"pg_default", DEFAULT}),
    "ALLOW_CONNECTIONS": frozenset({"true", "on", "1", DEFAULT}),
    "CONNECTION LIMIT": frozenset({"-1", DEFAULT}),
    "IS_TEMPLATE": frozenset({"false", "off", "0", DEFAULT}),
}
_REFUSED = ("ICU_LOCALE", "ICU_RULES", "COLLATION_VERSION", "OID")


def parse_database_command(cursor: Cursor) -> UtilityStatement | None:
    """The statement at ``cursor``; ``None``, with nothing taken, when it is another one. Raises SyntaxProblem,
    Unsupported."""
    for words, parse in _PARSERS:
        if cursor.take(*words):
            statement = parse(cursor)
            cursor.end()
            return statement
    return None


def _create(cursor: Cursor) -> CreateDatabase:
    name = cursor.name()
    cursor.take("WITH")
    owner: str | None = None
    seen: set[str] = set()
    while cursor.token.kind is not TokenKind.END:
        option = _option(cursor)
        if option in seen:
            raise SyntaxProblem("an option is given twice", position=cursor.token.start + 1)
        seen.add(option)
        cursor.take("=")
        is_default = cursor.at("DEFAULT")
        value = _value(cursor)
        if option == "OWNER":
            owner = None if is_default else value
        elif value.lower() not in _ACCEPTED[option]:
            cursor.refuse(f'CREATE DATABASE with {option} "{value}"')
    return CreateDatabase(name, owner)


def _option(cursor: Cursor) -> str:
    if cursor.at(*_REFUSED):
        cursor.refuse(f"CREATE DATABASE with {cursor.token.value}")
    if cursor.take("CONNECTION", "LIMIT"):
        return "CONNECTION LIMIT"
    found = cursor.take_one_of("OWNER", *_ACCEPTED)
    if found is None:
        cursor.fail()
    return found


def _value(cursor: Cursor) -> str:
    if cursor.token.kind is TokenKind.STRING:
        return cursor.string()
    sign = "-" if cursor.take("-") else ""
    if cursor.token.kind is TokenKind.NUMBER:
        return sign + cursor.number()
    return cursor.name()


def _drop(cursor: Cursor) -> DropDatabase:
    if_exists = cursor.take("IF", "EXISTS")
    name = cursor.name()
    force = False
    if cursor.take("WITH") or cursor.at("("):
        cursor.expect("(")
        cursor.expect("FORCE")
        while cursor.take(","):
            cursor.expect("FORCE")
        cursor.expect(")")
        force = True
    return DropDatabase(name, if_exists, force)


def _alter(cursor: Cursor) -> RenameDatabase:
    name = cursor.name()
    if not cursor.at("RENAME"):
        cursor.refuse(f"ALTER DATABASE {cursor.token.value}" if cursor.token.kind is TokenKind.WORD else cursor.fail())
    cursor.expect("RENAME", "TO")
    return RenameDatabase(name, cursor.name())


def _alter_schema(cursor: Cursor) -> RenameSchema:
    name = cursor.name()
    if cursor.at("OWNER"):
        cursor.refuse("ALTER SCHEMA OWNER")
    cursor.expect("RENAME", "TO")
    return RenameSchema(name, cursor.name())


_PARSERS: tuple[tuple[tuple[str, ...], Callable[[Cursor], UtilityStatement]], ...] = (
    (("CREATE", "DATABASE"), _create),
    (("DROP", "DATABASE"), _drop),
    (("ALTER", "DATABASE"), _alter),
    (("ALTER", "SCHEMA"), _alter_schema),
)
