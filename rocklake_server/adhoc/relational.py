"""A query as far as its rewriting has come: its output expressions, and how the text around them is written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from rocklake_server.adhoc.emission import Emitter
from rocklake_server.adhoc.fragments import Fragment, uniform_scale
from rocklake_server.adhoc.statement import Column
from rocklake_server.errors import InvalidColumnReference
from rocklake_server.plan.casts import implicit
from rocklake_server.plan.expressions import Expr
from rocklake_server.plan.lowering.query import Output
from rocklake_server.schema.types import TEXT, UNKNOWN, ColumnType


@dataclass(frozen=True, slots=True)
class Relational:
    """``write`` makes the text of the query with these output expressions, whose columns are c0, c1, …"""

    outputs: tuple[Output, ...]
    expressions: tuple[Expr, ...]
    write: Callable[[Sequence[Expr]], str]

    def text(self) -> str:
        return self.write(self.expressions)

    @property
    def columns(self) -> tuple[Column, ...]:
        return tuple(
            Column(output, uniform_scale(node)) for output, node in zip(self.outputs, self.expressions, strict=True)
        )

    def shown(self, alias: str) -> tuple[Expr, ...]:
        """The columns of this query as a derived table under ``alias``."""
        return tuple(
            Fragment(node.type, -1, sql=f"{alias}.c{position}", scope_number=-1, scale=uniform_scale(node))
            for position, node in enumerate(self.expressions)
        )

    def converted(self, kinds: Sequence[ColumnType]) -> Relational:
        """With the columns implicitly converted."""
        outputs = tuple(replace(output, type=kind) for output, kind in zip(self.outputs, kinds, strict=True))
        expressions = tuple(
            node if node.type == kind else implicit(node, kind)
            for node, kind in zip(self.expressions, kinds, strict=True)
        )
        return replace(self, outputs=outputs, expressions=expressions)

    def settled(self) -> Relational:
        """With untyped columns as text."""
        return self.converted([TEXT if output.type.oid == UNKNOWN.oid else output.type for output in self.outputs])

    def renamed(self, names: Sequence[str], alias: str) -> Relational:
        """With the columns' names replaced from the left. Raises InvalidColumnReference."""
        if len(names) > len(self.outputs):
            raise InvalidColumnReference(
                f'table "{alias}" has {len(self.outputs)} columns available but {len(names)} columns specified'
            )
        renamed = tuple(replace(output, name=name) for output, name in zip(self.outputs, names, strict=False))
        return replace(self, outputs=renamed + self.outputs[len(names):])


def selected(out: Emitter, expressions: Sequence[Expr], distinct: str = "") -> str:
    """The list after SELECT; under ``distinct`` each of them has to tell equal values."""
    write = out.sql if not distinct else (lambda node: out.key(node, distinct))
    return ", ".join(f"{write(node)} AS c{position}" for position, node in enumerate(expressions))


def grouped(out: Emitter, expressions: Sequence[Expr], source: str) -> str:
    """The distinct rows of ``source``, of which ``expressions`` are the columns; of equal ones the first."""
    firsts = ", ".join(f"first({out.sql(node)}) AS c{position}" for position, node in enumerate(expressions))
    keys = ", ".join(out.key(node, "DISTINCT over") if out.tells_equals(node) else out.order(node)
                     for node in expressions)
    return f"SELECT {firsts} FROM {source} GROUP BY {keys}"


def columns_of(alias: str, columns: Sequence[Column]) -> tuple[Expr, ...]:
    """The columns of a derived table under ``alias``."""
    return tuple(
        Fragment(column.type, -1, column.output.name, column.output.table_oid, column.output.attnum,
                 f"{alias}.c{position}", -1, column.scale)
        for position, column in enumerate(columns)
    )
