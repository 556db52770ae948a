"""What export and import share: progress, and how a finished copy is shown."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rocklake_server.cli.options import OutputFormat
from rocklake_server.cli.printing import print_records, remarks
from rocklake_server.cli.progress import progress
from rocklake_server.transfer.copying import Change, Copied, Progress, unchanged
from rocklake_server.transfer.relocation import Relocation

_COLUMNS = ("relation", "rows", "checksum")


def relocation(data_path: str | None) -> Change:
    return unchanged if data_path is None else Relocation(data_path)


@contextmanager
def copying(what: str) -> Iterator[Progress]:
    """While the block runs, the rows that were written and then compared are counted."""
    with progress(what) as advance:
        yield lambda _, count: advance(count)


async def print_copied(copied: Copied, change: Change, output: OutputFormat) -> None:
    """Each relation's rows and checksum, which are those of both sides; remarks go to standard error."""
    records = [
        {"relation": relation.name, "rows": relation.checksum.rows, "checksum": str(relation.checksum)}
        for relation in copied.relations
    ]
    await print_records(_COLUMNS, records, output)
    if copied.left_out:
        _remark(f"left out, since they are none of DuckLake's: {', '.join(copied.left_out)}")
    if copied.notes_left_out:
        _remark(f"comments and indexes that the copy does not have: {', '.join(copied.notes_left_out)}")
    if isinstance(change, Relocation):
        _remark(f"data path {change.old} is now {change.new}; rows changed: {change.changed_rows}")


def _remark(text: str) -> None:
    remarks().print(text, markup=False, soft_wrap=True)
