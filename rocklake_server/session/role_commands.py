"""What statements about roles do. Each is durable when it is answered, and in force for every session's next
statement; it cannot be part of a transaction block."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from functools import partial

from rocklake_server.auth.access import Access
from rocklake_server.auth.audit import audit
from rocklake_server.auth.roles import Privilege, RoleChange, RoleTable
from rocklake_server.auth.verifier import verifier_of
from rocklake_server.catalog.directory import Directory
from rocklake_server.errors import InsufficientPrivilege, ObjectNotInPrerequisiteState, UndefinedObject
from rocklake_server.pgformat.text import session_text_decoder
from rocklake_server.schema.types import TIMESTAMPTZ
from rocklake_server.sql.roles import (
    GRANT_HINT,
    AlterRole,
    CreateRole,
    DropRole,
    Grant,
    GrantMembership,
    RenameRole,
    Revoke,
    RevokeMembership,
    RoleOptions,
    RoleStatement,
)

MOCK_SECRET_BYTES = 32
_FOR_EVER_US = 2**63 - 1

Tell = Callable[[str], None]
"""Given what a client is told in a NOTICE, or in a WARNING."""


class RoleCommands:
    """On the roles of one store, for who holds ``access``."""

    def __init__(self, directory: Directory, access: Access, tell: Tell, warn: Tell) -> None:
        self._directory = directory
        self._access = access
        self._tell = tell
        self._warn = warn

    async def run(self, statement: RoleStatement) -> str:
        """Returns the command tag. Raises InsufficientPrivilege, UndefinedObject, DuplicateObject, ReservedName,
        InvalidParameterValue, Unsupported, ObjectNotInPrerequisiteState, and what writing the system store raises."""
        match statement:
            case CreateRole():
                return await self._create(statement)
            case AlterRole():
                return await self._alter(statement)
            case RenameRole(name, new_name):
                self._access.require(Privilege.SUPERUSER, "ALTER ROLE")
                await self._directory.change_roles(lambda table: table.renamed(name, new_name))
                self._audit("rename", name, new_name=new_name)
                return "ALTER ROLE"
            case DropRole():
                return await self._drop(statement)
            case Grant():
                return await self._grant(statement)
            case Revoke():
                return await self._revoke(statement)
            case GrantMembership():
                return await self._grant_membership(statement)
            case RevokeMembership():
                return await self._revoke_membership(statement)

    async def _create(self, statement: CreateRole) -> str:
        self._access.require(Privilege.SUPERUSER, "CREATE ROLE")
        change = await _change(statement.options)
        secret = secrets.token_bytes(MOCK_SECRET_BYTES)
        await self._directory.change_roles(lambda table: table.created(statement.name, change, secret))
        self._audit("create", statement.name, **_shown(statement.options))
        return "CREATE ROLE"

    async def _alter(self, statement: AlterRole) -> str:
        name = self._access.user if statement.name is None else statement.name
        only_password = RoleOptions(password=statement.options.password)
        if name != self._access.user or statement.options != only_password:
            self._access.require(Privilege.SUPERUSER, "ALTER ROLE")
        change = await _change(statement.options)
        await self._directory.change_roles(lambda table: table.altered(name, change))
        self._audit("alter", name, **_shown(statement.options))
        return "ALTER ROLE"

    async def _drop(self, statement: DropRole) -> str:
        self._access.require(Privilege.SUPERUSER, "DROP ROLE")
        if self._access.user in statement.names:
            raise ObjectNotInPrerequisiteState("current user cannot be dropped")
        dropped: list[str] = []

        def change(table: RoleTable) -> RoleTable:
            dropped[:] = [name for name in statement.names if name in table.roles or not statement.if_exists]
            for name in dropped:
                table = table.dropped(name)
            return table

        await self._directory.change_roles(change)
        for name in statement.names:
            if name in dropped:
                self._audit("drop", name)
            else:
                self._tell(f'role "{name}" does not exist, skipping')
        return "DROP ROLE"

    async def _grant(self, statement: Grant) -> str:
        self._require_admin(statement.databases, "GRANT")
        await self._directory.change_roles(partial(_granted, statement=statement))
        for database in statement.databases:
            if not self._directory.schemas(database):
                self._tell(f'database "{database}" is not there yet: the grant holds once it is')
        self._audit_grants("grant", statement)
        return "GRANT"

    async def _revoke(self, statement: Revoke) -> str:
        self._require_admin(statement.databases, "REVOKE")
        before, after = await self._changed(partial(_revoked, statement=statement))
        for database in statement.databases:
            for name in statement.roles:
                if after.grants_of(name).get(database) == before.grants_of(name).get(database):
                    self._tell(f'role "{name}" was not granted this on database "{database}"')
        self._audit_grants("revoke", statement)
        return "REVOKE"

    async def _grant_membership(self, statement: GrantMembership) -> str:
        self._access.require(Privilege.SUPERUSER, "GRANT of a role")
        try:
            before, _ = await self._changed(partial(_with_members, statement=statement))
        except UndefinedObject as error:
            error.hint = GRANT_HINT
            raise
        for name, member in _pairs(statement):
            if name in before.role(member).member_of:
                self._tell(f'role "{member}" is already a member of role "{name}"')
            else:
                self._audit("add member", name, member=member)
        return "GRANT ROLE"

    async def _revoke_membership(self, statement: RevokeMembership) -> str:
        self._access.require(Privilege.SUPERUSER, "REVOKE of a role")
        before, _ = await self._changed(partial(_without_members, statement=statement))
        for name, member in _pairs(statement):
            if name in before.role(member).member_of:
                self._audit("remove member", name, member=member)
            else:
                self._warn(f'role "{member}" is not a member of role "{name}"')
        return "REVOKE ROLE"

    async def _changed(self, change: Callable[[RoleTable], RoleTable]) -> tuple[RoleTable, RoleTable]:
        """The tables before and after."""
        before: list[RoleTable] = []

        def noted(table: RoleTable) -> RoleTable:
            before[:] = [table]
            return change(table)

        after = await self._directory.change_roles(noted)
        return before[0], after

    def _require_admin(self, databases: tuple[str, ...], command: str) -> None:
        """Who administers a lake grants on it. Raises InsufficientPrivilege."""
        table = self._access.roles.table
        for database in databases:
            if table.privilege(self._access.user, database) < Privilege.ADMIN:
                raise InsufficientPrivilege(
                    f'permission denied for lake "{database}"',
                    detail=f'Role "{self._access.user}" is no admin of it; {command} needs admin.',
                )

    def _audit(self, action: str, role: str, **facts: str | bool | None) -> None:
        audit("role", user=self._access.user, address=self._access.address, action=action, role=role, **facts)

    def _audit_grants(self, event: str, statement: Grant | Revoke) -> None:
        words = ",".join(privilege.name.lower() for privilege in sorted(statement.privileges))
        for database in statement.databases:
            for role in statement.roles:
                audit(event, user=self._access.user, address=self._access.address, privileges=words,
                      database=database, role=role)  # fmt: skip


def _granted(table: RoleTable, statement: Grant) -> RoleTable:
    for database in statement.databases:
        for name in statement.roles:
            table = table.granted(name, database, statement.privileges)
    return table


def _revoked(table: RoleTable, statement: Revoke) -> RoleTable:
    for database in statement.databases:
        for name in statement.roles:
            table = table.revoked(name, database, statement.privileges)
    return table


def _pairs(statement: GrantMembership | RevokeMembership) -> list[tuple[str, str]]:
    """(role, member)"""
    return [(name, member) for name in statement.roles for member in statement.members]


def _with_members(table: RoleTable, statement: GrantMembership) -> RoleTable:
    for name, member in _pairs(statement):
        table = table.with_member(name, member)
    return table


def _without_members(table: RoleTable, statement: RevokeMembership) -> RoleTable:
    for name, member in _pairs(statement):
        table = table.without_member(name, member)
    return table


async def _change(options: RoleOptions) -> RoleChange:
    """Hashing a password takes milliseconds: not on the event loop."""
    change = RoleChange(options.login, options.superuser)
    if options.password is not None:
        verifier = await asyncio.to_thread(verifier_of, options.password) if options.password else None
        change = RoleChange(change.login, change.superuser, (verifier,))
    if options.valid_until is None:
        return change
    until_us: int = session_text_decoder(TIMESTAMPTZ)(options.valid_until)
    ends_us = None if until_us == _FOR_EVER_US else until_us
    return RoleChange(change.login, change.superuser, change.password, (ends_us,))


def _shown(options: RoleOptions) -> dict[str, str | bool | None]:
    """What the audit log says of them."""
    password = None if options.password is None else "changed" if options.password else "removed"
    return {
        "login": options.login, "superuser": options.superuser, "password": password,
        "valid_until": options.valid_until,
    }  # fmt: skip
