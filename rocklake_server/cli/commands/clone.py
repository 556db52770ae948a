"""``rocklake clone``: a lake as it is at one moment, under another name."""

from __future__ import annotations

from typing import Annotated

import typer

from rocklake_server.catalog.lake_checkpoints import snapshot_at
from rocklake_server.cli.copies import copied_lake, print_made
from rocklake_server.cli.lakes import chosen, opened_catalog
from rocklake_server.cli.options import AtCheckpoint, LakeName, Output, OutputFormat, StoreIfAny
from rocklake_server.cli.progress import progress
from rocklake_server.cli.running import run
from rocklake_server.cli.through_server import Server, called, store_of, through_the_server
from rocklake_server.errors import InvalidParameterValue
from rocklake_server.operations.copies import CLONE

NewNameRequired = Annotated[
    str, typer.Option("--as", metavar="DATABASE[/SCHEMA]", help="The name of the copy; it must be free.")
]
OtherStore = Annotated[
    str | None, typer.Option("--to-store", metavar="URL", help="The store that the copy is made in, if it is another.")
]


def register(app: typer.Typer) -> None:
    app.command()(clone)


def clone(
    as_: NewNameRequired, store: StoreIfAny = None, server: Server = None, lake: LakeName = None,
    to_store: OtherStore = None, checkpoint: AtCheckpoint = None, output: Output = OutputFormat.TABLE,
) -> None:  # fmt: skip
    """Copy one lake, as it is now or at a checkpoint, under another name into its own store or another.

    The copy is independent: it has the history up to then, and can be written. Both refer to the same data files: let
    only one of them clean up files, or give the copy a data path of its own before it writes.

    With --store no server may hold the store that the copy is made in. With --server the running one makes it, beside
    its sessions, in its own store or in another one that no server holds.

    Examples:

    \b
    rocklake clone --store file:///var/lib/rocklake --lake warehouse --as experiment
    rocklake clone --store s3://bucket/catalog --lake warehouse --as warehouse --to-store file:///tmp/copy
    rocklake clone --store s3://bucket/catalog --lake warehouse --checkpoint monday --as warehouse_monday
    rocklake clone --server 127.0.0.1:5432 --lake warehouse --as experiment
    """
    if server is not None:
        if lake is None:
            raise InvalidParameterValue("name the lake with --lake: a server may have many")
        made = called(server, lake, CLONE, new_name=as_, to_store=to_store, checkpoint=checkpoint)
        run(print_made(made, output))
        return

    async def work() -> None:
        here = store_of(store)
        async with opened_catalog(here, pin=True) as catalog:
            listed = chosen(catalog, lake)
            with progress(f"Clone of {listed}", "keys") as tell:
                async with snapshot_at(catalog, listed, checkpoint) as snapshot:
                    copied = await copied_lake(
                        "clone", catalog, listed, snapshot, to_store or here, as_, tell,
                        instead=f"copy into another store, or {through_the_server()}",
                    )  # fmt: skip
        await print_made(copied.facts, output)

    run(work())
