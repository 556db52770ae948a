"""``rocklake rollback``: a new snapshot of a lake that shows what an earlier one showed."""

from __future__ import annotations

import os
from functools import partial
from typing import Annotated

import typer

from rocklake_server.catalog.lake_reader import LakeReader
from rocklake_server.catalog.rollback.apply import apply_rollback, commit_changes, require_files
from rocklake_server.catalog.rollback.plan import plan_rollback
from rocklake_server.catalog.view import Now
from rocklake_server.cli.lakes import opened_catalog
from rocklake_server.cli.options import LakeToWrite, Output, OutputFormat, Store, StoreIfAny
from rocklake_server.cli.owning import offline_note, opened_to_write
from rocklake_server.cli.printing import print_banner, print_facts
from rocklake_server.cli.running import run
from rocklake_server.cli.through_server import Server, called, option_of, store_of, through_the_server
from rocklake_server.clock import SystemClock
from rocklake_server.operations.rollback import ROLLBACK, TO_SNAPSHOT, rollback_actions, rollback_facts
from rocklake_server.store.data_files import DataFiles
from rocklake_server.transfer.hidden_positions import HiddenPositions

Target = Annotated[int, option_of(TO_SNAPSHOT)]


def register(app: typer.Typer) -> None:
    group = typer.Typer(
        no_args_is_help=True,
        help="Show again what an earlier snapshot showed, as a new snapshot; nothing of the history is lost.",
        epilog="Example: rocklake rollback plan --store file:///var/lib/rocklake --lake warehouse --to-snapshot 41",
    )
    group.command()(plan)
    group.command()(apply)
    app.add_typer(group, name="rollback")


def plan(store: Store, lake: LakeToWrite, to_snapshot: Target, output: Output = OutputFormat.TABLE) -> None:
    """Say what would be changed, beside a running server or without one. Changes nothing.

    Example: rocklake rollback plan --store s3://bucket/catalog --lake warehouse --to-snapshot 41
    """

    async def work() -> None:
        async with opened_catalog(store) as catalog:
            reader = await catalog.lake(catalog.find(lake))
            found = await plan_rollback(reader, to_snapshot, _now(), HiddenPositions(DataFiles(os.environ)))
            await require_files(found.copies, DataFiles(os.environ))
        print_facts(rollback_facts(found), output)

    run(work())


def apply(
    lake: LakeToWrite, to_snapshot: Target, store: StoreIfAny = None, server: Server = None,
    output: Output = OutputFormat.TABLE,
) -> None:  # fmt: skip
    """Roll the lake back, in one commit.

    With --store no server may hold it meanwhile; with --server the running one does it, as one more writer.

    Files that have to return are copied beside the old ones: those go when DuckLake expires the old snapshots. It is
    refused when one of them was cleaned up, or was merged from files of before and after the snapshot.

    Examples:

    \b
    rocklake rollback apply --store s3://bucket/catalog --lake warehouse --to-snapshot 41
    rocklake rollback apply --server 127.0.0.1:5432 --lake warehouse --to-snapshot 41
    """
    if server is not None:
        print_facts(called(server, lake, ROLLBACK, to_snapshot=to_snapshot), output)
        return

    async def work() -> None:
        async with (
            opened_to_write(store_of(store), instead=through_the_server()) as databases,
            opened_catalog(store_of(store)) as catalog,
        ):
            listed = catalog.find(lake)
            opened = (await databases.lakes_of(listed.database))[listed.schema]
            reader = await LakeReader.over(listed, opened.lake.newest.snapshot)
            found = await plan_rollback(reader, to_snapshot, _now(), HiddenPositions(DataFiles(os.environ)))
            print_banner(f"Rolling back lake {listed}", [
                f"Store {catalog.location}, {listed.directory}",
                f"Snapshot {found.moments.made} will show what snapshot {to_snapshot} shows",
                *found.tokens,
            ])  # fmt: skip
            note = offline_note("rollback", rollback_actions(found))
            commit = partial(commit_changes, found.lake, found.changes, databases, note)
            await apply_rollback(found, DataFiles(os.environ), commit)
        print_facts(rollback_facts(found), output)

    run(work())


def _now() -> Now:
    return Now(SystemClock().now_us())
