"""``rocklake checkpoint``: moments of a lake that can be copied or exported later."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated

import typer

from rocklake_server.catalog.lake_checkpoints import LakeCheckpoint, checkpoints_of, create_checkpoint, describe
from rocklake_server.catalog.lake_reader import CatalogReader, ListedLake
from rocklake_server.cli.lakes import chosen, opened_catalog
from rocklake_server.cli.options import LakeName, LakeToWrite, Output, OutputFormat, Store
from rocklake_server.cli.printing import print_banner, print_facts, print_records
from rocklake_server.cli.running import run
from rocklake_server.cli.through_server import option_of
from rocklake_server.clock import SystemClock
from rocklake_server.errors import CatalogError, UndefinedObject
from rocklake_server.operations.storing import DAY_MS, KEEP_DAYS, NAME, checkpoint_facts, name_of_time, utc_time

_COLUMNS = ("name", "id", "created", "expires", "commit_sequence", "problem")

Name = Annotated[str | None, option_of(NAME)]
KeepDays = Annotated[int | None, option_of(KEEP_DAYS)]
Named = Annotated[str, typer.Argument(help="The checkpoint's name or id.")]


def register(app: typer.Typer) -> None:
    group = typer.Typer(
        no_args_is_help=True,
        help="Keep moments of a lake, to clone or export them later; beside a running server or without one.",
        epilog="Example: rocklake checkpoint create --store file:///var/lib/rocklake --lake warehouse --name monday",
    )
    group.command("create")(create)
    group.command("list")(list_)
    group.command("delete")(delete)
    app.add_typer(group, name="checkpoint")


def create(
    store: Store, lake: LakeName = None, name: Name = None, keep_days: KeepDays = None,
    output: Output = OutputFormat.TABLE,
) -> None:  # fmt: skip
    """Keep the lake as it is now: every commit that was acknowledged. Writers go on.

    A checkpoint costs the space of what is deleted or replaced later. It is in the same place as the lake: it helps
    against mistakes, not against a lost bucket; see rocklake backup.

    Example: rocklake checkpoint create --store s3://bucket/catalog --lake warehouse --name before-migration
    """

    async def work() -> None:
        async with opened_catalog(store) as catalog:
            listed = chosen(catalog, lake)
            lifetime_ms = keep_days * DAY_MS if keep_days is not None else None
            called = name or name_of_time(SystemClock().now_us())
            made = await create_checkpoint(catalog, listed, called, lifetime_ms=lifetime_ms)
        print_facts(checkpoint_facts(made), output)

    run(work())


def list_(store: Store, lake: LakeName = None, output: Output = OutputFormat.TABLE) -> None:
    """The checkpoints of a lake, oldest first.

    Example: rocklake checkpoint list --store s3://bucket/catalog --lake warehouse
    """

    async def work() -> None:
        async with opened_catalog(store) as catalog:
            await print_records(_COLUMNS, _described(catalog, chosen(catalog, lake)), output)

    run(work())


def delete(store: Store, checkpoint: Named, lake: LakeToWrite) -> None:
    """Give a checkpoint up: what only it needs may be removed from now on. The lake itself is not touched.

    Example: rocklake checkpoint delete before-migration --store s3://bucket/catalog --lake warehouse
    """

    async def work() -> None:
        async with opened_catalog(store) as catalog:
            listed = catalog.find(lake)
            checkpoints = checkpoints_of(catalog, listed)
            found = await checkpoints.find(checkpoint)
            lines = f"Store {catalog.location}, {listed.directory}", f"{found.name}, of {utc_time(found.created_s)}"
            print_banner(f"Deleting a checkpoint of lake {listed}", lines)
            await checkpoints.delete(found)

    run(work())


async def _described(catalog: CatalogReader, lake: ListedLake) -> AsyncIterator[dict[str, object]]:
    checkpoints = checkpoints_of(catalog, lake)
    for checkpoint in await checkpoints.list():
        try:
            yield checkpoint_facts(await describe(checkpoints, checkpoint))
        except CatalogError as problem:
            unknown = LakeCheckpoint(checkpoint, 0)
            what = "has run out" if isinstance(problem, UndefinedObject) and checkpoint.expires_s else str(problem)
            yield {**checkpoint_facts(unknown), "commit_sequence": None, "problem": what}
