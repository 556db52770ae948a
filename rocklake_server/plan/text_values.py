"""Values that were read from a VALUES list by the fast reader, column by column, as typed values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

from rocklake_server.catalog.view import Now, Row
from rocklake_server.errors import NumericOutOfRange
from rocklake_server.pgformat.text import session_text_decoder
from rocklake_server.plan.casts import assign, cast
from rocklake_server.plan.compiler import literal
from rocklake_server.plan.expressions import Constant, Env, Expr, NowRef
from rocklake_server.plan.model import Context
from rocklake_server.plan.type_rules import INTEGER_BOUNDS, common_type
from rocklake_server.schema.model import RelationColumn
from rocklake_server.schema.types import (
    BIGINT,
    BOOLEAN,
    BY_NAME,
    INTEGER,
    TEXT,
    TIMESTAMPTZ,
    UNKNOWN,
    ColumnType,
    Form,
    Value,
)
from rocklake_server.sql.values import Cell, FieldKind, ValuesColumn, ValuesSlice, ValuesUnfit

Cells: TypeAlias = Sequence[Any]

_TYPE_ALIASES = {"char varying": "varchar", "timestamp": "timestamp", "dec": "numeric"}


def named_type(name: str | None) -> ColumnType:
    """The type of a CAST in the list. Raises ValuesUnfit for one that needs a parser."""
    key = (name or "").lower()
    found = BY_NAME.get(_TYPE_ALIASES.get(key, key))
    if found is None or key in ("char", "character", "regclass"):
        raise ValuesUnfit
    return found


def _expression(cell: Any, kind: FieldKind, type_name: str | None) -> Expr:
    """One written value as an expression."""
    if cell is None or kind is FieldKind.NULL:
        return Constant(UNKNOWN, None)
    if isinstance(cell, Cell):
        return _expression(cell.text, cell.kind, cell.type_name)
    if kind is FieldKind.STRING:
        return Constant(UNKNOWN, cell)
    if kind is FieldKind.NUMBER:
        return literal(cell, is_string=False)
    if kind is FieldKind.BOOL:
        return Constant(BOOLEAN, cell if isinstance(cell, bool) else str(cell).lower() in ("true", "t"))
    if kind is FieldKind.NOW:
        return NowRef()
    return cast(Constant(UNKNOWN, cell), named_type(type_name))


def assigned(column: ValuesColumn, target: RelationColumn, context: Context) -> Cells:
    """The column's values as ``target`` stores them. Raises what the assignment of each value raises."""
    kind = column.kind
    cells: Cells = column.cells
    if kind is FieldKind.NULL:
        return cells
    bare = target.type.typmod == -1
    if kind is FieldKind.STRING and bare:
        if target.type.form is Form.TEXT and target.type.name in ("text", "character varying"):
            return cells
        decode = session_text_decoder(target.type)
        return [None if cell is None else decode(cell) for cell in cells]
    if kind is FieldKind.NUMBER and target.type.oid in INTEGER_BOUNDS:
        whole = _integers(cells, target.type)
        if whole is not None:
            return whole
    if kind is FieldKind.BOOL and target.type.oid == BOOLEAN.oid:
        return cells
    if kind is FieldKind.NOW and target.type.oid == TIMESTAMPTZ.oid:
        now = Now(context.view.now_us)
        return [None if cell is None else now for cell in cells]
    env = Env((), context)
    return [
        None if cell is None
        else assign(_expression(cell, kind, column.type_name), target.type, target.name).value(env)
        for cell in cells
    ]


def _integers(cells: Cells, kind: ColumnType) -> Cells | None:
    """Whole numbers within the type's range; ``None`` when one is written with a point or exponent."""
    try:
        present = [int(cell) for cell in cells if cell is not None]
    except ValueError:
        return None
    least, greatest = INTEGER_BOUNDS[kind.oid]
    if present and not (least <= min(present) and max(present) <= greatest):
        raise NumericOutOfRange(f"{kind.name} out of range")
    if len(present) == len(cells):
        return present
    following = iter(present)
    return [None if cell is None else next(following) for cell in cells]


def rows_of(columns: Sequence[Cells], count: int) -> list[Row]:
    return list(zip(*columns, strict=True)) if columns else [()] * count


def inferred(slices: Sequence[ValuesSlice]) -> tuple[tuple[ColumnType, ...], Callable[[Context], list[Row]]]:
    """(column types, rows) of a VALUES list that stands on its own. Raises DatatypeMismatch, ValuesUnfit."""
    width = len(slices[0].columns)
    kinds: list[ColumnType] = []
    for position in range(width):
        found = [kind for part in slices for kind in _written_types(part.columns[position])]
        kinds.append(common_type(found, "VALUES"))

    def rows(context: Context) -> list[Row]:
        content: list[Row] = []
        for part in slices:
            typed = [
                assigned(column, RelationColumn(f"column{number}", kind, number), context)
                for number, (column, kind) in enumerate(zip(part.columns, kinds, strict=True), 1)
            ]
            content.extend(rows_of(typed, part.count))
        return content

    return tuple(kinds), rows


def _whole_type(cells: Iterable[Any]) -> ColumnType | None:
    """The type of a column of whole numbers; ``None`` when one is written otherwise or is larger."""
    try:
        values = [int(cell) for cell in cells if cell is not None]
    except ValueError:
        return None
    for kind in (INTEGER, BIGINT):
        least, greatest = INTEGER_BOUNDS[kind.oid]
        if values and least <= min(values) and max(values) <= greatest:
            return kind
    return None


def _written_types(column: ValuesColumn) -> list[ColumnType]:
    kind = column.kind
    if kind is FieldKind.NULL:
        return []
    if kind is FieldKind.STRING:
        return [TEXT] if any(cell is not None for cell in column.cells) else []
    if kind is FieldKind.NUMBER:
        whole = _whole_type(column.cells)
        if whole is not None:
            return [whole]
    if kind in (FieldKind.BOOL, FieldKind.NOW, FieldKind.CAST):
        first: Value = next((cell for cell in column.cells if not isinstance(cell, Cell) and cell is not None), None)
        return [] if first is None else [_expression(first, kind, column.type_name).type]
    types = {
        (node := _expression(cell, kind, column.type_name)).type.oid: node.type
        for cell in column.cells if cell is not None
    }
    return [found for found in types.values() if found.oid != UNKNOWN.oid]
