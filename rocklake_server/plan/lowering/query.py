"""What a query is lowered to, and the state shared while one statement is lowered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sqlglot import exp

from rocklake_server.catalog.view import TransactionView
from rocklake_server.errors import DuplicateAlias, InvalidColumnReference, Unsupported
from rocklake_server.plan.casts import implicit, read_untyped
from rocklake_server.plan.comparisons import order_key
from rocklake_server.plan.compiler import Compiler
from rocklake_server.plan.conditions import InList
from rocklake_server.plan.dispatch import lowering_of, only
from rocklake_server.plan.expressions import ColumnRef, Env, Expr, Getter, ParameterTypes, Slot
from rocklake_server.plan.naming import identifier
from rocklake_server.plan.operators import Operator, Project
from rocklake_server.plan.relation_names import find_relation
from rocklake_server.plan.scope import Scope
from rocklake_server.plan.system_relations import SystemRelation
from rocklake_server.schema.model import Relation
from rocklake_server.schema.types import BIGINT, INTEGER, TEXT, UNKNOWN, ColumnType, Value
from rocklake_server.sql.template import Slot as TemplateSlot
from rocklake_server.sql.template import TemplateUnfit, slot_of


@dataclass(frozen=True, slots=True)
class Output:
    """One column of a query; the last two say which stored column it is."""

    name: str
    type: ColumnType
    table_oid: int = 0
    attnum: int = 0


@dataclass(frozen=True, slots=True)
class Lowered:
    """A query's operator and columns. ``correlated``: the numbers of the scopes whose current rows it reads."""

    operator: Operator
    outputs: tuple[Output, ...]
    correlated: frozenset[int] = frozenset()

    def converted(self, kinds: Sequence[ColumnType]) -> Lowered:
        """The same query with its columns implicitly converted."""
        outputs = tuple(replace(output, type=kind) for output, kind in zip(self.outputs, kinds, strict=True))
        if all(output.type == kind for output, kind in zip(self.outputs, kinds, strict=True)):
            return self
        if isinstance(self.operator, Project):
            expressions = tuple(
                implicit(node, kind) for node, kind in zip(self.operator.expressions, kinds, strict=True)
            )
            return replace(self, operator=replace(self.operator, expressions=expressions), outputs=outputs)
        expressions = tuple(
            implicit(ColumnRef(output.type, index), kind)
            for index, (output, kind) in enumerate(zip(self.outputs, kinds, strict=True))
        )
        return replace(self, operator=Project(self.operator, expressions), outputs=outputs)

    def settled(self) -> Lowered:
        """The same query with untyped columns as text."""
        return self.converted([TEXT if output.type.oid == UNKNOWN.oid else output.type for output in self.outputs])

    def renamed(self, names: Sequence[str], alias: str) -> Lowered:
        """With the columns' names replaced from the left. Raises InvalidColumnReference."""
        if len(names) > len(self.outputs):
            raise InvalidColumnReference(
                f'table "{alias}" has {len(self.outputs)} columns available but {len(names)} columns specified'
            )
        renamed = tuple(replace(output, name=name) for output, name in zip(self.outputs, names, strict=False))
        return replace(self, outputs=renamed + self.outputs[len(names):])


@dataclass(frozen=True, slots=True)
class SlotList(InList):
    """``operand IN (list slot)``: the list is known when the plan is bound."""

    index: int = 0
    decode: Any = None

    def members(self, env: Env) -> frozenset[Value]:
        texts = env.slots[self.index]
        assert isinstance(texts, tuple)
        return frozenset(texts if self.decode is None else map(self.decode, texts))

    def getter(self, env: Env) -> Getter:
        operand, members = self.operand.bind(env), self.members(env)
        return lambda row: None if (value := operand(row)) is None else value in members


@dataclass(slots=True)
class QueryLowering:
    """``slot_types`` are the types of the template's literals; ``relations`` collects what the plan depends on.
    ``per_row``: something in FROM runs for each row of what stands before it, or makes rows itself.
    ``constant_series``: a generate_series between constants is run here, and not left to the embedded engine."""

    view: TransactionView
    slot_types: Sequence[ColumnType] = ()
    parameter_types: ParameterTypes = field(default_factory=ParameterTypes)
    ctes: dict[str, Lowered] = field(default_factory=dict)
    relations: list[tuple[str | None, str, Relation]] = field(default_factory=list)
    systems: list[SystemRelation] = field(default_factory=list)
    contextual: bool = False
    per_row: bool = False
    constant_series: bool = False

    def lower(self, node: exp.Expr, parent: Scope | None = None) -> Lowered:
        """Lower a query; ``parent`` is the scope of the query it is nested in."""
        return lowering_of(node)(self, (node, parent))

    def subquery(self, node: exp.Expr, scope: Scope) -> Lowered:
        return self.lower(node, scope)

    def compiler(self, scope: Scope, clause: str) -> Compiler:
        return Compiler(self, scope, clause)

    def relation(self, schema: str | None, name: str) -> Relation | SystemRelation:
        """The relation of that name, recorded as used. Raises UndefinedTable."""
        found = find_relation(self.view, schema, name)
        if isinstance(found, Relation):
            self.relations.append((schema, name, found))
        else:
            self.systems.append(found)
        return found

    def define(self, clause: exp.With | None, parent: Scope | None = None) -> dict[str, Lowered]:
        """Add a WITH clause's queries to those in reach; returns what was in reach before."""
        before = self.ctes
        if clause is None:
            return before
        only(clause, "expressions")
        defined: set[str] = set()
        for cte in clause.expressions:
            only(cte, "this", "alias")
            name = identifier(cte.args["alias"])
            if name in defined:
                raise DuplicateAlias(f'WITH query name "{name}" specified more than once')
            defined.add(name)
            columns = [identifier(column) for column in cte.args["alias"].args.get("columns") or ()]
            lowered = self.lower(cte.this, parent).settled().renamed(columns, name)
            if lowered.correlated:
                raise Unsupported("a WITH query that refers to the outer query is not supported")
            self.ctes = {**self.ctes, name: lowered}
        return before

    def slot_list(self, operand: Expr, slot: TemplateSlot) -> Expr:
        """``operand IN (?)`` over a list slot. Raises TemplateUnfit when a membership test does not fit."""
        kind = operand.type
        listed = self.slot_types[slot.index]
        if kind.oid == UNKNOWN.oid or order_key(kind) is not None:
            raise TemplateUnfit
        if listed.oid == UNKNOWN.oid:
            typed = read_untyped(Slot(UNKNOWN, slot.index), kind)
            decode = getattr(typed, "function", None)
            if decode is None or not typed.static:
                raise TemplateUnfit
            return SlotList(operand=operand, items=(Slot(kind, slot.index),), index=slot.index, decode=decode)
        if kind.oid in (BIGINT.oid, INTEGER.oid) and listed.oid in (BIGINT.oid, INTEGER.oid):
            return SlotList(operand=operand, items=(Slot(kind, slot.index),), index=slot.index)
        raise TemplateUnfit


def refuse_slot(node: exp.Expr) -> None:
    """A literal in a place where its value changes the statement's meaning cannot be a slot."""
    if isinstance(node, exp.Placeholder) and slot_of(node) is not None:
        raise TemplateUnfit


def refuse_slots_in(node: exp.Expr) -> None:
    """As ``refuse_slot``, for every literal in an expression that is compared with another one."""
    for part in node.find_all(exp.Placeholder):
        refuse_slot(part)
