"""has_database_privilege, has_schema_privilege, has_table_privilege and pg_get_userbyid: what roles hold, in
PostgreSQL's words (manual, "Access Privilege Inquiry Functions"), and in our own for databases."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from rocklake_server.auth.membership import roles_of
from rocklake_server.auth.roles import OWNER_OID, PUBLIC, Privilege
from rocklake_server.errors import InvalidParameterValue, UndefinedObject
from rocklake_server.plan.applications import Contextual
from rocklake_server.plan.model import Context
from rocklake_server.plan.overloads import Overload
from rocklake_server.plan.relation_names import PG_CATALOG, relation_oid, split_name
from rocklake_server.plan.system_relations import SYSTEM_RELATIONS
from rocklake_server.schema.types import BOOLEAN, INTEGER, NAME, OID, TEXT, Value

_OF_DATABASES = {
    "CONNECT": Privilege.CONNECT, "TEMPORARY": Privilege.CONNECT, "TEMP": Privilege.CONNECT,
    "CREATE": Privilege.WRITER, "READER": Privilege.READER, "WRITER": Privilege.WRITER, "ADMIN": Privilege.ADMIN,
}  # fmt: skip
_OF_SCHEMAS = {"USAGE": Privilege.READER, "CREATE": Privilege.WRITER}
_OF_TABLES = {
    "SELECT": Privilege.READER, "INSERT": Privilege.WRITER, "UPDATE": Privilege.WRITER, "DELETE": Privilege.WRITER,
    "TRUNCATE": Privilege.WRITER, "REFERENCES": Privilege.WRITER, "TRIGGER": Privilege.WRITER,
}  # fmt: skip
_OF_SYSTEM_RELATIONS = {**dict.fromkeys(_OF_TABLES, Privilege.SUPERUSER), "SELECT": Privilege.NOTHING}
_FIRST_NORMAL_OID = 16_384
_GRANT_OPTION = " WITH GRANT OPTION"
_ADMIN_OPTION = " WITH ADMIN OPTION"


def _holds(context: Context, user: Value, database: str, wanted: str, names: Mapping[str, Privilege]) -> bool:
    """Whether ``user`` holds one of the privileges that ``wanted`` lists. Raises InvalidParameterValue,
    UndefinedObject."""
    needed: list[Privilege] = []
    for part in wanted.split(","):
        name = " ".join(part.upper().split())
        found = names.get(name.removesuffix(_GRANT_OPTION))
        if found is None:
            raise InvalidParameterValue(f'unrecognized privilege type: "{part.strip()}"')
        needed.append(max(found, Privilege.ADMIN) if name.endswith(_GRANT_OPTION) else found)
    table = context.view.access.roles.table
    if user == PUBLIC and table.roles:
        return table.public_privilege(database) >= min(needed)
    return table.privilege(_user(context, user), database) >= min(needed)


def _user(context: Context, given: Value) -> str:
    """A role by name or OID; ``None`` is the session's. Raises UndefinedObject."""
    table = context.view.access.roles.table
    if given is None:
        return context.view.access.user if table.roles else context.user
    if isinstance(given, int):
        name = table.name_of(given)
        if name is None:
            raise UndefinedObject(f"role with OID {given} does not exist")
        return name
    if table.roles:
        table.role(str(given))
    return str(given)


def _parts(arguments: Sequence[Value]) -> tuple[Value, Value, str]:
    """(user or ``None``, object, privileges)"""
    user = arguments[0] if len(arguments) == 3 else None
    return user, arguments[-2], str(arguments[-1])


def _database_privilege(context: Context, *arguments: Value) -> bool | None:
    if None in arguments:
        return None
    user, database, wanted = _parts(arguments)
    name = context.database if isinstance(database, int) else str(database)
    return _holds(context, user, name, wanted, _OF_DATABASES)


def _schema_privilege(context: Context, *arguments: Value) -> bool | None:
    if None in arguments:
        return None
    user, _, wanted = _parts(arguments)
    return _holds(context, user, context.database, wanted, _OF_SCHEMAS)


def _table_privilege(context: Context, *arguments: Value) -> bool | None:
    """Raises UndefinedTable for a name that no relation has."""
    if None in arguments:
        return None
    user, table, wanted = _parts(arguments)
    names = _OF_SYSTEM_RELATIONS if _is_system(table) else _OF_TABLES
    if names is _OF_TABLES and not isinstance(table, int):
        relation_oid(context, table)
    return _holds(context, user, context.database, wanted, names)


def _column_privilege(context: Context, *arguments: Value) -> bool | None:
    """(user or none, table, column, privileges): a column is held as its table is."""
    return None if None in arguments else _table_privilege(context, *arguments[:-2], arguments[-1])


def _membership(context: Context, *arguments: Value) -> bool | None:
    """(user or none, role, privileges): a superuser counts as a member of each. Members hold what their roles hold
    without doing anything for it, so USAGE is MEMBER."""
    if None in arguments:
        return None
    user, role, wanted = _parts(arguments)
    asked = [" ".join(part.upper().split()) for part in wanted.split(",")]
    for part, word in zip(wanted.split(","), asked, strict=True):
        if word.removesuffix(_GRANT_OPTION).removesuffix(_ADMIN_OPTION) not in ("USAGE", "MEMBER"):
            raise InvalidParameterValue(f'unrecognized privilege type: "{part.strip()}"')
    table, name, of = context.view.access.roles.table, _user(context, user), _user(context, role)
    if table.privilege(name, context.database) is Privilege.SUPERUSER:
        return True
    administers = all(word.endswith((_GRANT_OPTION, _ADMIN_OPTION)) for word in asked)
    return not administers and of in roles_of(table.roles, name)


def _is_system(table: Value) -> bool:
    """Whether everybody may read it, by name or OID."""
    if isinstance(table, int):
        return table < _FIRST_NORMAL_OID
    schema, name = split_name(str(table))
    return (PG_CATALOG if schema is None else schema, name) in SYSTEM_RELATIONS


def _user_by_oid(context: Context, oid: int | None) -> str | None:
    """While there is no role, everything belongs to whoever asks."""
    if oid is None:
        return None
    table = context.view.access.roles.table
    if oid == OWNER_OID and not table.roles:
        return context.user
    return table.name_of(oid) or f"unknown (OID={oid})"


def _inquiry(function: Callable[..., Value]) -> tuple[Overload, ...]:
    """The six ways to name a user, or none, and an object."""
    arguments = (
        (TEXT, TEXT), (OID, TEXT), (NAME, TEXT, TEXT), (NAME, OID, TEXT), (OID, TEXT, TEXT), (OID, OID, TEXT),
    )  # fmt: skip
    return tuple(Overload(each, BOOLEAN, function, Contextual) for each in arguments)


def _column_inquiry() -> tuple[Overload, ...]:
    """As ``_inquiry``, the column by name or number."""
    return tuple(
        Overload((*who, table, column, TEXT), BOOLEAN, _column_privilege, Contextual)
        for who in ((), (NAME,), (OID,)) for table in (TEXT, OID) for column in (TEXT, INTEGER)
    )


FUNCTIONS: Mapping[str, tuple[Overload, ...]] = {
    "has_column_privilege": _column_inquiry(),
    "pg_has_role": tuple(
        Overload((*who, role, TEXT), BOOLEAN, _membership, Contextual)
        for who in ((), (NAME,), (OID,)) for role in (NAME, OID)
    ),
    "has_database_privilege": _inquiry(_database_privilege),
    "has_schema_privilege": _inquiry(_schema_privilege),
    "has_table_privilege": _inquiry(_table_privilege),
    "pg_get_userbyid": (Overload((OID,), NAME, _user_by_oid, Contextual),),
}
