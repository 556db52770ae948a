"""What CREATE, ALTER and DROP DATABASE, and ALTER SCHEMA, do in a session."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from rocklake_server.auth.access import Access
from rocklake_server.auth.audit import audit
from rocklake_server.auth.roles import OWNER_NAME, Privilege
from rocklake_server.catalog import database_admin
from rocklake_server.catalog.databases import Databases
from rocklake_server.errors import UndefinedDatabase
from rocklake_server.session.transaction_block import TransactionBlock
from rocklake_server.sql import statements as sql

DatabaseCommand: TypeAlias = sql.CreateDatabase | sql.DropDatabase | sql.RenameDatabase | sql.RenameSchema


@dataclass(frozen=True, slots=True)
class DatabaseCommands:
    """Of one session, whose database is ``own``. ``skipped`` is told what DROP DATABASE IF EXISTS did not find."""

    databases: Databases
    block: TransactionBlock
    own: str
    skipped: Callable[[str], None]

    async def run(self, statement: DatabaseCommand) -> str:
        """Returns the command tag. Raises ActiveTransaction inside a block, and what ``catalog.database_admin``
        raises."""
        match statement:
            case sql.CreateDatabase():
                self._require(Privilege.SUPERUSER, statement.name, "CREATE DATABASE")
                self._require_role(statement.owner)
                await database_admin.create_database(self.databases, statement.name)
                return "CREATE DATABASE"
            case sql.DropDatabase():
                self._require(Privilege.ADMIN, statement.name, "DROP DATABASE")
                await self._drop(statement)
                return "DROP DATABASE"
            case sql.RenameDatabase():
                self._require(Privilege.SUPERUSER, statement.name, "ALTER DATABASE")
                await database_admin.rename_database(self.databases, statement.name, statement.new_name, self.own)
                return "ALTER DATABASE"
            case sql.RenameSchema():
                self._require(Privilege.ADMIN, self.own, "ALTER SCHEMA")
                await database_admin.rename_schema(self.databases, self.own, statement.name, statement.new_name)
                return "ALTER SCHEMA"

    async def _drop(self, statement: sql.DropDatabase) -> None:
        try:
            await database_admin.drop_database(self.databases, statement.name, self.own, force=statement.force)
        except UndefinedDatabase:
            if not statement.if_exists:
                raise
            self.skipped(f'database "{statement.name}" does not exist, skipping')
            return
        access = self.block.access
        audit("drop", user=access.user, address=access.address, object="database", name=statement.name,
              database=self.own)  # fmt: skip

    def _require(self, needed: Privilege, database: str, command: str) -> None:
        """The one place that decides who may. Raises ActiveTransaction, InsufficientPrivilege."""
        self.block.require_no_block(command)
        access = self.block.access
        Access(access.roles, access.user, database, access.address).require(needed, command)

    def _require_role(self, name: str | None) -> None:
        """Raises UndefinedObject for an owner that is no role. Everything belongs to one, whoever makes it."""
        access = self.block.access
        if name not in (None, access.user, OWNER_NAME):
            access.roles.table.role(name)
