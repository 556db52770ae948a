"""A schedule on PostgreSQL, and what happened in which order."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

from tests.interleaving.clients import ANSWER_S_MAX, Answer, Client
from tests.interleaving.schedules import OWN_ID, Kind, Schedule, Script, Statement

DEADLOCK = "40P01"
DEADLOCK_TIMEOUT_MS = 5
SETTLED_S = 6 * DEADLOCK_TIMEOUT_MS / 1000
"""A wait that has lasted this long was found to close no cycle."""

_ENDS = (Kind.COMMIT, Kind.ROLLBACK)


@dataclass(slots=True)
class Said:
    """A statement of a session, and its answer as soon as there is one."""

    session: int
    script: Script
    statement: Statement
    waited: bool = False
    answer: Answer | None = None


@dataclass(frozen=True, slots=True)
class Event:
    """A statement was said and began to wait, or it returned (at once, unless ``said.waited``)."""

    said: Said
    returned: bool


class _Session:
    """What a session has left to say. What comes after an error depends on its script."""

    def __init__(self, number: int, scripts: tuple[Script, ...], client: Client) -> None:
        self.number = number
        self.client = client
        self.said: Said | None = None
        self._failed = False
        self._words = self._all(scripts)
        self._next: tuple[Script, Statement] | None = next(self._words, None)

    @property
    def has_more(self) -> bool:
        return self._next is not None

    def _all(self, scripts: tuple[Script, ...]) -> Iterator[tuple[Script, Statement]]:
        for place, script in enumerate(scripts):
            own = 1000 + 100 * self.number + 10 * place
            for count, statement in enumerate(script.statements):
                yield script, replace(statement, sql=statement.sql.replace(OWN_ID, str(own + count)))
                if self._failed and not script.recovers:
                    yield script, Statement(Kind.ROLLBACK, "ROLLBACK")
                    break
                if self._failed:
                    yield script, Statement(Kind.ROLLBACK_TO, "ROLLBACK TO SAVEPOINT s")

    def say(self) -> Said:
        assert self._next is not None
        assert self.said is None
        script, statement = self._next
        self.said = Said(self.number, script, statement)
        self.client.say(statement.sql)
        return self.said

    def hear(self, answer: Answer) -> Said:
        assert self.said is not None
        said, self.said = self.said, None
        said.answer = answer
        self._failed = answer.sqlstate is not None
        self._next = next(self._words, None)
        return said


class PostgresRun:
    """One schedule, said to PostgreSQL. ``monitor`` is a connection that looks on."""

    def __init__(self, schedule: Schedule, clients: list[Client], monitor: Client) -> None:
        self._order = schedule.order
        self._monitor = monitor
        self._sessions = [_Session(n, *each) for n, each in enumerate(zip(schedule.sessions, clients, strict=False))]
        self._waiting: list[_Session] = []
        self.events: list[Event] = []

    @property
    def chose_a_victim_late(self) -> bool:
        """Whether a session that waited already was failed for a cycle that another one closed: its timer decided
        that, not the schedule."""
        return any(
            event.returned and event.said.waited and event.said.answer is not None
            and event.said.answer.sqlstate == DEADLOCK for event in self.events
        )  # fmt: skip

    def run(self) -> list[Event]:
        """Until nobody has anything left to say."""
        turn = 0
        while self._waiting or any(session.has_more for session in self._sessions):
            ready = [session for session in self._sessions if session.has_more and session.said is None]
            if ready:
                self._step(ready[self._order[turn % len(self._order)] % len(ready)])
                turn += 1
            else:  # all wait: PostgreSQL is about to find the cycle
                time.sleep(DEADLOCK_TIMEOUT_MS / 1000)
                self._settle()
        return self.events

    def _step(self, session: _Session) -> None:
        said = session.say()
        answer = session.client.answer(0.002)
        began = time.monotonic()
        while answer is None and not self._has_settled(session, began):
            answer = session.client.answer(0.002)
        if answer is None:
            said.waited = True
            self._waiting.append(session)
            self.events.append(Event(said, returned=False))
            return
        heard = self._heard()  # a session that a deadlock ended may be why this one goes on
        victims = [each for each in heard if each[1].sqlstate == DEADLOCK]
        self._record([*victims, (session, answer), *(each for each in heard if each not in victims)])
        if heard or answer.sqlstate is not None or said.statement.kind in (*_ENDS, Kind.ROLLBACK_TO):
            self._settle()

    def _has_settled(self, session: _Session, began: float) -> bool:
        """Whether it waits, and has for long enough."""
        assert time.monotonic() - began < ANSWER_S_MAX
        return time.monotonic() - began > SETTLED_S and self._is_blocked(session)

    def _is_blocked(self, session: _Session) -> bool:
        asked = self._monitor.ask(f"SELECT cardinality(pg_blocking_pids({session.client.process_id})) > 0")
        return asked.rows == (("t",),)

    def _settle(self) -> None:
        """After locks were given back: hear everybody who has stopped waiting."""
        deadline = time.monotonic() + ANSWER_S_MAX
        while True:
            heard = self._heard()
            if not heard and all(self._is_blocked(session) for session in self._waiting):
                heard = self._heard()
                if not heard:
                    return
            self._record(heard)
            assert time.monotonic() < deadline

    def _heard(self) -> list[tuple[_Session, Answer]]:
        heard: list[tuple[_Session, Answer]] = []
        for _ in range(2):  # an error is on its way before the locks are given back that let another one go on
            for session in self._waiting:
                answer = session.client.answer(0.0) if session.client.waits else None
                if answer is not None:
                    heard.append((session, answer))
            if not heard:
                break
        return sorted(heard, key=lambda each: each[1].sqlstate is None)

    def _record(self, heard: list[tuple[_Session, Answer]]) -> None:
        for session, answer in heard:
            if session in self._waiting:
                self._waiting.remove(session)
            self.events.append(Event(session.hear(answer), returned=True))
