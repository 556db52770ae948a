"""pg_roles, pg_user and pg_auth_members. The owner of everything is listed whether a role of that name was created or
not: it can log in while nobody else can, and every membership is granted by it."""

from __future__ import annotations

from rocklake_server.auth.roles import OWNER_NAME, OWNER_OID, Role
from rocklake_server.catalog.view import TransactionView
from rocklake_server.plan.system.relation import SystemRows, from_view

HIDDEN_PASSWORD = "********"


def _listed(view: TransactionView) -> list[Role]:
    roles = dict(view.access.roles.table.roles)
    roles.setdefault(OWNER_NAME, Role(OWNER_NAME, OWNER_OID, login=not roles, superuser=True))
    return sorted(roles.values(), key=lambda role: role.oid)


def _roles(view: TransactionView) -> SystemRows:
    return tuple(
        (
            role.name, role.superuser, True, role.superuser, role.superuser, role.login, False, -1, HIDDEN_PASSWORD,
            role.valid_until_us, role.superuser, None, role.oid,
        )
        for role in _listed(view)
    )  # fmt: skip


def _users(view: TransactionView) -> SystemRows:
    return tuple(
        (
            role.name, role.oid, role.superuser, role.superuser, False, role.superuser, HIDDEN_PASSWORD,
            role.valid_until_us, None,
        )
        for role in _listed(view)
        if role.login
    )  # fmt: skip


def _members(view: TransactionView) -> SystemRows:
    roles = view.access.roles.table.roles
    return tuple(
        (roles[name].oid, role.oid, OWNER_OID, False)
        for role in sorted(roles.values(), key=lambda role: role.oid)
        for name in sorted(role.member_of)
        if name in roles
    )


def _groups(view: TransactionView) -> SystemRows:
    """Roles that cannot log in, with those that are members of them."""
    roles = sorted(view.access.roles.table.roles.values(), key=lambda role: role.oid)
    return tuple(
        (group.name, group.oid, tuple(role.oid for role in roles if group.name in role.member_of))
        for group in _listed(view)
        if not group.login
    )


RELATIONS = (
    from_view(
        "pg_catalog", "pg_roles",
        "rolname name, rolsuper bool, rolinherit bool, rolcreaterole bool, rolcreatedb bool,"
        "rolcanlogin bool, rolreplication bool, rolconnlimit int4, rolpassword text,"
        "rolvaliduntil timestamptz, rolbypassrls bool, rolconfig _text, oid oid",
        _roles,
    ),
    from_view(
        "pg_catalog", "pg_user",
        "usename name, usesysid oid, usecreatedb bool, usesuper bool, userepl bool, usebypassrls bool,"
        "passwd text, valuntil timestamptz, useconfig _text",
        _users,
    ),
    from_view("pg_catalog", "pg_auth_members", "roleid oid, member oid, grantor oid, admin_option bool", _members),
    from_view("pg_catalog", "pg_group", "groname name, grosysid oid, grolist _oid", _groups),
)
