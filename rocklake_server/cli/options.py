"""Options that commands share: where the store is, which lake, how results are printed."""

from __future__ import annotations

import os
from enum import StrEnum
from typing import Annotated

import typer

from rocklake_server.config import ENVIRONMENT_PREFIX
from rocklake_server.store.object_stores import StoreLocation, parse_store_url

STORE_HELP = "Where the catalog lives: file:///folder, s3://bucket/prefix, gs://…, az://…, memory:///."


class OutputFormat(StrEnum):
    """How results are printed."""

    TABLE = "table"
    JSON = "json"


def complete_lakes(context: typer.Context, incomplete: str) -> list[str]:
    """The lakes of the store that stands on the command line already; none when it cannot be read."""
    from rocklake_server.cli.lakes import lake_names  # completion of other words must stay fast

    store = context.params.get("store") or os.environ.get(f"{ENVIRONMENT_PREFIX}STORE", "")
    return [name for name in lake_names(store) if name.startswith(incomplete)]


Store = Annotated[str, typer.Option(envvar=f"{ENVIRONMENT_PREFIX}STORE", metavar="URL", help=STORE_HELP)]
StoreIfAny = Annotated[str | None, typer.Option("--store", envvar=f"{ENVIRONMENT_PREFIX}STORE", metavar="URL",
                                                help=STORE_HELP)]  # fmt: skip
LakeName = Annotated[
    str | None,
    typer.Option(
        "--lake",
        metavar="DATABASE[/SCHEMA]",
        autocompletion=complete_lakes,
        help="The lake: the database that clients connect to, and its schema when that is not public. "
        "May be left out when the store has only one.",
    ),
]
LakeToWrite = Annotated[
    str,
    typer.Option(
        "--lake",
        metavar="DATABASE[/SCHEMA]",
        autocompletion=complete_lakes,
        help="The lake: the database that clients connect to, and its schema when that is not public.",
    ),
]
AtCheckpoint = Annotated[
    str | None, typer.Option("--checkpoint", metavar="NAME", help="As the lake was at this checkpoint, not as now.")
]
Output = Annotated[OutputFormat, typer.Option("--output", metavar="table|json", help="How results are printed.")]
Limit = Annotated[int, typer.Option("--limit", metavar="ROWS", min=0, help="Rows to print at most; 0 prints all.")]
Pin = Annotated[
    bool,
    typer.Option(
        "--pin",
        help="Keep the tables that are read from being removed by a running server meanwhile, with a checkpoint in "
        "the store; for readings of more than some minutes.",
    ),
]


def location_of(store: str) -> StoreLocation:
    """The store's root, with the object store's variables from the environment. Raises InvalidParameterValue."""
    return parse_store_url(store, os.environ)
