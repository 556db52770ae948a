"""Which gc moved retain-from last, as the audit records tell: what can still be undone as a whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from rocklake_server.catalog.lake_reader import LakeReader
from rocklake_server.catalog.maintenance.audit import audit_records
from rocklake_server.catalog.maintenance.snapshots import retain_from

UNDONE = "undone_gc"
"""The action of the audit record of a commit that undid a gc."""


@dataclass(slots=True)
class GcRun:
    """``sequences`` are the commits in which it retired rows, ``before`` and ``retain_from`` what it changed."""

    started: tuple[object, object]
    sequences: set[int] = field(default_factory=set)
    retain_from: int | None = None
    before: int | None = None

    def add(self, sequence: int, actions: list[Mapping[str, object]]) -> None:
        for action in actions:
            if "retired" in action:
                self.sequences.add(sequence)
            if isinstance(moved := action.get("retain_from"), int):
                before = action.get("before")
                self.retain_from, self.before = moved, before if isinstance(before, int) else None


def _took_from(run: GcRun, excision: list[Mapping[str, object]]) -> bool:
    """Whether something of what the run retired, or rows that ended by what it set, may be gone for good."""
    for action in excision:
        if "retired_by" in action:
            retired_by = action["retired_by"]
            has_retired = isinstance(retired_by, int) and any(number <= retired_by for number in run.sequences)
            return action.get("ended_by") is not None or has_retired
    return True


async def newest_gc(lake: LakeReader) -> GcRun | None:
    """The gc that set the present retain-from, if nothing of it was excised since. Raises CorruptValue."""
    runs: list[GcRun] = []
    async for record in audit_records(lake):
        sequence, actions = record["sequence"], record.get("actions")
        if not isinstance(sequence, int) or not isinstance(actions, list):
            continue
        match record.get("command"):
            case "gc":
                started = record.get("who"), record.get("when")
                if not runs or runs[-1].started != started:
                    runs.append(GcRun(started))
                runs[-1].add(sequence, actions)
            case "excise":
                runs = [run for run in runs if not _took_from(run, actions)]
            case "undelete" if runs and any(UNDONE in action for action in actions):
                runs.pop()
    present = await retain_from(lake)
    while runs and runs[-1].retain_from is None:
        runs.pop()  # it moved nothing
    return runs[-1] if runs and runs[-1].retain_from == present else None
