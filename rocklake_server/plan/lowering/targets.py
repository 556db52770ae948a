"""What INSERT, UPDATE and DELETE write to: the relation, its columns by name, and their defaults."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from rocklake_server.catalog.view import TransactionView
from rocklake_server.errors import DuplicateColumn, InsufficientPrivilege, SyntaxProblem, UndefinedColumn
from rocklake_server.plan.dispatch import only
from rocklake_server.plan.lowering.from_items import table_name
from rocklake_server.plan.lowering.query import QueryLowering
from rocklake_server.plan.naming import identifier
from rocklake_server.plan.relation_names import find_relation
from rocklake_server.schema.model import Relation, RelationKind
from rocklake_server.sql.names import QualifiedName


def writable(view: TransactionView, name: QualifiedName) -> Relation:
    """The stored relation of that name. Raises UndefinedTable, and 42501 for a system relation."""
    found = find_relation(view, name.schema, name.name)
    if not isinstance(found, Relation):
        raise InsufficientPrivilege(f'permission denied: "{found.name}" is a system catalog')
    return found


def target_of(queries: QueryLowering, node: exp.Expr) -> tuple[Relation, str]:
    """(relation, alias) of a statement's target table."""
    only(node, "this", "db", "catalog", "alias")
    if not isinstance(node, exp.Table):
        raise SyntaxProblem("syntax error: the name of a table was expected")
    name = table_name(node)
    relation = writable(queries.view, name)
    queries.relations.append((name.schema, name.name, relation))
    alias = node.args.get("alias")
    return relation, relation.name if alias is None else identifier(alias)


def column_index(relation: Relation, name: str) -> int:
    """Raises UndefinedColumn."""
    index = relation.index.get(name)
    if index is None:
        raise UndefinedColumn(f'column "{name}" of relation "{relation.name}" does not exist')
    return index


def column_indexes(relation: Relation, names: Sequence[str] | None) -> tuple[int, ...]:
    """The columns that an INSERT or COPY fills, in its order. Raises UndefinedColumn, DuplicateColumn."""
    if names is None:
        return tuple(range(len(relation.columns)))
    indexes = tuple(column_index(relation, name) for name in names)
    for position, index in enumerate(indexes):
        if index in indexes[:position]:
            raise DuplicateColumn(f'column "{relation.columns[index].name}" specified more than once')
    return indexes


def writes_to(relation: Relation) -> bool:
    """Whether a write to it is one that READ ONLY refuses."""
    return relation.kind is not RelationKind.TEMPORARY
