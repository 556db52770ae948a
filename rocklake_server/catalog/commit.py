"""Group commit: validate, one write batch for the group, durable, publish, acknowledge.

Transactions that ask to commit while a batch is being written form the next group. A group is validated only after
the one before it is published, and one batch is in flight at a time. From joining a group on, nothing that happens to
the client decides the outcome.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections import deque
from collections.abc import Awaitable, Callable
from functools import partial
from time import perf_counter
from typing import NamedTuple

from rocklake_server.activity import Activity, StageWatch
from rocklake_server.catalog.batches import Draft, apply_draft, draft_of
from rocklake_server.catalog.commit_notices import CommitNotices
from rocklake_server.catalog.lake import Lake
from rocklake_server.catalog.late_images import give_images
from rocklake_server.catalog.root import PUBLICATIONS, Root
from rocklake_server.catalog.stall_watch import StallWatch
from rocklake_server.catalog.system_keys import NewestCommit, read_newest_commit, write_sequence
from rocklake_server.catalog.transaction import LakeTransaction
from rocklake_server.catalog.validation import Working, validate
from rocklake_server.errors import (
    CannotConnectNow,
    CatalogError,
    InternalProblem,
    OutcomeUnknown,
    StoreUnavailable,
)
from rocklake_server.limits import GROUP_BYTES_MAX, GROUP_MEMBERS_MAX
from rocklake_server.quiet import quiet_moments
from rocklake_server.store.base import StoreSnapshot, WriteBatch
from rocklake_server.telemetry import Request, apart, current_request, on_behalf_of

logger = logging.getLogger(__name__)

RELATIONS_AT_ONCE = 8
"""Images that are brought up to date between two turns of the event loop."""

READ_BACK_ATTEMPTS = 5
READ_BACK_PAUSE_S = 0.2
RETURN_TURNS = 4
"""Turns of the event loop in which those who were just answered may join those who wait. Otherwise the two would take
turns at the store, each with half a group."""

Drafting = Callable[[Lake, Working, int], Awaitable[Draft]]
"""Makes what one member adds to a group, from what the group has reached and the number of its commit. Raises
CatalogError when the member alone fails."""


class _Asking(NamedTuple):
    """What is to be committed, its outcome, and the request that it belongs to."""

    draft: Drafting
    outcome: asyncio.Future[None]
    request: Request | None


class Committer:
    """The one writer of a lake. ``notices`` tells those who listen what was committed."""

    def __init__(self, lake: Lake, activity: Activity | None = None, notices: CommitNotices | None = None) -> None:
        self._lake = lake
        self._notices = notices
        self._activity = activity or Activity()
        self._queue: deque[_Asking] = deque()
        self._leader: asyncio.Task[None] | None = None
        self._in_doubt: tuple[Working, int] | None = None

    async def commit(self, transaction: LakeTransaction) -> None:
        """Returns once the transaction is durable and published. Raises what ``validate`` raises, StoreUnavailable
        when it is known not to have been written, OutcomeUnknown when that cannot be known. Cancelling the caller
        does not cancel the commit."""
        outcome: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        outcome.add_done_callback(partial(self._let_go, self._lake.hold(transaction.root), perf_counter()))
        self._activity.commits_waiting += 1
        await self._join(_Asking(partial(_validated, transaction), outcome, current_request()))

    async def commit_drafted(self, draft: Drafting) -> None:
        """As ``commit``, for what is no transaction of a client: ``draft`` sees to what it may change."""
        outcome: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        outcome.add_done_callback(_look_at)
        await self._join(_Asking(draft, outcome, current_request()))

    async def _join(self, asking: _Asking) -> None:
        """The next group."""
        self._queue.append(asking)
        if self._leader is None or self._leader.done():
            self._leader = asyncio.create_task(self._lead(), context=apart())
        await asyncio.shield(asking.outcome)

    def _let_go(self, root: Root, began_s: float, outcome: asyncio.Future[None]) -> None:
        """A member's root is held until its outcome, which is looked at even when its client has gone."""
        self._lake.release(root)
        self._activity.commits_waiting -= 1
        if not outcome.cancelled() and outcome.exception() is None:
            self._activity.commits.observe(perf_counter() - began_s)

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
            group: list[_Asking] = []
            try:
                await self._commit_group(group)
            except CatalogError as error:
                _fail(group, error)
            except Exception:
                logger.exception("group commit failed")
                _fail(group, InternalProblem("the commit failed for a reason of the server itself"))
            for _ in range(RETURN_TURNS if self._queue else 0):
                await asyncio.sleep(0)

    async def _commit_group(self, group: list[_Asking]) -> None:
        """Take a group from the queue into ``group`` and decide the outcome of each of its members."""
        lake = self._lake
        if self._in_doubt is not None:
            await self._settle_earlier(group)
        root = lake.newest
        sequence = root.sequence + 1
        watch = self._activity.watch()
        working = Working(root, root.relations, dict(root.counters), stored_bytes=root.stored_bytes, stages=watch)
        batch = WriteBatch()
        size_bytes = 0
        written: list[_Asking] = []
        while self._queue and len(group) < GROUP_MEMBERS_MAX and size_bytes < GROUP_BYTES_MAX:
            asking = self._queue.popleft()
            group.append(asking)
            draft = await self._drafted(working, asking, sequence, watch)
            if draft is None:
                continue
            if written and size_bytes + draft.size_bytes > GROUP_BYTES_MAX:
                self._queue.appendleft(group.pop())
                break
            apply_draft(working, draft, batch)
            size_bytes += draft.size_bytes
            written.append(asking)
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
        watch.ended("encode")
        if working.relations is not root.relations and lake.before_redefinition is not None:
            await lake.before_redefinition()
        logger.debug("commit %d begins: %d transactions, %d keys", sequence, len(written), len(batch.operations))
        await self._write(working, batch, sequence, watch)
        logger.debug("commit %d is durable", sequence)
        self._activity.groups.observe(len(written))
        self._activity.commit_done(watch)
        if self._activity.tracer is not None:
            requests = [asking.request for asking in written]
            self._activity.tracer.committed(lake.label, sequence, requests, watch, keys=len(batch.operations))
        for asking in written:
            if not asking.outcome.done():
                asking.outcome.set_result(None)

    async def _drafted(
        self, working: Working, asking: _Asking, sequence: int, watch: StageWatch
    ) -> Draft | None:
        """What one member adds to the group; ``None`` when it failed, alone."""
        try:
            draft = await asking.draft(self._lake, working, sequence)
        except CatalogError as error:
            problem = error
        except Exception:
            with on_behalf_of(asking.request):
                logger.exception("a transaction cannot be committed")
            problem = InternalProblem("the commit failed for a reason of the server itself")
        else:
            watch.ended("encode")
            return draft
        watch.ended("validate")
        if not asking.outcome.done():
            asking.outcome.set_exception(problem)
        return None

    async def _write(self, working: Working, batch: WriteBatch, sequence: int, watch: StageWatch) -> None:
        """Make the batch durable and publish it. Raises only when it is known not to be in the store, or when that
        cannot be known."""
        with StallWatch(self._lake.label, sequence):
            written = await self._try_write(working, batch, sequence)
            watch.ended("durable")
            landed = await self._settle(working, sequence, written=written)
            watch.ended("publish")
        if landed:
            return
        if self._lake.taken_over:
            raise CannotConnectNow("another server took this lake over before the commit; nothing was changed")
        raise StoreUnavailable("the store failed while the commit was written; nothing was changed")

    async def _try_write(self, working: Working, batch: WriteBatch, sequence: int) -> bool:
        """Whether the batch is durable; False when that has to be found out. Raises when it is known not to be
        written."""
        lake = self._lake
        await lake.ownership.wait()
        try:
            await self._write_counted(batch)
        except OutcomeUnknown:
            logger.warning("%s: the outcome of commit %d is not known", lake.label, sequence)
        except CatalogError:
            self._note_takeover()
            if not lake.taken_over and lake.store.needs_reopen:
                await self._recover(working, sequence)
            raise
        except Exception:
            logger.exception("%s: the store failed in commit %d", lake.label, sequence)
        else:
            return True
        return False

    async def _write_counted(self, batch: WriteBatch) -> None:
        """As ``Store.write``."""
        began_s = perf_counter()
        try:
            await self._lake.store.write(batch)
        except BaseException:
            self._activity.store_write_failures += 1
            raise
        self._activity.store_writes.observe(perf_counter() - began_s)

    async def recover(self) -> None:
        """After the handle was lost or a commit left in doubt while nobody writes: open another one, and find out.
        Logs when that fails; may be repeated."""
        lake = self._lake
        if self._leader is not None and not self._leader.done():
            return
        if not lake.taken_over and (self._in_doubt is not None or lake.store.needs_reopen):
            self._leader = asyncio.create_task(self._recover_and_lead(), context=apart())
            await asyncio.shield(self._leader)

    async def _recover_and_lead(self) -> None:
        """As the leader, so that no group is written meanwhile."""
        root = self._lake.newest
        nothing = Working(root, root.relations, dict(root.counters), stored_bytes=root.stored_bytes)
        try:
            await self._recover(*(self._in_doubt or (nothing, root.sequence + 1)), attempts=1)
        except Exception:
            logger.exception("%s: recovering the store failed", self._lake.label)
        await self._lead()

    async def _recover(self, working: Working, sequence: int, attempts: int = READ_BACK_ATTEMPTS) -> None:
        """After the handle was lost: open another one now, or before the next group."""
        try:
            await self._settle(working, sequence, written=False, attempts=attempts)
        except OutcomeUnknown:
            logger.warning("%s: the store cannot be opened again yet", self._lake.label)

    async def _settle_earlier(self, group: list[_Asking]) -> None:
        """Find out about the batch in doubt before anything else is written; whoever waits fails if that fails."""
        if self._in_doubt is None:
            return
        try:
            await self._settle(*self._in_doubt, written=False)
        except OutcomeUnknown:
            group += self._queue
            self._queue.clear()
            raise StoreUnavailable("the store cannot be read after a failure; nothing was changed") from None

    async def _settle(
        self, working: Working, sequence: int, *, written: bool, attempts: int = READ_BACK_ATTEMPTS
    ) -> bool:
        """Publish the batch if it is in the store; False when it is known not to be there. Raises OutcomeUnknown
        when the store cannot be read; the next group finds out then."""
        lake = self._lake
        self._in_doubt = working, sequence
        for attempt in range(attempts):
            if attempt:
                await asyncio.sleep(READ_BACK_PAUSE_S * 2**attempt * random.uniform(0.5, 1.5))
            self._note_takeover()
            try:
                newest, snapshot = await self._look(sequence, written=written, reopen=not written or attempt > 0)
            except CatalogError as error:
                logger.warning("%s: cannot read the commit sequence back: %s", lake.label, error)
                continue
            landed = newest.holds(sequence, lake.writer_epoch)
            if snapshot is not None and newest.writer_epoch == lake.writer_epoch:
                # Our handle is the only one: what it does not show is not there.
                self._in_doubt = None
                if landed:
                    self._publish(working, sequence, snapshot)
                else:
                    lake.newest.snapshot = snapshot
                return landed is True
            lake.given_up = True
            if landed is not None:
                self._in_doubt = None
                return landed
        if lake.taken_over:
            raise OutcomeUnknown("another server took this lake over while the commit was written; whether it was "
                                 "kept is not known")
        raise OutcomeUnknown("the store failed while the commit was written; whether it was kept is not known")

    async def _look(
        self, sequence: int, *, written: bool, reopen: bool
    ) -> tuple[NewestCommit, StoreSnapshot | None]:
        """What is committed, and a snapshot of it as long as the lake is ours."""
        lake = self._lake
        if lake.taken_over:
            return NewestCommit.of(await lake.store.durable_values(NewestCommit.KEYS)), None
        await lake.ownership.wait()
        if reopen and lake.store.needs_reopen:
            await lake.store.reopen()
        snapshot = await lake.store.snapshot()
        if written:
            return NewestCommit(sequence, lake.writer_epoch, opened_at=sequence), snapshot
        return await read_newest_commit(snapshot), snapshot

    def _note_takeover(self) -> None:
        """A process that opened the store owns it now, unless we hold its lease."""
        lake = self._lake
        if lake.store.is_fenced and not lake.ownership.is_lease:
            lake.given_up = True

    def _catch_up(self) -> None:
        """In a quiet moment, a few relations at a time."""
        if self._lake.newest.catch_up(RELATIONS_AT_ONCE):
            asyncio.get_running_loop().call_soon(self._catch_up)

    def _publish(self, working: Working, sequence: int, snapshot: StoreSnapshot) -> None:
        """Make the durable state the newest root."""
        lake = self._lake
        root = Root(sequence, snapshot, working.relations, counters=working.counters, stored_bytes=working.stored_bytes)
        give_images(root, lake.newest, working)
        lake.log.append(working.record(sequence))
        changed = working.changes.keys() | working.redefined
        root.measured = {i: found for i, found in lake.newest.measured.items() if i not in changed}
        root.published = PUBLICATIONS.next()
        is_redefined = working.relations is not lake.newest.relations
        self._note_in_survey(working, sequence)
        lake.newest = root
        if is_redefined and lake.after_redefinition is not None:
            lake.after_redefinition()
        if root.late:
            quiet_moments().put_off(self._catch_up)
        if working.last_snapshot_us is not None:
            lake.last_snapshot_us = working.last_snapshot_us
        lake.prune()
        if self._notices is not None and self._notices.are_heard:
            self._notices.committed(working)

    def _note_in_survey(self, working: Working, sequence: int) -> None:
        """Before the root is published that has the changes."""
        lake = self._lake
        if lake.survey is not None:
            before = lake.newest.relations.by_id
            lake.survey.note(sequence, working.counted, [before[i] for i in working.redefined if i in before])


def _look_at(outcome: asyncio.Future[None]) -> None:
    """Also when whoever asked has gone."""
    if not outcome.cancelled():
        outcome.exception()


async def _validated(transaction: LakeTransaction, lake: Lake, working: Working, sequence: int) -> Draft:
    member = await validate(lake, working, transaction)
    if working.stages is not None:
        working.stages.ended("validate")
    return await draft_of(lake, working, member, sequence)


def _fail(group: list[_Asking], error: CatalogError) -> None:
    """Give the same answer to every member that has none."""
    for asking in group:
        if not asking.outcome.done():
            asking.outcome.set_exception(error)
