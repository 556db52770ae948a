"""``rocklake undelete``: bring back rows of the catalog that a commit has deleted."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from rocklake_server.catalog.lake_reader import LakeReader, ListedLake
from rocklake_server.catalog.retention.audited_commits import AuditedCommits
from rocklake_server.catalog.retention.undelete import BroughtBack, Undeletion, retired_counts, retired_rows
from rocklake_server.cli.lakes import opened_catalog, opened_lake
from rocklake_server.cli.options import LakeName, LakeToWrite, Limit, Output, OutputFormat, Pin, Store, StoreIfAny
from rocklake_server.cli.owning import owned_lake, planned_commits
from rocklake_server.cli.printing import print_banner, print_facts, print_records
from rocklake_server.cli.progress import progress
from rocklake_server.cli.running import run
from rocklake_server.cli.through_server import Server, called, option_of, store_of, through_the_server
from rocklake_server.operations.undelete import COMMITS, RELATION, UNDELETE, undelete_facts
from rocklake_server.store.data_files import DataFiles

LIMIT = 100

Commit = Annotated[
    int, typer.Option("--commit", metavar="COMMIT", min=0, help="The commit, as rocklake undelete list shows it.")
]
Commits = Annotated[
    list[int],
    typer.Option(COMMITS.option, metavar=COMMITS.metavar, min=0,
                 help="A commit whose deletions are undone; may be given several times."),
]  # fmt: skip
Relation = Annotated[str | None, option_of(RELATION)]


def register(app: typer.Typer) -> None:
    group = typer.Typer(
        no_args_is_help=True,
        help="Bring back rows of the catalog that a commit has deleted, until they are excised.",
        epilog="Example: rocklake undelete list --store file:///var/lib/rocklake --lake warehouse",
    )
    group.command("list")(list_)
    group.command()(show)
    group.command()(plan)
    group.command()(apply)
    app.add_typer(group, name="undelete")


def list_(store: Store, lake: LakeName = None, output: Output = OutputFormat.TABLE, limit: Limit = LIMIT) -> None:
    """The commits that deleted rows which are kept still, and how many of which relation.

    Example: rocklake undelete list --store s3://bucket/catalog --lake warehouse
    """

    async def work() -> None:
        async with opened_lake(store, lake) as reader:
            await print_records(("commit", "relation", "rows"), retired_counts(reader), output, limit=limit)

    run(work())


def show(
    store: Store, commit: Commit, lake: LakeName = None, relation: Relation = None,
    output: Output = OutputFormat.TABLE, limit: Limit = LIMIT,
) -> None:  # fmt: skip
    """The rows that one commit deleted.

    Example: rocklake undelete show --store s3://bucket/catalog --lake warehouse --commit 1204
    """

    async def work() -> None:
        async with opened_lake(store, lake) as reader:
            await print_records(("relation", "row"), retired_rows(reader, commit, relation), output, limit=limit)

    run(work())


def plan(
    store: Store, lake: LakeToWrite, commit: Commits, relation: Relation = None, pin: Pin = False,
    output: Output = OutputFormat.TABLE,
) -> None:  # fmt: skip
    """Say what would come back, or why it cannot, beside a running server or without one. Changes nothing.

    Example: rocklake undelete plan --store s3://bucket/catalog --lake warehouse --commit 1204
    """

    async def work() -> None:
        async with opened_catalog(store, pin=pin) as catalog:
            listed = catalog.find(lake)
            reader = await catalog.lake(listed)
            found = await _gather(listed, reader, planned_commits(reader, "undelete"), commit, relation)
        print_facts(undelete_facts(listed, found), output)

    run(work())


def apply(
    lake: LakeToWrite, commit: Commits, store: StoreIfAny = None, server: Server = None, relation: Relation = None,
    output: Output = OutputFormat.TABLE,
) -> None:  # fmt: skip
    """Bring the rows back in one audited commit.

    With --store no server may hold it meanwhile; with --server the running one does it.

    The lake is verified first as it would be: rows that need others, whose place is taken again, or whose Parquet file
    was cleaned up are refused. Files that come back are not cleaned up any more. Look with rocklake undelete show what
    the commit did: rows that it moved, as flushing inlined rows does, would be there twice. Snapshots that rocklake gc
    expired come back when all commits of the last gc are named, unless something was excised since.

    Examples:

    \b
    rocklake undelete apply --store s3://bucket/catalog --lake warehouse --commit 1204
    rocklake undelete apply --server 127.0.0.1:5432 --lake warehouse --commit 1204
    """
    if server is not None:
        print_facts(called(server, lake, UNDELETE, commit=commit, relation=relation), output)
        return

    async def work() -> None:
        async with owned_lake(store_of(store), lake, "undelete", instead=through_the_server()) as owned:
            found = await _gather(owned.listed, owned.reader, owned.commits, commit, relation)
            rows = (f"{name}: {count} rows" for name, count in found.rows.items())
            print_banner(f"Bringing rows of lake {owned.listed} back", [owned.where, *rows])
            await owned.commits.finish()
        print_facts(undelete_facts(owned.listed, found), output)

    run(work())


async def _gather(
    listed: ListedLake, reader: LakeReader, commits: AuditedCommits, sequences: list[int], relation: str | None
) -> BroughtBack:
    with progress(f"Verifying {listed}", "keys") as tell:
        return await Undeletion(reader, commits, sequences, relation).gather(DataFiles(os.environ), tell)
