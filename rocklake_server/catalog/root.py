"""Roots: the immutable state of a lake at one commit, and the log of what each commit changed."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from rocklake_server.catalog.access import PrimaryKey
from rocklake_server.catalog.image import Changes, Partition, RelationImage
from rocklake_server.catalog.relations import Relations
from rocklake_server.catalog.view import RelationBytes
from rocklake_server.schema.system_subspaces import COUNTER_SNAPSHOT
from rocklake_server.store.base import Key, StoreSnapshot

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
    no commit waits for them. ``coming`` are images that are being made of many changes: ``images`` has them when they
    are there. ``published`` is greater for a later one, whatever its lake. ``stored_bytes`` is what the keys and values
    of rows, retired rows and indexes take, ``measured`` what those of single relations do, as far as somebody asked."""

    sequence: int
    snapshot: StoreSnapshot
    relations: Relations
    images: dict[int, RelationImage] = field(default_factory=dict)
    counters: Mapping[str, int] = field(default_factory=dict)
    stored_bytes: int = 0
    leases: int = 0
    late: dict[int, LateChanges] = field(default_factory=dict)
    coming: dict[int, asyncio.Task[RelationImage]] = field(default_factory=dict)
    measured: dict[int, RelationBytes] = field(default_factory=dict)
    published: int = 0

    @property
    def newest_snapshot(self) -> int | None:
        """The newest DuckLake snapshot that was committed by then; ``None`` before the first."""
        following = self.counters.get(COUNTER_SNAPSHOT)
        return None if following is None else following - 1

    def image(self, relation_id: int) -> RelationImage:
        """What is loaded of a relation; nothing yet of one that is coming."""
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


class Watch:
    """Keys that commits change while somebody goes on from an earlier root: by relation id, and whether there is a row
    now. Costs less than holding the root, whose commit records would be kept whole."""

    def __init__(self) -> None:
        self.changed: dict[int, dict[Key, bool]] = {}
        self.redefined: set[int] = set()
        self.commits = 0

    def note(self, record: CommitRecord) -> None:
        self.commits += 1
        self.redefined |= record.redefined
        for relation_id, partitions in record.changes.items():
            into = self.changed.setdefault(relation_id, {})
            for rows in partitions.values():
                into.update({key: row is not None for key, row in rows.items()})

    def forget(self, relation_id: int, key: Key) -> None:
        """What the watcher changed itself."""
        self.changed.get(relation_id, {}).pop(key, None)


class CommitLog:
    """Commit records since the oldest root that a transaction still holds."""

    def __init__(self) -> None:
        self._records: deque[CommitRecord] = deque()
        self._watches: set[Watch] = set()

    def append(self, record: CommitRecord) -> None:
        self._records.append(record)
        for watch in self._watches:
            watch.note(record)

    def watch(self) -> Watch:
        """Of the commits from now on, until ``unwatch``."""
        watch = Watch()
        self._watches.add(watch)
        return watch

    def unwatch(self, watch: Watch) -> None:
        self._watches.discard(watch)

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
