"""Prepared statements and portals: what the extended protocol keeps between messages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from rocklake_server.errors import (
    DuplicatePortal,
    DuplicatePreparedStatement,
    UndefinedPortal,
    UndefinedPreparedStatement,
)
from rocklake_server.plan.model import Outcome, ResultColumn
from rocklake_server.schema.types import Value
from rocklake_server.sql.statements import Query, UtilityStatement


@dataclass(frozen=True, slots=True)
class Prepared:
    """A parsed statement; ``statement`` is ``None`` for an empty text. ``parameter_oids`` are those that the client
    gave, 0 where it left the type to the server."""

    name: str
    statement: Query | UtilityStatement | None
    parameter_oids: tuple[int, ...] = ()


@dataclass(slots=True)
class Portal:
    """A bound statement. ``outcome`` is there once it ran; ``position`` is the number of rows sent. One without rows
    is ``finished`` by its first execution."""

    name: str
    prepared: Prepared
    parameters: tuple[Value, ...] = ()
    formats: tuple[int, ...] = ()
    columns: tuple[ResultColumn, ...] | None = None
    outcome: Outcome | None = None
    position: int = 0
    finished: bool = False

    def close(self) -> None:
        """Rows that were not taken are forgotten."""
        if self.outcome is not None and self.outcome.stream is not None:
            self.outcome.stream.close()


@dataclass(slots=True)
class Registry:
    """A session's prepared statements and portals. The unnamed ones are replaced without asking."""

    _statements: dict[str, Prepared] = field(default_factory=dict)
    _portals: dict[str, Portal] = field(default_factory=dict)

    def add_statement(self, prepared: Prepared) -> None:
        """Raises DuplicatePreparedStatement."""
        if prepared.name and prepared.name in self._statements:
            raise DuplicatePreparedStatement(f'prepared statement "{prepared.name}" already exists')
        self._statements[prepared.name] = prepared

    def statement(self, name: str) -> Prepared:
        """Raises UndefinedPreparedStatement."""
        found = self._statements.get(name)
        if found is None:
            shown = f'prepared statement "{name}"' if name else "unnamed prepared statement"
            raise UndefinedPreparedStatement(f"{shown} does not exist")
        return found

    def forget_statement(self, name: str) -> bool:
        """Whether there was one."""
        return self._statements.pop(name, None) is not None

    def add_portal(self, portal: Portal) -> None:
        """Raises DuplicatePortal."""
        if portal.name and portal.name in self._portals:
            raise DuplicatePortal(f'portal "{portal.name}" already exists')
        self.forget_portal(portal.name)
        self._portals[portal.name] = portal

    def portal(self, name: str) -> Portal:
        """Raises UndefinedPortal."""
        found = self._portals.get(name)
        if found is None:
            raise UndefinedPortal(f'portal "{name}" does not exist')
        return found

    def forget_portal(self, name: str) -> None:
        portal = self._portals.pop(name, None)
        if portal is not None:
            portal.close()

    def close_cursor(self, name: str) -> None:
        """Raises UndefinedPortal."""
        if name not in self._portals:
            raise UndefinedPortal(f'cursor "{name}" does not exist')
        self.forget_portal(name)

    def forget_portals(self) -> None:
        """At the end of a transaction."""
        for portal in self._portals.values():
            portal.close()
        self._portals.clear()

    def forget_all_statements(self) -> None:
        self._statements.clear()

    def names(self) -> Sequence[str]:
        return sorted(self._statements)
