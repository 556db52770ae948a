"""What was committed after a transaction took its root: by later commits, and by earlier members of its group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from rocklake_server.catalog.access import PrimaryKey
from rocklake_server.catalog.image import Changes, Partition
from rocklake_server.catalog.view import Row
from rocklake_server.store.base import Key


class Committed(Protocol):
    """One commit's changes, or those of a group as far as it has come. ``primaries`` tells of each primary key that
    a changed row has or had whether a row has it now."""

    @property
    def changes(self) -> Mapping[int, Mapping[Partition, Changes]]: ...

    @property
    def primaries(self) -> Mapping[int, Mapping[PrimaryKey, bool]]: ...


@dataclass(frozen=True, slots=True)
class Earlier:
    """``commits`` are in the order of time."""

    commits: Sequence[Committed]

    def touch(self, relation_id: int) -> bool:
        """Whether a row of the relation was changed."""
        return any(relation_id in commit.changes for commit in self.commits)

    def changed_to(self, relation_id: int, partition: Partition, key: Key) -> tuple[bool, Row | None]:
        """(whether what is stored under ``key`` was changed, what it is now)."""
        for commit in reversed(self.commits):
            changes = commit.changes.get(relation_id, {}).get(partition, {})
            if key in changes:
                return True, changes[key]
        return False, None

    def took(self, relation_id: int, primary: PrimaryKey) -> bool:
        """Whether a changed row has the primary key now."""
        for commit in reversed(self.commits):
            taken = commit.primaries.get(relation_id, {}).get(primary)
            if taken is not None:
                return taken
        return False
