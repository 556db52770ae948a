"""The rules of the measurement: in turn, each read after a commit that changes its answer, answers equal by value."""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace

from psycopg.conninfo import conninfo_to_dict, make_conninfo

from benchmarks.cases import Case, Lake
from benchmarks.replay_floor import ReplayProxy
from benchmarks.results import Result
from benchmarks.targets import Target


class DifferentAnswers(Exception):
    """The servers answer differently, or a read was not given anything new to answer: the run is worth nothing."""


@dataclass(frozen=True, slots=True)
class Floor:
    """Clients behind the proxy. Two read our lake that is compared: one asks, the other is given the same replies, and
    both have come to know the lake in the same steps. A third writes to a lake of its own."""

    proxy: ReplayProxy
    asks: Lake
    repeats: Lake
    writes: Lake


def floor_of(ours: Target, stack: ExitStack) -> Floor:
    """Clients of our server behind a proxy, until ``stack`` ends; the lake for writes is empty."""
    parts = conninfo_to_dict(ours.dsn)
    proxy = ReplayProxy(str(parts["host"]), int(str(parts["port"])))
    proxy.start()
    stack.callback(proxy.stop)

    def behind(target: Target) -> Lake:
        replayed = replace(target, name="floor", dsn=make_conninfo(target.dsn, host="127.0.0.1", port=proxy.port))
        connection = replayed.client()
        stack.callback(connection.close)
        return replayed, connection

    return Floor(proxy, asks=behind(ours), repeats=behind(ours), writes=behind(ours.create_database("floor")))


@dataclass(slots=True)
class _Answers:
    """What one server answered in the rounds of a case."""

    seen: list[object] = field(default_factory=list)
    times_ms: list[float] = field(default_factory=list)


def measure(case: Case, lakes: Sequence[Lake], floor: Floor | None = None) -> Result:
    """Runs ``case`` on both lakes (ours first) and on the floor. Raises DifferentAnswers."""
    answers = {target.name: _Answers() for target, _ in lakes}
    floors_ms: list[float] = []
    if case.setup is not None:
        for lake in [*lakes, *([floor.writes] if floor is not None and not case.reads else [])]:
            case.setup(lake, 0)
    for number in range(case.rounds):
        for lake in lakes if number % 2 == 0 else lakes[::-1]:
            _run(case, lake, number, answers[lake[0].name])
        if floor is not None:
            floors_ms.append(_floor_of_round(case, floor, number, answers[lakes[0][0].name]))
        _require_equal(case, number, answers)
    ours, theirs = (statistics.median(each.times_ms) for each in answers.values())
    return Result(case.name, "ms", case.rounds, ours, theirs,
                  floor=statistics.median(floors_ms) if floors_ms else None, target=case.target, bound=case.bound)


def _run(case: Case, lake: Lake, number: int, answers: _Answers) -> None:
    if case.before is not None:
        case.before(lake, number)
    start = time.perf_counter()
    answer = case.run(lake, number)
    answers.times_ms.append((time.perf_counter() - start) * 1e3)
    if case.check is not None and (case.reads or number == case.rounds - 1):
        answer = case.check(lake, number)
    answers.seen.append(answer)


def _floor_of_round(case: Case, floor: Floor, number: int, ours: _Answers) -> float:
    """Milliseconds of the client. A read is replayed from the same read of another client; the server's share of a
    write is taken off."""
    proxy, lake = floor.proxy, floor.repeats if case.reads else floor.writes
    if case.reads:
        proxy.replies.clear()
        case.run(floor.asks, number)
        proxy.replays = True
    elif case.before is not None:
        case.before(lake, number)
    waited_s = proxy.waited_s
    start = time.perf_counter()
    answer = case.run(lake, number)
    elapsed_s = time.perf_counter() - start - (proxy.waited_s - waited_s)
    proxy.replays = False
    if case.reads and case.check is None and answer != ours.seen[-1]:
        raise DifferentAnswers(f"{case.name}: replayed it answers {answer!r}, not {ours.seen[-1]!r}")
    return elapsed_s * 1e3


def _require_equal(case: Case, number: int, answers: dict[str, _Answers]) -> None:
    newest = {name: each.seen[-1] for name, each in answers.items()}
    first, second = newest.values()
    if first != second:
        raise DifferentAnswers(f"{case.name}, round {number}: {newest}")
    if not case.reads:
        return
    for name, each in answers.items():
        if each.seen[-1] is None:
            raise DifferentAnswers(f"{case.name}: {name} gave no answer that can be compared")
        if number and each.seen[-1] == each.seen[-2]:
            raise DifferentAnswers(f"{case.name}, round {number}: nothing changed the answer of {name}")
