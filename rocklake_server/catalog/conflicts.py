"""First committer wins: what others committed against what a transaction has staged."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from rocklake_server.catalog.image import Changes, Partition
from rocklake_server.catalog.staged import Entry, Staged
from rocklake_server.errors import SerializationFailure
from rocklake_server.schema.model import Relation

Committed = Mapping[int, Mapping[Partition, Changes]]
"""What one commit changed, by relation id and partition."""


def require_rows_unchanged(committed: Iterable[Committed], staged: Mapping[int, Staged]) -> None:
    """Raises SerializationFailure when a commit changed a row that is staged to be changed. Staged new rows do not
    count: under a key that is taken by now they get a tie-breaker or fail as duplicates."""
    for entry, removed in _met(committed, staged):
        if entry.base is not None:
            raise _failure(removed=removed)


def require_keys_unchanged(committed: Iterable[Committed], staged: Mapping[int, Staged]) -> None:
    """Raises SerializationFailure when a commit changed what is stored under any staged key, so that the staged
    changes can be laid over the newest root as they are."""
    for _, removed in _met(committed, staged):
        raise _failure(removed=removed)


def require_relations_unchanged(committed: Iterable[Committed], dropped: Collection[Relation]) -> None:
    """Raises SerializationFailure when a commit changed rows of a relation that is dropped row by row."""
    emptied = {relation.relation_id for relation in dropped if has_declared_prefix(relation)}
    if emptied and any(not emptied.isdisjoint(changes) for changes in committed):
        raise SerializationFailure.update()


def has_declared_prefix(relation: Relation) -> bool:
    """Whether the rows live under a tag, which another relation may use once this one is dropped."""
    return len(relation.key_prefix) == 1


def _met(committed: Iterable[Committed], staged: Mapping[int, Staged]) -> Iterable[tuple[Entry, bool]]:
    """(staged entry, whether the commit removed the row) for each key that both changed."""
    for changes in committed:
        for relation_id in changes.keys() & staged.keys():
            entries = staged[relation_id].entries
            for rows in changes[relation_id].values():
                for key in rows.keys() & entries.keys():
                    yield entries[key], rows[key] is None


def _failure(*, removed: bool) -> SerializationFailure:
    return SerializationFailure.delete() if removed else SerializationFailure.update()
