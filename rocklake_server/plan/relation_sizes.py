"""pg_relation_size() and its sisters: the sizes are asked for before the statement's rows are made.

A size is what keys and values take in the store, without its own overhead and compression. Rows of a relation lie in
the order of its primary key, so that the key's index takes nothing beside them; a recorded index takes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from rocklake_server.catalog.view import Absent, RelationBytes, Row, TransactionView
from rocklake_server.limits import SCHEMAS_ENTERED_MAX
from rocklake_server.plan.casts import implicit
from rocklake_server.plan.expressions import Env, Expr, Getter, Prepared
from rocklake_server.plan.overloads import undefined_function
from rocklake_server.plan.system.indexes import find_index
from rocklake_server.plan.system.oids import CATALOGS
from rocklake_server.plan.system.relation import by_oid
from rocklake_server.plan.type_rules import OIDS
from rocklake_server.schema.types import BIGINT, REGCLASS, TEXT, UNKNOWN, Value

SIZE_FUNCTIONS = frozenset({"pg_relation_size", "pg_table_size", "pg_indexes_size", "pg_total_relation_size"})
_CATALOG_OIDS = frozenset(CATALOGS.values())


class _Sizes(NamedTuple):
    """Sizes by OID, schemas by the OIDs of relations that nobody has looked at yet, and the other schemas."""

    known: dict[Value, int]
    absent: dict[Value, str]
    entered: set[str]

    def asks_for(self, oid: Value) -> Absent:
        """A statement about few schemas opens no other ones, and one about many runs again only a few times."""
        wanted = {self.absent[oid]} if len(self.entered) <= SCHEMAS_ENTERED_MAX else set(self.absent.values())
        return Absent(wanted, entered=True)


@dataclass(frozen=True, slots=True, eq=False)
class RelationSize(Expr):
    """A relation's size in bytes; NULL for an OID of none. What it prepares reads no enclosing row."""

    function: str
    argument: Expr
    correlated: bool = field(default=False, init=False)

    @property
    def children(self) -> tuple[Expr, ...]:
        return (self.argument,)

    @property
    def static(self) -> bool:
        return False

    @property
    def subqueries(self) -> tuple[Prepared, ...]:
        return (*self.argument.subqueries, self)

    async def prepare(self, env: Env) -> None:
        """One relation if the argument names it for all rows, else each of the schemas that were looked at."""
        view, sizes = env.need().view, _Sizes({}, {}, set())
        relations = by_oid(view, {self.argument.value(env)}) if self.argument.constant else view.relations()
        for relation in relations:
            try:
                sizes.known[relation.oid] = self._of(await view.relation_bytes(relation))
                sizes.entered.add(relation.schema)
            except Absent:
                sizes.absent[relation.oid] = relation.schema
        env.results[id(self)] = sizes

    def _of(self, size: RelationBytes) -> int:
        if self.function == "pg_indexes_size":
            return size.indexes
        return size.rows + size.indexes if self.function == "pg_total_relation_size" else size.rows

    def getter(self, env: Env) -> Getter:
        sizes = env.results[id(self)]
        assert isinstance(sizes, _Sizes)
        argument = self.argument.bind(env)
        view = env.need().view

        def size(row: Row) -> Value:
            oid = argument(row)
            if oid in sizes.absent:
                raise sizes.asks_for(oid)
            found: Value = sizes.known.get(oid)
            return 0 if found is None and _is_without_rows(view, oid) else found

        return size


def _is_without_rows(view: TransactionView, oid: Value) -> bool:
    """Whether it is there and takes no room of its own: indexes, and the system catalogs, which are computed."""
    return oid in _CATALOG_OIDS or (isinstance(oid, int) and find_index(view, oid) is not None)


def size_call(name: str, arguments: Sequence[Expr]) -> Expr:
    """Raises UndefinedFunction. The fork that pg_relation_size() may name makes no difference: there is one."""
    fits = 1 <= len(arguments) <= (2 if name == "pg_relation_size" else 1)
    if not fits or (arguments[0].type.oid not in OIDS and arguments[0].type.oid != UNKNOWN.oid):
        raise undefined_function(name, arguments)
    if len(arguments) == 2:
        implicit(arguments[1], TEXT)
    return RelationSize(BIGINT, name, implicit(arguments[0], REGCLASS))
