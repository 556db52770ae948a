"""Runs procedures by a schedule: one at a time, and none that fails takes the server down."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from rocklake_server.catalog.databases import PUBLIC, Databases
from rocklake_server.errors import CatalogError
from rocklake_server.operations.retention import RETENTION
from rocklake_server.operations.schedule import RETIRED_RETENTION, Job, Schedule
from rocklake_server.schema.types import Value
from rocklake_server.session.procedures import Caller, Procedure, perform

logger = logging.getLogger(__name__)

WHO = "schedule"
"""In audit records, and among the runs."""

JITTER = 0.05
"""By how much of its interval a run comes sooner or later, so that servers do not run in step."""

FIRST_S_MAX = 600.0
"""Rare jobs run so soon after a start, or else they would never run in a server that is restarted often."""

RETENTION_EVERY_S = 3600.0
BETWEEN_LAKES_S = 0.5
"""A pause before a lake is opened for its retention, so that not all lakes of a store are open at once."""

ListedLake = tuple[str, str]
"""Database and schema."""


class Timed(Protocol):
    """What runs again and again."""

    @property
    def name(self) -> str: ...

    @property
    def every_s(self) -> float: ...

    async def run(self) -> None: ...


class Scheduler:
    """Of one server. ``run`` goes on until it is cancelled."""

    def __init__(self, databases: Databases, schedule: Schedule, chance: Callable[[], float] = random.random) -> None:
        self._databases = databases
        self._chance = chance
        self._jobs: list[Timed] = [ScheduledProcedure(databases, job) for job in schedule.jobs]
        self._jobs.append(RetiredRetention(databases, schedule))

    async def run(self) -> None:
        loop = asyncio.get_running_loop()
        due_s = {number: loop.time() + self._first_s(job) for number, job in enumerate(self._jobs)}
        while True:
            number = min(due_s, key=lambda each: due_s[each])
            self._tell(due_s)
            await asyncio.sleep(due_s[number] - loop.time())
            job = self._jobs[number]
            try:
                await job.run()
            except Exception:
                logger.exception("scheduled maintenance: %s failed", job.name)
            due_s[number] = loop.time() + job.every_s * (1 + JITTER * (2 * self._chance() - 1))

    def _first_s(self, job: Timed) -> float:
        return min(job.every_s, FIRST_S_MAX) * (0.5 + 0.5 * self._chance())

    def _tell(self, due_s: Mapping[int, float]) -> None:
        """When what runs next, for those who look."""
        now_s, now_us = asyncio.get_running_loop().time(), self._databases.clock.now_us()
        following: dict[str, int] = {}
        for number, at_s in due_s.items():
            name, at_us = self._jobs[number].name, now_us + int((at_s - now_s) * 1e6)
            following[name] = min(at_us, following.get(name, at_us))
        self._databases.runs.following_us = following


@dataclass(frozen=True, slots=True)
class ScheduledProcedure:
    """One job of the file."""

    databases: Databases
    job: Job

    @property
    def name(self) -> str:
        return self.job.procedure.name

    @property
    def every_s(self) -> float:
        return self.job.every_s

    async def run(self) -> None:
        for lake in self._lakes():
            await run_in(self.databases, lake, self.job.procedure, self.job.arguments)

    def _lakes(self) -> Sequence[ListedLake]:
        if self.job.lakes is None:
            return lakes_of(self.databases)
        return [_named(name) for name in self.job.lakes]


class RetiredRetention:
    """Excises rows that were deleted long enough ago. Lakes that nobody opened since the last look, and in which
    nothing is left to excise, are not opened for it."""

    name = RETIRED_RETENTION
    every_s = RETENTION_EVERY_S

    def __init__(self, databases: Databases, schedule: Schedule) -> None:
        self._databases = databases
        self._schedule = schedule
        self._pending = set(lakes_of(databases))

    async def run(self) -> None:
        databases = self._databases
        listed = set(lakes_of(databases))
        databases.runs.forget(listed)
        is_open = {(opened.database, opened.lake.schema) for opened in databases.open_lakes()}
        wanted = (self._pending | databases.opened_since | is_open) & listed
        databases.opened_since.clear()
        self._pending &= listed
        for lake in sorted(wanted):
            retention_s = self._schedule.retention_s(_name(lake))
            if retention_s is None:
                continue
            if lake not in is_open:
                await asyncio.sleep(BETWEEN_LAKES_S)
            facts = await run_in(databases, lake, RETENTION, {"seconds": int(retention_s)})
            if facts is None or facts["pending"]:
                self._pending.add(lake)
            else:
                self._pending.discard(lake)
            databases.opened_since.discard(lake)  # it was for this


async def run_in(
    databases: Databases, lake: ListedLake, procedure: Procedure, arguments: Mapping[str, Value]
) -> Mapping[str, object] | None:
    """What the procedure answered; ``None`` when it failed, which is logged."""
    database, schema = lake
    try:
        return await perform(databases, Caller(WHO, database), procedure, {**arguments, "schema": schema}, schema)
    except CatalogError as error:
        logger.warning('scheduled maintenance: %s of lake "%s" failed: %s', procedure.name, _name(lake), error)
    except Exception:
        logger.exception('scheduled maintenance: %s of lake "%s" failed', procedure.name, _name(lake))
    return None


def lakes_of(databases: Databases) -> list[ListedLake]:
    """Every lake on the list."""
    directory = databases.directory
    return [(database, schema) for database in directory.databases() for schema in directory.schemas(database)]


def _named(name: str) -> ListedLake:
    database, _, schema = name.partition("/")
    return database, schema or PUBLIC


def _name(lake: ListedLake) -> str:
    database, schema = lake
    return database if schema == PUBLIC else f"{database}/{schema}"
