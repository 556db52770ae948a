"""``rocklake dropped``: lakes whose schema or database was dropped, until they are excised."""

from __future__ import annotations

from getpass import getuser
from socket import gethostname
from typing import Annotated

import typer

from rocklake_server.catalog.dropped_lakes import (
    Excision,
    check_restorable,
    directory_of,
    dropped_facts,
    excise,
    find_dropped,
    plan_excision,
    restore,
    when,
)
from rocklake_server.catalog.lake_reader import SYSTEM_DIRECTORY, CatalogReader
from rocklake_server.catalog.listing import DroppedLake, audit_records
from rocklake_server.cli.lakes import opened_catalog
from rocklake_server.cli.options import Limit, Output, OutputFormat, Store, location_of
from rocklake_server.cli.printing import print_banner, print_facts, print_records
from rocklake_server.cli.progress import progress
from rocklake_server.cli.running import run
from rocklake_server.cli.transfers import new_lake
from rocklake_server.clock import SystemClock
from rocklake_server.store.reader import open_reader

LIMIT = 100
_DROPPED = ("number", "database", "schema", "dropped_at", "can_be_restored", "objects", "bytes")
_AUDIT = ("number", "when", "what", "lake", "database", "schema", "dropped_at", "as", "objects", "bytes", "who")

Number = Annotated[
    int, typer.Option("--number", metavar="NUMBER", min=1, help="The lake, as rocklake dropped list shows it.")
]
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


def list_(store: Store, output: Output = OutputFormat.TABLE, limit: Limit = LIMIT) -> None:
    """The dropped lakes, and what each one takes in the store.

    Example: rocklake dropped list --store s3://bucket/catalog
    """

    async def work() -> None:
        async with opened_catalog(store) as catalog:
            await print_records(_DROPPED, dropped_facts(catalog), output, limit=limit)

    run(work())


def audit(store: Store, output: Output = OutputFormat.TABLE, limit: Limit = LIMIT) -> None:
    """Which dropped lakes were restored or excised, when, and by whom.

    Example: rocklake dropped audit --store s3://bucket/catalog
    """

    async def work() -> None:
        async with await open_reader(location_of(store).child(SYSTEM_DIRECTORY)) as reader:
            await print_records(_AUDIT, await audit_records(reader.snapshot), output, limit=limit)

    run(work())


def plan_restore(store: Store, number: Number, as_: NewName = None, output: Output = OutputFormat.TABLE) -> None:
    """Say whether the lake can come back, and as what, beside a running server or without one. Changes nothing.

    Example: rocklake dropped restore plan --store s3://bucket/catalog --number 7
    """
    print_facts(_planned(store, number, as_)[2], output)


def apply_restore(store: Store, number: Number, as_: NewName = None, output: Output = OutputFormat.TABLE) -> None:
    """Give the lake its name again, or another one. No server may hold the store meanwhile.

    Example: rocklake dropped restore apply --store s3://bucket/catalog --number 7 --as warehouse_before
    """
    database, schema, facts = _planned(store, number, as_)
    print_banner(f"Restoring dropped lake {number}", [_where(store, number), f"It will be lake {database}/{schema}"])
    run(restore(location_of(store), number, database, schema, who=_who(), clock=SystemClock()))
    print_facts(facts, output)


def plan_excise(store: Store, number: Number, output: Output = OutputFormat.TABLE) -> None:
    """Say what would be removed, beside a running server or without one. Changes nothing.

    Example: rocklake dropped excise plan --store s3://bucket/catalog --number 7
    """

    async def work() -> None:
        async with opened_catalog(store) as catalog:
            print_facts(_facts(await plan_excision(catalog, number)), output)

    run(work())


def apply_excise(store: Store, number: Number, output: Output = OutputFormat.TABLE) -> None:
    """Remove every object of the lake's directory, in bounded batches. No server may hold the store meanwhile.

    Data files are not touched. An excision that was interrupted is finished by the same command.

    Example: rocklake dropped excise apply --store s3://bucket/catalog --number 7
    """

    async def work() -> Excision:
        async with opened_catalog(store) as catalog:
            dropped = find_dropped(catalog, number)
        print_banner(
            f"Excising dropped lake {number}",
            [_where(store, number), f"It was {_name(dropped)}, and goes for good"],
        )
        with progress(f"Excising dropped lake {number}", "objects") as tell:
            return await excise(location_of(store), number, who=_who(), clock=SystemClock(), tell=tell)

    print_facts(_facts(run(work())), output)


def _planned(store: str, number: int, as_: str | None) -> tuple[str, str, dict[str, object]]:
    async def work() -> tuple[str, str, dict[str, object]]:
        async with opened_catalog(store) as catalog:
            database, schema = _new_name(catalog, number, as_)
            sequence = await check_restorable(catalog, number, database, schema)
            dropped = find_dropped(catalog, number)
        facts: dict[str, object] = {
            "number": number, "was": _name(dropped), "dropped_at": when(dropped.dropped_us),
            "becomes": f"{database}/{schema}", "commit_sequence": sequence,
        }  # fmt: skip
        return database, schema, facts

    return run(work())


def _new_name(catalog: CatalogReader, number: int, as_: str | None) -> tuple[str, str]:
    dropped = find_dropped(catalog, number)
    return (dropped.database, dropped.schema) if as_ is None else new_lake(as_)


def _name(dropped: DroppedLake) -> str:
    return f"{dropped.database}/{dropped.schema}"


def _where(store: str, number: int) -> str:
    return f"Store {location_of(store)}, {directory_of(number)}"


def _who() -> str:
    return f"{getuser()} on {gethostname()}"


def _facts(found: Excision) -> dict[str, object]:
    return {
        "number": found.number, "was": _name(found.dropped), "dropped_at": when(found.dropped.dropped_us),
        "objects": found.amount.objects, "bytes": found.amount.size_bytes,
    }  # fmt: skip
