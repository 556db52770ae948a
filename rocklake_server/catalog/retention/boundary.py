"""Chooses the boundary: the least snapshot that is kept, by age, by number or by count, and never past a pin."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field

from rocklake_server.catalog.access import access_of
from rocklake_server.catalog.lake_reader import LakeReader
from rocklake_server.catalog.maintenance.references import SNAPSHOT
from rocklake_server.catalog.maintenance.snapshots import retain_from
from rocklake_server.catalog.retention.pins import Pin, pins_of
from rocklake_server.encoding.keys import key_prefix
from rocklake_server.errors import InvalidParameterValue, UndefinedObject

DAY_US = 24 * 3600 * 1_000_000


@dataclass(frozen=True, slots=True)
class Policy:
    """What is to be kept; exactly one is given. ``since_us`` keeps the snapshots made then or later, as of a Clock."""

    since_us: int | None = None
    from_snapshot: int | None = None
    newest_count: int | None = None


@dataclass(frozen=True, slots=True)
class Boundary:
    """``retained`` are the snapshots that stay, ascending; ``before`` is retain-from as it was. The policy wants the
    boundary at ``wanted``: ``held_by`` is the pin that keeps it from there, ``needed`` the oldest snapshot that open
    transactions go by, if that does."""

    before: int | None
    wanted: int
    retain_from: int
    expiring: int
    held_by: Pin | None
    needed: int | None
    retained: Sequence[int] = field(repr=False)


async def choose_boundary(lake: LakeReader, policy: Policy, needed: int | None = None) -> Boundary:
    """The newest snapshot always stays, and so do pinned ones and ``needed``, and all after them. Raises
    UndefinedObject for a lake without snapshots, InvalidParameterValue for a boundary above the newest one or below the
    present boundary."""
    ids, first_since = await _snapshots(lake, policy.since_us)
    if not ids:
        raise UndefinedObject(f'lake "{lake.listed}" has no snapshot yet')
    before = await retain_from(lake)
    if policy.from_snapshot is not None:
        wanted = policy.from_snapshot
        _require_possible(wanted, before, ids[-1])
    elif policy.newest_count is not None:
        wanted = ids[max(len(ids) - policy.newest_count, 0)]
    else:
        wanted = first_since if first_since is not None else ids[-1]
    pins = await pins_of(lake)
    first_pin = min(pins, key=lambda pin: pin.snapshot_id, default=None)
    held_by = first_pin if first_pin is not None and first_pin.snapshot_id < wanted else None
    chosen = held_by.snapshot_id if held_by is not None else wanted
    if needed is not None and needed < chosen:
        chosen, held_by = needed, None
    else:
        needed = None
    if before is not None:
        chosen = max(chosen, before)
    retained = ids[bisect_left(ids, chosen):]
    return Boundary(before, wanted, chosen, len(ids) - len(retained), held_by, needed, retained)


def _require_possible(wanted: int, before: int | None, newest: int) -> None:
    if wanted > newest:
        raise InvalidParameterValue(f"snapshot {wanted} is above {newest}, the newest, which always stays")
    if before is not None and wanted < before:
        raise InvalidParameterValue(f"snapshot {wanted} is below {before}, the oldest that is retained")


async def _snapshots(lake: LakeReader, since_us: int | None) -> tuple[array[int], int | None]:
    """All snapshot ids, ascending, and the first one that is not older than ``since_us``."""
    relation = lake.relations.by_name.get(SNAPSHOT)
    ids, first_since = array("q"), None
    if relation is None:
        return ids, first_since
    decode = access_of(relation).codec.decode
    number_at, time_at = relation.index["snapshot_id"], relation.index["snapshot_time"]
    async for entries in lake.snapshot.scan(key_prefix(relation)):
        for key, value in entries:
            row = decode(key, value)
            number, time_us = row[number_at], row[time_at]
            if not isinstance(number, int):
                continue
            ids.append(number)
            if since_us is not None and first_since is None and isinstance(time_us, int) and time_us >= since_us:
                first_since = number
    return ids, first_since
