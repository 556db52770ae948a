"""``rocklake backup``, ``restore`` and ``clone``: copies of lakes at one moment, to another place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated

import typer

from rocklake_server.catalog.entry_copy import Tell
from rocklake_server.catalog.lake_checkpoints import snapshot_at
from rocklake_server.catalog.lake_reader import CatalogReader, ListedLake
from rocklake_server.catalog.store_copy import CopiedLake, copy_lake, copy_store, read_origin
from rocklake_server.cli.lakes import chosen, opened_catalog
from rocklake_server.cli.options import (
    AtCheckpoint,
    LakeName,
    Output,
    OutputFormat,
    Store,
    complete_lakes,
    location_of,
)
from rocklake_server.cli.owning import opened_to_write
from rocklake_server.cli.printing import print_records
from rocklake_server.cli.progress import progress
from rocklake_server.cli.running import run
from rocklake_server.cli.transfers import new_lake
from rocklake_server.clock import SystemClock

_COLUMNS = tuple(CopiedLake.__dataclass_fields__)

Place = Annotated[
    str, typer.Option("--to", metavar="URL", help="An empty place for the copy, which becomes a store like any other.")
]
Backup = Annotated[str, typer.Option("--from", metavar="URL", help="A backup, or any other store that is not served.")]
Lakes = Annotated[
    list[str] | None,
    typer.Option("--lake", metavar="DATABASE[/SCHEMA]", autocompletion=complete_lakes,
                 help="Only this lake; may be given several times."),
]  # fmt: skip
NewName = Annotated[
    str | None,
    typer.Option("--as", metavar="DATABASE[/SCHEMA]", help="Another name for the lake; it must be free."),
]
NewNameRequired = Annotated[
    str, typer.Option("--as", metavar="DATABASE[/SCHEMA]", help="The name of the copy; it must be free.")
]
OtherStore = Annotated[
    str | None, typer.Option("--to-store", metavar="URL", help="The store that the copy is made in, if it is another.")
]


def register(app: typer.Typer) -> None:
    for command in (backup, restore, clone):
        app.command()(command)


def backup(store: Store, to: Place, lake: Lakes = None, output: Output = OutputFormat.TABLE) -> None:
    """Copy a store's lakes to another folder or bucket, beside the server that writes them.

    Each lake is copied as it is at one moment, and compared when it has arrived. The backup is a store of its own: it
    can be served, exported from and restored. Data files are not copied: keep those that the backup's snapshots need.
    Buckets on both sides are reached with the same variables of the environment.

    Examples:

    \b
    rocklake backup --store file:///var/lib/rocklake --to file:///mnt/backups/2026-11-30
    rocklake backup --store s3://bucket/catalog --to s3://elsewhere/catalog-2026-11-30 --lake warehouse
    """

    async def work() -> None:
        async with opened_catalog(store, pin=True) as catalog:
            lakes = _chosen(catalog, lake)
            with progress("Backup", "keys") as tell:
                made = await copy_store(catalog, lakes, location_of(to), SystemClock(), tell)
        await _print(made.lakes, output)

    run(work())


def restore(
    store: Store, from_: Backup, lake: LakeName = None, as_: NewName = None, output: Output = OutputFormat.TABLE
) -> None:
    """Copy a backup into an empty store; or one lake of it, under a free name, into a store that has others.

    What arrives is compared with what the backup held when it was made. A restore that did not end is begun again by
    the same command; until then no server opens the store. No server may hold the store meanwhile.

    Examples:

    \b
    rocklake restore --from file:///mnt/backups/2026-11-30 --store file:///var/lib/rocklake
    rocklake restore --from s3://backups/catalog --store s3://bucket/catalog --lake warehouse --as warehouse_monday
    """

    async def work() -> None:
        origin = await read_origin(location_of(from_))
        async with opened_catalog(from_) as catalog:
            with progress("Restore", "keys") as tell:
                if lake is None and as_ is None:
                    made = await copy_store(
                        catalog, catalog.lakes, location_of(store), SystemClock(), tell, origin=origin
                    )
                    copied: Sequence[CopiedLake] = made.lakes
                else:
                    listed = chosen(catalog, lake)
                    copied = [await _copied(catalog, listed, store, as_ or str(listed), tell)]
        await _print(copied, output)

    run(work())


def clone(
    store: Store, as_: NewNameRequired, lake: LakeName = None, to_store: OtherStore = None,
    checkpoint: AtCheckpoint = None, output: Output = OutputFormat.TABLE,
) -> None:  # fmt: skip
    """Copy one lake, as it is now or at a checkpoint, under another name into its own store or another.

    The copy is independent: it has the history up to then, and can be written. Both refer to the same data files: let
    only one of them clean up files, or give the copy a data path of its own before it writes. No server may hold the
    store that the copy is made in.

    Examples:

    \b
    rocklake clone --store file:///var/lib/rocklake --lake warehouse --as experiment
    rocklake clone --store s3://bucket/catalog --lake warehouse --as warehouse --to-store file:///tmp/copy
    rocklake clone --store s3://bucket/catalog --lake warehouse --checkpoint monday --as warehouse_monday
    """

    async def work() -> None:
        async with opened_catalog(store, pin=True) as catalog:
            listed = chosen(catalog, lake)
            with progress(f"Clone of {listed}", "keys") as tell:
                copied = await _copied(catalog, listed, to_store or store, as_, tell, checkpoint)
        await _print([copied], output)

    run(work())


def _chosen(catalog: CatalogReader, names: Sequence[str] | None) -> Sequence[ListedLake]:
    return list(dict.fromkeys(map(catalog.find, names))) if names else catalog.lakes


async def _copied(
    catalog: CatalogReader, lake: ListedLake, store: str, name: str, tell: Tell, checkpoint: str | None = None
) -> CopiedLake:
    async with (
        snapshot_at(catalog, lake, checkpoint) as snapshot,
        opened_to_write(store, instead="copy into another store") as databases,
    ):
        return await copy_lake(snapshot, databases, location_of(store), new_lake(name), tell)


async def _print(copied: Sequence[CopiedLake], output: OutputFormat) -> None:
    await print_records(_COLUMNS, [asdict(lake) for lake in copied], output)
