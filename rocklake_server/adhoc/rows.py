"""Rows of FROM items as values: only functions that make JSON of any value take them."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from rocklake_server.adhoc.fragments import Fragment
from rocklake_server.adhoc.reading import Reading
from rocklake_server.errors import UndefinedColumn, Unsupported
from rocklake_server.plan.calls import call_name
from rocklake_server.plan.expressions import Expr
from rocklake_server.plan.json_aggregates import NAMES as JSON_AGGREGATES
from rocklake_server.plan.json_functions import BUILDERS, row_value
from rocklake_server.plan.naming import identifier
from rocklake_server.plan.scope import Scope, Source
from rocklake_server.schema.types import BOOLEAN

TAKE_ROWS = frozenset({*BUILDERS, *JSON_AGGREGATES}) - {"array_to_json"}
PRESENT = "present"
"""The column that is true in the rows of an item whose rows are wanted, and NULL where a join found none."""


def takes_rows(node: exp.Expr) -> bool:
    return isinstance(node, exp.Anonymous) and call_name(node) in TAKE_ROWS


def names_of_rows(tree: exp.Expr) -> frozenset[str]:
    """The names that may mean a row somewhere in a statement."""
    found: set[str] = set()
    for call in tree.find_all(exp.Anonymous):
        if takes_rows(call):
            found.update(name for argument in call.expressions if (name := _row_name(_unordered(argument))) is not None)
    return frozenset(found)


def _unordered(node: exp.Expr) -> exp.Expr:
    while isinstance(node, exp.Order | exp.Distinct | exp.Paren):
        node = node.expressions[0] if isinstance(node, exp.Distinct) else node.this
    return node


def _row_name(node: exp.Expr) -> str | None:
    """``t`` of ``t`` and of ``t.*``."""
    if not isinstance(node, exp.Column):
        return None
    table = node.args.get("table")
    if isinstance(node.this, exp.Star):
        return None if table is None else identifier(table)
    return identifier(node.this) if table is None else None


def argument(reading: Reading, node: exp.Expr) -> Expr:
    """An argument of a function that takes rows. Raises Unsupported."""
    row = _unordered(node)
    if isinstance(row, exp.Anonymous) and call_name(row) == "row":
        columns = [reading.typed(part) for part in row.expressions]
        return row_value([f"f{position}" for position in range(1, len(columns) + 1)], columns)
    name = _row_name(row)
    if name is None:
        return reading.expression(node)
    is_star = isinstance(row.this, exp.Star)
    scope: Scope | None = reading.scope
    if not is_star:
        try:
            return reading.expression(node)
        except (UndefinedColumn, Unsupported):
            pass
    while scope is not None:
        source = next((each for each in scope.sources if each.alias == name), None)
        if source is not None:
            return _row(reading, scope, source)
        scope = scope.parent
    return reading.expression(node)


def _row(reading: Reading, scope: Scope, source: Source) -> Expr:
    shown = [column for column in source.columns if not column.hidden]
    columns: list[Expr] = []
    for column in shown:
        found: Expr = reading.statement.fragment(column.type, scope.number, column.index, column.name)
        if scope is reading.scope and reading.grouped is not None and isinstance(found, Fragment):
            found = reading.queries.dependent(reading, found)
        reading.require_grouped(found)
        columns.append(found)
    place = reading.statement.place(scope.number, source.start)
    if not place.tells_presence:
        raise Unsupported(f'a row as a value ("{source.alias}") is not supported here')
    text = f"{place.alias}.{PRESENT}"
    present = Fragment(BOOLEAN, -1, sql=text, scope_number=-1, reads=frozenset({scope.number}))
    if scope is reading.scope and reading.grouped is not None:
        present = replace(present, sql=f"first({text})")
    return row_value([column.name for column in shown], columns, present)
