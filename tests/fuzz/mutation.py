"""Inputs near valid ones: what is bad in a client's bytes is mostly a small change to good ones."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import NamedTuple

from hypothesis import strategies as st

INTERESTING = (
    b"\0", b"\xff", b"\x7f\xff\xff\xff", b"\xff\xff\xff\xff", b"\x80\0\0\0", b"\0\0\0\4", b"\xff\xff", b"\\", b"\\.\n",
    b"'", b'"', b"''", b"$$", b"$1", b"--", b"/*", b"*/", b";", b"(", b")", b"((((((((", b"[", b"]", b"::", b"NULL",
    b"E'\\", b"U&'", b"9" * 40, b"1e999999", b"-", b"~", b"\xc3\x28", b"\xed\xa0\x80", b"\xf4\x90\x80\x80",
    b" SELECT ", b" FROM ", b" WHERE ", b" IN (", b" NOT ", b" UNION ALL ", b" CASE WHEN ", b" ORDER BY 1 ",
    b" LIMIT ", b" AS x ", b" JOIN ", b" INTERVAL '1' ", b" ARRAY[", b"::text", b"::numeric(1,1)", b"'NaN'",
)  # fmt: skip
"""Pieces on which readers decide."""

POSITIONS = 1 << 16


class Edit(NamedTuple):
    """A change at a place: ``position`` of POSITIONS of the way through; ``removed`` bytes go, ``added`` come,
    ``times`` times."""

    position: int
    removed: int
    added: bytes
    times: int = 1


def edited(seed: bytes, edits: Sequence[Edit]) -> bytes:
    for edit in edits:
        start = len(seed) * edit.position // POSITIONS
        seed = seed[:start] + edit.added * edit.times + seed[start + edit.removed :]
    return seed


def near(seeds: Sequence[bytes]) -> st.SearchStrategy[bytes]:
    """Seeds with a few edits, pieces of other seeds among them."""
    added = st.just(b"") | st.sampled_from(INTERESTING) | st.binary(max_size=8) | st.sampled_from(seeds)
    edits = st.builds(Edit, st.integers(0, POSITIONS), st.integers(0, 12), added, st.integers(1, 3))
    return st.builds(edited, st.sampled_from(seeds), st.lists(edits, min_size=1, max_size=5))


def random_input(seeds: Sequence[bytes], chance: random.Random) -> bytes:
    """As ``near``, for loops without hypothesis; now and then a piece is repeated thousands of times."""
    data = chance.choice(seeds)
    for _ in range(chance.randint(1, 6)):
        kind = chance.random()
        if kind < 0.4:
            added = chance.choice(INTERESTING)
        elif kind < 0.6:
            added = chance.randbytes(chance.randint(1, 8))
        elif kind < 0.8:
            other = chance.choice(seeds)
            start = chance.randint(0, len(other))
            added = other[start : start + chance.randint(0, 60)]
        else:
            added = b""
        times = chance.choice((1,) * 30 + (2, 3, 7, 40, 300, 5000)) if len(added) < 20 else 1
        removed = chance.choice((0, 0, 1, 1, 2, 4, 20))
        data = edited(data, [Edit(chance.randint(0, POSITIONS), removed, added, times)])
    return data
