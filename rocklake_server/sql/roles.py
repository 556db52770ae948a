"""Statements about roles: CREATE, ALTER and DROP ROLE or USER, and GRANT and REVOKE of what is held on a database.

What PostgreSQL grants on tables and schemas is refused: nothing here means less or more than it says there. A statement
with a password is kept by no cache and quoted in no error.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from rocklake_server.auth.roles import GRANTED, Privilege
from rocklake_server.errors import SyntaxProblem, Unsupported
from rocklake_server.sql.cursor import Cursor
from rocklake_server.sql.lexer import TokenKind
from rocklake_server.sql.names import quote

GRANT_HINT = (
    "Use GRANT reader, writer, admin or connect ON DATABASE name TO role: they cover every table, also later ones."
)


@dataclass(frozen=True, slots=True)
class RoleOptions:
    """``None`` is "not said". ``password`` is empty for PASSWORD NULL, ``valid_until`` a timestamp as written."""

    login: bool | None = None
    superuser: bool | None = None
    password: str | None = field(default=None, repr=False)
    valid_until: str | None = None


@dataclass(frozen=True, slots=True)
class CreateRole:
    name: str
    options: RoleOptions = RoleOptions()


@dataclass(frozen=True, slots=True)
class AlterRole:
    """``name`` is ``None`` for CURRENT_USER."""

    name: str | None
    options: RoleOptions = RoleOptions()


@dataclass(frozen=True, slots=True)
class RenameRole:
    name: str
    new_name: str


@dataclass(frozen=True, slots=True)
class DropRole:
    names: tuple[str, ...]
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class Grant:
    """To ``roles``, of which one may be PUBLIC."""

    privileges: frozenset[Privilege]
    databases: tuple[str, ...]
    roles: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Revoke:
    """Of CONNECT: of everything, since all else includes it."""

    privileges: frozenset[Privilege]
    databases: tuple[str, ...]
    roles: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GrantMembership:
    roles: tuple[str, ...]
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RevokeMembership:
    roles: tuple[str, ...]
    members: tuple[str, ...]


RoleStatement = (
    CreateRole | AlterRole | RenameRole | DropRole | Grant | Revoke | GrantMembership | RevokeMembership
)


def holds_password(statement: object) -> bool:
    """Whether no cache may keep it."""
    return isinstance(statement, CreateRole | AlterRole) and statement.options.password is not None


def is_role_statement(cursor: Cursor) -> bool:
    """Whether the statement at ``cursor`` is read here."""
    if cursor.at("GRANT", "REVOKE"):
        return True
    return cursor.at("CREATE", "ALTER", "DROP") and Cursor(cursor.text, cursor.token.end).at("ROLE", "USER", "GROUP")


def parse_role_statement(cursor: Cursor) -> RoleStatement:
    """Raises SyntaxProblem, Unsupported; neither quotes a password."""
    try:
        statement = _PARSERS[cursor.advance().value](cursor)
        cursor.end()
    except SyntaxProblem as problem:
        if "password" not in cursor.text.lower():
            raise
        raise SyntaxProblem("syntax error in a statement with a password", position=problem.position) from None
    return statement


def _create(cursor: Cursor) -> CreateRole:
    word = _object(cursor)
    return CreateRole(cursor.name(), _options(cursor, RoleOptions(login=word == "USER")))


def _alter(cursor: Cursor) -> AlterRole | RenameRole:
    _object(cursor)
    if cursor.at("ALL"):
        cursor.refuse("ALTER ROLE ALL")
    name = None if cursor.take_one_of("CURRENT_USER", "SESSION_USER", "CURRENT_ROLE") else cursor.name()
    if cursor.take("RENAME"):
        cursor.expect("TO")
        if name is None:
            cursor.refuse("renaming the session's own role")
        return RenameRole(name, cursor.name())
    if cursor.at("SET", "RESET", "IN"):
        cursor.refuse("ALTER ROLE with settings")
    return AlterRole(name, _options(cursor, RoleOptions()))


def _drop(cursor: Cursor) -> DropRole:
    _object(cursor)
    if_exists = cursor.take("IF", "EXISTS")
    return DropRole(_names(cursor), if_exists)


def _object(cursor: Cursor) -> str:
    if cursor.at("GROUP"):
        cursor.refuse("GROUP")
    word = cursor.advance().value
    if word == "USER" and cursor.at("MAPPING"):
        cursor.refuse("USER MAPPING")
    return word


_ACCEPTED = frozenset({"NOCREATEDB", "NOCREATEROLE", "INHERIT", "NOREPLICATION", "NOBYPASSRLS"})
"""What tools say of every role, and is so."""

_REFUSED = frozenset({"CREATEDB", "CREATEROLE", "NOINHERIT", "REPLICATION", "BYPASSRLS", "IN", "ROLE", "ADMIN", "USER"})


def _options(cursor: Cursor, options: RoleOptions) -> RoleOptions:
    login, superuser = options.login, options.superuser
    password: str | None = None
    valid_until: str | None = None
    cursor.take("WITH")
    while cursor.token.kind is not TokenKind.END:
        if word := cursor.take_one_of("LOGIN", "NOLOGIN"):
            login = word == "LOGIN"
        elif word := cursor.take_one_of("SUPERUSER", "NOSUPERUSER"):
            superuser = word == "SUPERUSER"
        elif cursor.at("ENCRYPTED", "PASSWORD"):
            password = _password(cursor)
        elif cursor.take("VALID"):
            cursor.expect("UNTIL")
            valid_until = cursor.string()
        elif cursor.take("CONNECTION", "LIMIT", "-"):
            if cursor.number() != "1":
                cursor.refuse("CONNECTION LIMIT")
        elif cursor.at("CONNECTION", "UNENCRYPTED", "SYSID") or cursor.at(*_REFUSED):
            cursor.refuse(f"role option {cursor.token.value}")
        elif cursor.take_one_of(*_ACCEPTED) is None:
            cursor.fail()
    return RoleOptions(login, superuser, password, valid_until)


def _password(cursor: Cursor) -> str:
    cursor.take("ENCRYPTED")
    cursor.expect("PASSWORD")
    return "" if cursor.take("NULL") else cursor.string()


def _grant(cursor: Cursor) -> Grant | GrantMembership:
    statement: Grant | GrantMembership
    if _names_roles(cursor, "TO"):
        roles = _list(cursor)
        cursor.expect("TO")
        statement = GrantMembership(roles, _grantees(cursor))
    else:
        privileges, databases = _privileges(cursor, "GRANT", all_of=None)
        cursor.expect("TO")
        statement = Grant(privileges, databases, _grantees(cursor))
    if cursor.at("WITH", "GRANTED"):
        cursor.refuse(f"GRANT {cursor.token.value} ...")
    return statement


def _revoke(cursor: Cursor) -> Revoke | RevokeMembership:
    if cursor.at("GRANT", "ADMIN", "INHERIT", "SET") and Cursor(cursor.text, cursor.token.end).at("OPTION"):
        cursor.refuse(f"REVOKE {cursor.token.value} OPTION FOR")
    statement: Revoke | RevokeMembership
    if _names_roles(cursor, "FROM"):
        roles = _list(cursor)
        cursor.expect("FROM")
        statement = RevokeMembership(roles, _grantees(cursor))
    else:
        privileges, databases = _privileges(cursor, "REVOKE", all_of=frozenset(GRANTED))
        cursor.expect("FROM")
        statement = Revoke(privileges, databases, _grantees(cursor))
    if cursor.at("GRANTED"):
        cursor.refuse("REVOKE GRANTED BY")
    cursor.take_one_of("CASCADE", "RESTRICT")
    return statement


def _names_roles(cursor: Cursor, before: str) -> bool:
    """Whether names alone stand before that word: membership in roles, whatever they are called."""
    ahead = Cursor(cursor.text, cursor.token.start)
    while ahead.token.kind in (TokenKind.WORD, TokenKind.QUOTED):
        ahead.advance()
        if not ahead.take(","):
            return ahead.at(before)
    return False


def _grantees(cursor: Cursor) -> tuple[str, ...]:
    """Roles, PUBLIC among them; GROUP before one says nothing."""
    names: list[str] = []
    while True:
        if cursor.at("CURRENT_USER", "SESSION_USER", "CURRENT_ROLE"):
            cursor.refuse(f"{cursor.token.value} in GRANT and REVOKE")
        cursor.take("GROUP")
        names.append(cursor.name())
        if not cursor.take(","):
            return tuple(names)


_BY_WORD = {privilege.name: privilege for privilege in GRANTED}


def _privileges(
    cursor: Cursor, command: str, *, all_of: frozenset[Privilege] | None
) -> tuple[frozenset[Privilege], tuple[str, ...]]:
    """``privilege [, ...] ON DATABASE name [, ...]``; ``all_of`` is what ALL means."""
    found: set[Privilege] = set()
    position = cursor.token.start + 1
    while True:
        if cursor.take("ALL"):
            cursor.take("PRIVILEGES")
            if all_of is None:
                raise Unsupported(f"{command} ALL is not supported", hint=GRANT_HINT, position=position)
            found |= all_of
        elif word := cursor.take_one_of(*_BY_WORD):
            found.add(_BY_WORD[word])
        else:
            raise Unsupported(f"this {command} is not supported", hint=GRANT_HINT, position=position)
        if not cursor.take(","):
            break
    if not cursor.take("ON", "DATABASE"):
        raise Unsupported(f"this {command} is not supported", hint=GRANT_HINT, position=position)
    return frozenset(found), _list(cursor)


def _names(cursor: Cursor) -> tuple[str, ...]:
    if cursor.at("PUBLIC", "GROUP"):
        cursor.refuse(cursor.token.value)
    return _list(cursor)


def _list(cursor: Cursor) -> tuple[str, ...]:
    names = [cursor.name()]
    while cursor.take(","):
        names.append(cursor.name())
    return tuple(names)


_PARSERS: Mapping[str, Callable[[Cursor], RoleStatement]] = {
    "CREATE": _create, "ALTER": _alter, "DROP": _drop, "GRANT": _grant, "REVOKE": _revoke,
}  # fmt: skip


# -- back to text -----------------------------------------------------------------------------------------------------


def role_text(statement: RoleStatement) -> str:
    """The statement as SQL, read back as the same one. It may hold a password: for the wire, not for logs."""
    match statement:
        case CreateRole(name, options):
            return f"CREATE ROLE {quote(name)}{_options_text(options)}"
        case AlterRole(name, options):
            return f"ALTER ROLE {'CURRENT_USER' if name is None else quote(name)}{_options_text(options)}"
        case RenameRole(name, new_name):
            return f"ALTER ROLE {quote(name)} RENAME TO {quote(new_name)}"
        case DropRole(names, if_exists):
            return f"DROP ROLE {'IF EXISTS ' if if_exists else ''}{_listed(names)}"
        case Grant(privileges, databases, roles):
            return f"GRANT {_words(privileges)} ON DATABASE {_listed(databases)} TO {_listed(roles)}"
        case Revoke(privileges, databases, roles):
            return f"REVOKE {_words(privileges)} ON DATABASE {_listed(databases)} FROM {_listed(roles)}"
        case GrantMembership(roles, members):
            return f"GRANT {_listed(roles)} TO {_listed(members)}"
        case RevokeMembership(roles, members):
            return f"REVOKE {_listed(roles)} FROM {_listed(members)}"


def _options_text(options: RoleOptions) -> str:
    words: list[str] = []
    if options.login is not None:
        words.append("LOGIN" if options.login else "NOLOGIN")
    if options.superuser is not None:
        words.append("SUPERUSER" if options.superuser else "NOSUPERUSER")
    if options.password is not None:
        words.append(f"PASSWORD {_string(options.password)}" if options.password else "PASSWORD NULL")
    if options.valid_until is not None:
        words.append(f"VALID UNTIL {_string(options.valid_until)}")
    return "".join(f" {word}" for word in words)


def _string(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _words(privileges: frozenset[Privilege]) -> str:
    return ", ".join(privilege.name.lower() for privilege in sorted(privileges))


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(map(quote, names))
