"""Where a session is between BEGIN and COMMIT, and the transaction that belongs there."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from enum import Enum

from rocklake_server.auth.access import UNRESTRICTED, Access
from rocklake_server.catalog.database_transaction import DatabaseTransaction, Modes
from rocklake_server.catalog.databases import Databases
from rocklake_server.catalog.snapshot_turn import Losses
from rocklake_server.catalog.temporary import TemporaryTables
from rocklake_server.catalog.view import IsolationLevel
from rocklake_server.catalog.waits import Holder
from rocklake_server.errors import ActiveTransaction, CatalogError, FailedTransaction, NoActiveTransaction
from rocklake_server.session.savepoints import Follower
from rocklake_server.session.setting_definitions import TRANSACTION_MODES
from rocklake_server.session.settings import Settings
from rocklake_server.sql.statements import Isolation, TransactionModes

LEVELS = {
    Isolation.READ_UNCOMMITTED: IsolationLevel.READ_COMMITTED,
    Isolation.READ_COMMITTED: IsolationLevel.READ_COMMITTED,
    Isolation.REPEATABLE_READ: IsolationLevel.REPEATABLE_READ,
    Isolation.SERIALIZABLE: IsolationLevel.SERIALIZABLE,
}
_LEVELS_BY_NAME = {isolation.value: level for isolation, level in LEVELS.items()}


class BlockState(Enum):
    """The values are ReadyForQuery's."""

    IDLE = "I"
    IN_BLOCK = "T"
    FAILED = "E"

    __hash__ = object.__hash__  # members are singletons; Enum's own hash is a Python call


class TransactionBlock:
    """Statements outside a block run in an implicit transaction that ends with their message. ``holder`` stands for
    the session where locks are waited for; ``followers`` are undone with the transaction, and published with it."""

    def __init__(
        self,
        databases: Databases,
        database: str,
        settings: Settings,
        access: Access = UNRESTRICTED,
        holder: Holder | None = None,
        followers: Sequence[Follower] = (),
    ) -> None:
        self.holder = holder if holder is not None else Holder()
        self._followers = followers
        self.implicit_block = False
        self.begun = 0
        self.databases = databases
        self._database = database
        self.access = access
        self._settings = settings
        self._losses = Losses()
        self.temporary = TemporaryTables(databases.clock)
        self.state = BlockState.IDLE
        self.transaction: DatabaseTransaction | None = None
        self.committing = False

    @property
    def in_block(self) -> bool:
        return self.state is not BlockState.IDLE

    def now_us(self) -> int:
        """When the transaction began, or the time if there is none."""
        return self.databases.clock.now_us() if self.transaction is None else self.transaction.now_us

    def require_not_failed(self) -> None:
        if self.state is BlockState.FAILED:
            raise FailedTransaction.default()

    def require_no_block(self, command: str) -> None:
        """Also refused after other statements of an implicit transaction."""
        if self.in_block or self.transaction is not None:
            raise ActiveTransaction(f"{command} cannot run inside a transaction block")

    def require_block(self, command: str, *, or_implicit: bool = False) -> None:
        """``or_implicit``: the statements of one simple Query are enough of a block."""
        if not self.in_block and not (or_implicit and self.implicit_block):
            raise NoActiveTransaction(f"{command} can only be used in transaction blocks")

    async def current(self) -> DatabaseTransaction:
        """The transaction for the next statement, its roots taken as its isolation level says."""
        transaction = self.transaction or self.open()
        timeout_s = self._settings.timeouts.lock_s
        if timeout_s != transaction.modes.lock_timeout_s:
            transaction.set_lock_timeout(timeout_s)
        await transaction.begin_statement()
        return transaction

    def require_owned(self) -> None:
        """Before a statement is answered: the store may have become another server's while it ran."""
        if self.transaction is not None:
            self.transaction.require_owned()

    def database_size(self, name: str) -> int:
        """What a database's rows take in the store, in bytes. Raises as ``DatabaseTransaction.stored_bytes_of``."""
        transaction = self.open()
        return transaction.stored_bytes if name == self._database else transaction.stored_bytes_of(name)

    def open(self) -> DatabaseTransaction:
        """The transaction, begun (implicitly) if there is none."""
        if self.transaction is None:
            self.begun += 1
            self._settings.begin()
            self.transaction = DatabaseTransaction(
                self.databases, self._database, self._modes(), self.temporary, self._losses, self.access, self.holder
            )
        return self.transaction

    def begin(self, modes: TransactionModes) -> bool:
        """BEGIN. False when a block is open already; its modes are set as SET TRANSACTION would all the same."""
        if self.in_block:
            self.set_modes(modes)
            return False
        transaction = self.open()
        transaction.modes.block = True
        self.state = BlockState.IN_BLOCK
        self.set_modes(modes)
        return True

    def release_advisory_locks(self) -> None:
        """Those that the session took for itself."""
        self.databases.advisory_locks.release_session(self.holder)

    def set_modes(self, modes: TransactionModes) -> None:
        """Raises ActiveTransaction when the isolation level would change after the first query."""
        transaction = self.open()
        if modes.isolation is not None:
            level = LEVELS[modes.isolation]
            if transaction.started and level is not transaction.modes.isolation:
                raise ActiveTransaction("SET TRANSACTION ISOLATION LEVEL must be called before any query")
            transaction.modes.isolation = level
            self._settings.set_mode("transaction_isolation", modes.isolation.value)
        if modes.read_only is not None:
            if transaction.started and transaction.modes.read_only and not modes.read_only:
                raise ActiveTransaction("transaction read-write mode must be set before any query")
            transaction.modes.read_only = modes.read_only
            self._settings.set_mode("transaction_read_only", "on" if modes.read_only else "off")
        if modes.deferrable is not None:
            self._settings.set_mode("transaction_deferrable", "on" if modes.deferrable else "off")

    def set_variable(self, name: str, value: str, *, local: bool) -> None:
        """SET: undone when the transaction is rolled back. Raises what ``Settings.set`` and ``set_modes`` raise."""
        self.open()
        if name not in TRANSACTION_MODES:
            self._settings.set(name, value, local=local)
            return
        value = self._settings.checked(name, value)
        match name:
            case "transaction_isolation":
                self.set_modes(TransactionModes(isolation=Isolation(value)))
            case "transaction_read_only":
                self.set_modes(TransactionModes(read_only=value == "on"))
            case _:
                self.set_modes(TransactionModes(deferrable=value == "on"))

    def reset_variable(self, name: str | None) -> None:
        """RESET, undone as SET is."""
        self.open()
        self._settings.reset(name)

    async def commit(self) -> bool:
        """COMMIT, or the end of an implicit transaction. False when a failed block was rolled back instead. Once the
        commit is under way it is seen through: a cancellation is raised only after its outcome is known."""
        if self.state is BlockState.FAILED:
            await self.rollback()
            return False
        transaction, self.transaction = self.transaction, None
        self.state = BlockState.IDLE
        if transaction is None:
            return True
        committed = False
        self.committing = True
        try:
            if transaction.writes:
                await _seen_through(asyncio.ensure_future(transaction.commit()))
            else:
                await transaction.commit()
            committed = True
        finally:
            self.committing = False
            self._end(committed=committed)
        return True

    def _end(self, *, committed: bool) -> None:
        self._settings.end(committed=committed)
        for follower in self._followers:
            follower.end(committed=committed)

    async def rollback(self) -> None:
        transaction, self.transaction = self.transaction, None
        self.state = BlockState.IDLE
        self._end(committed=False)
        if transaction is not None:
            await transaction.rollback()

    async def fail(self, error: CatalogError) -> None:
        """After an error: a block waits for ROLLBACK, an implicit transaction is rolled back now."""
        if not self.in_block:
            await self.rollback()
        elif self.state is not BlockState.FAILED:
            self.state = BlockState.FAILED
            if self.transaction is not None:
                await self.transaction.fail(error)

    def savepoint(self, name: str) -> None:
        self.require_block("SAVEPOINT")
        self.open().savepoint(name)
        self._settings.savepoint(name)
        for follower in self._followers:
            follower.savepoint(name)

    def release(self, name: str) -> None:
        self.require_block("RELEASE SAVEPOINT")
        self.open().release_savepoint(name)
        self._settings.release(name)
        for follower in self._followers:
            follower.release(name)

    def rollback_to(self, name: str) -> None:
        self.require_block("ROLLBACK TO SAVEPOINT")
        transaction = self.open()
        transaction.rollback_to(name)
        self._settings.rollback_to(name)
        for follower in self._followers:
            follower.rollback_to(name)
        transaction.modes.read_only = self._settings["transaction_read_only"] == "on"
        self.state = BlockState.IN_BLOCK

    def _modes(self) -> Modes:
        mode = self._settings.mode
        isolation = _LEVELS_BY_NAME[mode("transaction_isolation")]
        return Modes(isolation, mode("transaction_read_only") == "on", lock_timeout_s=self._settings.timeouts.lock_s)


async def _seen_through(commit: asyncio.Future[None]) -> None:
    cancelled: asyncio.CancelledError | None = None
    while not commit.done():
        try:
            await asyncio.shield(commit)
        except asyncio.CancelledError as error:
            if commit.cancelled():
                raise
            cancelled = error
        except Exception:  # noqa: BLE001  raised below, with or without a cancellation
            break
    commit.result()
    if cancelled is not None:
        raise cancelled
