"""``rocklake dropped``: lakes whose schema or database was dropped, until they are excised."""

from __future__ import annotations

from typing import Annotated

import typer

from rocklake_server.catalog.database_names import named_lake
from rocklake_server.catalog.dropped_lakes import (
    directory_of,
    dropped_facts,
    excise,
    excision_facts,
    find_dropped,
    named_dropped,
    plan_excision,
    restore,
    restore_facts,
)
from rocklake_server.catalog.lake_reader import SYSTEM_DIRECTORY
from rocklake_server.catalog.listing import audit_records
from rocklake_server.cli.lakes import opened_catalog
from rocklake_server.cli.options import Limit, Output, OutputFormat, StoreIfAny, location_of
from rocklake_server.cli.owning import operator
from rocklake_server.cli.printing import print_banner, print_facts, print_records
from rocklake_server.cli.progress import progress
from rocklake_server.cli.running import run
from rocklake_server.cli.through_server import Server, called_for_all, option_of, store_of, through_the_server
from rocklake_server.clock import SystemClock
from rocklake_server.errors import CannotConnectNow
from rocklake_server.operations.dropped import (
    AUDITED,
    DROPPED_AUDIT,
    DROPPED_EXCISE,
    DROPPED_LIST,
    DROPPED_RESTORE,
    LISTED,
    NUMBER,
)
from rocklake_server.store.reader import open_reader

LIMIT = 100

Number = Annotated[int, option_of(NUMBER)]
NewName = Annotated[
    str | None,
    typer.Option("--as", metavar="DATABASE[/SCHEMA]", help="Another name than it had; it must be free."),
]


def register(app: typer.Typer) -> None:
    group = typer.Typer(
        no_args_is_help=True,
        help="Lakes that DROP SCHEMA and DROP DATABASE put aside: bring them back, or remove them for good.",
        epilog="Example: rocklake dropped list --store file:///var/lib/rocklake",
    )
    group.command("list")(list_)
    group.command("audit")(audit)
    for name, text, plan, apply in (
        ("restore", "Give a dropped lake a name again.", plan_restore, apply_restore),
        ("excise", "Remove a dropped lake's directory for good. It cannot be undone.", plan_excise, apply_excise),
    ):
        pair = typer.Typer(no_args_is_help=True, help=text)
        pair.command("plan")(plan)
        pair.command("apply")(apply)
        group.add_typer(pair, name=name)
    app.add_typer(group, name="dropped")


def list_(
    store: StoreIfAny = None, server: Server = None, output: Output = OutputFormat.TABLE, limit: Limit = LIMIT
) -> None:
    """The dropped lakes, and what each one takes in the store.

    Examples:

    \b
    rocklake dropped list --store s3://bucket/catalog
    rocklake dropped list --server 127.0.0.1:5432
    """

    async def work() -> None:
        async with opened_catalog(store_of(store)) as catalog:
            await print_records(LISTED, dropped_facts(catalog), output, limit=limit)

    if server is not None:
        run(print_records(LISTED, called_for_all(server, DROPPED_LIST), output, limit=limit))
    else:
        run(work())


def audit(
    store: StoreIfAny = None, server: Server = None, output: Output = OutputFormat.TABLE, limit: Limit = LIMIT
) -> None:
    """Which lakes were restored, excised or cloned, when, and by whom.

    Example: rocklake dropped audit --store s3://bucket/catalog
    """

    async def work() -> None:
        async with await open_reader(location_of(store_of(store)).child(SYSTEM_DIRECTORY)) as reader:
            await print_records(AUDITED, await audit_records(reader.snapshot), output, limit=limit)

    if server is not None:
        run(print_records(AUDITED, called_for_all(server, DROPPED_AUDIT), output, limit=limit))
    else:
        run(work())


def plan_restore(
    number: Number, store: StoreIfAny = None, server: Server = None, as_: NewName = None,
    output: Output = OutputFormat.TABLE,
) -> None:  # fmt: skip
    """Say whether the lake can come back, and as what, beside a running server or without one. Changes nothing.

    Example: rocklake dropped restore plan --store s3://bucket/catalog --number 7
    """
    if server is not None:
        print_facts(called_for_all(server, DROPPED_RESTORE, number=number, new_name=as_, apply=False)[0], output)
        return
    print_facts(_planned(store_of(store), number, as_)[2], output)


def apply_restore(
    number: Number, store: StoreIfAny = None, server: Server = None, as_: NewName = None,
    output: Output = OutputFormat.TABLE,
) -> None:  # fmt: skip
    """Give the lake its name again, or another one; refused while a lake of that name exists.

    With --store no server may hold it meanwhile; with --server the running one does it beside its sessions.

    Examples:

    \b
    rocklake dropped restore apply --store s3://bucket/catalog --number 7 --as warehouse_before
    rocklake dropped restore apply --server 127.0.0.1:5432 --number 7
    """
    if server is not None:
        print_facts(called_for_all(server, DROPPED_RESTORE, number=number, new_name=as_)[0], output)
        return
    here = store_of(store)
    database, schema, facts = _planned(here, number, as_)
    print_banner(f"Restoring dropped lake {number}", [_where(here, number), f"It will be lake {database}/{schema}"])
    try:
        run(restore(location_of(here), number, database, schema, who=operator(), clock=SystemClock()))
    except CannotConnectNow as held:
        raise CannotConnectNow(f"{held}, or {through_the_server()}") from None
    print_facts(facts, output)


def plan_excise(
    number: Number, store: StoreIfAny = None, server: Server = None, output: Output = OutputFormat.TABLE
) -> None:
    """Say what would be removed, beside a running server or without one. Changes nothing.

    Example: rocklake dropped excise plan --store s3://bucket/catalog --number 7
    """

    async def work() -> None:
        async with opened_catalog(store_of(store)) as catalog:
            print_facts(excision_facts(await plan_excision(catalog, number)), output)

    if server is not None:
        print_facts(called_for_all(server, DROPPED_EXCISE, number=number, apply=False)[0], output)
    else:
        run(work())


def apply_excise(
    number: Number, store: StoreIfAny = None, server: Server = None, output: Output = OutputFormat.TABLE
) -> None:
    """Remove every object of the lake's directory, in bounded batches.

    With --store no server may hold it meanwhile; with --server the running one does it beside its sessions. Data files
    are not touched. An excision that was interrupted is finished by the same command.

    Examples:

    \b
    rocklake dropped excise apply --store s3://bucket/catalog --number 7
    rocklake dropped excise apply --server 127.0.0.1:5432 --number 7
    """
    if server is not None:
        print_facts(called_for_all(server, DROPPED_EXCISE, number=number)[0], output)
        return

    async def work() -> dict[str, object]:
        here = store_of(store)
        async with opened_catalog(here) as catalog:
            dropped = find_dropped(catalog, number)
        print_banner(
            f"Excising dropped lake {number}", [_where(here, number), f"It was {dropped.name}, and goes for good"])
        with progress(f"Excising dropped lake {number}", "objects") as tell:
            found = await excise(location_of(here), number, who=operator(), clock=SystemClock(), tell=tell)
        return excision_facts(found)

    try:
        print_facts(run(work()), output)
    except CannotConnectNow as held:
        raise CannotConnectNow(f"{held}, or {through_the_server()}") from None


def _planned(store: str, number: int, as_: str | None) -> tuple[str, str, dict[str, object]]:
    async def work() -> tuple[str, str, dict[str, object]]:
        new_name = None if as_ is None else named_lake(as_)
        async with opened_catalog(store) as catalog:
            facts = await restore_facts(catalog, number, new_name)
            return *named_dropped(catalog, number, new_name), facts

    return run(work())


def _where(store: str, number: int) -> str:
    return f"Store {location_of(store)}, {directory_of(number)}"
