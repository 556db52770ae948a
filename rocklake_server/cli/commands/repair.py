"""``rocklake repair``: mend what verify found and what is provably right to mend."""

from __future__ import annotations

from collections.abc import Iterator

import typer

from rocklake_server.catalog.maintenance.checks import Severity
from rocklake_server.catalog.maintenance.repair import RepairPlan, gather_repair, plan_repair
from rocklake_server.catalog.maintenance.verify import verify_lake
from rocklake_server.cli.exit_codes import ExitCode
from rocklake_server.cli.lakes import opened_catalog
from rocklake_server.cli.options import LakeToWrite, Output, OutputFormat, Store, StoreIfAny
from rocklake_server.cli.owning import OwnedLake, owned_lake
from rocklake_server.cli.printing import print_banner, print_facts, print_records, remarks
from rocklake_server.cli.progress import progress
from rocklake_server.cli.running import run
from rocklake_server.cli.through_server import Server, called, store_of, through_the_server
from rocklake_server.operations.repair import REPAIR, repair_actions

_ACTIONS = ("check", "keys", "what", "repair")


def register(app: typer.Typer) -> None:
    group = typer.Typer(
        no_args_is_help=True,
        help="Mend counters, indexes and orphaned rows of a lake; nothing else is touched.",
        epilog="Example: rocklake repair plan --store file:///var/lib/rocklake --lake warehouse",
    )
    group.command()(plan)
    group.command()(apply)
    app.add_typer(group, name="repair")


def plan(store: Store, lake: LakeToWrite, output: Output = OutputFormat.TABLE) -> None:
    """Say what would be mended, beside a running server or without one. Changes nothing.

    Example: rocklake repair plan --store file:///var/lib/rocklake --lake warehouse
    """

    async def work() -> None:
        async with opened_catalog(store) as catalog:
            listed = catalog.find(lake)
            with progress(f"Verifying {listed}", "keys") as tell:
                found = await plan_repair(listed, await catalog.snapshot(listed), tell)
            await _print_plan(found, output)

    run(work())


def apply(
    lake: LakeToWrite, store: StoreIfAny = None, server: Server = None, output: Output = OutputFormat.TABLE
) -> None:
    """Mend what can be mended, in one audited commit.

    With --store no server may hold it meanwhile; the lake is verified again afterwards, and the exit code is 3 when
    damage remains that is not mended. With --server the running one does it, unless others change what was verified.

    Examples:

    \b
    rocklake repair apply --store file:///var/lib/rocklake --lake warehouse
    rocklake repair apply --server 127.0.0.1:5432 --lake warehouse
    """
    if server is not None:
        print_facts(called(server, lake, REPAIR), output)
        return

    async def work() -> bool:
        async with owned_lake(store_of(store), lake, "repair", instead=through_the_server()) as owned:
            return await _apply(owned, output)

    if run(work()):
        raise typer.Exit(ExitCode.FOUND)


async def _apply(owned: OwnedLake, output: OutputFormat) -> bool:
    """Whether damage remains."""
    listed = owned.listed
    with progress(f"Verifying {listed}", "keys") as tell:
        found = await plan_repair(listed, owned.reader.snapshot, tell)
    await _print_plan(found, output)
    if found.actions:
        print_banner(f"Repairing lake {listed}", [owned.where, *_lines(found)])
        gather_repair(found, owned.commits)
        await owned.commits.finish()
    with progress(f"Verifying {listed} again", "keys") as tell:
        after = (await verify_lake(listed, await owned.store.snapshot(), tell)).report
    left = {check.name: count for check, count in after.counts.items() if check.severity is Severity.DAMAGE}
    remarks().print(f"{listed}: damage remains: {left}" if left else f"{listed}: no damage is left")
    return bool(left)


async def _print_plan(found: RepairPlan, output: OutputFormat) -> None:
    if found.actions or output is OutputFormat.JSON:
        await print_records(_ACTIONS, repair_actions(found), output)
    else:
        remarks().print(f"{found.verified.report.lake}: there is nothing to mend")
    for check, count in found.rest.items():
        remarks().print(f"not mended: {check.name} {count}")


def _lines(found: RepairPlan) -> Iterator[str]:
    for action in found.actions:
        yield f"{action.check.name}: {action.what}"
