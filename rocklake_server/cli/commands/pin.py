"""``rocklake pin``: snapshots that gc keeps."""

from __future__ import annotations

from typing import Annotated

import typer

from rocklake_server.catalog.retention.pins import add_pin, find_pin, pins_of, remove_pin
from rocklake_server.cli.lakes import opened_lake
from rocklake_server.cli.options import LakeName, LakeToWrite, Output, OutputFormat, Store
from rocklake_server.cli.owning import owned_lake
from rocklake_server.cli.printing import print_banner, print_facts, print_records
from rocklake_server.cli.running import run

_COLUMNS = ("pin", "snapshot", "reason", "who", "when")

Pinned = Annotated[
    int | None,
    typer.Option("--snapshot", metavar="SNAPSHOT", min=0, help="The snapshot; the newest when left out."),
]
Reason = Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why, for those who find the pin later.")]
Number = Annotated[int, typer.Argument(metavar="PIN", min=0, help="The pin's number, as rocklake pin list shows it.")]


def register(app: typer.Typer) -> None:
    group = typer.Typer(
        no_args_is_help=True,
        help="Keep a snapshot, and all after it, from rocklake gc. Does not bind ducklake_expire_snapshots.",
        epilog="Example: rocklake pin add --store file:///var/lib/rocklake --lake warehouse --snapshot 41",
    )
    group.command("add")(add)
    group.command("list")(list_)
    group.command("remove")(remove)
    app.add_typer(group, name="pin")


def add(
    store: Store, lake: LakeToWrite, snapshot: Pinned = None, reason: Reason = "", output: Output = OutputFormat.TABLE
) -> None:
    """Pin a snapshot until the pin is removed. No server may hold the store meanwhile.

    Example: rocklake pin add --store s3://bucket/catalog --lake warehouse --snapshot 41 --reason "audit of 2026"
    """

    async def work() -> None:
        async with owned_lake(store, lake, "pin add", instead="look with rocklake pin list meanwhile") as owned:
            pin = await add_pin(owned.reader, owned.commits, snapshot, reason)
        print_facts(pin.facts, output)

    run(work())


def list_(store: Store, lake: LakeName = None, output: Output = OutputFormat.TABLE) -> None:
    """The pins of a lake, beside a running server or without one.

    Example: rocklake pin list --store s3://bucket/catalog --lake warehouse
    """

    async def work() -> None:
        async with opened_lake(store, lake) as reader:
            await print_records(_COLUMNS, [pin.facts for pin in await pins_of(reader)], output)

    run(work())


def remove(store: Store, pin: Number, lake: LakeToWrite) -> None:
    """Remove a pin: the next gc may expire the snapshot. No server may hold the store meanwhile.

    Example: rocklake pin remove 57 --store s3://bucket/catalog --lake warehouse
    """

    async def work() -> None:
        async with owned_lake(store, lake, "pin remove", instead="look with rocklake pin list meanwhile") as owned:
            found = await find_pin(owned.reader, pin)
            lines = owned.where, f"Pin {pin} keeps snapshot {found.snapshot_id}: {found.reason or 'no reason given'}"
            print_banner(f"Removing a pin of lake {owned.listed}", lines)
            await remove_pin(owned.commits, found)

    run(work())
