"""DECLARE, FETCH and MOVE: portals as SQL makes and moves them.

A cursor's rows are computed when it is declared, so that it shows what its transaction saw then, and are kept until it
is closed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from rocklake_server.errors import ObjectNotInPrerequisiteState, UndefinedPortal
from rocklake_server.plan.model import ResultColumn
from rocklake_server.schema.types import Value
from rocklake_server.session.cursor_place import CursorPlace
from rocklake_server.session.statements import Portal, Prepared, Registry
from rocklake_server.session.transaction_block import TransactionBlock
from rocklake_server.sql import statements as sql

if TYPE_CHECKING:
    from rocklake_server.session.runner import StatementRunner


class Fetched(NamedTuple):
    """``columns`` is ``None`` for MOVE."""

    tag: str
    columns: tuple[ResultColumn, ...] | None = None
    rows: Sequence[Sequence[Value]] = ()
    binary: bool = False


async def declare(
    runner: StatementRunner,
    block: TransactionBlock,
    registry: Registry,
    statement: sql.DeclareCursor,
    prepared: Prepared,
    parameters: tuple[Value, ...],
) -> None:
    """Raises NoActiveTransaction, DuplicatePortal, UndefinedPortal for an empty name, OutOfMemory, and what the query
    raises."""
    if not statement.hold:
        block.require_block("DECLARE CURSOR", or_implicit=True)
    if not statement.name:
        raise UndefinedPortal("invalid cursor name: must not be empty")
    registry.require_free(statement.name)
    plan, context = await runner.planned(statement.query, prepared.parameter_oids, parameters)
    outcome = await runner.all_rows(statement.query, plan, context)
    registry.require_room(len(outcome.rows))
    place = CursorPlace(len(outcome.rows), backward=statement.scroll is not False)
    registry.add_portal(Portal(
        statement.name, prepared, parameters, (int(statement.binary),) * len(plan.columns or ()), plan.columns, outcome,
        place, hold=statement.hold, binary=statement.binary, made_us=context.view.now_us,
    ))


def described(registry: Registry, statement: sql.Fetch) -> tuple[ResultColumn, ...] | None:
    """The columns that FETCH will return; ``None`` for MOVE, and where there is no such cursor."""
    portal = registry.portals.get(statement.cursor)
    return portal.columns if portal is not None and statement.rows else None


async def fetch(runner: StatementRunner, registry: Registry, statement: sql.Fetch) -> Fetched:
    """Raises UndefinedPortal, ObjectNotInPrerequisiteState."""
    portal = registry.cursor(statement.cursor)
    outcome, place = await runner.placed(portal)
    try:
        indexes = place.fetch(statement)
    except ObjectNotInPrerequisiteState:
        portal.finished = True
        raise
    if not statement.rows:
        return Fetched(f"MOVE {len(indexes)}")
    rows = [outcome.rows[index] for index in indexes]
    return Fetched(f"FETCH {len(rows)}", portal.columns or (), rows, portal.binary)
