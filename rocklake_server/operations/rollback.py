"""``CALL rocklake.rollback``: a new snapshot of a lake that shows what an earlier one showed."""

from __future__ import annotations

import os
from functools import partial

from rocklake_server.catalog.databases import Databases
from rocklake_server.catalog.maintenance.online import OnlineWork
from rocklake_server.catalog.rollback.apply import apply_rollback, commit_in, require_files
from rocklake_server.catalog.rollback.plan import RollbackPlan, plan_rollback
from rocklake_server.catalog.snapshot_turn import Losses
from rocklake_server.catalog.view import Now
from rocklake_server.errors import CatalogError
from rocklake_server.operations.working import (
    APPLY,
    ATTEMPTS,
    LAKE_SCHEMA,
    note_of,
    planning,
    require_bounded,
    required_number,
    working,
)
from rocklake_server.schema.types import BIGINT, TEXT
from rocklake_server.session.procedures import Argument, Arguments, Caller, Column, Facts, Procedure
from rocklake_server.store.data_files import DataFiles
from rocklake_server.transfer.hidden_positions import HiddenPositions

TO_SNAPSHOT = Argument(
    "to_snapshot", BIGINT, "The snapshot that the lake shows again.", "SNAPSHOT", 0, required=True
)


def rollback_facts(found: RollbackPlan) -> dict[str, object]:
    """What is told, by column."""
    return {
        "lake": str(found.lake),
        "target_snapshot": found.moments.target,
        "new_snapshot": found.moments.made,
        "changes_made": ",".join(found.tokens),
        "rows_put_in": sum(map(len, found.changes.inserted.values())),
        "rows_changed": sum(map(len, found.changes.replaced.values())),
        "files_copied": len(found.copies),
        "bytes_copied": sum(file.size_bytes or 0 for file in found.copies),
    }


def rollback_actions(found: RollbackPlan) -> list[dict[str, object]]:
    """For the audit record."""
    return [{"to_snapshot": found.moments.target, "snapshot": found.moments.made, "files_copied": len(found.copies)}]


async def _run(databases: Databases, caller: Caller, arguments: Arguments) -> Facts:
    target = required_number(arguments[TO_SNAPSHOT.name])
    async with working(databases, caller, arguments, "rollback") as work:
        losses = Losses()
        for attempt in range(1, ATTEMPTS + 1):
            try:
                found = await _attempt(work, target, losses, apply=bool(arguments[APPLY.name]))
            except CatalogError as error:  # another session made the next snapshot meanwhile
                if not error.retryable or attempt == ATTEMPTS:
                    raise
            else:
                return rollback_facts(found)
    raise AssertionError("the last attempt returns or raises")


async def _attempt(work: OnlineWork, target: int, losses: Losses, *, apply: bool) -> RollbackPlan:
    files = DataFiles(os.environ)
    async with planning(work, losses) as (transaction, reader):
        found = await plan_rollback(reader, target, Now(work.databases.clock.now_us()), HiddenPositions(files))
        if apply:
            require_bounded(found.changes.rows)
            note = note_of(work, "rollback", rollback_actions(found))
            await apply_rollback(found, files, partial(commit_in, transaction, found.lake, found.changes, note))
        else:
            await require_files(found.copies, files)
    return found


ROLLBACK = Procedure(
    "rollback",
    "Show again what an earlier snapshot showed, as a new one. Files that have to return are copied by the server.",
    (TO_SNAPSHOT, APPLY, LAKE_SCHEMA),
    (
        Column("lake", TEXT), Column("target_snapshot", BIGINT), Column("new_snapshot", BIGINT),
        Column("changes_made", TEXT), Column("rows_put_in", BIGINT), Column("rows_changed", BIGINT),
        Column("files_copied", BIGINT), Column("bytes_copied", BIGINT),
    ),
    _run,
)  # fmt: skip
