"""``CALL rocklake.undelete``: bring back rows of the catalog that commits have deleted."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import cast

from rocklake_server.catalog.databases import Databases
from rocklake_server.catalog.lake_reader import ListedLake
from rocklake_server.catalog.retention.undelete import BroughtBack, Undeletion
from rocklake_server.errors import InvalidParameterValue
from rocklake_server.operations.working import APPLY, LAKE_SCHEMA, ignore, require_bounded, text, working
from rocklake_server.schema.types import BIGINT, TEXT, array_of
from rocklake_server.session.procedures import Argument, Arguments, Caller, Column, Facts, Procedure, json_column
from rocklake_server.store.data_files import DataFiles

COMMITS = Argument(
    "commit", array_of(BIGINT), "The commits whose deletions are undone, as rocklake undelete list shows them.",
    "COMMIT", required=True,
)  # fmt: skip
RELATION = Argument("relation", TEXT, "Only rows of this relation; of all when left out.", "NAME")

INDEPENDENT = ("ducklake_table_stats", "ducklake_table_column_stats")
"""Relations whose rows every insert changes, and on which nothing depends."""


def undelete_facts(listed: ListedLake, found: BroughtBack) -> dict[str, object]:
    """What is told, by column."""
    return {
        "lake": str(listed),
        "rows_brought_back": dict(found.rows),
        "undone_gc": found.undone.retain_from if found.undone is not None else None,
        "files_unscheduled": found.unscheduled,
        "inlined_tables_defined_again": found.defined_again,
    }


async def _run(databases: Databases, caller: Caller, arguments: Arguments) -> Facts:
    """Raises SerializationFailure when the lake has changed since it was verified: what holds of it may not hold any
    more."""
    numbers = cast("Sequence[int | None]", arguments[COMMITS.name])
    commits = [number for number in numbers if number is not None]
    if not commits:
        raise InvalidParameterValue("name the commits whose deletions are undone")
    async with working(databases, caller, arguments, "undelete") as work:
        undeletion = Undeletion(work.reader, work.commits, commits, text(arguments[RELATION.name]))
        found = await undeletion.gather(DataFiles(os.environ), ignore)
        require_bounded(found.rows.total())
        if arguments[APPLY.name]:
            await work.commits.finish_undisturbed(work.reader, INDEPENDENT)
        return undelete_facts(work.listed, found)


UNDELETE = Procedure(
    "undelete",
    "Bring rows of the catalog back that commits have deleted, when the lake is whole with them.",
    (COMMITS, RELATION, APPLY, LAKE_SCHEMA),
    (
        Column("lake", TEXT), json_column("rows_brought_back"), Column("undone_gc", BIGINT),
        Column("files_unscheduled", BIGINT), json_column("inlined_tables_defined_again"),
    ),
    _run,
)  # fmt: skip
