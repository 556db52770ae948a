"""``rocklake rekey``: seal every value of a store with the newest encryption key."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from rocklake_server.catalog.rekeying import SealedWith, count_by_key, rekey_offline
from rocklake_server.cli.exit_codes import ExitCode
from rocklake_server.cli.lakes import opened_catalog
from rocklake_server.cli.options import Output, OutputFormat, Store, location_of
from rocklake_server.cli.printing import print_banner, print_records
from rocklake_server.cli.progress import progress
from rocklake_server.cli.running import run
from rocklake_server.store.keyring import FILE_VARIABLE

_COLUMNS = ("directory", "lake", "key", "values", "is_current")

KeyFile = Annotated[
    str | None,
    typer.Option(
        "--encryption-key-file",
        envvar=FILE_VARIABLE,
        metavar="FILE",
        help="The keys, one id:base64 on a line; the first one writes, the others are those to be replaced.",
    ),
]


def register(app: typer.Typer) -> None:
    group = typer.Typer(
        no_args_is_help=True,
        help="Encrypt every stored value with the first encryption key, so that earlier keys are needed no more.",
        epilog="Example: rocklake rekey plan --store file:///var/lib/rocklake --encryption-key-file keys.txt",
    )
    group.command()(plan)
    group.command()(apply)
    app.add_typer(group, name="rekey")


def plan(store: Store, encryption_key_file: KeyFile = None, output: Output = OutputFormat.TABLE) -> None:
    """Count how many values each key has sealed, beside a running server or without one. Changes nothing.

    Ends with code 3 as long as a value is clear, or sealed with another key than the first one.

    Example: rocklake rekey plan --store s3://bucket/catalog --encryption-key-file keys.txt
    """
    _use(encryption_key_file)
    _print(run(_counted(store)), output)


def apply(store: Store, encryption_key_file: KeyFile = None, output: Output = OutputFormat.TABLE) -> None:
    """Seal again whatever is clear or sealed with another key, in bounded batches, then count. No server may hold the
    store meanwhile; one that runs does the same with rocklake serve --rekey.

    Example: rocklake rekey apply --store s3://bucket/catalog --encryption-key-file keys.txt
    """
    _use(encryption_key_file)

    async def work() -> list[SealedWith]:
        async with opened_catalog(store) as catalog:
            keyring = catalog.location.keyring
            writing = "none" if keyring is None else keyring.writing
            print_banner(
                f"Sealing the values of store {location_of(store)} again",
                [f"Every value, of dropped lakes too, will be sealed with key {writing}",
                 "Checkpoints and backups keep the keys of their time"],
            )  # fmt: skip
            with progress("Sealing", "keys") as tell:
                await rekey_offline(catalog, tell)
        return await _counted(store)

    _print(run(work()), output)


def _use(encryption_key_file: str | None) -> None:
    if encryption_key_file is not None:
        os.environ[FILE_VARIABLE] = encryption_key_file


async def _counted(store: str) -> list[SealedWith]:
    async with opened_catalog(store) as catalog:
        with progress("Counting", "keys") as tell:
            return [found async for found in count_by_key(catalog, tell)]


def _print(found: list[SealedWith], output: OutputFormat) -> None:
    run(print_records(_COLUMNS, [counted._asdict() for counted in found], output))
    if not all(counted.is_current for counted in found):
        raise typer.Exit(ExitCode.FOUND)
