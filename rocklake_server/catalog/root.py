"""Roots: the immutable state of a lake at one commit, and the log of what each commit changed."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field

from rocklake_server.catalog.access import PrimaryKey
from rocklake_server.catalog.image import Changes, Partition, RelationImage
from rocklake_server.catalog.relations import Relations
from rocklake_server.store.base import StoreSnapshot

NO_IMAGE = RelationImage()


@dataclass(slots=True)
class Root:
    """One lake at commit ``sequence``. ``images`` holds what is loaded of it: loading adds to it and changes no
    answer, since it reads through ``snapshot``, the store as that commit left it. ``stored_bytes`` is what the
    keys and values of rows, retired rows and indexes take."""

    sequence: int
    snapshot: StoreSnapshot
    relations: Relations
    images: dict[int, RelationImage] = field(default_factory=dict)
    counters: Mapping[str, int] = field(default_factory=dict)
    stored_bytes: int = 0
    leases: int = 0

    def image(self, relation_id: int) -> RelationImage:
        return self.images.get(relation_id, NO_IMAGE)


@dataclass(frozen=True, slots=True)
class CommitRecord:
    """What one commit changed, by relation id and partition, and the primary keys that it took (True) or set free;
    ``redefined`` are the relations whose definition it changed."""

    sequence: int
    changes: Mapping[int, Mapping[Partition, Changes]]
    primaries: Mapping[int, Mapping[PrimaryKey, bool]]
    redefined: frozenset[int]


class CommitLog:
    """Commit records since the oldest root that a transaction still holds."""

    def __init__(self) -> None:
        self._records: deque[CommitRecord] = deque()

    def append(self, record: CommitRecord) -> None:
        self._records.append(record)

    def after(self, sequence: int) -> list[CommitRecord]:
        """The records of the commits after ``sequence``, oldest first."""
        found = []
        for record in reversed(self._records):
            if record.sequence <= sequence:
                break
            found.append(record)
        found.reverse()
        return found

    def prune(self, oldest: int) -> None:
        """Forget commits that every open root already contains."""
        while self._records and self._records[0].sequence <= oldest:
            self._records.popleft()

    def __len__(self) -> int:
        return len(self._records)
