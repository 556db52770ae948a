"""Progress of long work on standard error; silent unless that is a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from rocklake_server.cli.printing import remarks

Advance: TypeAlias = Callable[[int], None]
"""Tells of that many more rows, keys or files."""


@contextmanager
def progress(what: str, unit: str = "rows") -> Iterator[Advance]:
    """While the block runs, ``what`` is shown with the count so far: how many there will be is seldom known."""
    console = remarks()
    columns = SpinnerColumn(), TextColumn("{task.description}"), TextColumn("{task.completed:,} " + unit)
    with Progress(*columns, TimeElapsedColumn(), console=console, transient=True,
                  disable=not console.is_terminal) as bar:  # fmt: skip
        task = bar.add_task(what, total=None)
        yield lambda count: bar.advance(task, count)
