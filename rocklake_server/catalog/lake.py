"""One lake: its newest root, the roots that transactions hold, and loading. The façade over one (database, schema)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Hashable, Sequence
from typing import Any, TypeAlias, TypeVar

from rocklake_server.catalog.image import ALL_ROWS, Part, Partition, RelationImage, Wanted
from rocklake_server.catalog.loader import load_partition, load_relation
from rocklake_server.catalog.relations import Relations
from rocklake_server.catalog.residency import Residency
from rocklake_server.catalog.root import CommitLog, Root
from rocklake_server.catalog.snapshot_turn import SnapshotTurn
from rocklake_server.catalog.survey import Survey
from rocklake_server.catalog.system_keys import SystemState, read_system_state, write_opening
from rocklake_server.catalog.waits import PendingKeys
from rocklake_server.clock import Clock
from rocklake_server.errors import CannotConnectNow
from rocklake_server.limits import RETRY_S_MAX
from rocklake_server.pacing import in_slices
from rocklake_server.schema.model import Relation
from rocklake_server.store.base import Store, WriteBatch
from rocklake_server.store.ownership import UNDISPUTED, Ownership

logger = logging.getLogger(__name__)
T = TypeVar("T")

LoadKey: TypeAlias = tuple[int, int, Partition | object, Wanted]
"""What is being loaded: commit sequence of the root, relation id, partition or all of them, rows of it."""

_OFFSET_BITS = 14


def packed_ctid(number: int) -> int:
    """The ctid of the ``number``-th row ever given one in a lake: offsets run from 1 to 16,384."""
    return ((number >> _OFFSET_BITS) << 16) | ((number & ((1 << _OFFSET_BITS) - 1)) + 1)


def row_number(ctid: int) -> int:
    """The inverse of ``packed_ctid``."""
    return (ctid >> 16 << _OFFSET_BITS) | ((ctid & 0xFFFF) - 1)


class Lake:
    """Opened once per server. All methods run on one event loop; nothing between two awaits can interleave."""

    def __init__(
        self,
        store: Store,
        state: SystemState,
        newest: Root,
        schema: str,
        slot: int,
        clock: Clock,
        ownership: Ownership,
        label: str,
        residency: Residency,
    ) -> None:
        self.store = store
        self.ownership = ownership
        self.label = label
        self.schema = schema
        self.slot = slot
        self.clock = clock
        self.newest = newest
        self.log = CommitLog()
        self.pending = PendingKeys()
        self.snapshot_turn = SnapshotTurn()
        self.last_snapshot_us: int | None = None
        self.before_redefinition: Callable[[], Awaitable[None]] | None = None
        """Waited for before the next commit that changes definitions is written."""
        self.after_redefinition: Callable[[], None] | None = None
        """Called after each."""
        self.writer_epoch = state.writer_epoch + 1
        self.given_up = False
        self.survey: Survey | None = None
        self.used: dict[tuple[int, Partition], int] = {}
        self._residency = residency
        self._next_row = state.next_row
        self._next_relation_id = state.next_relation_id
        self._held: dict[int, Root] = {}
        self._loading: dict[LoadKey, asyncio.Task[Any]] = {}
        self._lost: dict[Hashable, tuple[float, int]] = {}

    @classmethod
    async def open(
        cls, store: Store, *, schema: str, slot: int, clock: Clock, ownership: Ownership = UNDISPUTED, label: str = "",
        residency: Residency | None = None, known: Relations | None = None, published: int = 0,
    ) -> Lake:
        """Read the system keys, raise the writer epoch and publish the root found. ``label`` names the lake in logs;
        ``known`` are the relations that it had when it closed, which are gone on with if they are the same, and
        ``published`` is the number that its root had then.
        Raises CorruptValue, FormatVersionUnsupported, StoreUnavailable; CannotConnectNow when another server owns the
        store."""
        snapshot = await store.snapshot()
        state = await read_system_state(snapshot, schema=schema, slot=slot)
        batch = WriteBatch()
        write_opening(batch, state)
        ownership.require()
        await store.write(batch)
        relations = Relations.of(state.relations, state.comments)
        if known is not None and known.by_id == relations.by_id and known.comments == relations.comments:
            relations = known
        root = Root(
            state.sequence, await store.snapshot(), relations, {}, state.counters, stored_bytes=state.stored_bytes,
            published=published,
        )  # fmt: skip
        lake = cls(store, state, root, schema, slot, clock, ownership, label, residency or Residency())
        lake._residency.add(lake)
        return lake

    async def close(self) -> None:
        for task in (*self._loading.values(), *self.newest.coming.values()):
            task.cancel()
        self._residency.remove(self)
        await self.store.close()

    @property
    def in_use(self) -> bool:
        """Whether a transaction holds a root or something is being loaded."""
        return bool(self._held or self._loading)

    @property
    def is_empty(self) -> bool:
        """Whether no relation was ever created, or all were dropped."""
        return not self.newest.relations.by_id

    @property
    def taken_over(self) -> bool:
        """Whether another server writes this lake now; nothing of it is answered here any more."""
        return self.given_up or self.ownership.is_lost

    # -- what staging allocates -------------------------------------------------------------------------------------

    def allocate_ctid(self) -> int:
        return self.allocate_ctids(1)[0]

    def allocate_ctids(self, count: int) -> Sequence[int]:
        first = self._next_row
        self._next_row += count
        if first >> _OFFSET_BITS == (first + count - 1) >> _OFFSET_BITS:
            return range(packed_ctid(first), packed_ctid(first) + count)
        return [packed_ctid(number) for number in range(first, first + count)]

    def allocate_relation_id(self) -> int:
        relation_id = self._next_relation_id
        self._next_relation_id += 1
        return relation_id

    @property
    def high_water_marks(self) -> tuple[int, int]:
        """(next row number, next relation id): at least what any staged change uses."""
        return self._next_row, self._next_relation_id

    def raise_marks(self, next_row: int, next_relation_id: int) -> None:
        """To at least these numbers."""
        self._next_row = max(self._next_row, next_row)
        self._next_relation_id = max(self._next_relation_id, next_relation_id)

    # -- roots ------------------------------------------------------------------------------------------------------

    def hold(self, root: Root | None = None) -> Root:
        """The newest root, or one that another transaction still holds, kept until ``release``. Raises
        CannotConnectNow once another server writes the lake."""
        if self.taken_over:
            raise CannotConnectNow("another server has taken this lake over")
        root = root if root is not None else self.newest
        root.leases += 1
        self._held[root.sequence] = root
        return root

    def release(self, root: Root) -> None:
        root.leases -= 1
        if not root.leases:
            self._held.pop(root.sequence, None)
            self.prune()

    def note_loss(self, session: Hashable, root: Root) -> None:
        """A transaction of the session lost against another one. Its client will ask what was committed since
        ``root``, in a new transaction: DuckLake does before it runs the commit again."""
        if root.newest_snapshot is not None:
            self._lost.setdefault(session, (asyncio.get_running_loop().time(), root.newest_snapshot))

    def forget_loss(self, session: Hashable) -> None:
        """It has made up for it, or given up."""
        self._lost.pop(session, None)

    def oldest_needed(self) -> int | None:
        """The oldest snapshot that open transactions, and those that lost a moment ago, still go by: the least of the
        newest ones that they saw. ``None`` when there are none."""
        since_s = asyncio.get_running_loop().time() - RETRY_S_MAX
        self._lost = {session: lost for session, lost in self._lost.items() if lost[0] >= since_s}
        seen = [root.newest_snapshot for root in self._held.values()] + [number for _, number in self._lost.values()]
        return min((number for number in seen if number is not None), default=None)

    def prune(self) -> None:
        """Forget the commit records that no held root and no load in flight needs."""
        held = [*self._held, *(sequence for sequence, *_ in self._loading)]
        self.log.prune(min(held, default=self.newest.sequence))

    # -- loading ----------------------------------------------------------------------------------------------------

    def at_hand(self, root: Root, relation: Relation, partition: Partition, wanted: Wanted = ALL_ROWS) -> Part | None:
        """As ``part``, if it is loaded."""
        image = root.image(relation.relation_id)
        if partition in image.parts:
            self._note_use(relation, partition)
        return image.part(partition, wanted)

    def _note_use(self, relation: Relation, partition: Partition) -> None:
        self.used[relation.relation_id, partition] = self._residency.next_use()

    async def part(
        self, root: Root, relation: Relation, partition: Partition, wanted: Wanted = ALL_ROWS
    ) -> Part:
        """A part of one partition at ``root`` that covers ``wanted``, loaded when needed."""
        found = self.at_hand(root, relation, partition, wanted)
        if found is None and await _came(root, relation):
            found = self.at_hand(root, relation, partition, wanted)
        if found is not None:
            return found
        if not relation.partition:
            return (await self.complete(root, relation)).parts[partition]

        async def load() -> Part:
            part = await load_partition(root.snapshot, relation, partition, wanted)
            self._note_use(relation, partition)
            self._install(root, relation, lambda image: image.with_loaded(partition, part))
            self._residency.grown(part.size_bytes)
            return part

        return await self._once((root.sequence, relation.relation_id, partition, wanted), load)

    async def complete(self, root: Root, relation: Relation) -> RelationImage:
        """Every partition at ``root``."""
        await _came(root, relation)
        found = root.image(relation.relation_id)
        if found.complete:
            return found

        async def load() -> RelationImage:
            loaded = await load_relation(root.snapshot, relation)
            self._install(root, relation, lambda _: loaded)
            self._residency.grown(await in_slices(lambda: loaded.size_bytes))
            return loaded

        return await self._once((root.sequence, relation.relation_id, _EVERY_PARTITION, ALL_ROWS), load)

    async def _once(
        self, key: LoadKey, load: Callable[[], Coroutine[Any, Any, T]]
    ) -> T:
        """Run ``load`` unless it is already running; a cancelled waiter does not cancel it for the others."""
        task = self._loading.get(key)
        if task is None:
            task = self._loading[key] = asyncio.create_task(load())
            task.add_done_callback(lambda _: self._loading.pop(key, None))
        result: T = await asyncio.shield(task)
        return result

    def _install(self, root: Root, relation: Relation, extend: Callable[[RelationImage], RelationImage]) -> None:
        """Put what was loaded into ``root`` and, brought up to date by the commit log, into the newest root."""
        relation_id = relation.relation_id
        before = root.image(relation_id)
        if not before.complete:
            root.images[relation_id] = extend(before)
        newest = self.newest
        known = newest.image(relation_id)
        if newest is root or known.complete or newest.relations.by_id.get(relation_id) is not relation:
            return
        records = self.log.after(root.sequence)
        if len(records) != newest.sequence - root.sequence:
            return
        image = extend(RelationImage())
        for record in records:
            image = image.apply(record.changes.get(relation_id, {}))
        if not image.complete:
            for partition, part in image.parts.items():
                known = known.with_loaded(partition, part)
        newest.images[relation_id] = image if image.complete else known


_EVERY_PARTITION = object()


async def _came(root: Root, relation: Relation) -> bool:
    """Wait for an image that is coming, if it is."""
    coming = root.coming.get(relation.relation_id)
    if coming is None:
        return False
    await asyncio.shield(coming)
    return True

