"""Records of the redo journal read back as they were written, and damage is never taken for a record."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocklake_server.errors import CorruptValue
from rocklake_server.store.base import Key, WriteBatch
from rocklake_server.store.redo_record import (
    MAGIC,
    Record,
    encoded_operations,
    encoded_record,
    holds_record_from,
    whole_records,
)

KEYS = st.binary(min_size=1, max_size=40).map(Key)
OPERATIONS = st.dictionaries(KEYS, st.none() | st.binary(max_size=200), max_size=8)
BATCHES = st.lists(OPERATIONS, max_size=6)


def body_of(operations: dict[Key, bytes | None]) -> bytes:
    return b"".join(encoded_operations(operations.items()))


def segment_of(batches: list[dict[Key, bytes | None]], first: int = 1) -> bytes:
    return MAGIC + b"".join(encoded_record(first + i, body_of(batch)) for i, batch in enumerate(batches))


def test_the_bytes_of_a_record() -> None:
    body = body_of({Key(b"k"): b"value", Key(b"gone"): None})
    assert body == b"\0\0\0\x01k\0\0\0\x05value\0\0\0\x04gone\xff\xff\xff\xff"
    assert encoded_record(7, body) == b"redo" + bytes.fromhex("0000001a 471ed482 0000000000000007") + body


@given(BATCHES, st.integers(1, 2**63))
def test_batches_read_back(batches: list[dict[Key, bytes | None]], first: int) -> None:
    records = list(whole_records(segment_of(batches, first)))
    assert [record.number for record in records] == list(range(first, first + len(batches)))
    assert [record.batch() for record in records] == [WriteBatch(batch) for batch in batches]


@given(BATCHES.filter(bool), st.data())
def test_of_a_cut_segment_whole_records_are_left(batches: list[dict[Key, bytes | None]], data: st.DataObject) -> None:
    segment = segment_of(batches)
    cut = segment[: data.draw(st.integers(0, len(segment) - 1))]
    whole = [n for n in range(len(batches)) if len(segment_of(batches[: n + 1])) <= len(cut)]
    assert [record.number for record in whole_records(cut)] == [n + 1 for n in whole]
    assert not holds_record_from(cut, len(whole) + 1)


@given(BATCHES.filter(bool), st.data())
def test_records_behind_a_damaged_byte_are_found(batches: list[dict[Key, bytes | None]], data: st.DataObject) -> None:
    segment = bytearray(segment_of(batches))
    place = data.draw(st.integers(len(MAGIC), len(segment) - 1))
    segment[place] ^= data.draw(st.integers(1, 255))
    found = list(whole_records(bytes(segment)))
    damaged = next(n for n in range(len(batches)) if place < len(segment_of(batches[: n + 1])))
    assert [record.number for record in found] == list(range(1, damaged + 1))
    assert holds_record_from(bytes(segment), damaged + 2) == (damaged + 1 < len(batches))


@given(st.binary(max_size=200))
def test_whatever_the_bytes_are_there_is_no_other_error(data: bytes) -> None:
    assert not list(whole_records(data))
    assert not holds_record_from(data, 0)
    with suppress(CorruptValue):
        Record(1, data).batch()


def test_a_body_with_lengths_that_do_not_fit_is_refused() -> None:
    for body in (b"\0\0\0\x09k", b"\0\0\0\x01k\0\0\0\x09value", b"\0\0"):
        with pytest.raises(CorruptValue, match="record 3 "):
            Record(3, body).batch()
