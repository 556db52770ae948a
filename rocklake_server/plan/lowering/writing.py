"""INSERT, UPDATE and DELETE from their trees."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import NamedTuple, TypeAlias

from sqlglot import exp

from rocklake_server.errors import SyntaxProblem, Unsupported
from rocklake_server.plan.casts import assign
from rocklake_server.plan.dispatch import only
from rocklake_server.plan.expressions import ColumnRef, Env, Expr
from rocklake_server.plan.joins import equality_pair
from rocklake_server.plan.lowering.assignments import assigned, assignments_of
from rocklake_server.plan.lowering.from_items import add_item, add_join, relation_source
from rocklake_server.plan.lowering.from_tree import FromTree, Item, Step
from rocklake_server.plan.lowering.query import QueryLowering
from rocklake_server.plan.lowering.returning import lower_returning, target_scope
from rocklake_server.plan.lowering.select import where_conditions
from rocklake_server.plan.lowering.targets import column_indexes, target_of
from rocklake_server.plan.lowering.upserting import lower_conflict
from rocklake_server.plan.model import Outcome
from rocklake_server.plan.naming import identifier
from rocklake_server.plan.operators import OneRow, Project, Scan, ValuesRows
from rocklake_server.plan.returning import Returning
from rocklake_server.plan.rewriting import has_correlation, references, shift
from rocklake_server.plan.scope import Scope
from rocklake_server.plan.upserts import Upsert
from rocklake_server.plan.writes import Delete, InsertSource, Update, UpdateFrom
from rocklake_server.schema.model import Relation

Run: TypeAlias = Callable[[Env], Awaitable[Outcome]]


class LoweredWrite(NamedTuple):
    """What is written to, what writes, and what it answers of the rows."""

    relation: Relation
    run: Run
    returning: Returning | None


def lower_insert(queries: QueryLowering, node: exp.Insert) -> LoweredWrite:
    only(node, "this", "expression", "default", "with_", "conflict", "returning")
    queries.define(node.args.get("with_"))
    columns: list[str] | None = None
    table = node.this
    if isinstance(table, exp.Schema):
        only(table, "this", "expressions")
        columns = [identifier(column) for column in table.expressions]
        table = table.this
    relation, alias = target_of(queries, table)
    insert = _insert(queries, relation, node, column_indexes(relation, columns), explicit=columns is not None)
    conflict = node.args.get("conflict")
    taken = None if conflict is None else lower_conflict(queries, relation, alias, conflict)
    returning = lower_returning(queries, target_scope(relation, alias), node.args.get("returning"))
    if taken is None:
        return LoweredWrite(relation, replace(insert, returning=returning).run, returning)
    upsert = Upsert(relation, insert.indexes, insert.source, taken, returning)
    return LoweredWrite(relation, upsert.run, returning)


def _insert(queries: QueryLowering, relation: Relation, node: exp.Insert, indexes: tuple[int, ...], *,
            explicit: bool) -> InsertSource:
    if node.args.get("default"):
        return InsertSource(relation, (), OneRow())
    source = node.expression
    plain = isinstance(source, exp.Values) and not any(source.args.get(key) for key in ("order", "limit", "offset"))
    if plain and not source.args.get("with_"):
        return _insert_values(queries, relation, indexes, source, explicit=explicit)
    lowered = queries.lower(source)
    indexes = _fitted(indexes, len(lowered.outputs), explicit=explicit)
    expressions = tuple(
        assign(ColumnRef(output.type, position), relation.columns[index].type, relation.columns[index].name)
        for position, (index, output) in enumerate(zip(indexes, lowered.outputs, strict=True))
    )
    return InsertSource(relation, indexes, Project(lowered.operator, expressions))


def _fitted(indexes: tuple[int, ...], count: int, *, explicit: bool) -> tuple[int, ...]:
    """The columns that ``count`` expressions fill. Raises SyntaxProblem."""
    if count > len(indexes):
        raise SyntaxProblem("INSERT has more expressions than target columns")
    if count < len(indexes) and explicit:
        raise SyntaxProblem("INSERT has more target columns than expressions")
    return indexes[:count]


def _insert_values(queries: QueryLowering, relation: Relation, indexes: tuple[int, ...], values: exp.Values, *,
                   explicit: bool) -> InsertSource:
    compiler = queries.compiler(Scope(), "VALUES")
    lines = [line.expressions if isinstance(line, exp.Tuple) else [line] for line in values.expressions]
    if any(len(line) != len(lines[0]) for line in lines):
        raise SyntaxProblem("VALUES lists must all be the same length")
    indexes = _fitted(indexes, len(lines[0]), explicit=explicit)
    typed = tuple(
        tuple(assigned(compiler, relation, index, item) for index, item in zip(indexes, line, strict=True))
        for line in lines
    )
    return InsertSource(relation, indexes, ValuesRows(typed))


def lower_update(queries: QueryLowering, node: exp.Update) -> LoweredWrite:
    only(node, "this", "expressions", "from_", "where", "with_", "returning")
    queries.define(node.args.get("with_"))
    relation, alias = target_of(queries, node.this)
    tree = FromTree(Scope())
    source = relation_source(relation, alias, 0, relation.schema if alias == relation.name else None)
    tree.scope.add(source)
    tree.items.append(Item(Scan(relation), 0, source.width))
    tree.steps.append(Step("inner", []))
    clause = node.args.get("from_")
    if clause is not None:
        only(clause, "this")
        add_item(queries, tree, clause.this)
        for part in node.args.get("joins") or ():
            add_join(queries, tree, part)
    compiler = queries.compiler(tree.scope, "UPDATE")
    assignments = assignments_of(compiler, relation, node.expressions)
    conditions = where_conditions(compiler, node.args.get("where"))
    returning = lower_returning(queries, tree.scope, node.args.get("returning"))
    if len(tree.items) == 1:
        update = Update(relation, tuple(conditions), assignments, returning)
        return LoweredWrite(relation, update.run, returning)
    update_from = _update_from(relation, tree, source.width, conditions, assignments, returning)
    return LoweredWrite(relation, update_from.run, returning)


def _update_from(relation: Relation, tree: FromTree, width: int, conditions: list[Expr],
                 assignments: tuple[tuple[int, Expr], ...], returning: Returning | None) -> UpdateFrom:
    """Sort the conditions: the target's own, FROM's own, equalities between both, the rest."""
    if any(step.kind != "inner" for step in tree.steps[1:]):
        raise Unsupported("UPDATE with an outer join in FROM is not supported")
    for step in tree.steps[1:]:
        conditions.extend(step.conditions)
        step.conditions = []
    own: list[Expr] = []
    others: list[Expr] = []
    pairs = []
    residual: list[Expr] = []
    for condition in conditions:
        columns = references(condition)
        pair = None if has_correlation(condition) else equality_pair(condition, width)
        if has_correlation(condition):
            residual.append(condition)
        elif not columns or max(columns) < width:
            own.append(condition)
        elif min(columns) >= width:
            others.append(shift(condition, -width))
        elif pair is not None:
            pairs.append(pair)
        else:
            residual.append(condition)
    rest = FromTree(tree.scope, [_moved(item, width) for item in tree.items[1:]], tree.steps[1:])
    return UpdateFrom(
        relation, rest.operator(others), tuple(own), tuple(pairs), tuple(residual), assignments, returning
    )


def _moved(item: Item, width: int) -> Item:
    return Item(item.operator, item.start - width, item.width, item.optional)


def lower_delete(queries: QueryLowering, node: exp.Delete) -> LoweredWrite:
    only(node, "this", "where", "with_", "returning")
    queries.define(node.args.get("with_"))
    relation, alias = target_of(queries, node.this)
    scope = target_scope(relation, alias)
    conditions = where_conditions(queries.compiler(scope, "DELETE"), node.args.get("where"))
    returning = lower_returning(queries, scope, node.args.get("returning"))
    return LoweredWrite(relation, Delete(relation, tuple(conditions), returning).run, returning)
