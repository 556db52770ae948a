"""Mends what verify found, where what is right can be proven: counters and other numbers, indexes, orphaned rows.

Everything that is mended in a lake is one write batch, which is a commit of the lake and has an audit record.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from rocklake_server.catalog.lake_reader import ListedLake
from rocklake_server.catalog.maintenance import checks
from rocklake_server.catalog.maintenance.checks import Check
from rocklake_server.catalog.maintenance.key_space import KeySpace
from rocklake_server.catalog.maintenance.lake_under_test import Tell
from rocklake_server.catalog.maintenance.verify import Verified, verify_lake
from rocklake_server.catalog.maintenance.verify_indexes import index_changes
from rocklake_server.catalog.retention.audited_commits import AuditedCommits
from rocklake_server.catalog.system_keys import read_system_state
from rocklake_server.errors import CorruptValue
from rocklake_server.schema.model import Relation
from rocklake_server.schema.system_subspaces import SYSTEM_NEXT_RELATION, SYSTEM_NEXT_ROW, SYSTEM_STORED_BYTES
from rocklake_server.store.base import Key, StoreSnapshot

ROWS_MAX = 1_000_000
"""Rows of one check that one repair mends; a later one mends the rest."""

_FORBIDDING = (checks.COMMIT_SEQUENCE, checks.DEFINITIONS)
"""What has to be right for a batch to be written at all."""


@dataclass(frozen=True, slots=True)
class Action:
    """What is done about one check's findings, and on how many keys."""

    check: Check
    keys: int
    what: str


@dataclass(slots=True)
class RepairPlan:
    """What is to be changed: counters, index entries (old and new value by key), rows to be retired, and by how much
    the lake's size is wrong. ``rest`` are findings that nothing is done about."""

    verified: Verified
    actions: list[Action] = field(default_factory=list)
    counters: dict[str, int] = field(default_factory=dict)
    entries: dict[Key, tuple[bytes | None, bytes | None]] = field(default_factory=dict)
    orphans: dict[Key, tuple[Relation, bytes]] = field(default_factory=dict)
    grown_bytes: int = 0

    @property
    def rest(self) -> dict[Check, int]:
        mended = {action.check for action in self.actions}
        return {check: count for check, count in self.verified.report.counts.items() if check not in mended}


async def plan_repair(listed: ListedLake, snapshot: StoreSnapshot, tell: Tell = lambda _: None) -> RepairPlan:
    """Verifies the lake, and says what would be mended. Raises CorruptValue when a batch could not be a commit of the
    lake, and what ``verify_lake`` raises."""
    verified = await verify_lake(listed, snapshot, tell, kept_max=ROWS_MAX)
    forbidding = [check.name for check in _FORBIDDING if check in verified.report.counts]
    if forbidding:
        raise CorruptValue(
            f'lake "{listed}" cannot be repaired: it has damage of kind {forbidding[0]}',
            hint="Restore it from a backup.",
        )
    await read_system_state(snapshot, schema=listed.schema, slot=listed.place.slot)  # as every commit does
    plan = RepairPlan(verified)
    _mend_counters(plan)
    await _mend_indexes(plan)
    await _retire_orphans(plan)
    for check, name in ((checks.NEXT_ROW, SYSTEM_NEXT_ROW), (checks.NEXT_RELATION, SYSTEM_NEXT_RELATION)):
        if check in verified.report.counts:
            plan.actions.append(Action(check, 1, f"{name} becomes {verified.lake.needed[name]}"))
    if checks.STORED_BYTES in verified.report.counts:
        plan.grown_bytes = verified.lake.stored_bytes - verified.lake.numbers.get(SYSTEM_STORED_BYTES, 0)
        plan.actions.append(Action(checks.STORED_BYTES, 1, f"the size is corrected by {plan.grown_bytes} bytes"))
    return plan


def _mend_counters(plan: RepairPlan) -> None:
    lake = plan.verified.lake
    wrong = {
        name: needed for name, needed in lake.needed.items()
        if name not in (SYSTEM_NEXT_ROW, SYSTEM_NEXT_RELATION) and lake.counters.get(name, 0) < needed
    }  # fmt: skip
    if wrong and checks.COUNTERS in plan.verified.report.counts:
        plan.counters = wrong
        raised = ", ".join(f"{name} becomes {value}" for name, value in sorted(wrong.items()))
        plan.actions.append(Action(checks.COUNTERS, len(wrong), raised))


async def _mend_indexes(plan: RepairPlan) -> None:
    lake = plan.verified.lake
    if not lake.differing_buckets:
        return
    changes = await index_changes(lake, lake.differing_buckets)
    for key, value in changes.items():
        plan.entries[key] = await lake.snapshot.get(key), value
    written = sum(value is not None for value in changes.values())
    what = f"{written} entries are written, {len(changes) - written} removed"
    plan.actions.append(Action(checks.INDEXES, len(changes), what))


async def _retire_orphans(plan: RepairPlan) -> None:
    space = KeySpace(plan.verified.lake.definitions.relations)
    for check in (checks.ORPHANED_COLUMNS, checks.ORPHANED_STATISTICS, checks.ORPHANED_PARTS):
        found = plan.verified.report.kept.get(check, ())
        keys = sorted({finding.key for finding in found if finding.key is not None})
        for key in keys:
            value, owner = await plan.verified.lake.snapshot.get(key), space.owner(key)
            if value is not None and owner is not None:
                plan.orphans[key] = owner[0], value
        if keys:
            plan.actions.append(Action(check, len(keys), f"{len(keys)} rows are retired"))


def gather_repair(plan: RepairPlan, commits: AuditedCommits) -> None:
    """All of it in one commit, which follows what was verified."""
    needed = plan.verified.lake.needed
    commits.raise_counters(plan.counters)
    for key, (old, new) in plan.entries.items():
        commits.change_entry(key, old, new)
    for key, (relation, value) in plan.orphans.items():
        commits.retire(relation, key, value)
    commits.raise_next(row=needed.get(SYSTEM_NEXT_ROW, 0), relation_id=needed.get(SYSTEM_NEXT_RELATION, 0))
    commits.correct_size(plan.grown_bytes)
    for action in plan.actions:
        commits.note({"check": action.check.name, "keys": action.keys, "what": action.what})
