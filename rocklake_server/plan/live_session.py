"""What functions and system relations ask of the running session, and of the others through it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from rocklake_server.catalog.advisory_locks import AdvisoryKey, LockMode, Scope


class Activity(NamedTuple):
    """One session, as pg_stat_activity shows it. Times are microseconds since 2000-01-01 UTC."""

    process_id: int
    database: str
    user: str
    application_name: str
    client_address: str | None
    client_port: int | None
    began_us: int
    transaction_began_us: int | None
    statement_began_us: int | None
    state_since_us: int
    wait: tuple[str, str] | None
    """(type, event)"""
    state: str
    statement: str

    def hidden(self) -> Activity:
        """What of it those see whom it does not concern."""
        return self._replace(
            client_address=None, client_port=None, transaction_began_us=None, statement_began_us=None, wait=None,
            statement="<insufficient privilege>",
        )


class Lock(NamedTuple):
    """One line of pg_locks: of an advisory lock, of a relation that a transaction wrote, or of a transaction, which
    those wait for that need a primary key of its."""

    process_id: int
    transaction: str
    """The virtual transaction id of who holds it or waits."""
    mode: str
    granted: bool
    database: str | None = None
    relation_oid: int | None = None
    virtual_id: str | None = None
    advisory: AdvisoryKey | None = None
    waits_since_us: int | None = None


class Cursor(NamedTuple):
    """One line of pg_cursors."""

    name: str
    statement: str
    holds: bool
    binary: bool
    scrolls: bool
    made_us: int


class PreparedStatement(NamedTuple):
    """One line of pg_prepared_statements; the types are OIDs."""

    name: str
    statement: str
    made_us: int
    parameter_types: tuple[int, ...]
    from_sql: bool


class LiveSession(Protocol):
    """The session that runs the statement."""

    def activities(self) -> Sequence[Activity]:
        """All sessions of the server."""

    def locks(self) -> Sequence[Lock]:
        """All locks of the server."""

    def blockers(self, process_id: int) -> tuple[int, ...]:
        """The sessions that one waits for."""

    def cancel(self, process_id: int) -> bool:
        """End a session's statement. False when there is no such session."""

    def terminate(self, process_id: int) -> bool:
        """End a session. False when there is none."""

    def cursors(self) -> Sequence[Cursor]:
        """The session's own."""

    def prepared_statements(self) -> Sequence[PreparedStatement]:
        """The session's own."""

    def channels(self) -> Sequence[str]:
        """Those that the session listens on."""

    def notify(self, channel: str, payload: str) -> None:
        """NOTIFY, when the transaction commits. Raises InvalidParameterValue."""

    def warn(self, message: str) -> None:
        """Tell the client a WARNING."""

    def try_lock(self, key: AdvisoryKey, mode: LockMode, scope: Scope) -> bool:
        """Take an advisory lock if it is free."""

    def lock(self, key: AdvisoryKey, mode: LockMode, scope: Scope) -> None:
        """Take an advisory lock, waiting for it. Raises DeadlockDetected, LockNotAvailable."""

    def unlock(self, key: AdvisoryKey, mode: LockMode) -> bool:
        """Give back one that the session took for itself; False when it has none."""

    def unlock_all(self) -> None:
        """Give back all that the session took for itself."""
