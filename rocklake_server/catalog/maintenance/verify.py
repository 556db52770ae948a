"""Proves that a lake is whole, or tells what is not: reads every key once or twice, in bounded memory."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from rocklake_server.catalog.lake_reader import ListedLake
from rocklake_server.catalog.listing import Listing
from rocklake_server.catalog.maintenance import checks
from rocklake_server.catalog.maintenance.checks import Report
from rocklake_server.catalog.maintenance.key_space import unknown_entries
from rocklake_server.catalog.maintenance.lake_under_test import LakeUnderTest, Tell
from rocklake_server.catalog.maintenance.verify_indexes import verify_indexes
from rocklake_server.catalog.maintenance.verify_rows import collect_owners, verify_dropped, verify_relation
from rocklake_server.catalog.maintenance.verify_snapshots import verify_retired, verify_snapshots
from rocklake_server.catalog.maintenance.verify_system import verify_format, verify_system_keys
from rocklake_server.encoding.keys import counter_key, system_key
from rocklake_server.schema.model import RelationKind
from rocklake_server.schema.system_subspaces import (
    SYSTEM_NEXT_RELATION,
    SYSTEM_NEXT_ROW,
    SYSTEM_STORED_BYTES,
)
from rocklake_server.store.base import StoreSnapshot

KEPT_MAX = 1000
"""Findings of each check that are kept; the rest is counted."""

_SYSTEM_CHECKS = {SYSTEM_NEXT_ROW: checks.NEXT_ROW, SYSTEM_NEXT_RELATION: checks.NEXT_RELATION}


@dataclass(frozen=True, slots=True)
class Verified:
    """What was found, and what the verification learnt, which repair goes on from."""

    report: Report
    lake: LakeUnderTest


async def verify_lake(
    listed: ListedLake, snapshot: StoreSnapshot, tell: Tell = lambda _: None, *, kept_max: int = KEPT_MAX
) -> Verified:
    """Every check but DATA_FILES and LAKE_LIST. ``tell`` is given numbers of keys as they are read. Raises
    FormatVersionUnsupported for a lake of another format, StoreUnavailable."""
    lake = LakeUnderTest(listed, snapshot, Report(str(listed), kept_max), tell)
    for step in _STEPS:
        await step(lake)
    return Verified(lake.report, lake)


def verify_listing(listing: Listing, report: Report) -> None:
    """The list of lakes itself."""
    lakes: dict[int, list[str]] = {}
    for (database, schema), place in listing.lakes.items():
        lakes.setdefault(place.number, []).append(f"{database}/{schema}")
    for number, names in (listing.retired or {}).items():
        lakes.setdefault(number, []).append("/".join(names[:2]))
    for unfinished in listing.unfinished:
        lakes.setdefault(unfinished.number, []).append(f"{unfinished.database}/{unfinished.schema}, unfinished")
    for number, found in lakes.items():
        if len(found) > 1:
            report.add(checks.LAKE_LIST, f"number {number} is that of {len(found)} lakes")
        if number >= listing.next_lake:
            report.add(checks.LAKE_LIST, f"lake {number} has the number of a lake to come; the next is "
                                         f"{listing.next_lake}")  # fmt: skip


async def _verify_relations(lake: LakeUnderTest) -> None:
    for relation in lake.definitions.relations:
        await verify_relation(lake, relation)
    for relation in lake.definitions.left_behind():
        await verify_dropped(lake, relation)


async def _verify_unknown_keys(lake: LakeUnderTest) -> None:
    definitions = lake.definitions
    async for entries in unknown_entries(lake.snapshot, definitions.relations, definitions.left_behind()):
        for key, _ in entries:
            lake.report.add(checks.UNKNOWN_KEYS, "a key belongs to no relation of the lake", key)


async def _verify_inlined_tables(lake: LakeUnderTest) -> None:
    inlined = {r.name: r for r in lake.definitions.relations if r.kind is RelationKind.INLINED_DATA}
    registered = lake.relation("ducklake_inlined_data_tables")
    names: set[str] = set()
    if registered is not None and "table_name" in registered.index:
        async for batch in lake.readable_rows(registered):
            for key, row in batch:
                name = str(row[registered.index["table_name"]])
                names.add(name)
                if name not in inlined:
                    lake.report.add(checks.INLINED_TABLES, f"{name} is registered and not there", key)
    for name in sorted(inlined.keys() - names):
        lake.report.add(checks.INLINED_TABLES, f"{name} is there and not registered")


async def _verify_numbers(lake: LakeUnderTest) -> None:
    """Counters and system numbers against what every row, retired or not, called for."""
    for name, needed in sorted(lake.needed.items()):
        if (check := _SYSTEM_CHECKS.get(name)) is not None:
            if lake.numbers.get(name, 0) < needed:
                what = f"{name} is {lake.numbers.get(name, 0)}, and must be at least {needed}"
                lake.report.add(check, what, system_key(name))
        elif lake.counters.get(name, 0) < needed:
            what = f"{name} is {lake.counters.get(name, 0)}, and must be at least {needed}"
            lake.report.add(checks.COUNTERS, what, counter_key(name))
    said = lake.numbers.get(SYSTEM_STORED_BYTES, 0)
    if said != lake.stored_bytes and lake.definitions.relations:
        what = f"the lake is said to take {said} bytes, and takes {lake.stored_bytes}"
        lake.report.add(checks.STORED_BYTES, what, system_key(SYSTEM_STORED_BYTES))


_STEPS: tuple[Callable[[LakeUnderTest], Awaitable[None]], ...] = (
    verify_format,
    verify_system_keys,
    collect_owners,
    verify_retired,
    _verify_relations,
    verify_indexes,
    verify_snapshots,
    _verify_inlined_tables,
    _verify_unknown_keys,
    _verify_numbers,
)
