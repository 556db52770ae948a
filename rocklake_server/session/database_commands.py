"""What CREATE, ALTER and DROP DATABASE, and ALTER SCHEMA, do in a session."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from rocklake_server.catalog import database_admin
from rocklake_server.catalog.databases import Databases
from rocklake_server.errors import UndefinedDatabase, UndefinedObject
from rocklake_server.plan.system.oids import OWNER_NAME
from rocklake_server.session.transaction_block import TransactionBlock
from rocklake_server.sql import statements as sql

DatabaseCommand: TypeAlias = sql.CreateDatabase | sql.DropDatabase | sql.RenameDatabase | sql.RenameSchema


@dataclass(frozen=True, slots=True)
class DatabaseCommands:
    """Of one session, whose database is ``own``. ``skipped`` is told what DROP DATABASE IF EXISTS did not find."""

    databases: Databases
    block: TransactionBlock
    own: str
    user: str
    skipped: Callable[[str], None]

    async def run(self, statement: DatabaseCommand) -> str:
        """Returns the command tag. Raises ActiveTransaction inside a block, and what ``catalog.database_admin``
        raises."""
        match statement:
            case sql.CreateDatabase():
                self._require_admin("CREATE DATABASE")
                self._require_role(statement.owner)
                await database_admin.create_database(self.databases, statement.name)
                return "CREATE DATABASE"
            case sql.DropDatabase():
                self._require_admin("DROP DATABASE")
                await self._drop(statement)
                return "DROP DATABASE"
            case sql.RenameDatabase():
                self._require_admin("ALTER DATABASE")
                await database_admin.rename_database(self.databases, statement.name, statement.new_name, self.own)
                return "ALTER DATABASE"
            case sql.RenameSchema():
                self._require_admin("ALTER SCHEMA")
                await database_admin.rename_schema(self.databases, self.own, statement.name, statement.new_name)
                return "ALTER SCHEMA"

    async def _drop(self, statement: sql.DropDatabase) -> None:
        try:
            await database_admin.drop_database(self.databases, statement.name, self.own, force=statement.force)
        except UndefinedDatabase:
            if not statement.if_exists:
                raise
            self.skipped(f'database "{statement.name}" does not exist, skipping')

    def _require_admin(self, command: str) -> None:
        """The one place that decides who may: every user, as long as every user is trusted."""
        self.block.require_no_block(command)

    def _require_role(self, name: str | None) -> None:
        """Raises UndefinedObject for an owner that is no role: there are the session's user and the one that owns
        everything."""
        if name not in (None, self.user, OWNER_NAME):
            raise UndefinedObject(f'role "{name}" does not exist')
