"""EXPLAIN: which path a SELECT takes, and what it reads within which bounds. Nothing is estimated, nothing runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

from rocklake_server.adhoc.inputs import columns_read
from rocklake_server.adhoc.planning import EnginePlan
from rocklake_server.adhoc.statement import Input
from rocklake_server.catalog.view import Bounds
from rocklake_server.errors import Unsupported
from rocklake_server.pgformat.text import text_encoder
from rocklake_server.plan.bounds import bounds_of
from rocklake_server.plan.expressions import Env, Expr
from rocklake_server.plan.model import Context, Plan, ResultColumn
from rocklake_server.plan.operators import Scan, SystemScan
from rocklake_server.plan.statement_plans import BoundPlan
from rocklake_server.plan.system_relations import SystemRelation
from rocklake_server.schema.model import Relation
from rocklake_server.schema.types import TEXT, TID, Value
from rocklake_server.sql.names import quote

COLUMN = ResultColumn("QUERY PLAN", TEXT)

VALUES_SHOWN_MAX = 5
"""Values of one bound that are shown."""


def explained(plan: Plan, context: Context) -> list[str]:
    """The lines of EXPLAIN. Raises Unsupported for what is no SELECT."""
    if isinstance(plan, EnginePlan):
        return list(_of_engine(plan, context))
    if not isinstance(plan, BoundPlan) or plan.compiled.lowered is None:
        raise Unsupported("EXPLAIN is supported for SELECT only")
    env = Env(plan.slots, context)
    return ["Path: the server's own operators", *_of_operator(plan.compiled.lowered.operator, env, 1)]


# -- the server's own operators ---------------------------------------------------------------------------------------


def _of_operator(operator: Any, env: Env, depth: int) -> Iterator[str]:
    head = "  " * depth + "-> "
    rest = "  " * (depth + 2)
    if isinstance(operator, Scan):
        yield f"{head}Scan of {_relation_name(operator.relation)}"
        yield from _bound_lines(operator.relation, operator.conditions, env, rest)
    elif isinstance(operator, SystemScan):
        yield f"{head}Computed rows of {_relation_name(operator.relation)}"
    else:
        yield f"{head}{_words(operator)}"
    for subquery in _subqueries(operator):
        yield f"{rest}Subquery, {'for each row' if getattr(subquery, 'correlated', False) else 'once'}"
        yield from _of_operator(subquery.source, env, depth + 2)
    for child in _children(operator):
        yield from _of_operator(child, env, depth + 1)


def _words(operator: Any) -> str:
    name = type(operator).__name__
    words = "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in name).strip().capitalize()
    kind = getattr(operator, "kind", None)
    return f"{words} ({kind})" if isinstance(kind, str) else words


def _children(operator: Any) -> list[Any]:
    return [value for value in _values(operator) if hasattr(value, "open") and not isinstance(value, Expr)]


def _subqueries(operator: Any) -> list[Any]:
    """Those that are queries; others are values that are made before their expressions bind."""
    prepared = (subquery for value in _values(operator) if isinstance(value, Expr) for subquery in value.subqueries)
    return [subquery for subquery in prepared if getattr(subquery, "source", None) is not None]


def _values(operator: Any) -> Iterator[Any]:
    """What an operator's fields hold, tuples taken apart, and the expressions in its keys and aggregates."""
    for field in fields(operator) if is_dataclass(operator) else ():
        pending = [getattr(operator, field.name)]
        while pending:
            value = pending.pop(0)
            if isinstance(value, tuple):
                pending = [*value, *pending]
            elif isinstance(value, Expr) or hasattr(value, "open"):
                yield value
            elif hasattr(value, "expression") and isinstance(value.expression, Expr):
                yield value.expression


# -- the embedded engine ----------------------------------------------------------------------------------------------


def _of_engine(plan: EnginePlan, context: Context) -> Iterator[str]:
    yield "Path: the embedded engine"
    env = Env((), context)
    for wanted in plan.inputs:
        yield f"  -> {wanted.name}: {_relation_name(wanted.relation)} ({', '.join(_column_names(wanted))})"
        if isinstance(wanted.relation, Relation):
            yield from _bound_lines(wanted.relation, wanted.conditions, env, "       ")
    count = len(plan.out.functions) + len(plan.out.folds)
    if count:
        yield f"  Functions that the server computes: {count}"
    yield f"  Statement: {plan.text}"


def _column_names(wanted: Input) -> list[str]:
    relation = wanted.relation
    names = [column.name for column in relation.columns]
    names += ["ctid"] if isinstance(relation, Relation) else [column.name for column in relation.hidden]
    return [quote(names[index]) for index, _kind in columns_read(wanted)]


# -- relations and bounds ---------------------------------------------------------------------------------------------


def _relation_name(relation: Relation | SystemRelation) -> str:
    return f"{quote(relation.schema)}.{quote(relation.name)}"


def _bound_lines(relation: Relation, conditions: Sequence[Expr], env: Env, indent: str) -> Iterator[str]:
    known = [condition for condition in conditions if not condition.subqueries]
    bounds = _described(bounds_of(known, relation, env), relation)
    if bounds:
        yield f"{indent}Bounds: {' and '.join(bounds)}"
    if conditions:
        yield f"{indent}Conditions: {len(conditions)}"


def _described(bounds: Bounds, relation: Relation) -> list[str]:
    kinds = [*((column.name, column.type) for column in relation.columns), ("ctid", TID)]

    def shown(index: int, value: Value) -> str:
        return str(text_encoder(kinds[index][1])(value))

    parts = []
    for index, members in bounds.values.items():
        listed = sorted((shown(index, value) for value in members), key=lambda text: (len(text), text))
        more = ", ..." if len(listed) > VALUES_SHOWN_MAX else ""
        parts.append(f"{quote(kinds[index][0])} in ({', '.join(listed[:VALUES_SHOWN_MAX])}{more})")
    for index, (least, greatest) in bounds.ranges.items():
        name = quote(kinds[index][0])
        parts += [] if least is None else [f"{name} >= {shown(index, least)}"]
        parts += [] if greatest is None else [f"{name} <= {shown(index, greatest)}"]
    parts += [f"{quote(kinds[index][0])} is NULL" for index in sorted(bounds.nulls)]
    if bounds.live_after is not None:
        parts.append(f"end_snapshot is NULL or > {bounds.live_after}")
    return parts
