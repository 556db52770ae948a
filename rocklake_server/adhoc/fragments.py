"""Leaves of expressions that stand for text of the engine's SQL, and what is known of numerics without their values."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from rocklake_server.plan.arithmetic import Arithmetic
from rocklake_server.plan.arithmetic import scale as scale_of
from rocklake_server.plan.casts import Conversion
from rocklake_server.plan.expressions import ColumnRef, Constant, Env, Expr, Getter
from rocklake_server.schema.types import ColumnType, Form


@dataclass(frozen=True, slots=True)
class Fragment(ColumnRef):
    """A value that the engine computes: a column (``index`` in the rows of scope ``scope_number``), an aggregate, a
    window function or a subquery. ``scale``: the scale that every numeric of it has, if there is one. ``reads``: the
    scopes whose columns it reads."""

    sql: str = ""
    scope_number: int = 0
    scale: int | None = None
    reads: frozenset[int] = frozenset()

    def getter(self, _env: Env) -> Getter:
        raise AssertionError("the engine computes this")


def fragments(node: Expr) -> list[Fragment]:
    """Every fragment in an expression."""
    if isinstance(node, Fragment):
        return [node]
    return [found for child in node.children for found in fragments(child)]


def reads(node: Expr) -> frozenset[int]:
    """The scopes whose columns an expression reads."""
    return frozenset(number for fragment in fragments(node) for number in fragment.reads)


def declared_scale(kind: ColumnType) -> int | None:
    """The scale of ``numeric(p, s)``."""
    return None if kind.typmod == -1 or kind.form is not Form.NUMERIC else (kind.typmod - 4) & 0x7FF


def uniform_scale(node: Expr) -> int | None:
    """The scale that all numerics of an expression have; ``None`` when it follows from their values."""
    if isinstance(node, Fragment):
        return node.scale
    declared = declared_scale(node.type)
    if declared is not None:
        return declared
    if isinstance(node, Constant) and isinstance(node.content, Decimal) and node.content.is_finite():
        return scale_of(node.content)
    if isinstance(node, Conversion) and node.arguments[0].type.form is Form.INT:
        return 0
    if isinstance(node, Arithmetic) and node.symbol in ("+", "-", "*"):
        left, right = (uniform_scale(operand) for operand in node.arguments)
        if left is not None and right is not None:
            return left + right if node.symbol == "*" else max(left, right)
    return None
