"""One crash point: a workload, a request of it that meets a fate, and what a new server finds afterwards."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from unittest.mock import patch

from rocklake_server.catalog import commit
from rocklake_server.errors import CatalogError
from rocklake_server.store.base import Store
from rocklake_server.store.object_stores import parse_store_url
from rocklake_server.store.slate import open_slate_store
from rocklake_server.store.slate_settings import SlateSettings
from tests.catalog.audit import audit, check
from tests.catalog.engine import DATABASE, Engine
from tests.crash_points.workload import SNAPSHOTS, Ledger, State, contents, pair, run
from tests.s3_stub import Fate, Kept, S3Stub
from tests.verified import engine_damage_in

POINT_SECONDS_MAX = 60.0
SETTINGS = SlateSettings(unflushed_writes_max=3, object_store_max_retries=0, open_timeout_s=5.0, close_timeout_s=1.0)


class Mode(Enum):
    """What happens at the request."""

    REFUSED = Fate(Kept.NOTHING, status=503)
    ANSWER_LOST = Fate()
    OUTAGE = Fate(Kept.NOTHING, status=503, requests=40)
    """Longer than the client of the object store retries."""
    SILENT_OUTAGE = Fate(Kept.NOTHING, requests=40)
    CRASH_BEFORE = Fate(Kept.NOTHING, crashes=True)
    CRASH_AFTER = Fate(crashes=True)
    CRASH_AND_LATE = Fate(Kept.LATER, crashes=True)
    CRASH_TORN = Fate(Kept.HALF, crashes=True)
    CRASH_EMPTY = Fate(Kept.EMPTY, crashes=True)
    LIE_TORN = Fate(Kept.HALF, status=200)
    LIE_EMPTY = Fate(Kept.EMPTY, status=200)

    @property
    def for_puts(self) -> bool:
        return self.value.kept in (Kept.LATER, Kept.HALF, Kept.EMPTY) or self.value.requests > 1

    @property
    def damages(self) -> bool:
        """No object store that keeps its promises does this: a server may refuse to open what is left."""
        return self.value.kept in (Kept.HALF, Kept.EMPTY)


@dataclass(frozen=True)
class Point:
    """The ``number``-th request of its kind from 0 on, and what it meets."""

    verb: str
    place: str
    number: int
    mode: Mode

    def __str__(self) -> str:
        return f"{self.mode.name} at {self.verb} {self.place} {self.number}"


class Director:
    """Counts requests by verb and directory, and gives the chosen one its fate."""

    def __init__(self, point: Point | None) -> None:
        self.requests: Counter[tuple[str, str]] = Counter()
        self.met = False
        self._left = 0
        self.crashed = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._point = point

    def __call__(self, verb: str, place: str) -> Fate | None:
        number = self.requests[verb, place]
        self.requests[verb, place] += 1
        point = self._point
        if point is None:
            return None
        if (verb, place, number) == (point.verb, point.place, point.number):
            self.met = True
            self._left = point.mode.value.requests
        if not self._left:
            return None
        self._left -= 1
        if point.mode.value.crashes:
            self._loop.call_soon_threadsafe(self.crashed.set)
        return point.mode.value


@dataclass
class Result:
    """What came of one point; ``met`` is false when the workload made fewer requests of the kind this time."""

    point: Point
    ledger: Ledger
    met: bool = False
    refused: str = ""
    problems: list[str] = field(default_factory=list)


class StubEngine(Engine):
    """An engine whose stores are in the stub's bucket."""

    def __init__(self, stub: S3Stub) -> None:
        super().__init__()
        self._location = parse_store_url("s3://bucket/lake", stub.variables)

    async def open_store(self, directory: str) -> Store:
        self.stores[directory] = store = await open_slate_store(self._location.child(directory), SETTINGS)
        return store


async def requests_of_the_workload() -> Counter[tuple[str, str]]:
    """How many requests there are, by verb and directory, when nothing goes wrong."""
    with S3Stub() as stub:
        stub.director = director = Director(None)
        ledger = Ledger()
        await run(StubEngine(stub), ledger)
        assert not ledger.refused + ledger.unknown
        return director.requests


def all_points(requests: Mapping[tuple[str, str], int]) -> list[Point]:
    """Each request with each mode that changes something about it."""
    return [
        Point(verb, place, number, mode)
        for (verb, place), count in sorted(requests.items())
        for number in range(count)
        for mode in Mode
        if verb == "PUT" or not mode.for_puts
    ]


def try_point(point: Point) -> Result:
    """Runs in a loop of its own, so that what the crash leaves behind ends with it."""
    with patch.object(commit, "READ_BACK_PAUSE_S", 0.01), S3Stub() as stub:
        return asyncio.run(_try_point(stub, point))


async def _try_point(stub: S3Stub, point: Point) -> Result:
    stub.director = director = Director(point)
    result = Result(point, Ledger())
    workload = asyncio.create_task(run(StubEngine(stub), result.ledger))
    crash = asyncio.create_task(director.crashed.wait())
    await asyncio.wait((workload, crash), timeout=POINT_SECONDS_MAX, return_when=asyncio.FIRST_COMPLETED)
    result.met = director.met
    if crash.done():
        stub.listen_again()
    elif not workload.done():
        result.problems.append(f"the workload hangs at {list(result.ledger.under_way)}")
    for task in (workload, crash):
        task.cancel()
    await asyncio.wait((workload, crash), timeout=1)
    if workload.done() and not workload.cancelled():
        error = workload.exception()
        if error is not None and not isinstance(error, CatalogError):
            raise error
    result.ledger.cut_off()
    stub.director = None
    await _look(stub, point.mode, result)
    return result


async def _look(stub: S3Stub, mode: Mode, result: Result) -> None:
    """Open what survived, compare it, write once more, stop, and open and compare again."""
    allowed = result.ledger.allowed
    try:
        engine = await StubEngine(stub).open()
        if mode is Mode.CRASH_AND_LATE:
            stub.land_late()
        found = await contents(engine)
        if found not in allowed:
            result.problems.append(f"found {_shown(found)}, expected one of {list(map(_shown, allowed))}")
            return
        with _may_find(found):
            again = Ledger([found])
            if SNAPSHOTS in found:
                await again.take(engine, pair(900))
            result.problems += again.refused + again.unknown
            await _audit(engine)
            await engine.databases.close()
            engine = await StubEngine(stub).open()
            if await contents(engine) not in again.allowed:
                result.problems.append(f"after another commit: {_shown(await contents(engine))}")
            await engine.databases.close()
    except CatalogError as error:
        result.refused = f"{type(error).__name__}: {error}"
        if not mode.damages:
            result.problems.append(f"refused: {result.refused}")


@contextmanager
def _may_find(found: State) -> Iterator[None]:
    """Says what was there when an assertion about it fails."""
    try:
        yield
    except AssertionError as error:
        error.add_note(f"in {_shown(found)}")
        raise


async def _audit(engine: Engine) -> None:
    for opened in (await engine.databases.lakes_of(DATABASE)).values():
        check(await audit(opened.lake.store))
        assert await engine_damage_in(opened.lake.store) == []


def _shown(state: State) -> str:
    return "; ".join(f"{name}: {sorted(map(str, rows))}" for (_, name), rows in state.items()) or "nothing"

