"""``CALL rocklake.relocate``: tell a lake where its data files have been moved to."""

from __future__ import annotations

from rocklake_server.catalog.databases import Databases
from rocklake_server.catalog.rollback.apply import commit_in
from rocklake_server.catalog.rollback.records import Changes
from rocklake_server.catalog.snapshot_turn import Losses
from rocklake_server.operations.working import APPLY, LAKE_SCHEMA, note_of, planning, require_bounded, working
from rocklake_server.schema.types import TEXT
from rocklake_server.session.procedures import Argument, Arguments, Caller, Column, Facts, Procedure, json_column
from rocklake_server.transfer.relocation import Relocation, plan_relocation

DATA_PATH = Argument("data_path", TEXT, "Where the data files are now.", "PATH", required=True)


def relocate_facts(lake: str, change: Relocation, changes: Changes) -> dict[str, object]:
    """What is told, by column."""
    rows = {name: len(found) for name, found in changes.replaced.items()}
    return {"lake": lake, "old_data_path": change.old, "new_data_path": change.new, "rows_changed": rows}


def relocate_actions(change: Relocation, changes: Changes) -> list[dict[str, object]]:
    """For the audit record."""
    counts = [{"relation": name, "changed": len(found)} for name, found in changes.replaced.items()]
    return [{"data_path": change.new, "before": change.old}, *counts]


async def _run(databases: Databases, caller: Caller, arguments: Arguments) -> Facts:
    """Raises SerializationFailure when another session changed one of the rows meanwhile."""
    async with working(databases, caller, arguments, "relocate") as work:
        async with planning(work, Losses()) as (transaction, reader):
            change, changes = await plan_relocation(reader, str(arguments[DATA_PATH.name]))
            if arguments[APPLY.name]:
                require_bounded(changes.rows)
                note = note_of(work, "relocate", relocate_actions(change, changes))
                await commit_in(transaction, work.listed, changes, note)
        return relocate_facts(str(work.listed), change, changes)


RELOCATE = Procedure(
    "relocate",
    "Tell a lake where its data files are: its data path, and absolute paths below it. No file is moved.",
    (DATA_PATH, APPLY, LAKE_SCHEMA),
    (
        Column("lake", TEXT), Column("old_data_path", TEXT), Column("new_data_path", TEXT),
        json_column("rows_changed"),
    ),
    _run,
)  # fmt: skip
