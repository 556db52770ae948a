"""Utility statements that answer with a tag, notices or a few rows. COPY has modules of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from rocklake_server.catalog.databases import PUBLIC, Databases
from rocklake_server.errors import ReadOnlyTransaction
from rocklake_server.plan.model import ResultColumn
from rocklake_server.plan.relation_names import find_relation
from rocklake_server.schema.types import TEXT, Value
from rocklake_server.session.database_commands import DatabaseCommands
from rocklake_server.session.listening import Listening
from rocklake_server.session.procedures import (
    SCHEMA,
    Caller,
    Procedure,
    Procedures,
    bound_arguments,
    find_procedure,
    perform,
    require_may_call,
)
from rocklake_server.session.role_commands import RoleCommands
from rocklake_server.session.setting_definitions import REPORTED_NAMES
from rocklake_server.session.settings import Settings
from rocklake_server.session.statements import Registry
from rocklake_server.session.transaction_block import TransactionBlock
from rocklake_server.sql import roles
from rocklake_server.sql import statements as sql
from rocklake_server.wire.messages import NoticeResponse


class UtilityResult(NamedTuple):
    """The command tag, and rows for SHOW."""

    tag: str
    columns: tuple[ResultColumn, ...] | None = None
    rows: tuple[tuple[Value, ...], ...] = ()


def shown_columns(statement: sql.ShowVariable) -> tuple[ResultColumn, ...]:
    """The columns of SHOW."""
    if statement.name is None:
        return tuple(ResultColumn(name, TEXT) for name in ("name", "setting", "description"))
    return (ResultColumn(REPORTED_NAMES.get(statement.name, statement.name), TEXT),)


@dataclass(slots=True)
class UtilityRunner:
    """What utility statements act on."""

    block: TransactionBlock
    settings: Settings
    registry: Registry
    listening: Listening
    notice: Callable[[NoticeResponse], None]
    databases: Databases
    caller: Caller
    procedures: Procedures
    database_commands: DatabaseCommands

    async def run(self, statement: sql.UtilityStatement, parameters: Sequence[Value] = ()) -> UtilityResult:
        """Raises what the statement's effect raises; Unsupported for those without one."""
        match statement:
            case sql.Begin() | sql.Commit() | sql.Rollback() | sql.Savepoint() | sql.Release() | sql.RollbackTo():
                return UtilityResult(await self._transaction(statement))
            case sql.SetTransaction() | sql.SetTransactionSnapshot():
                return UtilityResult(self._set_transaction(statement))
            case sql.SetVariable() | sql.ResetVariable():
                return UtilityResult(self._set(statement))
            case sql.ShowVariable():
                return self._show(statement)
            case sql.Discard():
                return UtilityResult(self._discard(statement))
            case sql.Deallocate():
                return UtilityResult(self._deallocate(statement))
            case sql.CloseCursor():
                return UtilityResult(self._close(statement))
            case sql.Listen() | sql.Unlisten() | sql.Notify():
                return UtilityResult(self._notification(statement))
            case sql.Analyze() | sql.Vacuum() | sql.Checkpoint():
                return UtilityResult(await self._maintain(statement))
            case sql.Call():
                return await self._call(statement, parameters)
            case sql.CreateDatabase() | sql.DropDatabase() | sql.RenameDatabase() | sql.RenameSchema():
                return UtilityResult(await self.database_commands.run(statement))
            case (
                roles.CreateRole() | roles.AlterRole() | roles.RenameRole() | roles.DropRole() | roles.Grant()
                | roles.Revoke() | roles.GrantMembership() | roles.RevokeMembership()
            ):
                return UtilityResult(await self._roles(statement))
            case (
                sql.CopyIn() | sql.CopyOut() | sql.Prepare() | sql.ExecutePrepared() | sql.DeclareCursor() | sql.Fetch()
                | sql.Explain()
            ):
                raise AssertionError("what runs a query is run by the statement runner")

    async def _transaction(self, statement: sql.UtilityStatement) -> str:
        block = self.block
        match statement:
            case sql.Begin():
                if not block.begin(statement.modes):
                    self._warn("there is already a transaction in progress", "25001")
                return "BEGIN" if statement.keyword == "BEGIN" else "START TRANSACTION"
            case sql.Commit():
                if not block.in_block:
                    self._warn("there is no transaction in progress", "25P01")
                return "COMMIT" if await block.commit() else "ROLLBACK"
            case sql.Rollback():
                if not block.in_block:
                    self._warn("there is no transaction in progress", "25P01")
                await block.rollback()
                return "ROLLBACK"
            case sql.Savepoint():
                block.savepoint(statement.name)
                return "SAVEPOINT"
            case sql.Release():
                block.release(statement.name)
                return "RELEASE"
            case sql.RollbackTo():
                block.rollback_to(statement.name)
                return "ROLLBACK"
            case _:
                raise AssertionError("not a transaction statement")

    def _set_transaction(self, statement: sql.SetTransaction | sql.SetTransactionSnapshot) -> str:
        if isinstance(statement, sql.SetTransactionSnapshot):
            self.block.require_block("SET TRANSACTION SNAPSHOT")
            self.block.open().import_snapshot(statement.snapshot)
            return "SET"
        modes = statement.modes
        if statement.session:
            if modes.isolation is not None:
                self._set_default("isolation", modes.isolation.value)
            if modes.read_only is not None:
                self._set_default("read_only", "on" if modes.read_only else "off")
            if modes.deferrable is not None:
                self._set_default("deferrable", "on" if modes.deferrable else "off")
        elif self.block.in_block:
            self.block.set_modes(modes)
        else:
            self._warn("SET TRANSACTION can only be used in transaction blocks", "25P01")
        return "SET"

    def called(self, statement: sql.Call) -> Procedure:
        """Raises UndefinedFunction, and what refuses the caller."""
        procedure = find_procedure(self.procedures, statement)
        require_may_call(self.block.access, procedure)
        return procedure

    async def _call(self, statement: sql.Call, parameters: Sequence[Value]) -> UtilityResult:
        procedure = self.called(statement)
        arguments = bound_arguments(procedure, statement, parameters)
        command = f"CALL {SCHEMA}.{procedure.name}"
        self.block.require_no_block(command)
        if self.settings["default_transaction_read_only"] == "on":
            raise ReadOnlyTransaction(f"cannot execute {command} in a read-only transaction")
        schema = str(arguments.get("schema", PUBLIC))
        facts = await perform(self.databases, self.caller, procedure, arguments, schema)
        return UtilityResult("CALL", procedure.result_columns, procedure.rows(facts))

    def _set_default(self, mode: str, value: str) -> None:
        self.block.set_variable(f"default_transaction_{mode}", value, local=False)

    def _set(self, statement: sql.SetVariable | sql.ResetVariable) -> str:
        if isinstance(statement, sql.ResetVariable):
            self.block.reset_variable(statement.name)
            return "RESET"
        if statement.values is None:
            self.block.reset_variable(statement.name)
        elif statement.local and not (self.block.in_block or self.block.implicit_block):
            self._warn("SET LOCAL can only be used in transaction blocks", "25P01")
        else:
            self.block.set_variable(statement.name, ", ".join(statement.values), local=statement.local)
        return "SET"

    def _show(self, statement: sql.ShowVariable) -> UtilityResult:
        columns = shown_columns(statement)
        if statement.name is not None:
            return UtilityResult("SHOW", columns, ((self.settings.shown(statement.name),),))
        return UtilityResult("SHOW", columns, tuple((name, self.settings.shown(name), "") for name in self.settings))

    def _discard(self, statement: sql.Discard) -> str:
        match statement.target:
            case sql.DiscardTarget.ALL:
                self.block.require_no_block("DISCARD ALL")
                self.settings.reset(None)
                self.registry.forget_all_statements()
                self.registry.close_all_cursors()
                self.block.temporary.discard()
                if self.listening.channels:
                    self.block.open()
                    self.listening.unlisten(None)
                self.block.release_advisory_locks()
                return "DISCARD ALL"
            case sql.DiscardTarget.TEMP:
                self.block.require_no_block("DISCARD TEMP")
                self.block.temporary.discard()
                return "DISCARD TEMP"
            case sql.DiscardTarget.PLANS | sql.DiscardTarget.SEQUENCES:
                return f"DISCARD {statement.target.value}"

    def _deallocate(self, statement: sql.Deallocate) -> str:
        if statement.name is None:
            self.registry.forget_all_statements()
            return "DEALLOCATE ALL"
        self.registry.statement(statement.name)
        self.registry.forget_statement(statement.name)
        return "DEALLOCATE"

    def _close(self, statement: sql.CloseCursor) -> str:
        """Cursors, and the portals that the extended protocol made."""
        if statement.name is None:
            self.registry.close_all_cursors()
            return "CLOSE CURSOR ALL"
        self.registry.close_cursor(statement.name)
        return "CLOSE CURSOR"

    def _notification(self, statement: sql.Listen | sql.Unlisten | sql.Notify) -> str:
        self.block.open()  # they happen when it commits
        match statement:
            case sql.Listen():
                self.listening.listen(statement.channel)
                return "LISTEN"
            case sql.Unlisten():
                self.listening.unlisten(statement.channel)
                return "UNLISTEN"
            case sql.Notify():
                self.listening.notify(statement.channel, statement.payload)
                return "NOTIFY"

    async def _roles(self, statement: roles.RoleStatement) -> str:
        """In the list of databases, and of no transaction."""
        block = self.block
        name = type(statement).__name__.removesuffix("Membership").upper()
        block.require_no_block(name.replace("ROLE", " ROLE"))
        warn = partial(self._warn, sqlstate="01000")
        return await RoleCommands(block.databases.directory, block.access, self._tell, warn).run(statement)

    def _tell(self, text: str) -> None:
        self.notice(NoticeResponse.of(text, severity="NOTICE", sqlstate="00000"))

    async def _maintain(self, statement: sql.Analyze | sql.Vacuum | sql.Checkpoint) -> str:
        """The store keeps itself in shape; say so instead of pretending to have worked. Raises UndefinedTable."""
        name = type(statement).__name__.upper()
        if isinstance(statement, sql.Vacuum):
            self.block.require_no_block("VACUUM")
        if isinstance(statement, sql.Vacuum | sql.Analyze) and statement.tables:
            view = await self.block.current()
            for table in statement.tables:
                find_relation(view, table.schema, table.name)
        text = f"{name} has nothing to do here: the server keeps no statistics or dead rows of its own"
        self.notice(NoticeResponse.of(text, severity="NOTICE", sqlstate="00000"))
        return name

    def _warn(self, text: str, sqlstate: str) -> None:
        self.notice(NoticeResponse.of(text, severity="WARNING", sqlstate=sqlstate))
