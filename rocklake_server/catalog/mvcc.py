"""The only visibility tests: the engine, the CLI, verify and gc all call these."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import Protocol, TypeVar


class Versioned(Protocol):
    """Anything with a snapshot range."""

    @property
    def begin_snapshot(self) -> int: ...

    @property
    def end_snapshot(self) -> int | None: ...


V = TypeVar("V", bound=Versioned)


def is_visible(begin_snapshot: int, end_snapshot: int | None, snapshot_id: int) -> bool:
    """Whether a row version that began and ended at these snapshots is part of ``snapshot_id``."""
    began = begin_snapshot <= snapshot_id
    not_ended = end_snapshot is None or snapshot_id < end_snapshot
    return began and not_ended


def is_visible_in_any(begin_snapshot: int, end_snapshot: int | None, snapshot_ids: Sequence[int]) -> bool:
    """Whether one of ``snapshot_ids``, which ascend, has the row version."""
    first = bisect_left(snapshot_ids, begin_snapshot)
    return first < len(snapshot_ids) and is_visible(begin_snapshot, end_snapshot, snapshot_ids[first])


def latest_visible_version(versions: Iterable[V], snapshot_id: int) -> V | None:
    """Of one entity's versions the visible one; of several (which verify reports) the one that began last."""
    visible = [v for v in versions if is_visible(v.begin_snapshot, v.end_snapshot, snapshot_id)]
    return max(visible, key=lambda version: version.begin_snapshot, default=None)


def is_gc_eligible(end_snapshot: int | None, retain_from: int) -> bool:
    """Whether no snapshot that may still be queried sees a version that ended at ``end_snapshot``."""
    return end_snapshot is not None and end_snapshot <= retain_from
