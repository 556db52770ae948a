"""The clause ON CONFLICT of an INSERT: which key it means, and what becomes of a row whose key is taken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from rocklake_server.errors import InvalidColumnReference, SyntaxProblem, UndefinedObject, Unsupported
from rocklake_server.plan.dispatch import label, only
from rocklake_server.plan.expressions import ColumnRef
from rocklake_server.plan.lowering.assignments import assignments_of
from rocklake_server.plan.lowering.from_items import relation_source
from rocklake_server.plan.lowering.query import QueryLowering
from rocklake_server.plan.lowering.select import where_conditions
from rocklake_server.plan.naming import identifier
from rocklake_server.plan.scope import Scope
from rocklake_server.plan.upserts import OnTaken
from rocklake_server.schema.model import Relation

PROPOSED = "excluded"
"""The alias of the row that could not be inserted."""


def lower_conflict(queries: QueryLowering, relation: Relation, alias: str, node: exp.OnConflict) -> OnTaken | None:
    """``None`` when nothing can be taken, because the relation has no primary key.

    Raises InvalidColumnReference when the clause names other columns than the primary key's.
    """
    only(node, "action", "conflict_keys", "constraint", "expressions", "where")
    action = node.args["action"].name.upper()
    scope = Scope()
    held = relation_source(relation, alias, 0, relation.schema if alias == relation.name else None)
    scope.add(held)
    named = _check_target(relation, scope, node)
    if action == "DO NOTHING":
        return OnTaken(None) if relation.primary_key else None
    if action != "DO UPDATE":
        raise Unsupported(f"INSERT with {action} is not supported")
    if not named:
        raise SyntaxProblem("DO UPDATE requires inference specification or constraint name")
    proposed = relation_source(relation, PROPOSED, held.width, None)
    scope.add(replace(proposed, columns=proposed.columns[:-1], width=proposed.width - 1))
    compiler = queries.compiler(scope, "UPDATE")
    assignments = assignments_of(compiler, relation, node.expressions)
    return OnTaken(assignments, tuple(where_conditions(compiler, node.args.get("where"))))


def _check_target(relation: Relation, scope: Scope, node: exp.OnConflict) -> bool:
    """Whether the clause names its key."""
    constraint = node.args.get("constraint")
    if constraint is not None:
        name = identifier(constraint)
        if not relation.primary_key or name != f"{relation.name}_pkey":
            raise UndefinedObject(f'constraint "{name}" for table "{relation.name}" does not exist')
        return True
    keys = node.args.get("conflict_keys") or ()
    if keys and set(_columns(scope, keys)) != set(relation.primary_key):
        raise InvalidColumnReference("there is no constraint on exactly the columns that the INSERT names as its key")
    return bool(keys)


def _columns(scope: Scope, keys: Sequence[exp.Expr]) -> list[int]:
    found: list[int] = []
    for key in keys:
        column = key
        if isinstance(key, exp.Ordered):
            only(key, "this")
            column = key.this
        if not isinstance(column, exp.Column):
            raise Unsupported(f"{label(column)} as the key of an INSERT is not supported")
        only(column, "this")
        reference = scope.resolve(identifier(column.this))
        if not isinstance(reference, ColumnRef):
            raise InvalidColumnReference("the key of an INSERT must be columns of its table")
        found.append(reference.index)
    return found
