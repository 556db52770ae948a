"""``rocklake restore``: a backup becomes a store again, or a lake of it one more lake of a store."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from rocklake_server.catalog.lake_reader import CatalogReader
from rocklake_server.catalog.store_copy import Origin, copy_store, expected_of, read_origin, unfinished_source
from rocklake_server.cli.copies import copied_lake, print_copies, print_made
from rocklake_server.cli.lakes import chosen, opened_catalog
from rocklake_server.cli.options import LakeName, Output, OutputFormat, StoreIfAny, location_of
from rocklake_server.cli.printing import remarks
from rocklake_server.cli.progress import progress
from rocklake_server.cli.running import run
from rocklake_server.cli.through_server import Server, called_for_all, store_of, through_the_server
from rocklake_server.clock import SystemClock
from rocklake_server.operations.copies import RESTORE

Backup = Annotated[str, typer.Option("--from", metavar="URL", help="A backup, or any other store that is not served.")]
NewName = Annotated[
    str | None,
    typer.Option("--as", metavar="DATABASE[/SCHEMA]", help="Another name for the lake; it must be free."),
]


def register(app: typer.Typer) -> None:
    app.command()(restore)


def restore(
    from_: Backup, store: StoreIfAny = None, server: Server = None, lake: LakeName = None, as_: NewName = None,
    output: Output = OutputFormat.TABLE,
) -> None:  # fmt: skip
    """Copy a backup into an empty store; or one lake of it, under a free name, into a store that has others.

    What arrives is compared with what the backup held when it was made. A restore of a store that did not end is begun
    again by the same command; until then no server opens the store. A lake is on no list until it is complete.

    With --store no server may hold it meanwhile. With --server the running one takes one lake beside its sessions, from
    a place that it reaches: a folder is one of its machine.

    Examples:

    \b
    rocklake restore --from file:///mnt/backups/2026-11-30 --store file:///var/lib/rocklake
    rocklake restore --from s3://backups/catalog --store s3://bucket/catalog --lake warehouse --as warehouse_monday
    rocklake restore --from s3://backups/catalog --server 127.0.0.1:5432 --lake warehouse --as warehouse_monday
    """
    if server is not None:
        (made,) = called_for_all(server, RESTORE, backup=from_, lake=lake, new_name=as_)
        run(print_made(made, output))
        return

    async def work() -> None:
        into = store_of(store)
        origin = await read_origin(location_of(from_))
        async with opened_catalog(from_) as catalog:
            if lake is None and as_ is None:
                await _whole(catalog, into, origin, output)
                return
            listed = chosen(catalog, lake)
            with progress("Restore", "keys") as tell:
                async with catalog.frozen(listed) as snapshot:
                    made = await copied_lake(
                        "restore", catalog, listed, snapshot, into, as_ or str(listed), tell,
                        instead=through_the_server(), expected=expected_of(origin, listed),
                    )  # fmt: skip
        await print_made(made.facts, output)

    run(work())


async def _whole(catalog: CatalogReader, store: str, origin: Origin | None, output: OutputFormat) -> None:
    location = location_of(store)
    begun = await unfinished_source(location)
    if begun is not None:
        remarks().print(f"an earlier copy of {begun} did not end; it is begun again", markup=False, soft_wrap=True)
    with progress("Restore", "keys") as tell:
        made = await copy_store(catalog, catalog.lakes, location, SystemClock(), tell, origin=origin)
    await print_copies([asdict(lake) for lake in made.lakes], output)
