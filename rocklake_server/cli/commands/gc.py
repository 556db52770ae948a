"""``rocklake gc``: expire the snapshots below a boundary."""

from __future__ import annotations

from typing import Annotated

import typer

from rocklake_server.catalog.retention.boundary import Boundary, Policy, choose_boundary
from rocklake_server.catalog.retention.gc import apply_gc, plan_gc
from rocklake_server.cli.lakes import opened_catalog
from rocklake_server.cli.options import LakeToWrite, Output, OutputFormat, Pin, Store, StoreIfAny
from rocklake_server.cli.owning import owned_lake
from rocklake_server.cli.printing import print_banner, print_facts
from rocklake_server.cli.progress import progress
from rocklake_server.cli.running import run
from rocklake_server.cli.through_server import Server, called, option_of, store_of, through_the_server
from rocklake_server.clock import SystemClock
from rocklake_server.operations.gc import GC, KEEP_DAYS, KEEP_LAST, POLICIES, RETAIN_FROM, gc_facts, policy_of

KeepDays = Annotated[int | None, option_of(KEEP_DAYS)]
RetainFrom = Annotated[int | None, option_of(RETAIN_FROM)]
KeepLast = Annotated[int | None, option_of(KEEP_LAST)]


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
        print_facts(gc_facts(listed, boundary, found), output)

    run(work())


def apply(
    lake: LakeToWrite, store: StoreIfAny = None, server: Server = None, keep_days: KeepDays = None,
    retain_from: RetainFrom = None, keep_last: KeepLast = None, output: Output = OutputFormat.TABLE,
) -> None:  # fmt: skip
    """Expire snapshots, and what only they had, never past a pin.

    With --store no server may hold it meanwhile. With --server the running one does it beside its sessions, in small
    commits, and not past snapshots that open transactions go by.

    Rows that go can be brought back until they are excised. Files are scheduled for deletion and stay until a client
    calls ducklake_cleanup_old_files. Give one of --keep-days, --retain-from and --keep-last.

    Examples:

    \b
    rocklake gc apply --store s3://bucket/catalog --lake warehouse --keep-last 1000
    rocklake gc apply --server 127.0.0.1:5432 --lake warehouse --keep-days 30
    """
    policy = _policy(keep_days, retain_from, keep_last)
    if server is not None:
        facts = called(server, lake, GC, keep_days=keep_days, retain_from=retain_from, keep_last=keep_last)
        print_facts(facts, output)
        return

    async def work() -> None:
        async with owned_lake(store_of(store), lake, "gc", instead=through_the_server()) as owned:
            boundary = await choose_boundary(owned.reader, policy)
            print_banner(f"Expiring snapshots of lake {owned.listed}", [owned.where, *_lines(boundary)])
            with progress(f"Expiring snapshots of {owned.listed}") as tell:
                found = await apply_gc(owned.reader, boundary, owned.commits, tell)
        print_facts(gc_facts(owned.listed, boundary, found), output)

    run(work())


def _policy(keep_days: int | None, retain_from: int | None, keep_last: int | None) -> Policy:
    """Raises typer.BadParameter unless exactly one is given."""
    policy = policy_of(keep_days, retain_from, keep_last, SystemClock().now_us())
    if policy is None:
        options = ", ".join(argument.option for argument in POLICIES[:-1])
        raise typer.BadParameter(f"give exactly one of {options} and {POLICIES[-1].option}")
    return policy


def _lines(boundary: Boundary) -> list[str]:
    lines = [f"{boundary.expiring} snapshots below {boundary.retain_from} expire, {len(boundary.retained)} stay"]
    if (pin := boundary.held_by) is not None:
        lines.append(f"Pin {pin.number} keeps snapshot {pin.snapshot_id}, or all below {boundary.wanted} would expire")
    return lines
