"""``rocklake relocate``: tell a lake where its data files have been moved to."""

from __future__ import annotations

from typing import Annotated

import typer

from rocklake_server.catalog.lake_reader import LakeReader
from rocklake_server.catalog.rollback.apply import commit_changes
from rocklake_server.catalog.rollback.records import Changes
from rocklake_server.cli.lakes import opened_catalog
from rocklake_server.cli.options import LakeToWrite, Output, OutputFormat, Store
from rocklake_server.cli.owning import opened_to_write
from rocklake_server.cli.printing import print_banner, print_facts
from rocklake_server.cli.running import run
from rocklake_server.transfer.relocation import Relocation, plan_relocation

DataPath = Annotated[str, typer.Option("--data-path", metavar="PATH", help="Where the data files are now.")]


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
        print_facts(_facts(lake, change, changes), output)

    run(work())


def apply(store: Store, lake: LakeToWrite, data_path: DataPath, output: Output = OutputFormat.TABLE) -> None:
    """Change the paths in one commit. No server may hold the store meanwhile.

    All snapshots refer to the new place afterwards: move the files first.

    Example: rocklake relocate apply --store s3://bucket/catalog --lake warehouse --data-path s3://elsewhere/data/
    """

    async def work() -> None:
        async with (
            opened_to_write(store, instead="make a plan meanwhile") as databases,
            opened_catalog(store) as catalog,
        ):
            listed = catalog.find(lake)
            opened = (await databases.lakes_of(listed.database))[listed.schema]
            reader = await LakeReader.over(listed, opened.lake.newest.snapshot)
            change, changes = await plan_relocation(reader, data_path)
            lines = f"Store {catalog.location}, {listed.directory}", f"Data path {change.old} becomes {change.new}"
            print_banner(f"Relocating lake {listed}", lines)
            await commit_changes(listed, changes, databases)
        print_facts(_facts(lake, change, changes), output)

    run(work())


def _facts(lake: str, change: Relocation, changes: Changes) -> dict[str, object]:
    rows = {name: len(found) for name, found in changes.replaced.items()}
    return {"lake": lake, "old_data_path": change.old, "new_data_path": change.new, "rows_changed": rows}
