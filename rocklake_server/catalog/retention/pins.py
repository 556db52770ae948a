"""Pins: snapshots that gc keeps, and everything after them, until the pin is removed."""

from __future__ import annotations

import json
from dataclasses import dataclass

from rocklake_server.catalog.lake_reader import LakeReader
from rocklake_server.catalog.maintenance.snapshots import chosen_snapshot
from rocklake_server.catalog.retention.audited_commits import AuditedCommits
from rocklake_server.encoding.definitions import decode_system_text, encode_system_text
from rocklake_server.encoding.keys import system_key, system_prefix
from rocklake_server.encoding.ordered import decode_int
from rocklake_server.errors import CorruptValue, UndefinedObject
from rocklake_server.schema.system_subspaces import SYSTEM_PIN


@dataclass(frozen=True, slots=True)
class Pin:
    """``number`` is the sequence of the commit that made it, so that none is given twice."""

    number: int
    snapshot_id: int
    reason: str
    who: str
    when: str

    @property
    def facts(self) -> dict[str, object]:
        return {"pin": self.number, "snapshot": self.snapshot_id, "reason": self.reason, "who": self.who,
                "when": self.when}  # fmt: skip


async def pins_of(lake: LakeReader) -> list[Pin]:
    """In the order of their numbers. Raises CorruptValue."""
    prefix, found = system_prefix(SYSTEM_PIN), []
    async for entries in lake.snapshot.scan(prefix):
        for key, value in entries:
            number = decode_int(key, len(prefix))[0]
            found.append(decode_pin(number or 0, key, value))
    return found


def decode_pin(number: int, key: bytes, value: bytes) -> Pin:
    """Raises CorruptValue, FormatVersionUnsupported."""
    try:
        held = json.loads(decode_system_text(key, value))
        return Pin(number, int(held["snapshot"]), str(held["reason"]), str(held["who"]), str(held["when"]))
    except (ValueError, KeyError, TypeError):
        raise CorruptValue(f"the value of key {key.hex()} is no pin") from None


async def add_pin(lake: LakeReader, commits: AuditedCommits, snapshot_id: int | None, reason: str) -> Pin:
    """Pins the snapshot, or the newest, in one commit. Raises as ``chosen_snapshot``, and what writing raises."""
    chosen = await chosen_snapshot(lake, snapshot_id)
    held = {"snapshot": chosen, "reason": reason, "who": commits.who, "when": commits.when}
    value = encode_system_text(json.dumps(held, ensure_ascii=False))
    commits.put_numbered(lambda number: (system_key(SYSTEM_PIN, number), value))
    commits.note({"snapshot": chosen, "reason": reason})
    number = await commits.finish()
    assert number is not None  # a pin is something to write
    return Pin(number, chosen, reason, commits.who, commits.when)


async def find_pin(lake: LakeReader, number: int) -> Pin:
    """Raises UndefinedObject."""
    pins = {pin.number: pin for pin in await pins_of(lake)}
    if number not in pins:
        known = ", ".join(map(str, pins)) or "none"
        raise UndefinedObject(f'lake "{lake.listed}" has no pin {number}; its pins are: {known}')
    return pins[number]


async def remove_pin(commits: AuditedCommits, pin: Pin) -> None:
    """In one commit. Raises what writing raises."""
    commits.put_system(system_key(SYSTEM_PIN, pin.number), None)
    commits.note({"pin": pin.number, "snapshot": pin.snapshot_id, "reason": pin.reason})
    await commits.finish()
