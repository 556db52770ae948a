"""What the schedule does with deleted rows: they can be brought back for a while, then they go for good."""

from __future__ import annotations

from rocklake_server.catalog.databases import Databases
from rocklake_server.catalog.retention.commit_times import commit_times, note_commit_time
from rocklake_server.catalog.retention.excise import RETIRED, apply_excision, choose_aged
from rocklake_server.operations.working import LAKE_SCHEMA, ignore, required_number, working
from rocklake_server.schema.types import BIGINT, TEXT
from rocklake_server.session.procedures import Argument, Arguments, Caller, Column, Facts, Procedure, json_column

SECONDS = Argument("seconds", BIGINT, "How long rows can be brought back after they were deleted.", "SECONDS", 0)


async def _run(databases: Databases, caller: Caller, arguments: Arguments) -> Facts:
    retention_us = required_number(arguments[SECONDS.name]) * 1_000_000
    async with working(databases, caller, arguments, "excise") as work:
        await note_commit_time(work.reader, await commit_times(work.reader), work.commits)
    async with working(databases, caller, arguments, "excise") as work:
        chosen = await choose_aged(work.reader, databases.clock.now_us() - retention_us)
        found = await apply_excision(work.reader, chosen, work.commits, ignore)
        notes = await commit_times(work.reader)
        pending = any(chosen.retired_by is None or sequence > chosen.retired_by for sequence in notes)
        return {"lake": str(work.listed), "retired_rows": dict(found.rows[RETIRED]), "pending": pending}


RETENTION = Procedure(
    "retired_retention", "Remove rows for good that were deleted long enough ago.", (SECONDS, LAKE_SCHEMA),
    (Column("lake", TEXT), json_column("retired_rows"), json_column("pending")), _run,
)  # fmt: skip
"""Of the schedule; CALL has rocklake.excise with retired_days."""
