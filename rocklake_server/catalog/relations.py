"""Which relations a lake has: an immutable set of definitions. What DDL makes of one is in ``schema.relations``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import count

from rocklake_server.catalog.view import Row
from rocklake_server.schema.model import Relation

_versions = count(1)


def next_version() -> int:
    """A number that no other state of definitions in this process has."""
    return next(_versions)


OID_FIRST = 16_384
"""PostgreSQL's first OID for user objects."""

SCHEMAS_MAX = 1024
"""Schemas of one database that OIDs keep apart."""

TEMPORARY_SLOT = SCHEMAS_MAX - 1
"""That of every session's temporary tables."""


def relation_oid(relation_id: int, slot: int) -> int:
    """The OID of a relation: distinct for all relations of a database. Id 0 stands for the schema itself."""
    return OID_FIRST + relation_id * SCHEMAS_MAX + slot


def relation_of(oid: int) -> tuple[int, int]:
    """The relation id and the slot that an OID is made of."""
    return divmod(oid - OID_FIRST, SCHEMAS_MAX)


@dataclass(frozen=True)
class Relations:
    """An immutable set of relations. ``version`` differs between any two sets that are not the same object."""

    by_name: Mapping[str, Relation] = field(default_factory=dict)
    by_id: Mapping[int, Relation] = field(default_factory=dict)
    version: int = field(default_factory=next_version)

    @classmethod
    def of(cls, relations: Iterable[Relation]) -> Relations:
        found = list(relations)
        return cls({r.name: r for r in found}, {r.relation_id: r for r in found})

    def with_relation(self, relation: Relation) -> Relations:
        """The set with ``relation`` added, or put in place of the one with its id."""
        return Relations.of([*(r for r in self.by_id.values() if r.relation_id != relation.relation_id), relation])

    def without(self, relation: Relation) -> Relations:
        return Relations.of(r for r in self.by_id.values() if r.relation_id != relation.relation_id)


def row_transform(old: Relation, new: Relation) -> Callable[[Row], Row]:
    """Rows of ``old`` as rows of ``new``: columns matched by field number, new ones read their default."""
    position = {column.number: index for index, column in enumerate(old.columns)}
    plan = [(position.get(column.number), column.default) for column in new.columns]

    def transform(row: Row) -> Row:
        return (*(default if index is None else row[index] for index, default in plan), row[-1])

    return transform
