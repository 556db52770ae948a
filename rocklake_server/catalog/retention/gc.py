"""Expires the snapshots below a boundary, with everything that only they had."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field

from rocklake_server.catalog.lake_reader import LakeReader
from rocklake_server.catalog.retention.audited_commits import AuditedCommits
from rocklake_server.catalog.retention.boundary import Boundary
from rocklake_server.catalog.retention.cascade import Cascade, Going
from rocklake_server.encoding.definitions import encode_number
from rocklake_server.encoding.keys import key_prefix, system_key
from rocklake_server.pacing import ROWS_PER_CHECK, Turns
from rocklake_server.schema.model import Relation
from rocklake_server.schema.system_subspaces import SYSTEM_RETAIN_FROM

SCHEDULED = "ducklake_files_scheduled_for_deletion"

Tell = Callable[[int], None]


@dataclass(slots=True)
class Collected:
    """Rows that go, or went, by relation; files that are to be cleaned up; relations of inlined rows that go, by
    name."""

    rows: Counter[str] = field(default_factory=Counter)
    files: int = 0
    dropped: dict[str, Relation] = field(default_factory=dict)

    def add(self, group: list[Going]) -> None:
        self.rows.update(going.relation.name for going in group)
        self.files += sum(going.file is not None for going in group)
        self.dropped |= {going.dropped.name: going.dropped for going in group if going.dropped is not None}


async def plan_gc(lake: LakeReader, boundary: Boundary, tell: Tell) -> Collected:
    """What ``apply_gc`` would do. Raises CorruptValue, StoreUnavailable."""
    found, cascade = Collected(), Cascade(lake, boundary.retained)
    for groups in (cascade.snapshots(), cascade.rows()):
        async for group in groups:
            found.add(group)
            tell(len(group))
    return found


async def apply_gc(lake: LakeReader, boundary: Boundary, commits: AuditedCommits, tell: Tell) -> Collected:
    """In as many commits as it takes: retain-from moves with the last of the snapshots, and whatever an interruption
    leaves is left to the next time. ``lake`` is what ``commits`` follow. Raises what reading and writing raise."""
    found, cascade = Collected(), Cascade(lake, boundary.retained)
    scheduled = lake.relation(SCHEDULED)
    start_us = await _free_time(lake, scheduled, commits.now_us)

    async def retire(groups: AsyncIterator[list[Going]]) -> None:
        turns = Turns()
        async for group in groups:
            for count, going in enumerate(group):
                if not count % ROWS_PER_CHECK:
                    await turns.take()
                commits.retire(going.relation, going.key, going.value)
                if (file := going.file) is not None:
                    commits.insert(scheduled, {
                        "data_file_id": file.file_id, "path": file.path, "path_is_relative": file.path_is_relative,
                        "schedule_start": start_us,
                    }, along=going.key)  # fmt: skip
                if going.dropped is not None and going.dropped.name not in found.dropped:
                    commits.drop(going.dropped)
                    found.dropped[going.dropped.name] = going.dropped
            found.add(group)
            tell(len(group))
            await commits.commit_if_full()

    await retire(cascade.snapshots())
    if boundary.retain_from != boundary.before:
        commits.put_system(system_key(SYSTEM_RETAIN_FROM), encode_number(boundary.retain_from))
        commits.note({"retain_from": boundary.retain_from, "before": boundary.before})
    await retire(cascade.rows())
    await commits.finish()
    return found


async def _free_time(lake: LakeReader, scheduled: Relation, now_us: int) -> int:
    """A time that no scheduled file has, so that the keys of all new rows are free."""
    while True:
        async for entries in lake.snapshot.scan(key_prefix(scheduled, now_us)):
            if entries:
                break
        else:
            return now_us
        now_us += 1
