"""``rocklake inspect``: what is in a store, beside a running server or without one."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from rocklake_server.catalog.maintenance.audit import audit_records
from rocklake_server.catalog.maintenance.census import sizes_at
from rocklake_server.catalog.maintenance.history import KINDS, kind_of, parse_identity, versions
from rocklake_server.catalog.maintenance.lakes import lake_facts
from rocklake_server.catalog.maintenance.raw_keys import explained_bytes, explained_key, raw_keys
from rocklake_server.catalog.maintenance.snapshots import chosen_snapshot, newest_snapshot, snapshot_rows
from rocklake_server.catalog.maintenance.tables import (
    FILE_COLUMNS,
    TableFacts,
    files_registered_at,
    files_visible_at,
    find_table,
    tables_at,
)
from rocklake_server.catalog.maintenance.unfinished import leftovers
from rocklake_server.cli.commands.sweep import COLUMNS as LEFTOVER_COLUMNS
from rocklake_server.cli.commands.sweep import leftover_facts
from rocklake_server.cli.lakes import opened_catalog, opened_lake
from rocklake_server.cli.options import LakeName, Limit, Output, OutputFormat, Store
from rocklake_server.cli.printing import print_facts, print_records
from rocklake_server.cli.progress import progress
from rocklake_server.cli.running import run
from rocklake_server.errors import InvalidParameterValue

LIMIT = 100

At = Annotated[int | None, typer.Option("--at", metavar="SNAPSHOT", help="As this snapshot has it; else the newest.")]

_LAKES = ("lake", "number", "format_version", "commit_sequence", "writer_epoch", "relations", "newest_snapshot",
          "retain_from", "stored_bytes", "problem")  # fmt: skip
_SNAPSHOTS = ("snapshot_id", "snapshot_time", "schema_version", "next_catalog_id", "next_file_id", "changes_made",
              "author", "commit_message", "commit_extra_info")  # fmt: skip
_TABLES = tuple(field for field in TableFacts.__dataclass_fields__)
_SIZES = ("name", "kind", "keys", "seen", "tie_breakers", "key_bytes", "value_bytes")


def register(app: typer.Typer) -> None:
    group = typer.Typer(no_args_is_help=True, help="Look inside a store, beside a running server or without one.",
                        epilog="Example: rocklake inspect tables --store file:///var/lib/rocklake")  # fmt: skip
    for command in (lakes, unfinished, snapshots, tables, files, history, relations, keys, key, audit):
        group.command()(command)
    app.add_typer(group, name="inspect")


def lakes(store: Store, output: Output = OutputFormat.TABLE) -> None:
    """The lakes of a store: where each is, how far it is, how much it holds.

    Example: rocklake inspect lakes --store s3://bucket/prefix --output json
    """

    async def work() -> None:
        async with opened_catalog(store) as catalog:
            await print_records(_LAKES, lake_facts(catalog), output)

    run(work())


def unfinished(store: Store, output: Output = OutputFormat.TABLE) -> None:
    """Lakes that an import, a copy or a transaction began to make and that are on no list: what rocklake sweep removes.

    Example: rocklake inspect unfinished --store file:///var/lib/rocklake
    """

    async def work() -> None:
        async with opened_catalog(store) as catalog:
            await print_records(LEFTOVER_COLUMNS, (leftover_facts(found) async for found in leftovers(catalog)), output)

    run(work())


def snapshots(
    store: Store, lake: LakeName = None, output: Output = OutputFormat.TABLE, limit: Limit = LIMIT
) -> None:
    """The newest snapshots of a lake, and what each one changed.

    Example: rocklake inspect snapshots --store file:///var/lib/rocklake --lake warehouse --limit 20
    """

    async def work() -> None:
        async with opened_lake(store, lake) as reader:
            await print_records(_SNAPSHOTS, snapshot_rows(reader, limit), output)

    run(work())


def tables(
    store: Store, lake: LakeName = None, at: At = None, output: Output = OutputFormat.TABLE, limit: Limit = LIMIT
) -> None:
    """The tables that a snapshot sees, with their files, rows and bytes.

    Example: rocklake inspect tables --store file:///var/lib/rocklake --lake warehouse --at 17
    """

    async def work() -> None:
        async with opened_lake(store, lake) as reader:
            snapshot_id = await chosen_snapshot(reader, at)
            with progress("Counting files and inlined rows") as tell:
                found = await tables_at(reader, snapshot_id, tell)
            await print_records(_TABLES, (asdict(table) for table in found), output, limit=limit)

    run(work())


def files(
    store: Store,
    lake: LakeName = None,
    table: Annotated[
        str | None, typer.Option("--table", metavar="TABLE", help="A table: its number, its name or schema.name.")
    ] = None,
    at: At = None,
    registered_at: Annotated[
        int | None,
        typer.Option("--registered-at", metavar="SNAPSHOT", help="Instead: the files that this snapshot added."),
    ] = None,
    output: Output = OutputFormat.TABLE,
    limit: Limit = LIMIT,
) -> None:
    """The data files of a table that a snapshot sees, or those of all tables that a snapshot added.

    Both are read through the lake's indexes: what other snapshots have costs nothing.

    Examples:

    \b
    rocklake inspect files --store file:///var/lib/rocklake --table main.events --at 17
    rocklake inspect files --store file:///var/lib/rocklake --registered-at 17
    """
    if (table is None) == (registered_at is None):
        raise InvalidParameterValue("name either --table or --registered-at")

    async def work() -> None:
        async with opened_lake(store, lake) as reader:
            if table is not None:
                snapshot_id = await chosen_snapshot(reader, at)
                found = files_visible_at(reader, await find_table(reader, snapshot_id, table), snapshot_id)
            else:
                found = files_registered_at(reader, await chosen_snapshot(reader, registered_at))
            await print_records(FILE_COLUMNS, found, output, limit=limit)

    run(work())


def history(
    kind: Annotated[str, typer.Argument(metavar="KIND", help=f"One of {', '.join(sorted(KINDS))}.")],
    identity: Annotated[str, typer.Argument(metavar="ID", help="Its number; a column is TABLE_ID.COLUMN_ID.")],
    store: Store,
    lake: LakeName = None,
    deleted: Annotated[
        bool, typer.Option("--deleted", help="Also versions that SQL deleted and that are kept still; reads them all.")
    ] = False,
    output: Output = OutputFormat.TABLE,
) -> None:
    """Every version of one schema, table, column, view, macro, tag, partitioning, sort order or file.

    Examples:

    \b
    rocklake inspect history table 4 --store file:///var/lib/rocklake
    rocklake inspect history column 4.2 --store file:///var/lib/rocklake --output json
    """
    entity = kind_of(kind)
    wanted = parse_identity(entity, identity)

    async def work() -> None:
        async with opened_lake(store, lake) as reader:
            names = [column.name for column in reader.relation(entity.table.name).columns]
            with progress("Reading versions") as tell:
                found = [row async for row in versions(reader, entity, wanted, deleted=deleted, tell=tell)]
            await print_records([*names, "deleted_by_commit"] if deleted else names, found, output)

    run(work())


def relations(store: Store, lake: LakeName = None, at: At = None, output: Output = OutputFormat.TABLE) -> None:
    """What every relation, index and other kind of key takes, and how many rows a snapshot sees. Reads everything.

    Example: rocklake inspect relations --store file:///var/lib/rocklake --lake warehouse
    """

    async def work() -> None:
        async with opened_lake(store, lake) as reader:
            snapshot_id = None if at is None and await newest_snapshot(reader) is None else (
                await chosen_snapshot(reader, at))
            with progress("Reading every key", "keys") as tell:
                sizes = await sizes_at(reader, snapshot_id, tell)
            await print_records(_SIZES, (asdict(size) for size in sizes), output)

    run(work())


def keys(
    store: Store,
    lake: LakeName = None,
    prefix: Annotated[
        str, typer.Option("--prefix", metavar="HEX", help="Keys that begin with these bytes, as 0B or 'FF 72'.")
    ] = "",
    relation: Annotated[
        str | None, typer.Option("--relation", metavar="NAME", help="Keys of this relation's rows.")
    ] = None,
    values: Annotated[bool, typer.Option("--values", help="Also what each value says.")] = False,
    output: Output = OutputFormat.TABLE,
    limit: Limit = LIMIT,
) -> None:
    """The keys of a lake's store as they are, decoded, in their order.

    Examples:

    \b
    rocklake inspect keys --store file:///var/lib/rocklake --relation ducklake_data_file --values
    rocklake inspect keys --store file:///var/lib/rocklake --prefix FF
    """
    columns = ("key", "space", "name", "fields", *(("value",) if values else ()))

    async def work() -> None:
        async with opened_lake(store, lake) as reader:
            await print_records(columns, raw_keys(reader, prefix, relation, values=values), output, limit=limit)

    run(work())


def key(
    text: Annotated[str, typer.Argument(metavar="KEY", help="In hexadecimal digits, as inspect keys prints it.")],
    store: Store,
    lake: LakeName = None,
    output: Output = OutputFormat.TABLE,
) -> None:
    """One key and its value, byte by byte.

    Example: rocklake inspect key 020000000000000001 --store file:///var/lib/rocklake
    """

    async def work() -> None:
        async with opened_lake(store, lake) as reader:
            facts = await explained_key(reader, text)
            if output is OutputFormat.JSON:
                print_facts(facts, output)
                return
            print_facts({name: value for name, value in facts.items() if name not in ("bytes", "contents")}, output)
            await print_records(("bytes", "what", "value"), explained_bytes(facts), output)

    run(work())


def audit(store: Store, lake: LakeName = None, output: Output = OutputFormat.TABLE) -> None:
    """Who changed a lake from outside of SQL: when, with which command, and how.

    Example: rocklake inspect audit --store file:///var/lib/rocklake --lake warehouse
    """

    async def work() -> None:
        async with opened_lake(store, lake) as reader:
            await print_records(("sequence", "when", "who", "command", "actions"), audit_records(reader), output)

    run(work())
