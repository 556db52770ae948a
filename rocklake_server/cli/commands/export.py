"""``rocklake export``: a lake as the catalog of another database, beside a running server or without one."""

from __future__ import annotations

from typing import Annotated

import typer

from rocklake_server.catalog.lake_checkpoints import snapshot_at
from rocklake_server.catalog.lake_reader import LakeReader
from rocklake_server.cli.lakes import chosen, opened_catalog
from rocklake_server.cli.options import AtCheckpoint, LakeName, Output, OutputFormat, Pin, Store
from rocklake_server.cli.running import run
from rocklake_server.cli.transfers import copying, print_copied, relocation
from rocklake_server.transfer.addresses import ADDRESSES, parse_address
from rocklake_server.transfer.copying import copy_catalog
from rocklake_server.transfer.lake_catalog import LakeSource

To = Annotated[str, typer.Option("--to", metavar="CATALOG", help=f"The new catalog: {ADDRESSES}. It must be empty.")]
ToSchema = Annotated[
    str | None,
    typer.Option("--to-schema", metavar="SCHEMA", help="DuckLake's METADATA_SCHEMA there, if not its default."),
]
DataPath = Annotated[
    str | None,
    typer.Option(
        "--data-path", metavar="PATH", help="Where the data files are for the copy: its data path, and every absolute "
        "path below the old one, are changed. No file is moved."
    ),
]
Frozen = Annotated[
    bool, typer.Option("--frozen", help="Make a single read-only DuckDB file, to be attached with (READ_ONLY).")
]


def register(app: typer.Typer) -> None:
    app.command("export")(command)


def command(
    store: Store,
    to: To,
    lake: LakeName = None,
    to_schema: ToSchema = None,
    data_path: DataPath = None,
    frozen: Frozen = False,
    checkpoint: AtCheckpoint = None,
    pin: Pin = False,
    output: Output = OutputFormat.TABLE,
) -> None:
    """Copy a lake's catalog, whole, to a DuckDB or SQLite file or into a PostgreSQL or MySQL database.

    The lake is read as it is at one moment; a running server goes on. The copy has every relation, inlined row, id and
    snapshot, and is compared with what was read, row by row, before it appears. The data files stay where they are.
    Comments and indexes go along into PostgreSQL, and are named where they stay behind.

    Examples:

    \b
    rocklake export --store file:///var/lib/rocklake --lake warehouse --to duckdb:warehouse.duckdb
    rocklake export --store s3://bucket/catalog --to "postgres:host=db dbname=warehouse"
    rocklake export --store s3://bucket/catalog --to duckdb:2026.duckdb --frozen --data-path https://example.org/data/
    """

    async def work() -> None:
        address = parse_address(to, to_schema)
        change = relocation(data_path)
        async with opened_catalog(store, pin=pin) as catalog:
            listed = chosen(catalog, lake)
            async with snapshot_at(catalog, listed, checkpoint) as snapshot:
                source = LakeSource(await LakeReader.over(listed, snapshot))
                with copying(f"Export of {listed}") as progress:
                    target = address.target(frozen=frozen)
                    copied = await copy_catalog(source, target, change=change, progress=progress)
        await print_copied(copied, change, output)

    run(work())
