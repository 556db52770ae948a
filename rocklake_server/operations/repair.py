"""``CALL rocklake.repair``: mend what verify found and what is provably right to mend."""

from __future__ import annotations

from rocklake_server.catalog.databases import Databases
from rocklake_server.catalog.lake_reader import ListedLake
from rocklake_server.catalog.maintenance.repair import RepairPlan, gather_repair, plan_repair
from rocklake_server.operations.undelete import INDEPENDENT
from rocklake_server.operations.working import APPLY, LAKE_SCHEMA, require_bounded, working
from rocklake_server.schema.types import TEXT
from rocklake_server.session.procedures import Arguments, Caller, Column, Facts, Procedure, json_column


def repair_actions(found: RepairPlan) -> list[dict[str, object]]:
    """What is mended, check by check."""
    return [
        {"check": action.check.name, "keys": action.keys, "what": action.what, "repair": action.check.repair}
        for action in found.actions
    ]


def repair_facts(listed: ListedLake, found: RepairPlan) -> dict[str, object]:
    """What is told, by column."""
    left = {check.name: count for check, count in found.rest.items()}
    return {"lake": str(listed), "mended": repair_actions(found), "not_mended": left}


async def _run(databases: Databases, caller: Caller, arguments: Arguments) -> Facts:
    """Raises SerializationFailure when the lake has changed since it was verified."""
    async with working(databases, caller, arguments, "repair") as work:
        found = await plan_repair(work.listed, work.reader.snapshot)
        if arguments[APPLY.name] and found.actions:
            require_bounded(len(found.entries) + len(found.orphans))
            gather_repair(found, work.commits)
            await work.commits.finish_undisturbed(work.reader, INDEPENDENT)
        return repair_facts(work.listed, found)


REPAIR = Procedure(
    "repair",
    "Mend counters, indexes and orphaned rows of a lake in one commit; nothing else is touched.",
    (APPLY, LAKE_SCHEMA),
    (Column("lake", TEXT), json_column("mended"), json_column("not_mended")),
    _run,
)
