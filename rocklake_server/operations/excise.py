"""``CALL rocklake.excise``: remove for good what gc and SQL DELETE have only put aside."""

from __future__ import annotations

from rocklake_server.catalog.databases import Databases
from rocklake_server.catalog.lake_reader import LakeReader, ListedLake
from rocklake_server.catalog.retention.boundary import DAY_US
from rocklake_server.catalog.retention.excise import (
    ENDED,
    REASONS,
    Excised,
    Range,
    apply_excision,
    choose_aged,
    choose_range,
    plan_excision,
)
from rocklake_server.errors import InvalidParameterValue
from rocklake_server.operations.working import APPLY, LAKE_SCHEMA, ignore, number, working
from rocklake_server.schema.types import BIGINT, TEXT
from rocklake_server.session.procedures import Argument, Arguments, Caller, Column, Facts, Procedure, json_column

ENDED_BY = Argument(
    "ended_by", BIGINT, "Rows that ended at this snapshot or before it; retain-from when left out.", "SNAPSHOT", 0
)
RETIRED_BY = Argument(
    "retired_by", BIGINT, "Rows that this commit or an earlier one deleted; all when left out.", "COMMIT", 0
)

RETIRED_DAYS = Argument(
    "retired_days", BIGINT, "Only rows that were deleted so many days ago, or earlier.", "DAYS", 0
)


async def range_of(
    lake: LakeReader, ended_by: int | None, retired_by: int | None, retired_days: int | None, now_us: int
) -> Range:
    """``now_us`` as of a Clock. Raises InvalidParameterValue for days beside a snapshot or a commit, and what choosing
    raises."""
    if retired_days is None:
        return await choose_range(lake, ended_by, retired_by)
    if ended_by is not None or retired_by is not None:
        raise InvalidParameterValue("an excision goes by days, or by a snapshot and a commit, not by both")
    return await choose_aged(lake, now_us - retired_days * DAY_US)


def excise_facts(listed: ListedLake, chosen: Range, found: Excised) -> dict[str, object]:
    """What is told, by column."""
    rows = {f"{why}_rows": dict(counts) for why, counts in found.rows.items()}
    return {
        "lake": str(listed), "ended_by_snapshot": chosen.ended_by, "retired_by_commit": chosen.retired_by, **rows,
        "definitions": found.definitions, "bytes": found.size_bytes,
    }  # fmt: skip


async def _run(databases: Databases, caller: Caller, arguments: Arguments) -> Facts:
    async with working(databases, caller, arguments, "excise") as work:
        ended_by, retired_by, retired_days = (
            number(arguments[argument.name]) for argument in (ENDED_BY, RETIRED_BY, RETIRED_DAYS)
        )
        chosen = await range_of(work.reader, ended_by, retired_by, retired_days, work.commits.now_us)
        if arguments[APPLY.name]:
            found = await apply_excision(work.reader, chosen, work.commits, ignore)
            found.rows[ENDED] -= work.commits.gone
        else:
            found = await plan_excision(work.reader, chosen, ignore)
        return excise_facts(work.listed, chosen, found)


EXCISE = Procedure(
    "excise",
    "Remove deleted rows, and rows that ended below retain-from, for good. It cannot be undone.",
    (ENDED_BY, RETIRED_BY, RETIRED_DAYS, APPLY, LAKE_SCHEMA),
    (
        Column("lake", TEXT), Column("ended_by_snapshot", BIGINT), Column("retired_by_commit", BIGINT),
        *(json_column(f"{why}_rows") for why in REASONS), Column("definitions", BIGINT), Column("bytes", BIGINT),
    ),
    _run,
)  # fmt: skip
