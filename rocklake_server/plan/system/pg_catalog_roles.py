"""pg_roles, pg_user and pg_auth_members. The owner of everything is listed whether a role of that name was created or
not: it can log in while nobody else can. A role has no members: what it holds is per database."""

from __future__ import annotations

from rocklake_server.auth.roles import OWNER_NAME, OWNER_OID, Role
from rocklake_server.catalog.view import TransactionView
from rocklake_server.plan.system.relation import SystemRows, constant, from_view

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
    constant("pg_catalog", "pg_auth_members", "roleid oid, member oid, grantor oid, admin_option bool"),
)
