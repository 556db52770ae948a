"""A system relation: its columns as PostgreSQL 15 declares them, and its rows computed from a transaction's
view.

Three kinds are built here: rows that follow from each relation of the lake on its own, rows that follow
from the view as a whole, and rows that never change. Computed rows are kept per definitions version, so
asking again returns the same tuple object.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from rocklake_server.catalog.view import TransactionView
from rocklake_server.plan.system.oids import (
    CATALOGS,
    TEMPORARY_SCHEMA,
    TEMPORARY_SCHEMA_NAME,
    namespace_of,
    namespaces,
    own_oid_of,
)
from rocklake_server.schema.model import Relation, RelationColumn
from rocklake_server.schema.types import ALL_TYPES, OID, TEXT, Value, array_of

if TYPE_CHECKING:
    from rocklake_server.plan.model import Context

SystemRow: TypeAlias = tuple[Value, ...]
SystemRows: TypeAlias = tuple[SystemRow, ...]
Lookup: TypeAlias = Callable[[TransactionView, Collection[Value]], Sequence[Relation]]
Narrowed: TypeAlias = Callable[[TransactionView, Collection[Value]], SystemRows]

CACHED_RESULTS_MAX = 256
"""Row sets kept, of all system relations and definitions versions together."""

CACHED_ROWS_MAX = 1_000_000
"""Rows in the kept row sets; the newest set stays whatever its size."""

CACHED_RELATIONS_MAX = 65_536
"""Row groups of single relations that are kept for the next definitions version."""

_STAND_INS = {
    "pg_node_tree": TEXT, "anyarray": TEXT, "pg_lsn": TEXT, "_aclitem": array_of(TEXT), "inet": TEXT,
    "regnamespace": OID, "xid8": TEXT, "pg_ndistinct": TEXT, "pg_dependencies": TEXT, "pg_mcv_list": TEXT,
    "_pg_statistic": array_of(TEXT),
}
_TYPES = {column_type.typname: column_type for column_type in ALL_TYPES} | _STAND_INS


@dataclass(frozen=True, slots=True)
class SystemRelation:
    """One relation of pg_catalog, information_schema or the server's own schema.

    ``rows`` returns the values of ``columns``, then those of ``hidden`` (system columns that a query
    must name). It returns the same rows as long as ``definitions_key`` of the view is the same. What changes otherwise
    comes from ``live``. ``narrowed`` has, by column, the rows that may have one of some values there, without looking
    at the relations of other schemas.
    """

    schema: str
    name: str
    columns: tuple[RelationColumn, ...]
    rows: Callable[[TransactionView], Sequence[SystemRow]]
    hidden: tuple[RelationColumn, ...] = ()
    live: Callable[[Context], Sequence[SystemRow]] | None = None
    narrowed: Mapping[int, Narrowed] = field(default_factory=dict)

    def content(self, context: Context) -> Sequence[SystemRow]:
        """The rows for one execution."""
        return self.rows(context.view) if self.live is None else self.live(context)


def definitions_key(view: TransactionView) -> Hashable:
    """What the rows of every system relation follow from."""
    return (
        view.database, view.definitions_version, tuple(view.schemas()), view.access.roles.version,
        view.lists_system_relations,
    )  # fmt: skip


class Scope(NamedTuple):
    """Where a relation stands: the database's name, and the OID and name of its namespace."""

    database: str
    namespace: int
    schema: str


def columns(declaration: str) -> tuple[RelationColumn, ...]:
    """The columns of a declaration ``name typname, ...``, with the type names of pg_type.

    A type that the server does not have is replaced by the one that carries the same values: expression
    trees, log and network positions by text, access control lists by arrays of text.
    """
    pairs = [item.split() for item in declaration.split(",")]
    return tuple(
        RelationColumn(name, _TYPES[typname], number) for number, (name, typname) in enumerate(pairs, 1)
    )


DECLARED: dict[tuple[str, str], tuple[RelationColumn, ...]] = {}
"""The columns of every system relation, by schema and name."""


def declared(schema: str, name: str, declaration: str) -> tuple[RelationColumn, ...]:
    """The columns of a declaration, noted as those of that relation."""
    found = DECLARED[schema, name] = columns(declaration)
    return found


class _RowCache:
    """Row sets by key, oldest out first. Holds definitions versions and rows, never a view. Event loop
    only."""

    def __init__(self) -> None:
        self._results: dict[Hashable, SystemRows] = {}
        self._row_count = 0

    def get(self, key: Hashable) -> SystemRows | None:
        return self._results.get(key)

    def put(self, key: Hashable, rows: SystemRows) -> None:
        self._results[key] = rows
        self._row_count += len(rows)
        while len(self._results) > CACHED_RESULTS_MAX or self._row_count > CACHED_ROWS_MAX:
            if len(self._results) == 1:
                return
            oldest = next(iter(self._results))
            self._row_count -= len(self._results.pop(oldest))


_results = _RowCache()
_groups: dict[tuple[str, int, Scope], tuple[Relation, SystemRows]] = {}


def _group(name: str, relation: Relation, scope: Scope,
           build: Callable[[Relation, Scope], SystemRows]) -> SystemRows:
    """The rows of one relation. They are found by the relation's identity, which the entry keeps alive."""
    key = (name, id(relation), scope)
    found = _groups.get(key)
    if found is not None:
        return found[1]
    rows = build(relation, scope)
    if len(_groups) >= CACHED_RELATIONS_MAX:
        del _groups[next(iter(_groups))]
    _groups[key] = relation, rows
    return rows


def from_view(schema: str, name: str, declaration: str,
              build: Callable[[TransactionView], SystemRows], **narrowed: Narrowed) -> SystemRelation:
    """A system relation whose rows depend on the database's name, its schemas and its relations. ``narrowed`` has, by
    column, the rows that may have some values there."""
    made = _made(schema, name, declaration, "", _cached(f"{schema}.{name}", lambda view: _owned(name, build(view))))

    def owned(some: Narrowed) -> Narrowed:
        return lambda view, values: _owned(name, some(view, values))

    return replace(made, narrowed={_position(made, column): owned(some) for column, some in narrowed.items()})


def from_each_relation(schema: str, name: str, declaration: str, build: Callable[[Relation, Scope], SystemRows],
                       hidden: str = "", system: Callable[[], SystemRows] = tuple, **lookups: Lookup) -> SystemRelation:
    """A system relation that holds some rows for each relation of the lake, and those of ``system`` where the system
    relations are listed. ``lookups`` say, by column, which relations may have rows with some values there."""
    full_name = f"{schema}.{name}"

    def rows_of(view: TransactionView, relations: Iterable[Relation]) -> SystemRows:
        oids = namespaces(view)
        collected: list[SystemRow] = []
        for relation in relations:
            namespace, schema_name = namespace_of(relation, oids)
            collected += _group(full_name, relation, Scope(view.database, namespace, schema_name), owned)
        return tuple(collected)

    def owned(relation: Relation, scope: Scope) -> SystemRows:
        return _owned(name, build(relation, scope))

    def narrowed(lookup: Lookup, position: int) -> Narrowed:
        def found(view: TransactionView, values: Collection[Value]) -> SystemRows:
            rows = rows_of(view, lookup(view, values))
            if view.lists_system_relations:
                rows += _owned(name, tuple(row for row in system() if row[position] in values))
            return rows

        return found

    def every(view: TransactionView) -> SystemRows:
        rows = rows_of(view, view.relations())
        return rows + _owned(name, system()) if view.lists_system_relations else rows

    made = _made(schema, name, declaration, hidden, _cached(full_name, every))
    places = {_position(made, column): lookup for column, lookup in lookups.items()}
    return replace(made, narrowed={place: narrowed(lookup, place) for place, lookup in places.items()})


def _position(relation: SystemRelation, column: str) -> int:
    return next(position for position, found in enumerate(relation.columns) if found.name == column)


def by_oid(view: TransactionView, values: Collection[Value]) -> list[Relation]:
    """The relations with these OIDs, or that have an index or a constraint with one of them."""
    oids = sorted({value for value in values if isinstance(value, int)})
    found = [view.relation_of_oid(own_oid_of(oid)) or view.owner_of_index(oid) for oid in oids]
    return list({relation.oid: relation for relation in found if relation is not None}.values())


def by_namespace(view: TransactionView, values: Collection[Value]) -> Sequence[Relation]:
    """The relations of schemas with these OIDs."""
    names = {name for oid, name in view.schemas() if oid in values}
    return view.relations_of({*names, *([TEMPORARY_SCHEMA_NAME] if TEMPORARY_SCHEMA in values else ())})


def by_schema(view: TransactionView, values: Collection[Value]) -> Sequence[Relation]:
    """The relations of schemas with these names."""
    return view.relations_of({value for value in values if isinstance(value, str)})


def constant(schema: str, name: str, declaration: str, rows: SystemRows = ()) -> SystemRelation:
    """A system relation whose rows are the same everywhere; without rows: one for what a lake never has."""
    owned = _owned(name, rows)
    return _made(schema, name, declaration, "", lambda _: owned)


def _owned(name: str, rows: SystemRows) -> SystemRows:
    """The rows with the OID of their relation at their end, which is its ``tableoid``."""
    oid = CATALOGS.get(name)
    return rows if oid is None else tuple((*row, oid) for row in rows)


def _made(schema: str, name: str, declaration: str, hidden: str,
          rows: Callable[[TransactionView], SystemRows]) -> SystemRelation:
    own = [hidden, "tableoid oid"] if name in CATALOGS else [hidden]
    named = ",".join(part for part in own if part)
    return SystemRelation(schema, name, declared(schema, name, declaration), rows, columns(named) if named else ())


def live(schema: str, name: str, declaration: str, rows: Callable[[Context], Sequence[SystemRow]]) -> SystemRelation:
    """A system relation about the running server, whose rows are made anew for each execution."""
    return SystemRelation(schema, name, declared(schema, name, declaration), lambda _: (), live=rows)


def _cached(name: str,
            build: Callable[[TransactionView], SystemRows]) -> Callable[[TransactionView], SystemRows]:
    def rows(view: TransactionView) -> SystemRows:
        key = (name, definitions_key(view))
        found = _results.get(key)
        if found is None:
            found = build(view)
            _results.put(key, found)
        return found

    return rows
