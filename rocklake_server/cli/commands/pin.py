"""``rocklake pin``: snapshots that gc keeps."""

from __future__ import annotations

from typing import Annotated

import typer

from rocklake_server.catalog.retention.pins import add_pin, find_pin, pins_of, remove_pin
from rocklake_server.cli.lakes import opened_lake
from rocklake_server.cli.options import LakeName, LakeToWrite, Output, OutputFormat, Store, StoreIfAny
from rocklake_server.cli.owning import owned_lake
from rocklake_server.cli.printing import print_banner, print_facts, print_records
from rocklake_server.cli.running import run
from rocklake_server.cli.through_server import Server, called, option_of, store_of, through_the_server
from rocklake_server.operations.pins import PIN, PIN_ADD, PIN_REMOVE, REASON, SNAPSHOT

_COLUMNS = ("pin", "snapshot", "reason", "who", "when")

Pinned = Annotated[int | None, option_of(SNAPSHOT)]
Reason = Annotated[str, option_of(REASON)]
Number = Annotated[int, typer.Argument(metavar=PIN.metavar, min=PIN.least, help=PIN.help)]


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
    lake: LakeToWrite, store: StoreIfAny = None, server: Server = None, snapshot: Pinned = None, reason: Reason = "",
    output: Output = OutputFormat.TABLE,
) -> None:  # fmt: skip
    """Pin a snapshot until the pin is removed.

    With --store no server may hold it meanwhile; with --server the running one does it.

    Examples:

    \b
    rocklake pin add --store s3://bucket/catalog --lake warehouse --snapshot 41 --reason "audit of 2026"
    rocklake pin add --server 127.0.0.1:5432 --lake warehouse
    """
    if server is not None:
        print_facts(called(server, lake, PIN_ADD, snapshot=snapshot, reason=reason), output)
        return

    async def work() -> None:
        async with owned_lake(store_of(store), lake, "pin add", instead=through_the_server()) as owned:
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


def remove(pin: Number, lake: LakeToWrite, store: StoreIfAny = None, server: Server = None) -> None:
    """Remove a pin: the next gc may expire the snapshot.

    With --store no server may hold it meanwhile; with --server the running one does it.

    Examples:

    \b
    rocklake pin remove 57 --store s3://bucket/catalog --lake warehouse
    rocklake pin remove 57 --server 127.0.0.1:5432 --lake warehouse
    """
    if server is not None:
        called(server, lake, PIN_REMOVE, pin=pin)
        return

    async def work() -> None:
        async with owned_lake(store_of(store), lake, "pin remove", instead=through_the_server()) as owned:
            found = await find_pin(owned.reader, pin)
            lines = owned.where, f"Pin {pin} keeps snapshot {found.snapshot_id}: {found.reason or 'no reason given'}"
            print_banner(f"Removing a pin of lake {owned.listed}", lines)
            await remove_pin(owned.commits, found)

    run(work())
