"""Prepared statements and portals: what a session keeps between messages. A cursor is a portal that SQL can move."""

from __future__ import annotations

from dataclasses import dataclass, field

from rocklake_server.errors import (
    DuplicatePortal,
    DuplicatePreparedStatement,
    OutOfMemory,
    UndefinedPortal,
    UndefinedPreparedStatement,
)
from rocklake_server.limits import ROWS_HELD_MAX
from rocklake_server.plan.model import Outcome, ResultColumn
from rocklake_server.schema.types import ColumnType, Value
from rocklake_server.session.cursor_place import CursorPlace
from rocklake_server.session.savepoints import Savepoints
from rocklake_server.sql.statements import Query, UtilityStatement

SHOWN_CHARACTERS_MAX = 1024
"""Of a statement's text in pg_stat_activity, pg_prepared_statements and pg_cursors."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A parsed statement; ``statement`` is ``None`` for an empty text. ``parameter_oids`` are those that the client
    gave, 0 where it left the type to the server. ``text`` is shown to people; ``from_sql`` tells PREPARE from Parse."""

    name: str
    statement: Query | UtilityStatement | None
    parameter_oids: tuple[int, ...] = ()
    text: str = ""
    parameters: tuple[ColumnType, ...] = ()
    made_us: int = 0
    from_sql: bool = False


@dataclass(slots=True)
class Portal:
    """A bound statement. ``outcome`` is there once it ran, and ``place`` says where the next row is read. One without
    rows is ``finished`` by its first execution, any by an error. ``hold``: it outlives the transaction that made it if
    that commits, and ``is_settled`` then. ``serial`` counts the session's portals."""

    name: str
    prepared: Prepared
    parameters: tuple[Value, ...] = ()
    formats: tuple[int, ...] = ()
    columns: tuple[ResultColumn, ...] | None = None
    outcome: Outcome | None = None
    place: CursorPlace | None = None
    finished: bool = False
    hold: bool = False
    binary: bool = False
    is_settled: bool = False
    made_us: int = 0
    serial: int = 0

    def close(self) -> None:
        """Rows that were not taken are forgotten."""
        if self.outcome is not None and self.outcome.stream is not None:
            self.outcome.stream.close()


@dataclass(slots=True)
class Registry:
    """A session's prepared statements and portals. The unnamed ones are replaced without asking. Portals follow the
    transaction (see ``Follower``): all but those that hold end with it."""

    statements: dict[str, Prepared] = field(default_factory=dict)
    portals: dict[str, Portal] = field(default_factory=dict)
    _serial: int = 0
    _savepoints: Savepoints[int] = field(default_factory=Savepoints)

    def add_statement(self, prepared: Prepared) -> None:
        """Raises DuplicatePreparedStatement."""
        if prepared.name and prepared.name in self.statements:
            raise DuplicatePreparedStatement(f'prepared statement "{prepared.name}" already exists')
        self.statements[prepared.name] = prepared

    def statement(self, name: str) -> Prepared:
        """Raises UndefinedPreparedStatement."""
        found = self.statements.get(name)
        if found is None:
            shown = f'prepared statement "{name}"' if name else "unnamed prepared statement"
            raise UndefinedPreparedStatement(f"{shown} does not exist")
        return found

    def forget_statement(self, name: str) -> bool:
        """Whether there was one."""
        return self.statements.pop(name, None) is not None

    def forget_all_statements(self) -> None:
        self.statements.clear()

    @property
    def is_used(self) -> bool:
        """Whether there is anything."""
        return bool(self.statements or self.portals)

    def forget_unnamed(self) -> None:
        """A simple Query drops the unnamed statement and portal."""
        self.forget_statement("")
        self.forget_portal("")

    # -- portals ------------------------------------------------------------------------------------------------------

    def require_free(self, name: str) -> None:
        """Raises DuplicatePortal for the name of a portal; the unnamed one is replaced."""
        if name and name in self.portals:
            raise DuplicatePortal(f'cursor "{name}" already exists')

    def add_portal(self, portal: Portal) -> None:
        """Raises DuplicatePortal."""
        self.require_free(portal.name)
        self.forget_portal(portal.name)
        self._serial += 1
        portal.serial = self._serial
        self.portals[portal.name] = portal

    def portal(self, name: str) -> Portal:
        """Raises UndefinedPortal."""
        found = self.portals.get(name)
        if found is None:
            raise UndefinedPortal(f'portal "{name}" does not exist')
        return found

    def cursor(self, name: str) -> Portal:
        """Raises UndefinedPortal."""
        found = self.portals.get(name)
        if found is None:
            raise UndefinedPortal(f'cursor "{name}" does not exist')
        return found

    def forget_portal(self, name: str) -> None:
        portal = self.portals.pop(name, None)
        if portal is not None:
            portal.close()

    def close_cursor(self, name: str) -> None:
        """Raises UndefinedPortal."""
        self.cursor(name)
        self.forget_portal(name)

    def close_all_cursors(self) -> None:
        for name in list(self.portals):
            self.forget_portal(name)

    def require_room(self, rows: int) -> None:
        """Before one more cursor keeps so many rows. Raises OutOfMemory."""
        kept = sum(len(portal.outcome.rows) for portal in self.portals.values() if portal.outcome is not None)
        if kept + rows > ROWS_HELD_MAX:
            raise OutOfMemory(f"out of memory: a session's cursors would hold more than {ROWS_HELD_MAX} rows")

    # -- the transaction ----------------------------------------------------------------------------------------------

    def savepoint(self, name: str) -> None:
        self._savepoints.add(name, self._serial)

    def release(self, name: str) -> None:
        self._savepoints.release(name)

    def rollback_to(self, name: str) -> None:
        serial = self._savepoints.back_to(name)
        for portal in [p for p in self.portals.values() if p.serial > serial and not p.is_settled]:
            self.forget_portal(portal.name)

    def fail(self) -> None:
        """After an error: what computes rows since the innermost savepoint holds nothing up until that is rolled back
        to."""
        serial = self._savepoints.innermost or 0
        for portal in self.portals.values():
            if portal.serial > serial and not portal.is_settled:
                portal.close()

    def end(self, *, committed: bool) -> None:
        self._savepoints.clear()
        if not self.portals:
            return
        for portal in list(self.portals.values()):
            if portal.hold and (committed or portal.is_settled):
                portal.is_settled = True
            else:
                self.forget_portal(portal.name)
