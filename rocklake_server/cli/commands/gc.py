"""``rocklake gc``: expire the snapshots below a boundary."""

from __future__ import annotations

from typing import Annotated

import typer

from rocklake_server.catalog.lake_reader import ListedLake
from rocklake_server.catalog.retention.boundary import DAY_US, Boundary, Policy, choose_boundary
from rocklake_server.catalog.retention.gc import Collected, apply_gc, plan_gc
from rocklake_server.cli.lakes import opened_catalog
from rocklake_server.cli.options import LakeToWrite, Output, OutputFormat, Pin, Store
from rocklake_server.cli.owning import owned_lake
from rocklake_server.cli.printing import print_banner, print_facts
from rocklake_server.cli.progress import progress
from rocklake_server.cli.running import run
from rocklake_server.clock import SystemClock

KeepDays = Annotated[
    int | None,
    typer.Option("--keep-days", metavar="DAYS", min=0, help="Keep the snapshots of so many days; always the newest."),
]
RetainFrom = Annotated[
    int | None, typer.Option("--retain-from", metavar="SNAPSHOT", min=0, help="Keep this snapshot and all after it.")
]
KeepLast = Annotated[
    int | None, typer.Option("--keep-last", metavar="COUNT", min=1, help="Keep so many of the newest snapshots.")
]


def register(app: typer.Typer) -> None:
    group = typer.Typer(
        no_args_is_help=True,
        help="Expire old snapshots as ducklake_expire_snapshots does, and remember the oldest that is retained.",
        epilog="Example: rocklake gc plan --store file:///var/lib/rocklake --lake warehouse --keep-days 30",
    )
    group.command()(plan)
    group.command()(apply)
    app.add_typer(group, name="gc")


def plan(
    store: Store, lake: LakeToWrite, keep_days: KeepDays = None, retain_from: RetainFrom = None,
    keep_last: KeepLast = None, pin: Pin = False, output: Output = OutputFormat.TABLE,
) -> None:  # fmt: skip
    """Say what would expire, beside a running server or without one. Changes nothing.

    Example: rocklake gc plan --store s3://bucket/catalog --lake warehouse --keep-days 30
    """
    policy = _policy(keep_days, retain_from, keep_last)

    async def work() -> None:
        async with opened_catalog(store, pin=pin) as catalog:
            listed = catalog.find(lake)
            reader = await catalog.lake(listed)
            boundary = await choose_boundary(reader, policy)
            with progress(f"Looking through {listed}") as tell:
                found = await plan_gc(reader, boundary, tell)
        print_facts(_facts(listed, boundary, found), output)

    run(work())


def apply(
    store: Store, lake: LakeToWrite, keep_days: KeepDays = None, retain_from: RetainFrom = None,
    keep_last: KeepLast = None, output: Output = OutputFormat.TABLE,
) -> None:  # fmt: skip
    """Expire snapshots, and what only they had, never past a pin. No server may hold the store meanwhile.

    Rows that go can be brought back until they are excised. Files are scheduled for deletion and stay until a client
    calls ducklake_cleanup_old_files. Give one of --keep-days, --retain-from and --keep-last.

    Example: rocklake gc apply --store s3://bucket/catalog --lake warehouse --keep-last 1000
    """
    policy = _policy(keep_days, retain_from, keep_last)

    async def work() -> None:
        async with owned_lake(store, lake, "gc", instead="make a plan meanwhile") as owned:
            boundary = await choose_boundary(owned.reader, policy)
            print_banner(f"Expiring snapshots of lake {owned.listed}", [owned.where, *_lines(boundary)])
            with progress(f"Expiring snapshots of {owned.listed}") as tell:
                found = await apply_gc(owned.reader, boundary, owned.commits, tell)
        print_facts(_facts(owned.listed, boundary, found), output)

    run(work())


def _policy(keep_days: int | None, retain_from: int | None, keep_last: int | None) -> Policy:
    """Raises typer.BadParameter unless exactly one is given."""
    if [keep_days, retain_from, keep_last].count(None) != 2:
        raise typer.BadParameter("give exactly one of --keep-days, --retain-from and --keep-last")
    since_us = None if keep_days is None else SystemClock().now_us() - keep_days * DAY_US
    return Policy(since_us, retain_from, keep_last)


def _lines(boundary: Boundary) -> list[str]:
    lines = [f"{boundary.expiring} snapshots below {boundary.retain_from} expire, {len(boundary.retained)} stay"]
    if (pin := boundary.held_by) is not None:
        lines.append(f"Pin {pin.number} keeps snapshot {pin.snapshot_id}, or all below {boundary.wanted} would expire")
    return lines


def _facts(listed: ListedLake, boundary: Boundary, found: Collected) -> dict[str, object]:
    return {
        "lake": str(listed),
        "retained_from_before": boundary.before,
        "retain_from": boundary.retain_from,
        "held_by_pin": boundary.held_by.number if boundary.held_by is not None else None,
        "snapshots_expired": boundary.expiring,
        "snapshots_retained": len(boundary.retained),
        "rows_retired": dict(found.rows),
        "files_scheduled": found.files,
        "inlined_tables_dropped": list(found.dropped),
    }
