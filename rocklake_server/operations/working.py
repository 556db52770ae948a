"""What procedures share: the lake that they work in, and arguments that several have."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import cast

from rocklake_server.catalog.database_transaction import DatabaseTransaction
from rocklake_server.catalog.databases import PUBLIC, Databases
from rocklake_server.catalog.lake_reader import LakeReader
from rocklake_server.catalog.maintenance.audit import Note, audit_note
from rocklake_server.catalog.maintenance.online import OnlineWork, online_work
from rocklake_server.catalog.rollback.apply import open_transaction
from rocklake_server.catalog.snapshot_turn import Losses
from rocklake_server.errors import ProgramLimitExceeded
from rocklake_server.limits import ONLINE_ROWS_MAX
from rocklake_server.schema.types import BOOLEAN, TEXT, Value
from rocklake_server.session.procedures import Argument, Arguments, Caller
from rocklake_server.store.paced import PacedSnapshot

APPLY = Argument("apply", BOOLEAN, "Whether to do it; false only says what would be done.", default=True)
LAKE_SCHEMA = Argument(
    "schema", TEXT, "The schema of the lake, DuckLake's METADATA_SCHEMA, in the caller's database.", default=PUBLIC
)

ATTEMPTS = 10
"""As many as DuckLake itself makes: from the third on, the attempt has a turn at the next snapshot."""


@asynccontextmanager
async def working(
    databases: Databases, caller: Caller, arguments: Arguments, command: str
) -> AsyncIterator[OnlineWork]:
    """In the lake that the arguments name. Raises as ``online_work``."""
    schema = str(arguments[LAKE_SCHEMA.name])
    async with online_work(databases, caller.database, schema, command=command, who=str(caller)) as work:
        yield work


@asynccontextmanager
async def planning(work: OnlineWork, losses: Losses) -> AsyncIterator[tuple[DatabaseTransaction, LakeReader]]:
    """A transaction, and the lake as it sees it: what is planned there commits if it is still so."""
    async with open_transaction(work.databases, work.listed, losses) as transaction:
        snapshot = PacedSnapshot(transaction.parts[work.listed.schema].root.snapshot)
        yield transaction, await LakeReader.over(work.listed, snapshot)


def note_of(work: OnlineWork, command: str, actions: Sequence[Mapping[str, object]]) -> Note:
    """The audit record of a command that commits through a transaction."""
    return audit_note(command=command, who=work.commits.who, now_us=work.commits.now_us, actions=actions)


def require_bounded(rows: int) -> None:
    """Of a command that has to be one commit. Raises ProgramLimitExceeded."""
    if rows > ONLINE_ROWS_MAX:
        raise ProgramLimitExceeded(
            f"{rows} rows would change in one commit, and other sessions would wait for it; through a running server "
            f"at most {ONLINE_ROWS_MAX} do",
            hint="Stop the server and give the command --store.",
        )


def number(value: Value) -> int | None:
    """An argument of type bigint."""
    return cast("int | None", value)


def required_number(value: Value) -> int:
    return cast("int", value)


def text(value: Value) -> str | None:
    """An argument of type text."""
    return cast("str | None", value)


def ignore(_: int) -> None:
    """Nobody looks at the progress."""
