"""FROM: items, joins, and the conditions that move down to the item they are about."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from rocklake_server.errors import InvalidColumnReference, SyntaxProblem, UndefinedColumn, Unsupported
from rocklake_server.plan.comparisons import compare
from rocklake_server.plan.conditions import CoalesceOf, conjuncts
from rocklake_server.plan.dispatch import label, only
from rocklake_server.plan.expressions import Expr
from rocklake_server.plan.lowering.from_tree import FromTree, Item, Step
from rocklake_server.plan.lowering.query import Lowered, Output, QueryLowering
from rocklake_server.plan.lowering.set_calls import set_call, set_name
from rocklake_server.plan.naming import identifier
from rocklake_server.plan.operators import Operator, Scan, SystemScan
from rocklake_server.plan.relation_names import PG_CATALOG
from rocklake_server.plan.scope import Scope, ScopeColumn, Source
from rocklake_server.plan.set_functions import FunctionScan, SetCall
from rocklake_server.plan.type_rules import common_type
from rocklake_server.schema.model import Relation
from rocklake_server.schema.types import BIGINT, TID
from rocklake_server.sql.names import QualifiedName


def lower_from(queries: QueryLowering, node: exp.Expr, parent: Scope | None) -> FromTree:
    """FROM and the joins of a SELECT (or of UPDATE's FROM)."""
    tree = FromTree(Scope(parent))
    source = node.args.get("from_")
    if source is not None:
        only(source, "this")
        add_item(queries, tree, source.this)
    for part in node.args.get("joins") or ():
        add_join(queries, tree, part)
    return tree


def add_item(queries: QueryLowering, tree: FromTree, node: exp.Expr) -> Item:
    """One more FROM item, not yet joined by a condition; joins nested in it are added after it."""
    nested = node.args.get("joins")
    operator, source, lateral = _item(queries, tree.scope, node)
    tree.scope.add(source)
    item = Item(operator, source.start, source.width, lateral=lateral)
    tree.items.append(item)
    tree.steps.append(Step("inner", []))
    for part in nested or ():
        add_join(queries, tree, part)
    return item


def add_join(queries: QueryLowering, tree: FromTree, part: exp.Join) -> None:
    only(part, "this", "kind", "side", "on", "using", "method")
    if part.args.get("method"):
        raise Unsupported(f"{part.args['method'].upper()} JOIN is not supported")
    kind = (part.args.get("side") or "INNER").lower()
    if (part.args.get("kind") or "INNER").upper() not in ("INNER", "CROSS", "OUTER"):
        raise Unsupported(f"{part.args['kind']} JOIN is not supported")
    before = len(tree.items)
    if part.this.args.get("joins"):
        raise Unsupported("a join nested in the right side of a join is not supported")
    left_sources = list(tree.scope.sources)
    item = add_item(queries, tree, part.this)
    step = tree.steps[-1]
    step.kind = kind
    if kind in ("left", "full"):
        item.optional = True
    if kind in ("right", "full"):
        if item.lateral:
            raise InvalidColumnReference("a LATERAL item that reads others must be joined by INNER or LEFT")
        for earlier in tree.items[:before]:
            earlier.optional = True
    if part.args.get("on") is not None:
        condition = queries.compiler(tree.scope, "JOIN/ON").condition(part.args["on"], "JOIN/ON")
        step.conditions.extend(conjuncts(condition))
    for column in part.args.get("using") or ():
        step.conditions.append(using_condition(tree.scope, left_sources, kind, identifier(column)))


def using_condition(scope: Scope, left_sources: list[Source], kind: str, name: str) -> Expr:
    """The equality of a USING column, which becomes one merged column of the scope."""
    left_scope = Scope(None, left_sources, dict(scope.merged))
    right_scope = Scope(None, scope.sources[-1:])
    left, right = left_scope.local(name, None, None), right_scope.local(name, None, None)
    if left is None or right is None:
        side = "left" if left is None else "right"
        raise UndefinedColumn(f'column "{name}" specified in USING clause does not exist in {side} table')
    if kind == "full":
        common = common_type([left.type, right.type], "JOIN/USING")
        scope.merged[name] = CoalesceOf(common, (left, right))
    else:
        scope.merged[name] = right if kind == "right" else left
    return compare("=", left, right)


def _item(queries: QueryLowering, scope: Scope, node: exp.Expr) -> tuple[Operator, Source, bool]:
    """The operator and the columns of an item, and whether it reads the items before it."""
    lateral = isinstance(node, exp.Lateral)
    inner = node.this if lateral else node
    alias = node.args.get("alias") or inner.args.get("alias")
    if lateral:
        only(node, "this", "alias")
    if isinstance(inner, exp.Unnest | exp.Func) or (isinstance(inner, exp.Table) and isinstance(inner.this, exp.Func)):
        return function_item(queries, scope, inner, alias)
    if isinstance(inner, exp.Table):
        return *_table(queries, scope, inner), False
    if isinstance(inner, exp.Subquery):
        only(inner, "this", "alias")
        lowered = queries.lower(inner.this, scope if lateral else scope.parent)
    elif isinstance(inner, exp.Values):
        only(inner, "expressions", "alias")
        lowered = queries.lower(inner, scope.parent)
    else:
        raise Unsupported(f"{label(inner)} in FROM is not supported")
    reads = scope.number in lowered.correlated
    queries.per_row = queries.per_row or reads
    if alias is None or alias.this is None:
        if isinstance(inner, exp.Subquery):
            raise SyntaxProblem("subquery in FROM must have an alias")
        return *derived(lowered, "*VALUES*", [], scope.width), reads
    return *derived(lowered, identifier(alias), column_aliases(alias), scope.width), reads


def function_item(
    queries: QueryLowering, scope: Scope, node: exp.Expr, alias: exp.TableAlias | None
) -> tuple[Operator, Source, bool]:
    """A function in FROM: one that returns a set, or any other for one row of its value."""
    inside = Scope(scope)
    compiler = queries.compiler(inside, "FROM")
    ordinality = bool(node.args.get("offset")) or bool(node.args.get("ordinality"))
    if isinstance(node, exp.Table):
        only(node, "this", "db", "alias", "ordinality", "joins")
        check_function_schema(node)
        call = set_call(compiler, node.this)
    else:
        call = set_call(compiler, node)
    names = column_aliases(alias)
    if isinstance(node.args.get("offset"), exp.Identifier):
        names.append(identifier(node.args["offset"]))
    shown = call_alias(node, call) if alias is None or alias.this is None else identifier(alias)
    outputs = [Output(shown if call.is_scalar and not call.named else name, kind) for name, kind in call.columns]
    if ordinality:
        outputs.append(Output("ordinality", BIGINT))
    lowered = Lowered(FunctionScan(call, ordinality), tuple(outputs), frozenset(inside.correlated))
    operator, source = derived(lowered, shown, names, scope.width)
    source = replace(source, whole=call.is_scalar and not ordinality)
    return operator, source, scope.number in lowered.correlated


def call_alias(node: exp.Expr, call: SetCall) -> str:
    """What a function in FROM is called without an alias."""
    name = set_name(node.this if isinstance(node, exp.Table) else node)
    return call.columns[0][0] if name is None else name


def check_function_schema(node: exp.Table) -> None:
    """Raises Unsupported for a function of a schema where there is none."""
    if node.args.get("db") and identifier(node.args["db"]) != PG_CATALOG:
        raise Unsupported("a function of another schema than pg_catalog is not supported in FROM")


def column_aliases(alias: exp.TableAlias | None) -> list[str]:
    if alias is None:
        return []
    only(alias, "this", "columns")
    return [identifier(column) for column in alias.args.get("columns") or ()]


def derived(lowered: Lowered, alias: str, names: list[str], start: int) -> tuple[Operator, Source]:
    """A query as a FROM item."""
    lowered = lowered.settled().renamed(names, alias)
    columns = tuple(
        ScopeColumn(output.name, output.type, start + index, output.table_oid, output.attnum)
        for index, output in enumerate(lowered.outputs)
    )
    return lowered.operator, Source(alias, columns, start, len(columns))


def table_name(node: exp.Table) -> QualifiedName:
    """The folded name of a table node. Raises Unsupported."""
    if not isinstance(node.this, exp.Identifier):
        raise Unsupported(f"{label(node.this)} in FROM is not supported")
    if node.args.get("catalog"):
        raise Unsupported("cross-database references are not implemented")
    schema = node.args.get("db")
    return QualifiedName(None if schema is None else identifier(schema), identifier(node.this))


def _table(queries: QueryLowering, scope: Scope, node: exp.Table) -> tuple[Operator, Source]:
    only(node, "this", "db", "catalog", "alias", "joins")
    name = table_name(node)
    alias_node = node.args.get("alias")
    alias = name.name if alias_node is None else identifier(alias_node)
    names = column_aliases(alias_node)
    if name.schema is None and name.name in queries.ctes:
        return derived(queries.ctes[name.name], alias, names, scope.width)
    relation = queries.relation(name.schema, name.name)
    schema = relation.schema if alias_node is None else None
    if isinstance(relation, Relation):
        source = relation_source(relation, alias, scope.width, schema)
        operator: Operator = Scan(relation)
    else:
        columns = tuple(
            ScopeColumn(column.name, column.type, scope.width + index, hidden=index >= len(relation.columns))
            for index, column in enumerate((*relation.columns, *relation.hidden))
        )
        source, operator = Source(alias, columns, scope.width, len(columns), schema), SystemScan(relation)
    if names:
        shown = [column for column in source.columns if not column.hidden]
        if len(names) > len(shown):
            raise InvalidColumnReference(
                f'table "{alias}" has {len(shown)} columns available but {len(names)} columns specified'
            )
        renamed = [replace(column, name=name) for column, name in zip(shown, names, strict=False)]
        source = replace(source, columns=(*renamed, *source.columns[len(renamed):]))
    return operator, source


def relation_source(relation: Relation, alias: str, start: int, schema: str | None) -> Source:
    """A stored relation as a FROM item, its ctid hidden from ``*``."""
    columns = tuple(
        ScopeColumn(column.name, column.type, start + index, relation.oid, index + 1)
        for index, column in enumerate(relation.columns)
    )
    ctid = ScopeColumn("ctid", TID, start + relation.ctid, relation.oid, -1, hidden=True)
    return Source(alias, (*columns, ctid), start, len(columns) + 1, schema)
