"""Group commit: validate, one write batch for the group, durable, publish, acknowledge.

Transactions that ask to commit while a batch is being written form the next group. A group is validated only after
the one before it is published, and one batch is in flight at a time. From joining a group on, nothing that happens to
the client decides the outcome.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from functools import partial
from typing import NoReturn

from rocklake_server.catalog.batches import apply_member
from rocklake_server.catalog.image import RelationImage
from rocklake_server.catalog.lake import Lake
from rocklake_server.catalog.relations import row_transform
from rocklake_server.catalog.root import Root
from rocklake_server.catalog.system_keys import read_newest_commit, write_sequence
from rocklake_server.catalog.transaction import LakeTransaction
from rocklake_server.catalog.validation import Working, validate
from rocklake_server.errors import CatalogError, InternalProblem, OutcomeUnknown, StoreUnavailable
from rocklake_server.limits import GROUP_BYTES_MAX, GROUP_MEMBERS_MAX
from rocklake_server.pacing import in_slices
from rocklake_server.store.base import StoreSnapshot, WriteBatch

logger = logging.getLogger(__name__)

READ_BACK_ATTEMPTS = 5
READ_BACK_PAUSE_S = 0.2

_Request = tuple[LakeTransaction, "asyncio.Future[None]"]


class Committer:
    """The one writer of a lake."""

    def __init__(self, lake: Lake) -> None:
        self._lake = lake
        self._queue: deque[_Request] = deque()
        self._leader: asyncio.Task[None] | None = None
        self._in_doubt: tuple[Working, int] | None = None

    async def commit(self, transaction: LakeTransaction) -> None:
        """Returns once the transaction is durable and published. Raises what ``validate`` raises, StoreUnavailable
        when it is known not to have been written, OutcomeUnknown when that cannot be known. Cancelling the caller
        does not cancel the commit."""
        outcome: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        outcome.add_done_callback(partial(self._let_go, self._lake.hold(transaction.root)))
        self._queue.append((transaction, outcome))
        if self._leader is None or self._leader.done():
            self._leader = asyncio.create_task(self._lead())
        await asyncio.shield(outcome)

    def _let_go(self, root: Root, outcome: asyncio.Future[None]) -> None:
        """A member's root is held until its outcome, which is looked at even when its client has gone."""
        self._lake.release(root)
        if not outcome.cancelled():
            outcome.exception()

    @property
    def is_busy(self) -> bool:
        """Whether a commit is under way, or one is in doubt."""
        return self._in_doubt is not None or (self._leader is not None and not self._leader.done())

    async def drain(self) -> None:
        """Wait for every commit that was asked for."""
        if self._leader is not None and not self._leader.done():
            await asyncio.shield(self._leader)

    async def _lead(self) -> None:
        while self._queue:
            group: list[_Request] = []
            try:
                await self._commit_group(group)
            except CatalogError as error:
                _fail(group, error)
            except Exception:
                logger.exception("group commit failed")
                _fail(group, InternalProblem("the commit failed for a reason of the server itself"))

    async def _commit_group(self, group: list[_Request]) -> None:
        """Take a group from the queue into ``group`` and decide the outcome of each of its members."""
        lake = self._lake
        if self._in_doubt is not None:
            await self._settle_earlier(group)
        root = lake.newest
        sequence = root.sequence + 1
        working = Working(root, root.relations, dict(root.counters), stored_bytes=root.stored_bytes)
        batch = WriteBatch()
        size_bytes = 0
        written: list[_Request] = []
        while self._queue and len(group) < GROUP_MEMBERS_MAX and size_bytes < GROUP_BYTES_MAX:
            request = self._queue.popleft()
            group.append(request)
            added_bytes = await self._admit(working, request, batch, sequence)
            if added_bytes is not None:
                size_bytes += added_bytes
                written.append(request)
        if not written:
            return
        next_row, next_relation_id = lake.high_water_marks
        write_sequence(
            batch,
            sequence,
            next_row=next_row,
            next_relation_id=next_relation_id,
            stored_bytes=working.stored_bytes,
        )
        await self._write(working, batch, sequence)
        for _, outcome in written:
            if not outcome.done():
                outcome.set_result(None)

    async def _admit(self, working: Working, request: _Request, batch: WriteBatch, sequence: int) -> int | None:
        """Add one transaction to the group, or fail it alone. Returns the bytes added, ``None`` for none."""
        transaction, outcome = request
        try:
            member = await validate(self._lake, working, transaction)
            return await apply_member(self._lake, working, member, batch, sequence)
        except CatalogError as error:
            problem = error
        except Exception:
            logger.exception("a transaction cannot be committed")
            problem = InternalProblem("the commit failed for a reason of the server itself")
        if not outcome.done():
            outcome.set_exception(problem)
        return None

    async def _write(self, working: Working, batch: WriteBatch, sequence: int) -> None:
        """Make the batch durable and publish it. Raises only when it is known not to be in the store, or when that
        cannot be known."""
        written = False
        try:
            await self._lake.store.write(batch)
            written = True
        except OutcomeUnknown:
            logger.warning("the outcome of commit %d is not known", sequence)
        except StoreUnavailable:
            if self._lake.store.needs_reopen:
                await self._recover(working, sequence)
            raise
        except CatalogError:
            self._lake.taken_over = self._lake.taken_over or self._lake.store.is_fenced
            raise
        except Exception:
            logger.exception("the store failed in commit %d", sequence)
        if not await self._settle(working, sequence, written=written):
            raise StoreUnavailable("the store failed while the commit was written; nothing was changed")

    async def _recover(self, working: Working, sequence: int) -> None:
        """After the handle was lost: open another one now, or before the next group."""
        try:
            await self._settle(working, sequence, written=False)
        except OutcomeUnknown as error:
            logger.warning("the store cannot be opened again yet: %s", error)

    async def _settle_earlier(self, group: list[_Request]) -> None:
        """Find out about the batch in doubt before anything else is written; whoever waits fails if that fails."""
        if self._in_doubt is None:
            return
        try:
            await self._settle(*self._in_doubt, written=False)
        except OutcomeUnknown:
            group += self._queue
            self._queue.clear()
            raise StoreUnavailable("the store cannot be read after a failure; nothing was changed") from None

    async def _settle(self, working: Working, sequence: int, *, written: bool) -> bool:
        """Publish the batch if it is in the store; False when it is known not to be there. Raises OutcomeUnknown
        when the store cannot be read; the next group finds out then."""
        lake = self._lake
        self._in_doubt = working, sequence
        for attempt in range(READ_BACK_ATTEMPTS):
            if attempt:
                await asyncio.sleep(READ_BACK_PAUSE_S * 2**attempt)
            if lake.store.is_fenced:
                self._give_up()
            try:
                if (attempt or not written) and lake.store.needs_reopen:
                    await lake.store.reopen()
                snapshot = await lake.store.snapshot()
                newest, writer_epoch = (sequence, lake.writer_epoch) if written else await read_newest_commit(snapshot)
            except CatalogError as error:
                logger.warning("cannot read the commit sequence back: %s", error)
                continue
            if writer_epoch != lake.writer_epoch:
                self._give_up()
            self._in_doubt = None
            landed = newest >= sequence
            if landed:
                await self._publish(working, sequence, snapshot)
            else:
                lake.newest.snapshot = snapshot
            return landed
        raise OutcomeUnknown("the store failed while the commit was written; whether it was kept is not known")

    def _give_up(self) -> NoReturn:
        """Another server writes this lake now: a commit in its log with our number need not be ours."""
        self._lake.taken_over = True
        raise OutcomeUnknown("another server took this lake over while the commit was written")

    async def _publish(self, working: Working, sequence: int, snapshot: StoreSnapshot) -> None:
        """Make the durable state the newest root."""
        lake = self._lake
        try:
            images = await in_slices(partial(_images_after, lake.newest, working))
        except Exception:
            logger.exception("cannot bring the images up to date; they load again from the store")
            images = {}
        lake.log.append(working.record(sequence))
        lake.newest = Root(
            sequence, snapshot, working.relations, images, working.counters, stored_bytes=working.stored_bytes
        )
        if working.last_snapshot_us is not None:
            lake.last_snapshot_us = working.last_snapshot_us
        lake.prune()


def _images_after(root: Root, working: Working) -> dict[int, RelationImage]:
    """What ``root`` has loaded, with the group's changes made."""
    images = {i: image for i, image in root.images.items() if i in working.relations.by_id}
    for relation_id, (old, new) in working.altered.items():
        if relation_id in images:
            images[relation_id] = images[relation_id].transform(row_transform(old, new))
    for relation_id in working.relations.by_id.keys() - root.relations.by_id.keys():
        images[relation_id] = RelationImage(complete=True)
    for relation_id, changes in working.changes.items():
        if relation_id in images:
            images[relation_id] = images[relation_id].apply(changes)
    return images


def _fail(group: list[_Request], error: CatalogError) -> None:
    """Give the same answer to every member that has none."""
    for _, outcome in group:
        if not outcome.done():
            outcome.set_exception(error)
