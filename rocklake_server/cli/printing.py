"""Results as tables for people or as JSON for programs. Commands say what there is; only this module formats."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from itertools import islice
from typing import TypeAlias

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.panel import Panel
from rich.table import Table

from rocklake_server.cli.options import OutputFormat

Cell: TypeAlias = object
Records: TypeAlias = Iterable[Mapping[str, Cell]] | AsyncIterator[Mapping[str, Cell]]

ROWS_PER_TABLE = 500
"""A long result is printed in several tables with the same columns, so that it is never held as a whole."""

_FILE_WIDTH = 10_000
"""Characters in a line of a table that goes to a file or a pipe: nothing is cut there."""


def terminal() -> Console:
    """Standard output."""
    return Console(file=sys.stdout, highlight=False, width=None if sys.stdout.isatty() else _FILE_WIDTH)


def remarks() -> Console:
    """Standard error, for what is not the result: banners, progress, remarks."""
    return Console(file=sys.stderr, highlight=False)


async def print_records(columns: Sequence[str], records: Records, output: OutputFormat, *, limit: int = 0) -> int:
    """Print records that have these columns; returns their number. JSON is an array of objects, one on each line."""
    cut = _limited(records, limit)
    if output is OutputFormat.JSON:
        return await _print_json(columns, cut)
    return await _print_tables(columns, cut, limit)


def print_facts(facts: Mapping[str, Cell], output: OutputFormat) -> None:
    """One record: an object, or its fields one below the other."""
    if output is OutputFormat.JSON:
        print(json.dumps(_plain(facts), ensure_ascii=False))
        return
    table = Table(box=None, show_header=False, pad_edge=False)
    for name, value in facts.items():
        table.add_row(f"[bold]{escape(_title(name))}[/bold]", escape(shown(value)))
    terminal().print(table)


def print_banner(title: str, lines: Iterable[str]) -> None:
    """Before a command that changes a lake: which one, and what will be different. On standard error."""
    remarks().print(Panel(escape("\n".join(lines)), title=escape(title), border_style="yellow", expand=False))


async def _limited(records: Records, limit: int) -> AsyncIterator[Mapping[str, Cell]]:
    count = 0
    if isinstance(records, AsyncIterator):
        async for record in records:
            if limit and count == limit:
                return
            count += 1
            yield record
    else:
        for record in islice(records, limit or None):
            yield record


async def _print_json(columns: Sequence[str], records: AsyncIterator[Mapping[str, Cell]]) -> int:
    count = 0
    async for record in records:
        text = json.dumps({name: _plain(record.get(name)) for name in columns}, ensure_ascii=False)
        sys.stdout.write(f"{',' if count else '['}\n{text}")
        count += 1
    sys.stdout.write("\n]\n" if count else "[]\n")
    return count


async def _print_tables(columns: Sequence[str], records: AsyncIterator[Mapping[str, Cell]], limit: int) -> int:
    console, count, table = terminal(), 0, _table(columns)
    async for record in records:
        table.add_row(*(escape(shown(record.get(name))) for name in columns))
        count += 1
        if count % ROWS_PER_TABLE == 0:
            console.print(table)
            table = _table(columns)
    if table.row_count or not count:
        console.print(table)
    if limit and count == limit:
        remarks().print(f"[dim]{count} rows; --limit 0 prints all[/dim]")
    return count


def _table(columns: Sequence[str]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in columns:
        table.add_column(escape(_title(name)), overflow="fold")
    return table


def _title(name: str) -> str:
    return name.replace("_", " ")


def shown(value: Cell) -> str:
    """A value in a table."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, Mapping):
        return ", ".join(f"{name}={shown(part)}" for name, part in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(shown, value))
    return str(value)


def _plain(value: Cell) -> object:
    """A value in JSON: integers stay exact, bytes are hexadecimal."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Mapping):
        return {str(name): _plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return shown(value)
