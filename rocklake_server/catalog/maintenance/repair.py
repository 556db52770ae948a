"""Mends what verify found, where what is right can be proven: counters and other numbers, indexes, orphaned rows.

Everything that is mended in a lake is one write batch, which is a commit of the lake and has an audit record.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from rocklake_server.catalog.lake_reader import ListedLake
from rocklake_server.catalog.maintenance import checks
from rocklake_server.catalog.maintenance.audit import write_audit
from rocklake_server.catalog.maintenance.checks import Check
from rocklake_server.catalog.maintenance.lake_under_test import LakeUnderTest, Tell
from rocklake_server.catalog.maintenance.verify import Verified, verify_lake
from rocklake_server.catalog.maintenance.verify_indexes import index_changes
from rocklake_server.catalog.system_keys import read_system_state, write_counters, write_opening, write_sequence
from rocklake_server.encoding.keys import retired_key
from rocklake_server.errors import CorruptValue
from rocklake_server.schema.system_subspaces import SYSTEM_NEXT_RELATION, SYSTEM_NEXT_ROW
from rocklake_server.store.base import Key, StoreSnapshot, WriteBatch

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
    """``batch`` has the changes without those of every commit. ``rest`` are findings that nothing is done about."""

    verified: Verified
    actions: list[Action] = field(default_factory=list)
    batch: WriteBatch = field(default_factory=WriteBatch)
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
    plan = RepairPlan(verified)
    sequence = (await read_system_state(snapshot, schema=listed.schema, slot=listed.place.slot)).sequence + 1
    _mend_counters(plan)
    await _mend_indexes(plan)
    await _retire_orphans(plan, sequence)
    for check, name in ((checks.NEXT_ROW, SYSTEM_NEXT_ROW), (checks.NEXT_RELATION, SYSTEM_NEXT_RELATION)):
        if check in verified.report.counts:
            plan.actions.append(Action(check, 1, f"{name} becomes {verified.lake.needed[name]}"))
    if checks.STORED_BYTES in verified.report.counts:
        size = verified.lake.stored_bytes + plan.grown_bytes
        plan.actions.append(Action(checks.STORED_BYTES, 1, f"the size becomes {size} bytes"))
    return plan


def _mend_counters(plan: RepairPlan) -> None:
    lake = plan.verified.lake
    wrong = {
        name: needed for name, needed in lake.needed.items()
        if name not in (SYSTEM_NEXT_ROW, SYSTEM_NEXT_RELATION) and lake.counters.get(name, 0) < needed
    }  # fmt: skip
    if wrong and checks.COUNTERS in plan.verified.report.counts:
        write_counters(plan.batch, wrong)
        raised = ", ".join(f"{name} becomes {value}" for name, value in sorted(wrong.items()))
        plan.actions.append(Action(checks.COUNTERS, len(wrong), raised))


async def _mend_indexes(plan: RepairPlan) -> None:
    lake = plan.verified.lake
    if not lake.differing_buckets:
        return
    changes = await index_changes(lake, lake.differing_buckets)
    for key, value in changes.items():
        await _change(plan, key, value)
    written = sum(value is not None for value in changes.values())
    what = f"{written} entries are written, {len(changes) - written} removed"
    plan.actions.append(Action(checks.INDEXES, len(changes), what))


async def _retire_orphans(plan: RepairPlan, sequence: int) -> None:
    for check in (checks.ORPHANED_COLUMNS, checks.ORPHANED_STATISTICS, checks.ORPHANED_PARTS):
        found = plan.verified.report.kept.get(check, ())
        keys = sorted({finding.key for finding in found if finding.key is not None})
        for key in keys:
            value = await plan.verified.lake.snapshot.get(key)
            if value is not None and key not in plan.batch.operations:
                await _change(plan, retired_key(sequence, key), value)
                await _change(plan, key, None)
        if keys:
            plan.actions.append(Action(check, len(keys), f"{len(keys)} rows are retired"))


async def _change(plan: RepairPlan, key: Key, value: bytes | None) -> None:
    """Put or delete a key, and count what the lake grows by."""
    before = await plan.verified.lake.snapshot.get(key)
    if before is not None:
        plan.grown_bytes -= len(key) + len(before)
    if value is None:
        plan.batch.delete(key)
    else:
        plan.grown_bytes += len(key) + len(value)
        plan.batch.put(key, value)


async def repair_batch(plan: RepairPlan, *, who: str, now_us: int) -> WriteBatch:
    """The plan as one commit of the lake by a writer of its own, with its audit record. ``now_us`` as of a Clock."""
    lake: LakeUnderTest = plan.verified.lake
    listed, batch = lake.listed, WriteBatch(dict(plan.batch.operations))
    state = await read_system_state(lake.snapshot, schema=listed.schema, slot=listed.place.slot)
    write_opening(batch, state)
    write_sequence(
        batch,
        state.sequence + 1,
        next_row=max(state.next_row, lake.needed.get(SYSTEM_NEXT_ROW, 0)),
        next_relation_id=max(state.next_relation_id, lake.needed.get(SYSTEM_NEXT_RELATION, 0)),
        stored_bytes=lake.stored_bytes + plan.grown_bytes,
    )
    actions = [{"check": action.check.name, "keys": action.keys, "what": action.what} for action in plan.actions]
    write_audit(batch, state.sequence + 1, command="repair", who=who, now_us=now_us, actions=actions)
    return batch
