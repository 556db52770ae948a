"""``rocklake user``: who may connect, and what they may do."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from rocklake_server.auth.roles import GRANTED, PUBLIC, Grants, Privilege, Role
from rocklake_server.cli.lakes import opened_catalog
from rocklake_server.cli.options import Output, OutputFormat, Store, StoreIfAny
from rocklake_server.cli.printing import print_records
from rocklake_server.cli.role_statements import new_password, run_statement
from rocklake_server.cli.running import run
from rocklake_server.config import ENVIRONMENT_PREFIX
from rocklake_server.errors import InvalidParameterValue
from rocklake_server.pgformat.text import text_encoder
from rocklake_server.schema.types import TIMESTAMPTZ
from rocklake_server.sql.roles import AlterRole, CreateRole, DropRole, Grant, Revoke, RoleOptions

_COLUMNS = ("role", "superuser", "login", "password", "valid_until", "grants", "member_of")


class GrantedName(StrEnum):
    """What can be held on a database, as GRANT names it."""

    CONNECT = "connect"
    READER = "reader"
    WRITER = "writer"
    ADMIN = "admin"


assert [name.value for name in GrantedName] == [privilege.name.lower() for privilege in GRANTED]

Name = Annotated[str, typer.Argument(metavar="NAME", help="The role, as clients say user=NAME.")]
Held = Annotated[GrantedName, typer.Argument(help="Each includes those before it.")]
Databases = Annotated[
    list[str], typer.Option("--lake", metavar="DATABASE", help="The database that it is held on; may be repeated.")
]
Server = Annotated[
    str | None,
    typer.Option(
        "--server",
        metavar="DSN",
        help="A running server, as a PostgreSQL connection string of a superuser; instead of --store.",
    ),
]
Superuser = Annotated[
    bool | None, typer.Option("--superuser/--no-superuser", help="May do everything in every database.")
]
Login = Annotated[bool | None, typer.Option("--login/--no-login", help="May connect at all.")]
ValidUntil = Annotated[
    str | None, typer.Option("--valid-until", metavar="TIME", help="When the password ends; infinity is never.")
]
PasswordFile = Annotated[
    Path | None,
    typer.Option(
        "--password-file",
        envvar=f"{ENVIRONMENT_PREFIX}PASSWORD_FILE",
        help=f"File whose first line is the password; else it is in {ENVIRONMENT_PREFIX}PASSWORD, or asked for.",
    ),
]
NoPassword = Annotated[
    bool, typer.Option("--no-password", help="None: the role logs in with a certificate, or where rules trust it.")
]
ChangePassword = Annotated[bool, typer.Option("--password", help="Set a new password, which is asked for.")]


def register(app: typer.Typer) -> None:
    group = typer.Typer(
        no_args_is_help=True,
        help="Users and what they may do, in a store that no server holds or through the server that does.",
        epilog="Example: rocklake user add ada --superuser --store file:///var/lib/rocklake",
    )
    for command in (add, alter, remove, grant, revoke):
        group.command(command.__name__)(command)
    group.command("list")(list_)
    app.add_typer(group, name="user")


def add(
    name: Name,
    store: StoreIfAny = None,
    server: Server = None,
    superuser: Superuser = False,
    login: Login = True,
    valid_until: ValidUntil = None,
    password_file: PasswordFile = None,
    no_password: NoPassword = False,
) -> None:
    """Make a user. The first one of a store has to be a superuser; from then on the server asks everybody.

    Examples:

    \b
    rocklake user add ada --superuser --store file:///var/lib/rocklake
    rocklake user add reports --server "host=db user=ada" --password-file /run/secrets/reports
    """
    password = None if no_password else str(new_password(password_file))
    run(run_statement(CreateRole(name, RoleOptions(login, superuser, password, valid_until)), store, server))


def alter(
    name: Name,
    store: StoreIfAny = None,
    server: Server = None,
    superuser: Superuser = None,
    login: Login = None,
    valid_until: ValidUntil = None,
    password: ChangePassword = False,
    password_file: PasswordFile = None,
    no_password: NoPassword = False,
) -> None:
    """Change a user's password or what else add says of it. Also for a superuser whose password was lost: stop the
    server, and name the store.

    Example: rocklake user alter ada --password --store file:///var/lib/rocklake
    """
    wants_password = password or password_file is not None
    if no_password and wants_password:
        raise InvalidParameterValue("--no-password and a new password are two different things")
    changed = "" if no_password else str(new_password(password_file)) if wants_password else None
    options = RoleOptions(login, superuser, changed, valid_until)
    if options == RoleOptions():
        raise InvalidParameterValue("nothing to change: see rocklake user alter --help")
    run(run_statement(AlterRole(name, options), store, server))


def remove(name: Name, store: StoreIfAny = None, server: Server = None) -> None:
    """Remove a user; its sessions end.

    Example: rocklake user remove ada --server "host=db user=admin"
    """
    run(run_statement(DropRole((name,)), store, server))


def grant(name: Name, held: Held, lake: Databases, store: StoreIfAny = None, server: Server = None) -> None:
    """Let a user connect to a database, read it, write it or administer it: every table, also later ones.

    Example: rocklake user grant reports reader --lake warehouse --server "host=db user=ada"
    """
    privileges = frozenset((Privilege[held.name],))
    run(run_statement(Grant(privileges, tuple(lake), (name,)), store, server))


def revoke(name: Name, held: Held, lake: Databases, store: StoreIfAny = None, server: Server = None) -> None:
    """Take back what was granted. Without connect nothing is left, and the user's sessions there end.

    Example: rocklake user revoke reports connect --lake warehouse --server "host=db user=ada"
    """
    privileges = frozenset((Privilege[held.name],))
    run(run_statement(Revoke(privileges, tuple(lake), (name,)), store, server))


def list_(store: Store, output: Output = OutputFormat.TABLE) -> None:
    """The users of a store and what they hold, beside a running server or without one. What all hold is public's.

    Example: rocklake user list --store s3://bucket/catalog
    """

    async def work() -> None:
        async with opened_catalog(store) as catalog:
            table = catalog.listing.roles
            facts = [_facts(table.roles[name]) for name in sorted(table.roles)]
            if table.public:
                facts.append({**dict.fromkeys(_COLUMNS), "role": PUBLIC, "grants": _words(table.public)})
            await print_records(_COLUMNS, facts, output)

    run(work())


def _facts(role: Role) -> dict[str, object]:
    """A superuser needs no grants, and keeps those that it has."""
    until_us = role.valid_until_us
    return {
        "role": role.name,
        "superuser": role.superuser,
        "login": role.login,
        "password": role.verifier is not None,
        "valid_until": None if until_us is None else text_encoder(TIMESTAMPTZ)(until_us),
        "grants": _words(role.grants),
        "member_of": sorted(role.member_of),
    }


def _words(grants: Grants) -> dict[str, list[str]]:
    return {
        database: [privilege.name.lower() for privilege in sorted(held)] for database, held in sorted(grants.items())
    }
