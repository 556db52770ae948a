"""``rocklake backup``: copies of lakes at one moment, to another place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated

import typer

from rocklake_server.catalog.lake_reader import CatalogReader, ListedLake
from rocklake_server.catalog.store_copy import copy_store
from rocklake_server.cli.copies import print_copies
from rocklake_server.cli.lakes import opened_catalog
from rocklake_server.cli.options import Output, OutputFormat, StoreIfAny, complete_lakes, location_of
from rocklake_server.cli.progress import progress
from rocklake_server.cli.running import run
from rocklake_server.cli.through_server import Server, called_for_all, store_of
from rocklake_server.clock import SystemClock
from rocklake_server.operations.copies import BACKUP_LAKES

Place = Annotated[
    str, typer.Option("--to", metavar="URL", help="An empty place for the copy, which becomes a store like any other.")
]
Lakes = Annotated[
    list[str] | None,
    typer.Option("--lake", metavar="DATABASE[/SCHEMA]", autocompletion=complete_lakes,
                 help="Only this lake; may be given several times."),
]  # fmt: skip


def register(app: typer.Typer) -> None:
    app.command()(backup)


def backup(
    to: Place, store: StoreIfAny = None, server: Server = None, lake: Lakes = None,
    output: Output = OutputFormat.TABLE,
) -> None:  # fmt: skip
    """Copy a store's lakes to another folder or bucket, beside the server that writes them.

    Each lake is copied as it is at one moment, and compared when it has arrived. The backup is a store of its own: it
    can be served, exported from and restored. Data files are not copied: keep those that the backup's snapshots need.
    Buckets on both sides are reached with the same variables of the environment.

    With --store this command reads the store itself. With --server the running server makes the backup, in a place that
    it reaches: a folder is one of its machine.

    Examples:

    \b
    rocklake backup --store file:///var/lib/rocklake --to file:///mnt/backups/2026-11-30
    rocklake backup --store s3://bucket/catalog --to s3://elsewhere/catalog-2026-11-30 --lake warehouse
    rocklake backup --server 127.0.0.1:5432 --to s3://elsewhere/catalog-2026-11-30
    """

    async def work() -> None:
        async with opened_catalog(store_of(store), pin=True) as catalog:
            lakes = _chosen(catalog, lake)
            with progress("Backup", "keys") as tell:
                made = await copy_store(catalog, lakes, location_of(to), SystemClock(), tell)
        await print_copies([asdict(copied) for copied in made.lakes], output)

    if server is not None:
        made = called_for_all(server, BACKUP_LAKES, place=to, lakes=list(lake) if lake else None)
        run(print_copies(made, output))
    else:
        run(work())


def _chosen(catalog: CatalogReader, names: Sequence[str] | None) -> Sequence[ListedLake]:
    return list(dict.fromkeys(map(catalog.find, names))) if names else catalog.lakes
