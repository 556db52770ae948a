"""``rocklake excise``: remove for good what gc and SQL DELETE have only put aside."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import typer

from rocklake_server.catalog.retention.excise import Range, apply_excision, plan_excision
from rocklake_server.cli.lakes import opened_catalog
from rocklake_server.cli.options import LakeToWrite, Output, OutputFormat, Pin, Store, StoreIfAny
from rocklake_server.cli.owning import OwnedPlace, owned_place
from rocklake_server.cli.printing import print_banner, print_facts
from rocklake_server.cli.progress import progress
from rocklake_server.cli.running import run
from rocklake_server.cli.through_server import Server, called, option_of, store_of, through_the_server
from rocklake_server.clock import SystemClock
from rocklake_server.errors import ObjectNotInPrerequisiteState
from rocklake_server.operations.excise import ENDED_BY, EXCISE, RETIRED_BY, RETIRED_DAYS, excise_facts, range_of
from rocklake_server.store.checkpoints import Checkpoints
from rocklake_server.store.compaction import compact_fully

EndedBy = Annotated[int | None, option_of(ENDED_BY)]
RetiredBy = Annotated[int | None, option_of(RETIRED_BY)]
RetiredDays = Annotated[int | None, option_of(RETIRED_DAYS)]

Compact = Annotated[
    bool,
    typer.Option("--compact", help="Afterwards rewrite all of the lake's tables, so that no object of its store has "
                 "the bytes any more. Refused while the lake has checkpoints; what reads beside it may fail."),
]  # fmt: skip


def register(app: typer.Typer) -> None:
    group = typer.Typer(
        no_args_is_help=True,
        help="Remove deleted rows, and rows that ended below retain-from, for good. It cannot be undone.",
        epilog="Example: rocklake excise plan --store file:///var/lib/rocklake --lake warehouse",
    )
    group.command()(plan)
    group.command()(apply)
    app.add_typer(group, name="excise")


def plan(
    store: Store, lake: LakeToWrite, ended_by: EndedBy = None, retired_by: RetiredBy = None,
    retired_days: RetiredDays = None, pin: Pin = False, output: Output = OutputFormat.TABLE,
) -> None:  # fmt: skip
    """Say what would be removed, beside a running server or without one. Changes nothing.

    Example: rocklake excise plan --store s3://bucket/catalog --lake warehouse
    """

    async def work() -> None:
        async with opened_catalog(store, pin=pin) as catalog:
            listed = catalog.find(lake)
            reader = await catalog.lake(listed)
            chosen = await range_of(reader, ended_by, retired_by, retired_days, SystemClock().now_us())
            with progress(f"Looking through {listed}") as tell:
                found = await plan_excision(reader, chosen, tell)
        print_facts(excise_facts(listed, chosen, found), output)

    run(work())


def apply(
    lake: LakeToWrite, store: StoreIfAny = None, server: Server = None, ended_by: EndedBy = None,
    retired_by: RetiredBy = None, retired_days: RetiredDays = None, compact: Compact = False,
    output: Output = OutputFormat.TABLE,
) -> None:  # fmt: skip
    """Remove the rows, in bounded commits with an audit record each.

    With --store no server may hold it meanwhile; with --server the running one does it beside its sessions.

    Refused until rocklake gc has said what is kept. The bytes leave the store when SlateDB compacts its tables, with
    --compact before the command ends; checkpoints and backups keep what they have.

    Examples:

    \b
    rocklake excise apply --store s3://bucket/catalog --lake warehouse --retired-by 1200
    rocklake excise apply --store s3://bucket/catalog --lake warehouse --compact
    rocklake excise apply --server 127.0.0.1:5432 --lake warehouse
    """
    if server is not None:
        if compact:
            raise typer.BadParameter("no server may hold the store meanwhile: give --store", param_hint="--compact")
        chosen = {"ended_by": ended_by, "retired_by": retired_by, "retired_days": retired_days}
        print_facts(called(server, lake, EXCISE, **chosen), output)
        return

    async def work() -> None:
        async with owned_place(store_of(store), lake, instead=through_the_server()) as place:
            if compact:
                await _require_no_checkpoints(place)
            async with place.opened("excise") as owned:
                chosen = await range_of(owned.reader, ended_by, retired_by, retired_days, owned.commits.now_us)
                print_banner(f"Excising rows of lake {owned.listed}", [owned.where, *_lines(chosen)])
                with progress(f"Excising rows of {owned.listed}") as tell:
                    found = await apply_excision(owned.reader, chosen, owned.commits, tell)
            if compact:
                await _compact(place)
        print_facts(excise_facts(owned.listed, chosen, found), output)

    run(work())


async def _require_no_checkpoints(place: OwnedPlace) -> None:
    """Raises ObjectNotInPrerequisiteState."""
    kept = ", ".join(f'"{checkpoint.name}"' for checkpoint in await Checkpoints(place.location).list())
    if kept:
        raise ObjectNotInPrerequisiteState(
            f'lake "{place.listed}" has checkpoints, which keep the bytes of what is excised: {kept}',
            hint="Delete them with rocklake checkpoint delete, or leave --compact out.",
        )


async def _compact(place: OwnedPlace) -> None:
    async with place.opened("excise") as owned:  # SlateDB keeps what its newest write but one could see
        owned.commits.note({"compacts": True})
        await owned.commits.finish(notes_alone=True)
    with progress(f"Compacting {place.listed}"):
        await compact_fully(place.location, place.ownership)


def _lines(chosen: Range) -> Iterator[str]:
    if chosen.retired_by is not None:
        yield f"Rows that commit {chosen.retired_by} or an earlier one deleted go for good"
    if chosen.ended_by is not None:
        yield f"Rows that ended at snapshot {chosen.ended_by} or before it go for good"
