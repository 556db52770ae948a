"""What backup, restore and clone share: one lake's copy in a store that no server holds, and how copies are shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from rocklake_server.catalog.database_names import named_lake
from rocklake_server.catalog.entry_copy import Tell
from rocklake_server.catalog.lake_copy import LakeCopy, MadeLake, copy_lake
from rocklake_server.catalog.lake_reader import CatalogReader, ListedLake
from rocklake_server.catalog.store_copy import CopiedLake
from rocklake_server.cli.options import OutputFormat
from rocklake_server.cli.owning import opened_to_write, operator
from rocklake_server.cli.printing import print_records, remarks
from rocklake_server.operations.copies import COPIED
from rocklake_server.store.base import StoreSnapshot


async def copied_lake(
    command: str, catalog: CatalogReader, lake: ListedLake, snapshot: StoreSnapshot, store: str, name: str, tell: Tell,
    *, instead: str, expected: CopiedLake | None = None,
) -> MadeLake:
    """``snapshot`` of ``lake`` becomes a lake called ``name`` in ``store``. Raises CannotConnectNow, with ``instead``,
    while a server holds that, and as ``copy_lake``."""
    database, schema = named_lake(name)
    async with opened_to_write(store, instead=instead) as databases:
        wanted = LakeCopy(command, operator(), lake, str(catalog.location), database, schema, expected)
        return await copy_lake(snapshot, databases, wanted, tell)


async def print_made(facts: Mapping[str, object], output: OutputFormat) -> None:
    """A copy of one lake; what earlier attempts left is told on standard error."""
    left_behind = cast("Sequence[int]", facts["left_behind"])
    if left_behind:
        numbers = ", ".join(map(str, left_behind))
        remarks().print(
            f"an earlier attempt at a lake of this name did not end: rocklake sweep apply removes what is left of it "
            f"({'lakes' if len(left_behind) > 1 else 'lake'} {numbers})",
            markup=False, soft_wrap=True,
        )  # fmt: skip
    await print_copies([facts], output)


async def print_copies(copies: Sequence[Mapping[str, object]], output: OutputFormat) -> None:
    await print_records(COPIED, list(copies), output)
