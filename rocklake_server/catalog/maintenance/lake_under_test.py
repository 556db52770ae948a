"""What the steps of a verification share: the store's snapshot, what its system keys say, and the report."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass, field

from rocklake_server.catalog.access import access_of
from rocklake_server.catalog.lake_reader import ListedLake
from rocklake_server.catalog.maintenance import checks
from rocklake_server.catalog.maintenance.checks import Report
from rocklake_server.catalog.maintenance.definitions import LakeDefinitions
from rocklake_server.catalog.maintenance.entry_sums import EntrySums
from rocklake_server.catalog.maintenance.id_set import IdSet
from rocklake_server.catalog.retention.pins import Pin
from rocklake_server.catalog.view import Match
from rocklake_server.encoding.envelope import HEADER, HEADER_BYTES
from rocklake_server.encoding.keys import key_prefix
from rocklake_server.errors import CatalogError, CorruptValue, FormatVersionUnsupported
from rocklake_server.schema.model import Relation
from rocklake_server.store.base import Entry, Key, StoreSnapshot

Tell = Callable[[int], None]


@dataclass(slots=True)
class LakeUnderTest:
    """``numbers`` are the system keys by name, ``counters`` those of ids; ``needed`` are the least values that the rows
    call for. ``row_numbers`` are those of the ctids, ``ids`` the ids that exist, by relation. ``unknown_ids`` are the
    relations of which some ids cannot be told, ``doubtful`` those with rows that cannot be decoded or are under a wrong
    key. ``stored_bytes`` is counted while keys are read."""

    listed: ListedLake
    snapshot: StoreSnapshot
    report: Report
    tell: Tell
    definitions: LakeDefinitions = field(default_factory=LakeDefinitions)
    numbers: dict[str, int] = field(default_factory=dict)
    counters: dict[str, int] = field(default_factory=dict)
    needed: dict[str, int] = field(default_factory=dict)
    doubtful: set[str] = field(default_factory=set)
    row_numbers: IdSet = field(default_factory=IdSet)
    ids: dict[str, IdSet] = field(default_factory=dict)
    unknown_ids: set[str] = field(default_factory=set)
    newest_snapshot: int | None = None
    retired_snapshots: IdSet = field(default_factory=IdSet)
    pins: list[Pin] = field(default_factory=list)
    expected_entries: EntrySums = field(default_factory=EntrySums)
    differing_buckets: frozenset[int] = frozenset()
    stored_bytes: int = 0

    def relation(self, name: str) -> Relation | None:
        return next((relation for relation in self.definitions.relations if relation.name == name), None)

    def ids_of(self, relation: str) -> IdSet:
        """Empty when the lake has no such relation."""
        return self.ids.setdefault(relation, IdSet())

    def may_exist(self, relation: str, number: int) -> bool:
        """Whether a relation has a row with that id, or cannot be asked."""
        return number in self.ids_of(relation) or relation in self.unknown_ids

    def need(self, name: str, used: int) -> None:
        """The counter or system number ``name`` must be above ``used``."""
        if used >= self.needed.get(name, 0):
            self.needed[name] = used + 1

    def value_problem(self, key: Key, value: bytes, error: CatalogError) -> None:
        """File a value that a decoder refused."""
        is_envelope = value[:HEADER_BYTES] != HEADER
        self.report.add(checks.VALUE_ENVELOPE if is_envelope else checks.VALUE_MESSAGE, str(error), key)

    async def entries(self, relation: Relation, *leading: int | str | None) -> AsyncIterator[list[Entry]]:
        """As they are stored."""
        async for entries in self.snapshot.scan(key_prefix(relation, *leading)):
            self.tell(len(entries))
            yield entries

    async def readable_rows(self, relation: Relation, *leading: int | str | None) -> AsyncIterator[list[Match]]:
        """Rows that can be decoded; the others are filed by the step that reads every row."""
        async for entries in self.entries(relation, *leading):
            yield list(readable(relation, entries))


def readable(relation: Relation, entries: Iterable[Entry]) -> Iterable[Match]:
    """The rows among ``entries`` that can be decoded."""
    decode = access_of(relation).codec.decode
    for key, value in entries:
        try:
            yield Match(key, decode(key, value))
        except (CorruptValue, FormatVersionUnsupported):
            continue
