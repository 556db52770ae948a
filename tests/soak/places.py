"""Where the server of a soak run keeps its lake, and what can go wrong with that place."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.s3_stub import Action, Fault, S3Stub
from tests.servers import RockLakeServer


@dataclass
class Place:
    """A server that is not started yet. ``trouble`` causes some and says what; ``calm`` ends it."""

    server: RockLakeServer
    trouble: Callable[[random.Random], str] | None = None
    calm: Callable[[], None] = lambda: None


@contextmanager
def local_folder(folder: Path) -> Iterator[Place]:
    yield Place(RockLakeServer(f"file://{folder}/store", logs=folder))


@contextmanager
def s3(folder: Path) -> Iterator[Place]:
    """A bucket with slow answers, refusals, lost answers and short outages."""
    with S3Stub() as stub:

        def throttled(chance: random.Random) -> str:
            stub.faults += [Fault(verb, Action.REFUSE, times=chance.randint(1, 6)) for verb in ("PUT", "GET")]
            return "throttled"

        def answers_lost(chance: random.Random) -> str:
            stub.faults.append(Fault("PUT", Action.LOSE_RESPONSE, times=chance.randint(1, 3)))
            return "answers lost"

        def connections_dropped(chance: random.Random) -> str:
            stub.faults.append(Fault("PUT", Action.DROP, times=chance.randint(1, 4)))
            return "connections dropped"

        def slow(chance: random.Random) -> str:
            delay_s = chance.uniform(0.005, 0.05)
            stub.delays_s.update(dict.fromkeys(("PUT", "GET", "HEAD"), delay_s))
            return "slow"

        def outage(chance: random.Random) -> str:
            stub.faults += [Fault(verb, Action.REFUSE, times=None) for verb in ("PUT", "GET", "HEAD", "LIST")]
            return "outage"

        def trouble(chance: random.Random) -> str:
            return chance.choice([throttled, answers_lost, connections_dropped, slow, slow, outage])(chance)

        def calm() -> None:
            stub.faults.clear()
            stub.delays_s.clear()

        server = RockLakeServer("s3://bucket/soak", logs=folder, environment=stub.variables)
        yield Place(server, trouble, calm)


PLACES: dict[str, Callable[[Path], AbstractContextManager[Place]]] = {"folder": local_folder, "s3": s3}
