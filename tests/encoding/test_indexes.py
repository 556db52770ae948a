"""Keys and values of the secondary indexes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocklake_server.encoding import indexes
from rocklake_server.encoding.definitions import FileReference, decode_reference, encode_reference
from rocklake_server.encoding.ordered import ID_MAX
from rocklake_server.errors import CorruptValue
from tests.strategies import ids


def test_golden_index_entries() -> None:
    registered = indexes.registered_at_key(7, 42, 100)
    assert registered == bytes.fromhex("fc 01 0000000000000007 000000000000002a 0000000000000064")
    ended = indexes.visible_at_key(42, 9, 100)
    assert ended == bytes.fromhex("fc 02 000000000000002a 0000000000000009 0000000000000064")
    current = indexes.visible_at_key(42, None, 100)
    assert current == bytes.fromhex("fc 02 000000000000002a 7fffffffffffffff 0000000000000064")
    assert indexes.file_table_key(100) == bytes.fromhex("fc 03 0000000000000064")
    assert indexes.delete_file_key(101) == bytes.fromhex("fc 04 0000000000000065")
    assert encode_reference().hex() == "0153444b56"
    assert encode_reference(FileReference(42)).hex() == "0153444b56" "082a"
    assert encode_reference(FileReference(42, 100)).hex() == "0153444b56" "082a" "1064"


@given(ids | st.none(), ids | st.none(), ids)
def test_index_keys_round_trip(first: int | None, second: int | None, file: int) -> None:
    if second != ID_MAX:
        assert indexes.decode_index_key(indexes.visible_at_key(first, second, file)) == (2, (first, second, file))
    assert indexes.decode_index_key(indexes.registered_at_key(first, second, file)) == (1, (first, second, file))
    assert indexes.decode_index_key(indexes.file_table_key(file)) == (3, (file,))
    assert indexes.decode_index_key(indexes.delete_file_key(file)) == (4, (file,))
    assert indexes.registered_at_key(first, second, file).startswith(indexes.registered_at_prefix(first, second))
    assert decode_reference(b"k", encode_reference(FileReference(first, second))) == (first, second)


@given(ids, ids, ids | st.none(), ids)
def test_files_from_the_start_on_are_those_not_yet_ended(table: int, snapshot: int, end: int | None, file: int) -> None:
    prefix = indexes.visible_at_prefix(table)
    key = indexes.visible_at_key(table, end, file)
    assert key.startswith(prefix)
    visible = end is None or snapshot < end
    if snapshot < ID_MAX:
        assert (key[len(prefix):] >= indexes.visible_at_start(snapshot)) == visible
    else:
        assert key[len(prefix):] >= indexes.visible_at_start(snapshot) or not visible


@pytest.mark.parametrize("broken", [
    "", "fc", "fb03" + "00" * 8, "fc05" + "00" * 8, "fc03" + "00" * 7, "fc01" + "00" * 16,
])
def test_bytes_that_are_no_index_key_are_corrupt(broken: str) -> None:
    with pytest.raises(CorruptValue):
        indexes.decode_index_key(bytes.fromhex(broken))
