"""What one statement is made into: text for the engine, and the relations, parameters and functions it needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from rocklake_server.adhoc.emission import Emitter
from rocklake_server.adhoc.fragments import Fragment
from rocklake_server.catalog.view import TransactionView
from rocklake_server.plan.expressions import ColumnRef, Expr, OuterRef, ParameterTypes
from rocklake_server.plan.lowering.query import Output, QueryLowering
from rocklake_server.plan.rewriting import rewrite
from rocklake_server.plan.scope import Scope, Source
from rocklake_server.plan.system_relations import SystemRelation
from rocklake_server.schema.model import Relation
from rocklake_server.schema.types import ColumnType


@dataclass(slots=True, eq=False)
class Input:
    """One use of a relation: the columns that are read, and the conditions that its rows have to meet anyhow."""

    name: str
    relation: Relation | SystemRelation
    used: set[int] = field(default_factory=set)
    conditions: list[Expr] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Place:
    """One FROM item: its name in the text, where its columns begin in its scope's rows, and what it reads.

    ``optional``: a join may fill it with NULLs, so that WHERE says nothing about its rows.
    """

    alias: str
    source: Source
    scales: Sequence[int | None]
    input: Input | None = None
    optional: bool = False
    tells_presence: bool = False
    """There is a column that tells its rows from the NULLs of a join."""

    def holds(self, index: int) -> bool:
        return self.source.start <= index < self.source.start + self.source.width


@dataclass(frozen=True, slots=True)
class Column:
    """An output column and the scale that its numerics share."""

    output: Output
    scale: int | None = None

    @property
    def type(self) -> ColumnType:
        return self.output.type


@dataclass(frozen=True, slots=True)
class CommonTable:
    """A WITH query under its name in the text."""

    name: str
    columns: tuple[Column, ...]


@dataclass(slots=True)
class Statement:
    """Collects while a tree is rewritten. Names are numbered, so that no two scopes share one."""

    view: TransactionView
    lowering: QueryLowering
    out: Emitter = field(default_factory=Emitter)
    inputs: list[Input] = field(default_factory=list)
    places: dict[int, list[Place]] = field(default_factory=dict)
    common_tables: dict[str, CommonTable] = field(default_factory=dict)
    row_names: frozenset[str] = frozenset()
    """Names of FROM items whose rows may be wanted as values."""
    _numbers: dict[str, int] = field(default_factory=dict)

    @classmethod
    def over(cls, view: TransactionView, parameter_types: Sequence[ColumnType]) -> Statement:
        return cls(view, QueryLowering(view, (), ParameterTypes(parameter_types)))

    def name(self, letter: str) -> str:
        """A name that nothing else has."""
        number = self._numbers[letter] = self._numbers.get(letter, 0) + 1
        return f"{letter}{number}"

    def input(self, relation: Relation | SystemRelation) -> Input:
        made = Input(f"r{len(self.inputs) + 1}", relation)
        self.inputs.append(made)
        return made

    def add_place(self, scope: Scope, place: Place) -> None:
        scope.add(place.source)
        self.places.setdefault(scope.number, []).append(place)

    def place(self, scope_number: int, index: int) -> Place:
        """The FROM item that holds a column."""
        return next(place for place in self.places[scope_number] if place.holds(index))

    def fragment(self, kind: ColumnType, scope_number: int, index: int, name: str = "", table_oid: int = 0,
                 attnum: int = 0) -> Fragment:
        """The column at ``index`` of a scope's rows."""
        place = self.place(scope_number, index)
        position = index - place.source.start
        if place.input is not None:
            place.input.used.add(position)
        return Fragment(kind, index, name, table_oid, attnum, f"{place.alias}.c{position}", scope_number,
                        place.scales[position], frozenset({scope_number}))

    def resolved(self, node: Expr, scope: Scope) -> Expr:
        """``node`` with its references to columns, of ``scope`` or around it, as fragments."""
        if isinstance(node, OuterRef):
            return self.fragment(node.type, node.scope_number, node.index)

        def column(reference: ColumnRef) -> Expr:
            if isinstance(reference, Fragment):
                return reference
            return self.fragment(reference.type, scope.number, reference.index, reference.name, reference.table_oid,
                                 reference.attnum)

        return rewrite(node, column)
