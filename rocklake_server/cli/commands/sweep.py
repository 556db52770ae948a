"""``rocklake sweep``: remove what imports and copies that did not end have left in a store."""

from __future__ import annotations

import typer

from rocklake_server.catalog.maintenance.unfinished import Leftover, leftovers
from rocklake_server.catalog.maintenance.unfinished import sweep as remove_leftovers
from rocklake_server.cli.lakes import opened_catalog
from rocklake_server.cli.options import Output, OutputFormat, Store, location_of
from rocklake_server.cli.printing import print_banner, print_records
from rocklake_server.cli.running import run

COLUMNS = ("number", "lake", "made_by", "directory", "objects", "size_bytes")


def register(app: typer.Typer) -> None:
    group = typer.Typer(
        no_args_is_help=True,
        help="Remove what an import, a copy or a transaction that did not end has left: lakes that are on no list.",
        epilog="Example: rocklake sweep plan --store file:///var/lib/rocklake",
    )
    group.command()(plan)
    group.command()(apply)
    app.add_typer(group, name="sweep")


def leftover_facts(leftover: Leftover) -> dict[str, object]:
    """One record of COLUMNS."""
    lake = leftover.lake
    return {
        "number": lake.number, "lake": f"{lake.database}/{lake.schema}", "made_by": lake.made_by,
        "directory": leftover.directory, "objects": leftover.extent.objects, "size_bytes": leftover.extent.size_bytes,
    }  # fmt: skip


def plan(store: Store, output: Output = OutputFormat.TABLE) -> None:
    """Say what would be removed, beside a running server or without one. Changes nothing.

    Beside a server, what is being imported at that moment is listed too: apply waits until nobody holds the store.

    Example: rocklake sweep plan --store s3://bucket/catalog
    """

    async def work() -> None:
        async with opened_catalog(store) as catalog:
            await print_records(COLUMNS, (leftover_facts(found) async for found in leftovers(catalog)), output)

    run(work())


def apply(store: Store, output: Output = OutputFormat.TABLE) -> None:
    """Remove it. No server may hold the store meanwhile.

    A lake counts as unfinished when the store says so, since before anything of it was written; directories without
    such a record are not touched.

    Example: rocklake sweep apply --store s3://bucket/catalog
    """

    async def work() -> None:
        removed: list[Leftover] = []

        def tell(leftover: Leftover) -> None:
            print_banner(f"Removing unfinished lake {leftover.lake.database}/{leftover.lake.schema}", [
                f"Store {location_of(store)}, {leftover.directory}",
                f"{leftover.lake.made_by} did not finish it, and it is on no list",
            ])  # fmt: skip
            removed.append(leftover)

        async with opened_catalog(store):
            pass  # says when there is no store, before one is made
        await remove_leftovers(location_of(store), tell)
        await print_records(COLUMNS, map(leftover_facts, removed), output)

    run(work())
