"""Keys: golden bytes, round trips, byte order, and refusal of what is no key."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocklake_server.encoding.keys import (
    counter_key,
    decode_retired_key,
    decode_row_key,
    key_prefix,
    relation_prefix,
    retired_key,
    retired_prefix,
    row_key,
    system_key,
    system_prefix,
)
from rocklake_server.errors import (
    CharacterNotInRepertoire,
    CorruptValue,
    DatatypeMismatch,
    NumericOutOfRange,
    ProgramLimitExceeded,
)
from rocklake_server.limits import KEY_BYTES_MAX
from rocklake_server.schema.model import Relation, RelationKind, Table
from rocklake_server.schema.registry import BY_NAME, TABLES
from rocklake_server.schema.relations import new_relation
from rocklake_server.schema.types import BIGINT, TEXT, Value
from tests.encoding.golden_keys import GOLDEN_KEYS
from tests.strategies import Spec, ids, inlined, key_fields_of, live, relations_with_rows, tables


def row_with(relation: Relation, fields: tuple[Value, ...], ctid: int = 1) -> tuple[Value, ...]:
    """A row of a declared relation whose key fields are ``fields``, in key order."""
    row: list[Value] = [None] * len(relation.columns)
    for column, field in zip(relation.key_columns, fields, strict=True):
        if column is not None:
            row[column] = field
    return (*row, ctid)


@pytest.mark.parametrize(("name", "fields", "expected"), GOLDEN_KEYS)
def test_golden_keys_of_declared_relations(name: str, fields: tuple[Value, ...], expected: str) -> None:
    relation = live(BY_NAME[name])
    key = row_key(relation, row_with(relation, fields))
    assert key.hex() == expected.replace(" ", "")
    assert decode_row_key(relation, bytes.fromhex(expected)) == (fields, 0)


def test_golden_keys_cover_every_declared_relation() -> None:
    assert {name for name, _, _ in GOLDEN_KEYS} == {table.name for table in TABLES}


def test_golden_keys_of_the_other_spaces() -> None:
    assert counter_key("next_snapshot_id") == b"\xfenext_snapshot_id"
    assert system_key("retain-from") == b"\xffretain-from"
    assert system_key("relation", 7) == b"\xffrelation\x00\x00\x00\x00\x00\x00\x00\x00\x00\x07"
    assert system_key("relation", 7).startswith(system_prefix("relation"))
    assert not system_key("relations").startswith(system_prefix("relation"))
    assert retired_key(5, b"\x0b\x01") == bytes.fromhex("fb 0000000000000005 0b01")
    assert decode_retired_key(bytes.fromhex("fb 0000000000000005 0b01")) == (5, b"\x0b\x01")
    assert retired_key(5, b"\x0b").startswith(retired_prefix(5))


def test_golden_keys_of_dynamic_relations() -> None:
    data = inlined(Spec("a", TEXT), relation_id=9)
    assert row_key(data, (3, 4, None, "x", 1)) == bytes.fromhex(
        "fd 0000000000000009 01 0000000000000003 0000000000000004"
    )
    columns = [Spec(name, BIGINT) for name in ("file_id", "row_id", "begin_snapshot")]
    deletes = new_relation(10, "ducklake_inlined_delete_2", columns)
    assert row_key(deletes, (1, 2, 3, 1)) == bytes.fromhex(
        "fd 000000000000000a 02 0000000000000001 0000000000000002 0000000000000003"
    )
    user = new_relation(11, "notes", [Spec("a", TEXT)])
    assert row_key(user, ("x", (1 << 16) | 5)) == bytes.fromhex("fd 000000000000000b 03 0000000000010005")
    temporary = replace(user, kind=RelationKind.TEMPORARY)
    assert row_key(temporary, ("x", 65541)) == row_key(user, ("x", 65541))


@given(relations_with_rows(), st.integers(0, 2**63 - 1))
def test_key_fields_and_tie_breaker_round_trip(case: tuple[Relation, tuple[Value, ...]], ordinal: int) -> None:
    relation, row = case
    key = row_key(relation, row, ordinal)
    expected = tuple(None if column is None else row[column] for column in relation.key_columns)
    assert decode_row_key(relation, key) == (expected or (row[-1],), ordinal)
    assert key.startswith(relation_prefix(relation))
    assert len(key) == len(row_key(relation, row)) + (8 if ordinal else 0)


@given(tables.flatmap(lambda table: st.tuples(st.just(table), key_fields_of(table), key_fields_of(table))))
def test_byte_order_is_the_order_of_ids_and_text(case: tuple[Table, tuple[Value, ...], tuple[Value, ...]]) -> None:
    table, *pair = case
    relation = live(table)
    keys = [row_key(relation, row_with(relation, fields)) for fields in pair]
    # UTF-8 orders as code points do, which is how Python compares text.
    assert (keys[0] < keys[1], keys[0] == keys[1]) == (pair[0] < pair[1], pair[0] == pair[1])


@given(ids, ids, st.integers(1, 2**63 - 1), st.integers(1, 2**63 - 1))
def test_tie_breakers_follow_their_row_and_precede_the_next(table_id: int, file_id: int, low: int, high: int) -> None:
    relation = live(BY_NAME["ducklake_data_file"])
    row = row_with(relation, (table_id, min(file_id, 2**63 - 2)))
    following = row_with(relation, (table_id, min(file_id, 2**63 - 2) + 1))
    low, high = sorted((low, high))
    keys = [row_key(relation, row), row_key(relation, row, low), row_key(relation, row, high)]
    assert keys == sorted(keys)
    assert keys[-1] < row_key(relation, following)


@given(relations_with_rows(), st.data())
def test_leading_fields_give_a_prefix_of_the_key(case: tuple[Relation, tuple[Value, ...]], data: st.DataObject) -> None:
    relation, row = case
    fields, _ = decode_row_key(relation, row_key(relation, row))
    count = data.draw(st.integers(0, len(fields)))
    assert row_key(relation, row).startswith(key_prefix(relation, *fields[:count]))


def test_a_prefix_of_text_does_not_match_longer_text() -> None:
    relation = live(BY_NAME["ducklake_tag"])
    assert not row_key(relation, row_with(relation, (1, "ab", 1))).startswith(key_prefix(relation, 1, "a"))
    with pytest.raises(ValueError, match="has 3 key fields"):
        key_prefix(relation, 1, "a", 2, 3)


@pytest.mark.parametrize(("name", "others"), [
    ("ducklake_snapshot", ()), ("ducklake_data_file", (1,)), ("ducklake_data_file", (None,)),
    ("ducklake_tag", ("a", 1)),
])
@pytest.mark.parametrize("value", [-(2**63), 2**63])
def test_an_integer_that_a_key_cannot_hold_is_refused(name: str, others: tuple[Value, ...], value: int) -> None:
    relation = live(BY_NAME[name])
    fields = (value, *others)
    with pytest.raises(NumericOutOfRange, match="out of range"):
        row_key(relation, row_with(relation, fields))


def test_an_ill_formed_field_or_tie_breaker_is_refused() -> None:
    relation = live(BY_NAME["ducklake_tag"])
    with pytest.raises(DatatypeMismatch):
        row_key(relation, row_with(relation, ("1", "a", 1)))
    with pytest.raises(DatatypeMismatch):
        row_key(relation, row_with(relation, (1, 2, 1)))
    with pytest.raises(CharacterNotInRepertoire):
        row_key(relation, row_with(relation, (1, "\ud800", 1)))
    with pytest.raises(NumericOutOfRange):
        row_key(relation, row_with(relation, (1, "a", 1)), -1)


def test_the_longest_key_is_60_kib() -> None:
    relation = live(BY_NAME["ducklake_tag"])
    overhead = len(row_key(relation, row_with(relation, (1, "", 1))))
    fits = row_with(relation, (1, "x" * (KEY_BYTES_MAX - overhead), 1))
    assert len(row_key(relation, fits)) == KEY_BYTES_MAX
    with pytest.raises(ProgramLimitExceeded):
        row_key(relation, fits, 1)


@given(relations_with_rows(), st.data())
def test_a_cut_key_is_corrupt(case: tuple[Relation, tuple[Value, ...]], data: st.DataObject) -> None:
    relation, row = case
    key = row_key(relation, row)
    cut = key[:data.draw(st.integers(0, len(key) - 1))]
    with pytest.raises(CorruptValue, match=cut.hex() or "key"):
        decode_row_key(relation, cut)


@pytest.mark.parametrize("broken", [
    "04 0000000000000001 61 0000 0000000000000001",
    "1a 0000000000000001 8000000000000001 0000000000000001",
    "1a 0000000000000001 61 0001 0000000000000001",
    "1a 0000000000000001 ff 0000 0000000000000001",
    "1a 0000000000000001 61 0000 0000000000000001 01",
    "1a 0000000000000001 61 0000 0000000000000001 0000000000000000",
    "1a 0000000000000001 61 0000 0000000000000001 ffffffffffffffff",
])
def test_bytes_that_are_no_key_name_themselves(broken: str) -> None:
    with pytest.raises(CorruptValue, match=broken.replace(" ", "")):
        decode_row_key(live(BY_NAME["ducklake_tag"]), bytes.fromhex(broken))


@pytest.mark.parametrize("broken", [b"", b"\x0b" * 20, b"\xfb" + b"\0" * 7, b"\xfb" + b"\0" * 8,
                                    b"\xfb\xff" + b"\0" * 9])
def test_bytes_that_are_no_retired_key_are_corrupt(broken: bytes) -> None:
    with pytest.raises(CorruptValue):
        decode_retired_key(broken)


@pytest.mark.parametrize("name", ["", "é", "a\0b"])
def test_names_of_system_keys_are_printable_ascii(name: str) -> None:
    with pytest.raises(ValueError, match="not a name"):
        system_key(name)
