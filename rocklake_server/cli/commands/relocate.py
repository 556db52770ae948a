"""``rocklake relocate``: tell a lake where its data files have been moved to."""

from __future__ import annotations

from typing import Annotated

import typer

from rocklake_server.catalog.lake_reader import LakeReader
from rocklake_server.catalog.rollback.apply import commit_changes
from rocklake_server.cli.lakes import opened_catalog
from rocklake_server.cli.options import LakeToWrite, Output, OutputFormat, Store, StoreIfAny
from rocklake_server.cli.owning import offline_note, opened_to_write
from rocklake_server.cli.printing import print_banner, print_facts
from rocklake_server.cli.running import run
from rocklake_server.cli.through_server import Server, called, option_of, store_of, through_the_server
from rocklake_server.operations.relocate import DATA_PATH, RELOCATE, relocate_actions, relocate_facts
from rocklake_server.transfer.relocation import plan_relocation

DataPath = Annotated[str, option_of(DATA_PATH)]


def register(app: typer.Typer) -> None:
    group = typer.Typer(
        no_args_is_help=True,
        help="Tell a lake where its data files are: its data path, and absolute paths below it. No file is moved.",
        epilog="Example: rocklake relocate plan --store file:///var/lib/rocklake --lake warehouse --data-path s3://new/",
    )
    group.command()(plan)
    group.command()(apply)
    app.add_typer(group, name="relocate")


def plan(store: Store, lake: LakeToWrite, data_path: DataPath, output: Output = OutputFormat.TABLE) -> None:
    """Say what would be changed, beside a running server or without one. Changes nothing.

    Example: rocklake relocate plan --store s3://bucket/catalog --lake warehouse --data-path s3://elsewhere/data/
    """

    async def work() -> None:
        async with opened_catalog(store) as catalog:
            change, changes = await plan_relocation(await catalog.lake(catalog.find(lake)), data_path)
        print_facts(relocate_facts(lake, change, changes), output)

    run(work())


def apply(
    lake: LakeToWrite, data_path: DataPath, store: StoreIfAny = None, server: Server = None,
    output: Output = OutputFormat.TABLE,
) -> None:  # fmt: skip
    """Change the paths in one audited commit.

    With --store no server may hold it meanwhile; with --server the running one does it.

    All snapshots refer to the new place afterwards: move the files first.

    Examples:

    \b
    rocklake relocate apply --store s3://bucket/catalog --lake warehouse --data-path s3://elsewhere/data/
    rocklake relocate apply --server 127.0.0.1:5432 --lake warehouse --data-path s3://elsewhere/data/
    """
    if server is not None:
        print_facts(called(server, lake, RELOCATE, data_path=data_path), output)
        return

    async def work() -> None:
        async with (
            opened_to_write(store_of(store), instead=through_the_server()) as databases,
            opened_catalog(store_of(store)) as catalog,
        ):
            listed = catalog.find(lake)
            opened = (await databases.lakes_of(listed.database))[listed.schema]
            reader = await LakeReader.over(listed, opened.lake.newest.snapshot)
            change, changes = await plan_relocation(reader, data_path)
            lines = f"Store {catalog.location}, {listed.directory}", f"Data path {change.old} becomes {change.new}"
            print_banner(f"Relocating lake {listed}", lines)
            note = offline_note("relocate", relocate_actions(change, changes))
            await commit_changes(listed, changes, databases, note)
        print_facts(relocate_facts(lake, change, changes), output)

    run(work())
