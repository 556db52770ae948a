"""Which relations a lake has: an immutable set of definitions. What DDL makes of one is in ``schema.relations`` and
``schema.annotations``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
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


def index_oid(index_id: int, relation: Relation) -> int:
    """The OID of an index of ``relation``, in the same slot."""
    return relation.oid + (index_id - relation.relation_id) * SCHEMAS_MAX


def relation_of(oid: int) -> tuple[int, int]:
    """The relation id and the slot that an OID is made of."""
    return divmod(oid - OID_FIRST, SCHEMAS_MAX)


@dataclass(frozen=True)
class Relations:
    """An immutable set of relations. ``comments`` are those of the lake itself, by the name of their system key.
    ``version`` differs between any two sets that are not the same object."""

    by_name: Mapping[str, Relation] = field(default_factory=dict)
    by_id: Mapping[int, Relation] = field(default_factory=dict)
    comments: Mapping[str, str] = field(default_factory=dict)
    version: int = field(default_factory=next_version)

    @classmethod
    def of(cls, relations: Iterable[Relation], comments: Mapping[str, str]) -> Relations:
        found = list(relations)
        return cls({r.name: r for r in found}, {r.relation_id: r for r in found}, comments)

    def with_relation(self, relation: Relation) -> Relations:
        """The set with ``relation`` added, or put in place of the one with its id."""
        by_name, before = dict(self.by_name), self.by_id.get(relation.relation_id)
        if before is not None and by_name.get(before.name) is before:
            del by_name[before.name]
        by_name[relation.name] = relation
        return Relations(by_name, {**self.by_id, relation.relation_id: relation}, self.comments)

    def without(self, relation: Relation) -> Relations:
        return Relations.of((r for r in self.by_id.values() if r.relation_id != relation.relation_id), self.comments)

    def with_comments(self, comments: Mapping[str, str]) -> Relations:
        return Relations.of(self.by_id.values(), {**self.comments, **comments})

    @cached_property
    def by_index_name(self) -> Mapping[str, Relation]:
        """The relation that has the index of that name, primary keys' included."""
        found = {index.name: relation for relation in self.by_id.values() for index in relation.indexes}
        return found | {relation.key_name: relation for relation in self.by_id.values() if relation.primary_key}


def row_transform(old: Relation, new: Relation) -> Callable[[Row], Row]:
    """Rows of ``old`` as rows of ``new``: columns matched by field number, new ones read their default."""
    position = {column.number: index for index, column in enumerate(old.columns)}
    plan = [(position.get(column.number), column.default) for column in new.columns]

    def transform(row: Row) -> Row:
        return (*(default if index is None else row[index] for index, default in plan), row[-1])

    return transform
