"""Relation definitions and single values of the server's own keys."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rocklake_server.encoding.definitions import (
    decode_definition,
    decode_number,
    decode_reference,
    decode_system_text,
    encode_definition,
    encode_number,
    encode_system_text,
)
from rocklake_server.encoding.descriptors import catalog_class
from rocklake_server.encoding.envelope import seal
from rocklake_server.encoding.keys import system_key
from rocklake_server.errors import CorruptValue, FormatVersionUnsupported
from rocklake_server.schema.model import IndexDefinition, IndexKey, Relation
from rocklake_server.schema.registry import BY_NAME
from rocklake_server.schema.relations import add_column, drop_column, new_relation
from rocklake_server.schema.types import BIGINT, BOOLEAN, DOUBLE, INTERVAL, TEXT, UUID, numeric
from tests.strategies import Spec, inlined, live, relations

KEY = system_key("relation", 7)


@given(relations)
def test_definitions_round_trip(relation: Relation) -> None:
    decoded = decode_definition(KEY, encode_definition(relation))
    assert decoded == relation
    assert decoded.table is relation.table


def test_schema_and_oid_are_left_to_the_lake() -> None:
    relation = replace(live(BY_NAME["ducklake_tag"]), schema="other", oid=99)
    assert decode_definition(KEY, encode_definition(relation)) == replace(relation, schema="public", oid=0)


@pytest.mark.parametrize(("column_type", "default"), [
    (BOOLEAN, False), (BIGINT, 0), (DOUBLE, 0.0), (TEXT, ""), (UUID, bytes(16)), (INTERVAL, (1, -2, 3)),
    (numeric(15, 2), Decimal("0.00")), (TEXT, None),
])
def test_defaults_round_trip(column_type: object, default: object) -> None:
    relation = add_column(inlined(), Spec("a", column_type, False, default))
    decoded = decode_definition(KEY, encode_definition(relation))
    assert decoded == relation
    assert decoded.columns[-1].type.sql == column_type.sql


def test_a_dropped_key_column_stays_dropped() -> None:
    relation = drop_column(live(BY_NAME["ducklake_schema"]), "begin_snapshot")
    decoded = decode_definition(KEY, encode_definition(relation))
    assert decoded.key_columns == (0, None)


def test_a_renamed_declared_relation_keeps_its_table() -> None:
    relation = replace(live(BY_NAME["ducklake_file_column_stats"], "0.1"), name="elsewhere")
    assert decode_definition(KEY, encode_definition(relation)).table is BY_NAME["ducklake_file_column_stats"]


@given(relations, st.data())
def test_what_is_noted_round_trips(relation: Relation, data: st.DataObject) -> None:
    assume(relation.columns)
    numbers = st.sampled_from([column.number for column in relation.columns])
    keys = st.lists(st.builds(IndexKey, numbers, st.booleans(), st.booleans()), min_size=1, max_size=3).map(tuple)
    indexes = st.lists(st.builds(IndexDefinition, st.integers(1, 2**40), st.text(min_size=1), keys,
                                 st.none() | st.text()), max_size=3).map(tuple)
    text = st.none() | st.text()
    noted = replace(
        relation, comment=data.draw(text), key_comment=data.draw(text), indexes=data.draw(indexes),
        columns=tuple(replace(column, comment=data.draw(text)) for column in relation.columns))
    assert decode_definition(KEY, encode_definition(noted)) == noted


def test_an_index_over_a_column_that_is_not_there_is_corrupt() -> None:
    relation = new_relation(7, "notes", [Spec("a", TEXT)])
    for keys in ((IndexKey(9),), ()):
        damaged = replace(relation, indexes=(IndexDefinition(8, "i", keys),))
        with pytest.raises(CorruptValue, match="an index over columns that are not there"):
            decode_definition(KEY, encode_definition(damaged))


def test_golden_definition() -> None:
    relation = new_relation(7, "notes", [Spec("a", TEXT)])
    assert encode_definition(relation).hex() == (
        "0153444b56" "0807" "12056e6f746573" "1a0475736572" "2a0a" "fd000000000000000703"
        "3a0b" "0a0161" "1019" "1801" "2001" "2801" "4802"
    )
    index = IndexDefinition(8, "i", (IndexKey(1, descending=True),), "of an index")
    noted = replace(relation, comment="of a table", indexes=(index,))
    assert encode_definition(noted).hex() == (
        "0153444b56" "0807" "12056e6f746573" "1a0475736572" "2a0a" "fd000000000000000703"
        "3a0b" "0a0161" "1019" "1801" "2001" "2801" "4802" "5a0a" "6f662061207461626c65"
        "6a1a" "0808" "120169" "1a06" "080110011800" "220b" "6f6620616e20696e646578"
    )


@pytest.mark.parametrize("changes", [
    {"kind": "other"}, {"kind": "declared", "tag": 0x77}, {"key_columns": [5]}, {"key_columns": [-2]},
    {"primary_key": [1]}, {"kind": "declared", "tag": 0x02, "key_columns": []},
])
def test_a_definition_that_contradicts_itself_is_corrupt(changes: dict[str, object]) -> None:
    fields = {"relation_id": 7, "name": "n", "kind": "user", "key_prefix": b"\xfd"} | changes
    with pytest.raises(CorruptValue, match=KEY.hex()):
        decode_definition(KEY, seal(catalog_class("RelationDefinition")(**fields).SerializeToString()))


@pytest.mark.parametrize("column", [
    {"name": "a", "type_oid": 1, "typmod": -1, "number": 1},
    {"name": "a", "type_oid": 27, "typmod": -1, "number": 1},
    {"name": "a", "type_oid": 20, "typmod": -1, "number": 1, "default": {"string_value": "x"}},
    {"name": "a", "type_oid": 1186, "typmod": -1, "number": 1, "default": {"bytes_value": b"x"}},
])
def test_a_definition_with_a_broken_column_is_corrupt(column: dict[str, object]) -> None:
    fields = {"relation_id": 7, "name": "n", "kind": "user", "key_prefix": b"\xfd", "columns": [column]}
    with pytest.raises(CorruptValue, match=KEY.hex()):
        decode_definition(KEY, seal(catalog_class("RelationDefinition")(**fields).SerializeToString()))


def test_single_values_round_trip() -> None:
    for number in (0, -1, 2**63 - 1):
        assert decode_number(KEY, encode_number(number)) == number
    assert decode_system_text(KEY, encode_system_text("writer")) == "writer"
    assert encode_number(1).hex() == "0153444b560801"


def test_a_single_value_of_the_wrong_kind_is_corrupt() -> None:
    with pytest.raises(CorruptValue, match="holds no number"):
        decode_number(KEY, encode_system_text("writer"))
    with pytest.raises(CorruptValue, match="holds no text"):
        decode_system_text(KEY, encode_number(1))
    for decode in (decode_number, decode_system_text, decode_reference, decode_definition):
        with pytest.raises(CorruptValue, match=KEY.hex()):
            decode(KEY, seal(b"\xff"))
        with pytest.raises(FormatVersionUnsupported, match=KEY.hex()):
            decode(KEY, b"\x09SDKV")
