"""Roots: the immutable state of a lake at one commit, and the log of what each commit changed."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from rocklake_server.catalog.access import PrimaryKey
from rocklake_server.catalog.image import Changes, Partition, RelationImage
from rocklake_server.catalog.relations import Relations
from rocklake_server.store.base import StoreSnapshot

logger = logging.getLogger(__name__)

NO_IMAGE = RelationImage()

class Publications:
    """Numbers what the lakes of this process publish, to tell what was before what."""

    def __init__(self) -> None:
        self.newest = 0

    def next(self) -> int:
        self.newest += 1
        return self.newest


PUBLICATIONS = Publications()

LateChanges: TypeAlias = tuple[Mapping[Partition, Changes], ...]


@dataclass(slots=True)
class Root:
    """One lake at commit ``sequence``. What is loaded of it is asked for with ``image``: loading adds to it and changes
    no answer, since it reads through ``snapshot``, the store as that commit left it. ``late`` are changes that the
    images of ``images`` do not have yet, oldest first: they are made when somebody asks, or in a quiet moment, so that
    no commit waits for them. ``published`` is greater for a later one, whatever its lake. ``stored_bytes`` is what the
    keys and values of rows, retired rows and indexes take."""

    sequence: int
    snapshot: StoreSnapshot
    relations: Relations
    images: dict[int, RelationImage] = field(default_factory=dict)
    counters: Mapping[str, int] = field(default_factory=dict)
    stored_bytes: int = 0
    leases: int = 0
    late: dict[int, LateChanges] = field(default_factory=dict)
    published: int = 0

    def image(self, relation_id: int) -> RelationImage:
        """What is loaded of a relation."""
        if relation_id in self.late:
            self._catch_up(relation_id)
        return self.images.get(relation_id, NO_IMAGE)

    def catch_up(self, relations_max: int) -> bool:
        """Make the late changes of so many relations. Whether there are more."""
        for relation_id in list(self.late)[:relations_max]:
            self._catch_up(relation_id)
        return bool(self.late)

    def _catch_up(self, relation_id: int) -> None:
        changes = self.late[relation_id]
        image = self.images.get(relation_id, NO_IMAGE)
        try:
            for each in changes:
                image = image.apply(each)
        except Exception:
            logger.exception("cannot bring an image up to date; it loads again from the store")
            image = NO_IMAGE
        if self.late.pop(relation_id, None) is changes:  # applying may have given others a turn
            self.images[relation_id] = image


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
