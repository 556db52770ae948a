"""What happened on PostgreSQL, said to our server in the same order; raises Different at the first difference."""

from __future__ import annotations

from collections import Counter

from tests.interleaving.clients import Answer, Client
from tests.interleaving.postgres_side import DEADLOCK, Event, Said
from tests.interleaving.schedules import Kind

SERIALIZATION, DUPLICATE = "40001", "23505"
MOMENT_S = 0.01
PINGS = 5
"""By the time that another session was answered this often, a statement has returned or waits."""


class Different(AssertionError):
    """The servers did not do the same."""


class RocklakeRun:
    """``seen`` counts what the schedule led to; ``watch`` is a connection that takes no part."""

    def __init__(self, events: list[Event], clients: list[Client], watch: Client, seen: Counter[str]) -> None:
        self._events = events
        self._clients = clients
        self._watch = watch
        self._seen = seen
        self._over: set[int] = set()
        self._savepoints: dict[int, list[str]] = {}
        self._left_out: set[int] = set()
        self._overtaken = _overtaken(events)
        self._early: dict[int, Answer] = {}

    def run(self) -> None:
        for event in self._events:
            said = event.said
            if not event.returned:
                self._begin_to_wait(said)
            elif said.statement.kind is Kind.CHANGE:
                self._change_returned(said)
            elif said.waited:
                self._insert_returned(said)
            else:
                self._at_once(said)

    def _begin_to_wait(self, said: Said) -> None:
        """PostgreSQL waits with this statement from now on."""
        client, session = self._clients[said.session], said.session
        self._seen[f"{said.statement.kind.value} waits"] += 1
        if said.statement.kind is Kind.CHANGE:
            self._left_out.add(session)
            if not said.script.read_committed:
                self._early[session] = self._succeeds(said)
            return
        if id(said) in self._overtaken:
            self._left_out.add(session)
            client.ask("SELECT 1")  # it may be the one that takes the transaction's snapshot
            return
        client.say(said.statement.sql)
        answer = self._at_rest(client)
        if answer is not None:
            same = said.answer is not None and answer.outcome == said.answer.outcome == DEADLOCK
            _require(same or self._cannot_succeed(said, answer), said, answer)
            self._early[session] = answer

    def _at_rest(self, client: Client) -> Answer | None:
        """The answer to what ``client`` said, ``None`` if that waits."""
        for _ in range(PINGS):
            self._watch.ask("SELECT 1")
        return client.answer(MOMENT_S)

    def _cannot_succeed(self, said: Said, answer: Answer) -> bool:
        """PostgreSQL waits for whoever changes the row that has the key, ours knows that a change does not free it."""
        failed = said.answer is not None and said.answer.sqlstate in (DUPLICATE, DEADLOCK)
        return failed and answer.sqlstate == DUPLICATE

    def _change_returned(self, said: Said) -> None:
        assert said.answer is not None
        self._left_out.discard(said.session)
        if said.answer.sqlstate == DEADLOCK:
            self._seen["row lock deadlock"] += 1
            self._early.pop(said.session, None)
            self._undo(said, "ROLLBACK", None)
            return
        early = self._early.pop(said.session, None)
        answer = early if early is not None else self._succeeds(said)
        if said.answer.sqlstate is not None:
            _require(said.answer.sqlstate == SERIALIZATION and not said.script.read_committed, said, answer)
            self._seen["serialization failure"] += 1
            self._undo(said, "COMMIT", SERIALIZATION)
        else:
            _require(_same(answer, said.answer), said, answer)

    def _insert_returned(self, said: Said) -> None:
        assert said.answer is not None
        client = self._clients[said.session]
        answer = self._early.pop(said.session, None)
        if id(said) in self._overtaken:
            self._left_out.discard(said.session)
            client.say(said.statement.sql)
        if answer is None:
            answer = self._at_rest(client) if said.answer.sqlstate == DEADLOCK else client.answer()
        if answer is None and said.answer.sqlstate == DEADLOCK:
            self._give_up_for_row_locks(said)
            return
        same = answer is not None and (_same(answer, said.answer) or self._cannot_succeed(said, answer))
        _require(same, said, answer)
        self._seen[f"insert after a wait: {said.answer.sqlstate or 'goes on'}"] += 1

    def _give_up_for_row_locks(self, said: Said) -> None:
        """The cycle has a wait for a row lock, which ours does not know, or one that was left out."""
        client = self._clients[said.session]
        _require(bool(self._left_out), said, None)
        self._seen["row lock deadlock"] += 1
        client.cancel()
        answer = client.answer()
        _require(answer is not None and answer.sqlstate == "57014", said, answer)

    def _at_once(self, said: Said) -> None:
        """Neither server waits, but with an insert that closes a cycle on PostgreSQL alone."""
        assert said.answer is not None
        client, kind = self._clients[said.session], said.statement.kind
        if kind is Kind.ROLLBACK and said.session in self._over:
            self._over.discard(said.session)
            return
        self._follow_savepoints(said)
        client.say(said.statement.sql)
        heard = self._at_rest(client) if said.answer.sqlstate == DEADLOCK else client.answer()
        if heard is None and said.answer.sqlstate == DEADLOCK:
            self._give_up_for_row_locks(said)
            return
        same = heard is not None and (_same(heard, said.answer) or self._cannot_succeed(said, heard))
        _require(same, said, heard)
        self._seen[f"{kind.value}: {said.answer.sqlstate or 'done'}"] += 1

    def _follow_savepoints(self, said: Said) -> None:
        savepoints = self._savepoints.setdefault(said.session, [])
        name = said.statement.sql.split()[-1]
        if said.statement.kind is Kind.BEGIN:
            savepoints.clear()
        elif said.statement.kind is Kind.SAVEPOINT:
            savepoints.append(name)
        elif said.statement.kind is Kind.ROLLBACK_TO:
            while savepoints[-1] != name:
                savepoints.pop()

    def _undo(self, said: Said, end: str, sqlstate: str | None) -> None:
        """An error that ours does not raise here, on PostgreSQL, has undone all that came since the innermost
        savepoint."""
        savepoints = self._savepoints[said.session]
        if savepoints:
            end, sqlstate = f"ROLLBACK TO SAVEPOINT {savepoints[-1]}", None
        else:
            self._over.add(said.session)
        answer = self._clients[said.session].ask(end)
        _require(answer.sqlstate == sqlstate, said, answer)

    def _succeeds(self, said: Said) -> Answer:
        answer = self._clients[said.session].ask(said.statement.sql)
        _require(answer.sqlstate is None, said, answer)
        return answer


def _overtaken(events: list[Event]) -> set[int]:
    """The inserts that waited while another one did that began later and returned earlier. PostgreSQL wakes all that
    wait for one key at once, and any of them may be the next to have it; ours wakes them in the order in which they
    came. So these are said to ours when they return."""
    found: set[int] = set()
    waiting: list[Said] = []
    for event in events:
        if not event.returned:
            waiting.append(event.said)
        elif event.said.waited:
            place = next(i for i, said in enumerate(waiting) if said is event.said)
            if event.said.statement.kind is Kind.INSERT:
                found |= {id(said) for said in waiting[:place] if said.statement.kind is Kind.INSERT}
            del waiting[place]
    return found


def _same(ours: Answer, theirs: Answer) -> bool:
    return ours.outcome == theirs.outcome and ours.rows == theirs.rows


def _require(holds: bool, said: Said, answer: Answer | None) -> None:
    if not holds:
        raise Different(
            f"session {said.session}: {said.statement.sql}\n  PostgreSQL: {said.answer}\n  ours:       {answer}"
        )
