"""INSERT, UPDATE and DELETE from their trees."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeAlias

from sqlglot import exp

from rocklake_server.errors import SyntaxProblem, Unsupported
from rocklake_server.plan.casts import assign
from rocklake_server.plan.compiler import Compiler
from rocklake_server.plan.dispatch import label, only
from rocklake_server.plan.expressions import ColumnRef, Constant, Env, Expr
from rocklake_server.plan.joins import equality_pair
from rocklake_server.plan.lowering.from_items import add_item, add_join, relation_source
from rocklake_server.plan.lowering.from_tree import FromTree, Item, Step
from rocklake_server.plan.lowering.query import QueryLowering
from rocklake_server.plan.lowering.select import where_conditions
from rocklake_server.plan.lowering.targets import column_index, column_indexes, target_of
from rocklake_server.plan.model import Outcome
from rocklake_server.plan.naming import identifier
from rocklake_server.plan.operators import OneRow, Project, Scan, ValuesRows
from rocklake_server.plan.rewriting import has_correlation, references, shift
from rocklake_server.plan.scope import Scope
from rocklake_server.plan.writes import Delete, InsertSource, Update, UpdateFrom
from rocklake_server.schema.model import Relation

Run: TypeAlias = Callable[[Env], Awaitable[Outcome]]


def _is_default(node: exp.Expr) -> bool:
    """The DEFAULT keyword in place of an expression."""
    if isinstance(node, exp.Column):
        node = node.this
    word = isinstance(node, exp.Var) or (isinstance(node, exp.Identifier) and not node.args.get("quoted"))
    return word and node.name.upper() == "DEFAULT"


def lower_insert(queries: QueryLowering, node: exp.Insert) -> tuple[Relation, Run]:
    only(node, "this", "expression", "default", "with_")
    queries.define(node.args.get("with_"))
    columns: list[str] | None = None
    table = node.this
    if isinstance(table, exp.Schema):
        only(table, "this", "expressions")
        columns = [identifier(column) for column in table.expressions]
        table = table.this
    relation, _alias = target_of(queries, table)
    indexes = column_indexes(relation, columns)
    if node.args.get("default"):
        return relation, InsertSource(relation, (), OneRow()).run
    source = node.expression
    plain = isinstance(source, exp.Values) and not any(source.args.get(key) for key in ("order", "limit", "offset"))
    if plain and not source.args.get("with_"):
        return relation, _insert_values(queries, relation, indexes, source, explicit=columns is not None).run
    lowered = queries.lower(source)
    indexes = _fitted(indexes, len(lowered.outputs), explicit=columns is not None)
    expressions = tuple(
        assign(ColumnRef(output.type, position), relation.columns[index].type, relation.columns[index].name)
        for position, (index, output) in enumerate(zip(indexes, lowered.outputs, strict=True))
    )
    return relation, InsertSource(relation, indexes, Project(lowered.operator, expressions)).run


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
        tuple(_assigned(compiler, relation, index, item) for index, item in zip(indexes, line, strict=True))
        for line in lines
    )
    return InsertSource(relation, indexes, ValuesRows(typed))


def _assigned(compiler: Compiler, relation: Relation, index: int, node: exp.Expr) -> Expr:
    column = relation.columns[index]
    if _is_default(node):
        return Constant(column.type, column.default)
    return assign(compiler.compile(node), column.type, column.name)


def lower_update(queries: QueryLowering, node: exp.Update) -> tuple[Relation, Run]:
    only(node, "this", "expressions", "from_", "where", "with_")
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
    assignments = _assignments(compiler, relation, node.expressions)
    conditions = where_conditions(compiler, node.args.get("where"))
    if len(tree.items) == 1:
        return relation, Update(relation, tuple(conditions), assignments).run
    return relation, _update_from(relation, tree, source.width, conditions, assignments).run


def _update_from(relation: Relation, tree: FromTree, width: int, conditions: list[Expr],
                 assignments: tuple[tuple[int, Expr], ...]) -> UpdateFrom:
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
        relation, rest.operator(others), tuple(own), tuple(pairs), tuple(residual), assignments
    )


def _moved(item: Item, width: int) -> Item:
    return Item(item.operator, item.start - width, item.width, item.optional)


def _assignments(compiler: Compiler, relation: Relation, nodes: list[exp.Expr]) -> tuple[tuple[int, Expr], ...]:
    found: dict[int, Expr] = {}
    for node in nodes:
        if not isinstance(node, exp.EQ):
            raise Unsupported(f"{label(node)} in SET is not supported")
        for column, value in _pairs(node):
            if not isinstance(column, exp.Column) or column.args.get("table") is not None:
                raise Unsupported("a qualified column as the target of SET is not supported")
            index = column_index(relation, identifier(column.this))
            if index in found:
                raise SyntaxProblem(f'multiple assignments to same column "{relation.columns[index].name}"')
            found[index] = _assigned(compiler, relation, index, value)
    return tuple(found.items())


def _pairs(node: exp.EQ) -> list[tuple[exp.Expr, exp.Expr]]:
    left, right = node.this, node.expression
    if not isinstance(left, exp.Tuple):
        return [(left, right)]
    if not isinstance(right, exp.Tuple):
        raise Unsupported("SET of several columns from one source is not supported")
    if len(left.expressions) != len(right.expressions):
        raise SyntaxProblem("number of columns does not match number of values")
    return list(zip(left.expressions, right.expressions, strict=True))


def lower_delete(queries: QueryLowering, node: exp.Delete) -> tuple[Relation, Run]:
    only(node, "this", "where", "with_")
    queries.define(node.args.get("with_"))
    relation, alias = target_of(queries, node.this)
    scope = Scope()
    scope.add(relation_source(relation, alias, 0, relation.schema if alias == relation.name else None))
    conditions = where_conditions(queries.compiler(scope, "DELETE"), node.args.get("where"))
    return relation, Delete(relation, tuple(conditions)).run
