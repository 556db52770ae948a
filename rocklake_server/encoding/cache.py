"""A cache for what is compiled from a relation, by identity: hashing a relation's columns is slow."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from rocklake_server.schema.model import Relation

T = TypeVar("T")

ENTRIES_MAX = 16_384
"""Relations whose compiled codecs are kept; past it all are dropped and compiled anew on use."""


def per_relation(build: Callable[[Relation], T]) -> Callable[[Relation], T]:
    """Cache ``build`` by the relation object. The cache holds the relation, so that its id stays its own."""
    entries: dict[int, tuple[Relation, T]] = {}

    def find(relation: Relation) -> T:
        entry = entries.get(id(relation))
        if entry is not None:
            return entry[1]
        if len(entries) >= ENTRIES_MAX:
            entries.clear()
        built = build(relation)
        entries[id(relation)] = (relation, built)
        return built

    return find
