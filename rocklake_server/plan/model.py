"""The vocabulary between the session and plans: what a plan tells before it runs, gets to run, and answers."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from rocklake_server.catalog.view import EVERYTHING, Bounds, Chunk, Row, TransactionView
from rocklake_server.schema.model import Relation
from rocklake_server.schema.types import ColumnType, Value


@dataclass(frozen=True, slots=True)
class ResultColumn:
    """One column of a result as RowDescription states it. ``table_oid`` and ``attnum`` are 0 for expressions."""

    name: str
    type: ColumnType
    table_oid: int = 0
    attnum: int = 0


@dataclass(frozen=True, slots=True)
class Notice:
    """A NOTICE beside the result."""

    message: str
    sqlstate: str = "00000"


@dataclass(slots=True)
class SessionCallbacks:
    """What functions ask of the session. ``None``: the function is refused with 0A000."""

    set_config: Callable[[str, str, bool], str] | None = None
    export_snapshot: Callable[[], str] | None = None
    database_size: Callable[[str], int] | None = None


@dataclass(slots=True)
class Context:
    """Everything one execution needs. ``settings`` has lower-cased names."""

    view: TransactionView
    parameters: tuple[Value, ...] = ()
    settings: Mapping[str, str] = field(default_factory=dict)
    user: str = "postgres"
    database: str = "postgres"
    backend_pid: int = 0
    client_address: str | None = None
    callbacks: SessionCallbacks = field(default_factory=SessionCallbacks)


class RowStream(Protocol):
    """Rows that are computed as they are taken. It holds an engine until it is closed."""

    async def take(self, count: int | None) -> Sequence[Row]:
        """The next rows, at most ``count``; none after the last one. Raises what computing them raises."""

    def close(self) -> None:
        """Forget the rest. May be called more than once."""


@dataclass(slots=True)
class Outcome:
    """The command tag and, for statements that answer rows, the rows. ``encodings`` is there when the rows are kept for
    the next time: whoever encodes them may keep the bytes with them. With a ``stream`` there are no ``rows``, and who
    took it to its end adds their number to the tag."""

    tag: str
    rows: Sequence[Row] = ()
    notices: tuple[Notice, ...] = ()
    encodings: dict[Hashable, Any] | None = None
    stream: RowStream | None = None


class BaseScan(NamedTuple):
    """A plain projection of one stored relation, bound with its literals.

    ``projection`` holds indexes into the relation's rows (the ctid's included); ``None`` is a constant NULL.
    ``make_predicate`` builds the row filter, and is only needed for chunks that ``covers`` does not pass.
    """

    relation: Relation
    projection: tuple[int | None, ...]
    bounds: Bounds = EVERYTHING
    make_predicate: Callable[[], Callable[[Row], Value]] | None = None
    zone_tests: tuple[Callable[[Chunk], bool], ...] | None = ()
    limit: int | None = None

    @property
    def predicate(self) -> Callable[[Row], Value] | None:
        """True for rows that belong to the result (False or None for others); ``None`` when all do."""
        return None if self.make_predicate is None else self.make_predicate()

    def covers(self, chunk: Chunk) -> bool:
        """Whether the zones of ``chunk`` tell that every row of it passes the predicate."""
        if self.zone_tests is None:
            return False
        for test in self.zone_tests:  # noqa: SIM110  a generator costs more than most scans' tests
            if not test(chunk):
                return False
        return True


class Plan(Protocol):
    """A statement that is ready to run, once or many times."""

    @property
    def columns(self) -> tuple[ResultColumn, ...] | None:
        """``None`` when the statement answers no rows."""

    @property
    def parameters(self) -> tuple[ColumnType, ...]:
        """The types of the client's $1, $2, …"""

    @property
    def writes(self) -> bool:
        """Whether a READ ONLY transaction must refuse it; writes to temporary tables are not writes."""

    async def base_scan(self, view: TransactionView) -> BaseScan | None:
        """The statement as a base scan, when it is one and needs no parameter."""

    async def run(self, context: Context) -> Outcome: ...
