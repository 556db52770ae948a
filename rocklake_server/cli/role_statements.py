"""Running a statement about roles for a command: in a store that no server holds, or through the server that does."""

from __future__ import annotations

import os
import sys
from getpass import getuser
from pathlib import Path
from socket import gethostname

import typer

from rocklake_server.auth.access import Access
from rocklake_server.auth.roles import CurrentRoles
from rocklake_server.auth.verifier import ScramVerifier, verifier_of
from rocklake_server.cli.owning import opened_to_write
from rocklake_server.cli.printing import remarks
from rocklake_server.config import PASSWORD_VARIABLE, given_password
from rocklake_server.errors import CatalogError, InternalProblem, InvalidParameterValue, StoreUnavailable
from rocklake_server.session.role_commands import RoleCommands
from rocklake_server.sql.roles import RoleStatement, role_text
from rocklake_server.transfer.drivers import postgres_driver


async def run_statement(statement: RoleStatement, store: str | None, server: str | None) -> None:
    """``server`` is a connection string. What the server would tell in a NOTICE goes to standard error. Raises what the
    statement and opening a store raise, StoreUnavailable when there is no server."""
    if server is not None:
        _through(server, role_text(statement))
    elif store is not None:
        access = Access(CurrentRoles(), f"{getuser()} on {gethostname()}", "")
        instead = 'change roles through it: --server "host=... user=... dbname=..."'
        async with opened_to_write(store, instead=instead) as databases:
            await RoleCommands(databases.directory, access, _remark, _remark).run(statement)
    else:
        raise InvalidParameterValue("name the store with --store, or a running server with --server")


def new_password(file: Path | None) -> ScramVerifier:
    """From the file, the environment, or typed twice. The password itself is sent to nobody. Raises
    InvalidParameterValue, Unsupported."""
    password = given_password(os.environ, file)
    if password is None:
        if not sys.stdin.isatty():
            raise InvalidParameterValue(
                f"a password is wanted: in {PASSWORD_VARIABLE}, with --password-file, or typed at a terminal; "
                "--no-password makes a role without one"
            )
        password = typer.prompt("Password", hide_input=True, confirmation_prompt=True, err=True)
    return verifier_of(password)


def _through(server: str, text: str) -> None:
    driver = postgres_driver()
    try:
        connection = driver.connect(server, autocommit=True)
    except driver.Error as problem:
        raise StoreUnavailable(f"cannot connect to the server: {_first_line(problem)}") from None
    with connection:
        connection.add_notice_handler(lambda notice: _remark(notice.message_primary))
        try:
            connection.execute(text)
        except driver.Error as problem:
            shown, hint = problem.diag.message_primary or _first_line(problem), problem.diag.message_hint
            kind: type[CatalogError] = CatalogError.by_sqlstate.get(problem.sqlstate or "", InternalProblem)
            raise kind(shown, hint=hint) from None


def _first_line(problem: Exception) -> str:
    return str(problem).partition("\n")[0]


def _remark(text: str) -> None:
    remarks().print(text, markup=False, soft_wrap=True)
