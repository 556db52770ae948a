"""``CALL rocklake.gc``: expire the snapshots below a boundary."""

from __future__ import annotations

from rocklake_server.catalog.databases import Databases
from rocklake_server.catalog.lake_reader import ListedLake
from rocklake_server.catalog.retention.boundary import DAY_US, Boundary, Policy, choose_boundary
from rocklake_server.catalog.retention.gc import Collected, apply_gc, plan_gc
from rocklake_server.errors import InvalidParameterValue
from rocklake_server.operations.working import APPLY, LAKE_SCHEMA, ignore, number, working
from rocklake_server.schema.types import BIGINT, TEXT
from rocklake_server.session.procedures import Argument, Arguments, Caller, Column, Facts, Procedure, json_column

KEEP_DAYS = Argument("keep_days", BIGINT, "Keep the snapshots of so many days; always the newest.", "DAYS", 0)
RETAIN_FROM = Argument("retain_from", BIGINT, "Keep this snapshot and all after it.", "SNAPSHOT", 0)
KEEP_LAST = Argument("keep_last", BIGINT, "Keep so many of the newest snapshots.", "COUNT", 1)

POLICIES = (KEEP_DAYS, RETAIN_FROM, KEEP_LAST)
"""Exactly one is given."""


def policy_of(keep_days: int | None, retain_from: int | None, keep_last: int | None, now_us: int) -> Policy | None:
    """``None`` unless exactly one is given. ``now_us`` as of a Clock."""
    if [keep_days, retain_from, keep_last].count(None) != len(POLICIES) - 1:
        return None
    return Policy(None if keep_days is None else now_us - keep_days * DAY_US, retain_from, keep_last)


def gc_facts(listed: ListedLake, boundary: Boundary, found: Collected) -> dict[str, object]:
    """What is told, by column."""
    return {
        "lake": str(listed),
        "retained_from_before": boundary.before,
        "retain_from": boundary.retain_from,
        "held_by_pin": boundary.held_by.number if boundary.held_by is not None else None,
        "held_by_transactions": boundary.needed,
        "snapshots_expired": boundary.expiring,
        "snapshots_retained": len(boundary.retained),
        "rows_retired": dict(found.rows),
        "files_scheduled": found.files,
        "inlined_tables_dropped": list(found.dropped),
    }


async def _run(databases: Databases, caller: Caller, arguments: Arguments) -> Facts:
    """Raises InvalidParameterValue, and what working in the lake raises."""
    keep_days, retain_from, keep_last = (number(arguments[argument.name]) for argument in POLICIES)
    policy = policy_of(keep_days, retain_from, keep_last, databases.clock.now_us())
    if policy is None:
        raise InvalidParameterValue("give exactly one of keep_days, retain_from and keep_last")
    async with working(databases, caller, arguments, "gc") as work:
        boundary = await choose_boundary(work.reader, policy, work.needed)
        if arguments[APPLY.name]:
            found = await apply_gc(work.reader, boundary, work.commits, ignore)
            found.rows -= work.commits.gone
        else:
            found = await plan_gc(work.reader, boundary, ignore)
        return gc_facts(work.listed, boundary, found)


GC = Procedure(
    "gc",
    "Expire old snapshots as ducklake_expire_snapshots does, never past a pin or a snapshot that an open transaction "
    "goes by. Give one of keep_days, retain_from and keep_last.",
    (*POLICIES, APPLY, LAKE_SCHEMA),
    (
        Column("lake", TEXT), Column("retained_from_before", BIGINT), Column("retain_from", BIGINT),
        Column("held_by_pin", BIGINT), Column("held_by_transactions", BIGINT), Column("snapshots_expired", BIGINT),
        Column("snapshots_retained", BIGINT), json_column("rows_retired"), Column("files_scheduled", BIGINT),
        json_column("inlined_tables_dropped"),
    ),
    _run,
)  # fmt: skip
