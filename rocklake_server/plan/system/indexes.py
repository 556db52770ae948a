"""The indexes of a relation as the catalogs list them: that of its primary key, and those that CREATE INDEX
recorded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from rocklake_server.catalog.view import TransactionView
from rocklake_server.plan.system import oids
from rocklake_server.plan.system.identifiers import quote_identifier
from rocklake_server.schema.model import Relation, RelationColumn

SEARCHED = (oids.TEMPORARY_SCHEMA_NAME, "public")
"""The search path, but for pg_catalog, which has no index of ours."""

_DESCENDING, _NULLS_FIRST = 1, 2
"""Bits of pg_index.indoption."""


@dataclass(frozen=True, slots=True)
class IndexFacts:
    """``positions`` are those of the columns in the relation, ``options`` as in pg_index.indoption."""

    oid: int
    name: str
    positions: tuple[int, ...]
    options: tuple[int, ...]
    primary: bool
    comment: str | None

    def columns(self, relation: Relation) -> list[RelationColumn]:
        return [relation.columns[position] for position in self.positions]

    def key(self, relation: Relation) -> list[str]:
        """The columns as CREATE INDEX states them."""
        return [
            quote_identifier(column.name) + _spelled(option)
            for column, option in zip(self.columns(relation), self.options, strict=True)
        ]

    def definition(self, relation: Relation, table: str) -> str:
        """``CREATE INDEX``, with ``table`` as its name is spelled there."""
        unique = "UNIQUE " if self.primary else ""
        key = ", ".join(self.key(relation))
        return f"CREATE {unique}INDEX {quote_identifier(self.name)} ON {table} USING btree ({key})"


def _spelled(option: int) -> str:
    if option & _DESCENDING:
        return " DESC" if option & _NULLS_FIRST else " DESC NULLS LAST"
    return " NULLS FIRST" if option & _NULLS_FIRST else ""


def indexes_of(relation: Relation) -> Iterator[IndexFacts]:
    """In the order in which they were made."""
    key = relation.primary_key
    if key:
        yield IndexFacts(oids.index_oid(relation), relation.key_name, key, (0,) * len(key), True, relation.key_comment)
    place = {column.number: position for position, column in enumerate(relation.columns)}
    for index in relation.indexes:
        yield IndexFacts(
            index.oid, index.name, tuple(place[each.number] for each in index.keys),
            tuple(_DESCENDING * each.descending | _NULLS_FIRST * each.nulls_first for each in index.keys), False,
            index.comment,
        )


def find_index(view: TransactionView, oid: int) -> tuple[Relation, IndexFacts] | None:
    """The index of that OID, and its relation."""
    relation = view.relation_of_oid(oids.own_oid_of(oid)) or view.owner_of_index(oid)
    if relation is None:
        return None
    return next(((relation, index) for index in indexes_of(relation) if index.oid == oid), None)


def named_index(view: TransactionView, schema: str | None, name: str) -> tuple[Relation, IndexFacts] | None:
    """The index of that name, and its relation; without a schema: as the search path finds it."""
    for searched in SEARCHED if schema is None else (schema,):
        for relation in view.relations_of({searched}):
            for index in indexes_of(relation):
                if index.name == name:
                    return relation, index
    return None


def qualified_name(relation: Relation, schemas: Mapping[str, str] | None = None) -> str:
    """The relation's name with its schema's, which ``schemas`` may rename."""
    schema = (schemas or {}).get(relation.schema, relation.schema)
    return f"{quote_identifier(schema)}.{quote_identifier(relation.name)}"
