"""Rewritings of a statement that mean the same and need its tree: table aliases, and columns in another order."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sqlglot import exp

from rocklake_server.sql.parse import parse_statement, parse_tree
from rocklake_server.sql.split import split_statements
from rocklake_server.sql.statements import CopyOut, Query, QueryKind

ALIAS = "x"
Columns = Callable[[exp.Table], list[str]]
"""The column names of a table, in their order."""


def rewritten(text: str, columns: Columns) -> Mapping[str, str]:
    """The rewritings that apply to a text of one statement, by name."""
    statements = split_statements(text)
    if len(statements) != 1:
        return {}
    statement = parse_statement(statements[0])
    before, query, after = "", statement, ""
    if isinstance(statement, CopyOut):
        if statement.query is None:
            return {}
        query = statement.query
        before = text[: query.offset]
        after = text[query.offset + len(query.text) :]
    if not isinstance(query, Query) or query.kind is QueryKind.DDL:
        return {}
    found: dict[str, str] = {}
    for name, change in (("aliases", _aliased), ("order", lambda tree: _reordered(tree, columns))):
        tree = parse_tree(query.text).copy()
        if change(tree):
            found[name] = before + tree.sql("postgres") + after
    return found


def _aliased(tree: exp.Expr) -> bool:
    """Give the one table of each plain SELECT, UPDATE or DELETE an alias, and its columns that qualifier."""
    changed = False
    for query in list(tree.find_all(exp.Select, exp.Update, exp.Delete)):
        table = _only_table(query)
        if table is None or table.alias:
            continue
        table.set("alias", exp.TableAlias(this=exp.to_identifier(ALIAS)))
        for column in query.find_all(exp.Column):
            if column.find_ancestor(exp.Select, exp.Update, exp.Delete) is query and not _is_target(column):
                column.set("table", exp.to_identifier(ALIAS))
        changed = True
    return changed


def _only_table(query: exp.Expr) -> exp.Table | None:
    if query.args.get("joins") or query.args.get("with_") or query.args.get("with"):
        return None
    source = query.args.get("from_") or query.args.get("from")
    if isinstance(query, exp.Select):
        table = source.this if source is not None else None
    else:
        table = None if source is not None else query.this
    return table if isinstance(table, exp.Table) else None


def _is_target(column: exp.Column) -> bool:
    """Whether the column is what SET assigns to, where no qualifier may stand."""
    assignment = column.parent
    return isinstance(assignment, exp.EQ) and isinstance(assignment.parent, exp.Update) and assignment.this is column


def _reordered(tree: exp.Expr, columns: Columns) -> bool:
    """Turn round the columns of a SELECT's result, or of an INSERT's rows."""
    if isinstance(tree, exp.Select) and len(tree.expressions) > 1:
        order = tree.args.get("order")
        if order is not None and any(isinstance(key.this, exp.Literal) for key in order.expressions):
            return False
        tree.set("expressions", list(reversed(tree.expressions)))
        return True
    if isinstance(tree, exp.Insert) and isinstance(tree.this, exp.Table) and isinstance(tree.expression, exp.Values):
        rows = tree.expression.expressions
        names = columns(tree.this)[: len(rows[0].expressions)]
        for row in rows:
            row.set("expressions", list(reversed(row.expressions)))
        wanted = [exp.to_identifier(name, quoted=True) for name in reversed(names)]
        tree.set("this", exp.Schema(this=tree.this, expressions=wanted))
        return True
    return False
