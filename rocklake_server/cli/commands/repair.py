"""``rocklake repair``: mend what verify found and what is provably right to mend."""

from __future__ import annotations

import getpass
import socket
from collections.abc import Iterator

import typer

from rocklake_server.catalog.lake_reader import CatalogReader, ListedLake
from rocklake_server.catalog.maintenance.checks import Severity
from rocklake_server.catalog.maintenance.repair import RepairPlan, plan_repair, repair_batch
from rocklake_server.catalog.maintenance.verify import verify_lake
from rocklake_server.catalog.offline_outlines import forget_outline
from rocklake_server.cli.exit_codes import ExitCode
from rocklake_server.cli.lakes import opened_catalog
from rocklake_server.cli.options import LakeToWrite, Output, OutputFormat, Store, location_of
from rocklake_server.cli.printing import print_banner, print_records, remarks
from rocklake_server.cli.progress import progress
from rocklake_server.cli.running import run
from rocklake_server.clock import SystemClock
from rocklake_server.store.offline_owner import owned
from rocklake_server.store.opening import open_store

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


def apply(store: Store, lake: LakeToWrite, output: Output = OutputFormat.TABLE) -> None:
    """Mend what can be mended, in one audited commit. No server may hold the store meanwhile.

    The lake is verified again first, and afterwards; the exit code is 3 when damage remains that is not mended.

    Example: rocklake repair apply --store file:///var/lib/rocklake --lake warehouse
    """

    async def work() -> bool:
        async with opened_catalog(store) as catalog:
            listed = catalog.find(lake)
        return await _apply(catalog, listed, store, output)

    if run(work()):
        raise typer.Exit(ExitCode.FOUND)


async def _apply(catalog: CatalogReader, listed: ListedLake, store_url: str, output: OutputFormat) -> bool:
    """Whether damage remains."""
    location = location_of(store_url)
    async with owned(location) as ownership:
        store = await open_store(location.child(listed.directory), ownership=ownership)
        try:
            with progress(f"Verifying {listed}", "keys") as tell:
                found = await plan_repair(listed, await store.snapshot(), tell)
            await _print_plan(found, output)
            if found.actions:
                where = f"Store {catalog.location}, {listed.directory}"
                print_banner(f"Repairing lake {listed}", [where, *_lines(found)])
                who = f"{getpass.getuser()} on {socket.gethostname()}"
                ownership.require()
                await forget_outline(location, ownership, listed)
                await store.write(await repair_batch(found, who=who, now_us=SystemClock().now_us()))
            with progress(f"Verifying {listed} again", "keys") as tell:
                after = (await verify_lake(listed, await store.snapshot(), tell)).report
        finally:
            await store.close()
    left = {check.name: count for check, count in after.counts.items() if check.severity is Severity.DAMAGE}
    remarks().print(f"{listed}: damage remains: {left}" if left else f"{listed}: no damage is left")
    return bool(left)


async def _print_plan(found: RepairPlan, output: OutputFormat) -> None:
    if found.actions or output is OutputFormat.JSON:
        records = (
            {"check": action.check.name, "keys": action.keys, "what": action.what, "repair": action.check.repair}
            for action in found.actions
        )
        await print_records(_ACTIONS, records, output)
    else:
        remarks().print(f"{found.verified.report.lake}: there is nothing to mend")
    for check, count in found.rest.items():
        remarks().print(f"not mended: {check.name} {count}")


def _lines(found: RepairPlan) -> Iterator[str]:
    for action in found.actions:
        yield f"{action.check.name}: {action.what}"
