"""A few inputs near valid ones for every reader; ``make fuzz`` tries millions."""

from __future__ import annotations

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.mutation import near, random_input
from tests.fuzz.targets import TARGETS

EXAMPLES = {"session": 60, "statements": 120}
EXAMPLES_OF_OTHERS = 250


@pytest.mark.parametrize("name", TARGETS)
def test_its_seeds_are_good_inputs(name: str) -> None:
    target = TARGETS[name]
    seeds = target.seeds()
    assert len(seeds) == len(set(seeds)) > 20
    for seed in seeds[:: max(len(seeds) // 40, 1)]:
        target.run(seed)


@pytest.mark.parametrize("name", TARGETS)
def test_any_bytes_are_read_or_refused(name: str) -> None:
    target = TARGETS[name]
    seeds = target.seeds()
    examples = EXAMPLES.get(name, EXAMPLES_OF_OTHERS)

    @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.binary(max_size=200) | near(seeds) | near(seeds))
    def check(data: bytes) -> None:
        target.run(data)

    check()


def test_random_inputs_follow_from_their_number() -> None:
    seeds = [b"SELECT 1", b"COPY t FROM STDIN"]
    first, second = ([random_input(seeds, random.Random(number)) for number in range(50)] for _ in range(2))
    assert first == second
    assert len(set(first)) > 40
