"""What fuzzing found, as small as it gets."""

from __future__ import annotations

import time

import pytest

from rocklake_server.schema.types import BIGINT, DOUBLE, STORABLE, ColumnType
from rocklake_server.wire import messages as m
from rocklake_server.wire.layout import encode
from tests.fuzz.targets import TARGETS

SOON_S = 5.0


def _of(column_type: ColumnType) -> bytes:
    """The byte that selects a type."""
    return bytes([[known.oid for known in STORABLE].index(column_type.oid)])


def _query(text: str) -> bytes:
    return encode(m.Query(text))


FOUND = {
    "an operator without its right side": ("statements", b"SELECT a ?"),
    "a target that is a call": ("statements", b"INSERT(a) t VALUES (1)"),
    "subscripts that follow each other": ("statements", b"SELECT a" + b"[1]" * 3000),
    "wildcards that follow each other": ("session", _query(f"SELECT '{'a' * 3000}' LIKE '{'%a' * 1500}%b'")),
    "a repeat of a repeat": ("session", _query(f"SELECT '{'a' * 3000}' ~ '(a+)+b'")),
    "more joins than the plan is deep": (
        "session", _query("SELECT * FROM t a" + "".join(f" JOIN t a{n} ON true" for n in range(1200)))
    ),
    "rubbish in a COPY stream": ("session", _query("COPY t FROM STDIN") + b"!\0\0\0\4"),
    "a message cut short in a COPY stream": ("session", _query("COPY t FROM STDIN") + b"d\0\0\0\3"),
    "zeros before an integer": ("text-values", _of(BIGINT) + b"0" * 5000),
    "a long hexadecimal number that is none": ("text-values", _of(DOUBLE) + b"0x" + b"1" * 50_000 + b"g"),
    "newlines that belong to a value": ("copy-text", bytes([1, 255]) + b"\\\n" * 100_000),
}  # fmt: skip


@pytest.mark.parametrize("case", FOUND)
def test_it_is_read_or_refused_soon(case: str) -> None:
    name, data = FOUND[case]
    began = time.process_time()
    TARGETS[name].run(data)
    assert time.process_time() - began < SOON_S
