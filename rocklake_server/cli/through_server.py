"""Commands that write through the running server that holds the store, as procedures of their own name."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer

from rocklake_server.catalog.database_names import MAINTENANCE, named_lake
from rocklake_server.cli.progress import progress
from rocklake_server.cli.running import run
from rocklake_server.config import parse_listen
from rocklake_server.errors import CatalogError, InternalProblem, InvalidParameterValue, StoreUnavailable
from rocklake_server.session.procedures import SCHEMA, Argument, Procedure
from rocklake_server.transfer.drivers import postgres_driver

PLACE = "HOST:PORT"

Server = Annotated[
    str | None,
    typer.Option(
        "--server", metavar=f"{PLACE}|DSN",
        help="The running server that holds the store, by its address or as a PostgreSQL connection string without a "
        "database; instead of --store.",
    ),
]  # fmt: skip


def option_of(argument: Argument, help_text: str | None = None) -> Any:
    """The command line's option for a procedure's argument."""
    return typer.Option(
        argument.option, metavar=argument.metavar or None, min=argument.least, help=help_text or argument.help
    )


def store_of(store: str | None) -> str:
    """Raises InvalidParameterValue when none is named."""
    if store is None:
        raise InvalidParameterValue("name the store with --store, or the server that holds it with --server")
    return store


def called(server: str, lake: str, procedure: Procedure, **arguments: object) -> dict[str, object]:
    """The procedure's row, by column. Arguments that are ``None`` are left out. Raises what the server answers;
    StoreUnavailable when it cannot be reached, Unsupported without PostgreSQL's driver."""
    database, schema = named_lake(lake)
    with progress(f"{procedure.name} of {lake}, by the server"):
        rows = run(_called(server, database, procedure, {**arguments, "schema": schema}))
    return rows[0]


def called_for_all(server: str, procedure: Procedure, **arguments: object) -> list[dict[str, object]]:
    """The rows of a procedure that is about no lake in particular. As ``called``."""
    with progress(f"{procedure.name}, by the server"):
        return run(_called(server, MAINTENANCE, procedure, arguments))


async def _called(
    server: str, database: str, procedure: Procedure, arguments: dict[str, object]
) -> list[dict[str, object]]:
    driver = postgres_driver()
    given = {name: value for name, value in arguments.items() if value is not None}
    sql = driver.sql
    call = sql.SQL("CALL {}({})").format(
        sql.Identifier(SCHEMA, procedure.name),
        sql.SQL(", ").join(
            sql.SQL("{} => {}").format(sql.Identifier(name), sql.Literal(value)) for name, value in given.items()
        ),
    )
    with _errors_of(driver, server):
        connection = await driver.AsyncConnection.connect(dsn_of(server, database), autocommit=True)
        async with connection:
            rows = await (await connection.execute(call)).fetchall()
    if not rows and not procedure.has_rows:
        raise InternalProblem(f"the server answered {procedure.name} without a row")
    return [procedure.facts(row) for row in rows]


def dsn_of(server: str, database: str) -> str:
    """The connection string of a database of the server that ``--server`` names. Raises InvalidParameterValue,
    Unsupported without PostgreSQL's driver."""
    driver = postgres_driver()
    if "=" not in server and "://" not in server:
        where = parse_listen(server)
        return str(driver.conninfo.make_conninfo(host=where.host, port=where.port, dbname=database, user="rocklake"))
    try:
        return str(driver.conninfo.make_conninfo(server, dbname=database))
    except driver.Error as error:
        raise InvalidParameterValue(f"--server: {error}") from None


@contextmanager
def _errors_of(driver: Any, server: str) -> Iterator[None]:
    """The server's errors as they were raised there."""
    try:
        yield
    except driver.Error as error:
        kind = CatalogError.by_sqlstate.get(error.sqlstate or "")
        if kind is None:
            raise StoreUnavailable(f'server "{server}": {error}') from None
        raise kind(error.diag.message_primary or str(error), hint=error.diag.message_hint) from None


def through_the_server() -> str:
    """The command that is running, as it goes through a server: what to run while one holds the store."""
    words = ["rocklake"]
    given = iter(sys.argv[1:])
    for word in given:
        if word == "--store":
            next(given, None)
        elif not word.startswith("--store="):
            words.append(word)
    return f"run it through that server: {shlex.join(words)} --server {PLACE}"
