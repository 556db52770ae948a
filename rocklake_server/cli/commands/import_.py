"""``rocklake import``: the catalog of another database becomes a lake."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import Annotated

import typer

from rocklake_server.catalog.database_names import named_lake
from rocklake_server.cli.commands.export import DataPath
from rocklake_server.cli.options import Output, OutputFormat, StoreIfAny
from rocklake_server.cli.owning import opened_to_write
from rocklake_server.cli.running import run
from rocklake_server.cli.through_server import Server, dsn_of, through_the_server
from rocklake_server.cli.transfers import copying, print_copied, relocation
from rocklake_server.errors import InvalidParameterValue
from rocklake_server.transfer.addresses import ADDRESSES, parse_address
from rocklake_server.transfer.catalogs import Target
from rocklake_server.transfer.copying import copy_catalog
from rocklake_server.transfer.lake_catalog import LakeTarget
from rocklake_server.transfer.postgres_catalog import PostgresTarget

From = Annotated[str, typer.Option("--from", metavar="CATALOG", help=f"The catalog to be read: {ADDRESSES}.")]
FromSchema = Annotated[
    str | None,
    typer.Option("--from-schema", metavar="SCHEMA", help="DuckLake's METADATA_SCHEMA there, if not its default."),
]
NewLake = Annotated[
    str, typer.Option("--lake", metavar="DATABASE[/SCHEMA]", help="The name of the lake that is made; it must be free.")
]


def register(app: typer.Typer) -> None:
    app.command("import")(command)


def command(
    from_: From,
    lake: NewLake,
    store: StoreIfAny = None,
    server: Server = None,
    from_schema: FromSchema = None,
    data_path: DataPath = None,
    output: Output = OutputFormat.TABLE,
) -> None:
    """Copy a DuckLake catalog, whole, from a DuckDB or SQLite file, or a PostgreSQL or MySQL database, into a new
    lake.

    With --store no server may run on it: the command owns the store meanwhile, as a server would. With --server the
    catalog goes through a running one. The lake appears when everything was written and compared, or not at all.
    Comments and plain indexes come along from PostgreSQL; other indexes are named.

    Examples:

    \b
    rocklake import --store file:///var/lib/rocklake --lake warehouse --from duckdb:warehouse.duckdb
    rocklake import --server 127.0.0.1:5432 --lake warehouse --from "postgres:host=db dbname=old"
    """

    async def work() -> None:
        address = parse_address(from_, from_schema)
        change = relocation(data_path)
        async with aclosing(address.source()) as source, _target(store, server, *named_lake(lake)) as target:
            with copying(f"Import of {lake}") as progress:
                copied = await copy_catalog(source, target, change=change, progress=progress)
        await print_copied(copied, change, output)

    run(work())


@asynccontextmanager
async def _target(store: str | None, server: str | None, database: str, schema: str) -> AsyncIterator[Target]:
    if server is not None:
        yield PostgresTarget(dsn_of(server, database), schema)
    elif store is not None:
        async with opened_to_write(store, instead=through_the_server()) as databases:
            yield LakeTarget(databases, database, schema)
    else:
        raise InvalidParameterValue("name the store with --store, or a running server with --server")
