"""Row values: golden bytes, round trips, columns that come and go, refusals, and corruption."""

from __future__ import annotations

import math
from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocklake_server.encoding import values
from rocklake_server.encoding.descriptors import shape_class
from rocklake_server.encoding.envelope import HEADER, seal, unseal
from rocklake_server.encoding.values import row_codec
from rocklake_server.errors import (
    CatalogError,
    CharacterNotInRepertoire,
    CorruptValue,
    DatatypeMismatch,
    FormatVersionUnsupported,
    InternalProblem,
    NumericOutOfRange,
)
from rocklake_server.schema.messages import KIND_OF_FORM, Kind
from rocklake_server.schema.model import Relation
from rocklake_server.schema.registry import BY_NAME, TABLES
from rocklake_server.schema.relations import add_column, drop_column, new_relation, rename_column
from rocklake_server.schema.types import (
    BIGINT,
    BYTEA,
    DATE,
    DOUBLE,
    INTERVAL,
    NUMERIC,
    REAL,
    STORABLE,
    TEXT,
    TIMETZ,
    UUID,
    VARCHAR,
    Form,
    Value,
)
from rocklake_server.store.base import Key
from tests.encoding.golden_values import GOLDEN_VALUES
from tests.strategies import Spec, inlined, live, relations_with_rows, texts

KEY = b"\x0b\x2a"
TABLE = BY_NAME["ducklake_table"]
TABLE_ROW = (5, bytes(16), 0, None, 0, "t", "t/", True, 65537)


def same(left: Value, right: Value) -> bool:
    """Equality that NaN and the sign of zero take part in, and the scale of a numeric."""
    if isinstance(left, Decimal) and isinstance(right, Decimal):
        return str(left) == str(right)
    if isinstance(left, float) and isinstance(right, float):
        if math.isnan(left) or math.isnan(right):
            return math.isnan(left) and math.isnan(right)
        return left == right and math.copysign(1, left) == math.copysign(1, right)
    return type(left) is type(right) and left == right


@pytest.mark.parametrize(("name", "row", "expected"), GOLDEN_VALUES, ids=[name for name, _, _ in GOLDEN_VALUES])
def test_golden_values_of_declared_relations(name: str, row: tuple[Value, ...], expected: str) -> None:
    codec = row_codec(live(BY_NAME[name]))
    assert codec.encode(row).hex() == expected
    assert codec.decode(KEY, bytes.fromhex(expected)) == row


def test_golden_values_cover_every_declared_relation() -> None:
    assert {name for name, _, _ in GOLDEN_VALUES} == {table.name for table in TABLES}


def test_golden_value_of_special_forms() -> None:
    relation = inlined(Spec("n", NUMERIC), Spec("i", INTERVAL), Spec("z", TIMETZ), Spec("d", DATE))
    row = (1, 2, None, Decimal("1.50"), (14, 3, -1), (1_000_000, -3600), -1, 65537)
    assert row_codec(relation).encode(row).hex() == (
        "0153444b56" "0801" "1002" "2204312e3530"
        "2a10" "ffffffffffffffff" "00000003" "0000000e"
        "320c" "00000000000f4240" "fffff1f0"
        "38ffffffffffffffffff01" "c0a907818004"
    )


@given(relations_with_rows())
def test_rows_round_trip(case: tuple[Relation, tuple[Value, ...]]) -> None:
    relation, row = case
    codec = row_codec(relation)
    value = codec.encode(row)
    decoded = codec.decode(KEY, value)
    assert value.startswith(HEADER)
    assert len(decoded) == len(row)
    assert all(map(same, decoded, row))


@given(relations_with_rows(), st.data())
def test_the_generated_encoder_writes_what_the_general_one_writes(
    case: tuple[Relation, tuple[Value, ...]], data: st.DataObject
) -> None:
    relation, row = case
    spoiled = data.draw(st.sampled_from([None, *range(len(row))]))
    if spoiled is not None:
        wrong = data.draw(st.sampled_from([None, 2**70, "a\0b", "\ud800", object(), b"", 1.5]))
        row = (*row[:spoiled], wrong, *row[spoiled + 1 :])
    found = []
    for compiled in (values._encoder, values._generated_encoder):
        try:
            found.append(compiled(relation, *values._layout(relation))(row))
        except (CatalogError, AttributeError) as error:  # a value of a wrong class may lack a method
            found.append((type(error), str(error)))
    assert found[0] == found[1]


@given(relations_with_rows(), st.integers(1, 3))
def test_columns_are_those_of_the_rows(case: tuple[Relation, tuple[Value, ...]], copies: int) -> None:
    relation, row = case
    codec = row_codec(relation)
    nulls = (*(None for _ in relation.columns), row[-1])
    encoded = [codec.encode(row)] * copies + [codec.encode(nulls)]
    rows = list(zip(*codec.decode_columns([(Key(KEY), value) for value in encoded]), strict=True))
    assert len(rows) == len(encoded)
    assert all(map(same, (item for found in rows for item in found),
                   (item for value in encoded for item in codec.decode(KEY, value))))


@given(relations_with_rows(), st.data())
def test_a_cut_value_among_whole_ones_is_corrupt(case: tuple[Relation, tuple[Value, ...]],
                                                 data: st.DataObject) -> None:
    relation, row = case
    codec = row_codec(relation)
    value = codec.encode(row)
    cut = value[:data.draw(st.integers(0, len(value) - 1))]
    with pytest.raises(CorruptValue, match="2a0b2a"):
        codec.decode_columns([(Key(b"whole"), value), (Key(b"\x2a\x0b\x2a"), cut)])


@given(st.floats())
def test_floats_keep_every_bit_that_matters(value: float) -> None:
    codec = row_codec(new_relation(1, "f", [Spec("d", DOUBLE), Spec("r", REAL)]))
    assert all(map(same, codec.decode(KEY, codec.encode((value, value, 1))), (value, value, 1)))


@given(relations_with_rows(), st.data())
def test_a_cut_value_is_corrupt(case: tuple[Relation, tuple[Value, ...]], data: st.DataObject) -> None:
    relation, row = case
    codec = row_codec(relation)
    value = codec.encode(row)
    with pytest.raises(CorruptValue, match="2a0b2a"):
        codec.decode(b"\x2a\x0b\x2a", value[:data.draw(st.integers(0, len(value) - 1))])


@given(relations_with_rows(), st.data())
def test_damage_to_the_envelope_never_gives_a_row(case: tuple[Relation, tuple[Value, ...]],
                                                  data: st.DataObject) -> None:
    relation, row = case
    codec = row_codec(relation)
    value = bytearray(codec.encode(row))
    value[data.draw(st.integers(0, len(HEADER) - 1))] ^= data.draw(st.integers(1, 255))
    with pytest.raises((CorruptValue, FormatVersionUnsupported), match="0b2a"):
        codec.decode(KEY, bytes(value))


@given(relations_with_rows(), st.binary(max_size=40))
def test_arbitrary_bytes_give_a_row_or_a_named_error(case: tuple[Relation, tuple[Value, ...]], junk: bytes) -> None:
    relation, row = case
    complaint = ""
    decoded: tuple[Value, ...] = row
    try:
        decoded = row_codec(relation).decode(KEY, seal(junk))
    except CorruptValue as error:
        complaint = str(error)
    assert len(decoded) == len(row)
    assert not complaint or "0b2a" in complaint


def test_envelope_tells_a_foreign_value_from_a_newer_one() -> None:
    assert unseal(KEY, b"\x01SDKVabc") == b"abc"
    with pytest.raises(FormatVersionUnsupported, match="0b2a has encoding version 3, not 1"):
        unseal(KEY, b"\x03SDKVabc")
    with pytest.raises(CatalogError, match="0b2a is encrypted with key"):
        unseal(KEY, b"\x02SDKVabc")
    for foreign in (b"", b"\x01SDK", b"\x01sdkvabc", b"PAR1PAR1"):
        with pytest.raises(CorruptValue, match="0b2a does not begin with 0153444b56"):
            unseal(KEY, foreign)


def test_a_declared_column_that_is_added_reads_its_default_in_old_rows() -> None:
    old = live(TABLE, "0.1")
    value = row_codec(old).encode((5, bytes(16), 0, None, 0, "t", 65537))
    new = add_column(add_column(old, Spec("path", VARCHAR, default="")), Spec("path_is_relative", BY_NAME[
        "ducklake_schema"].columns[6].type, default=True))
    assert row_codec(new).decode(KEY, value) == (5, bytes(16), 0, None, 0, "t", "", True, 65537)


def test_null_written_after_the_column_was_added_stays_null() -> None:
    relation = add_column(inlined(Spec("a", BIGINT)), Spec("b", VARCHAR, default="x"))
    codec = row_codec(relation)
    for row in ((1, 2, None, 3, None, 65537), (1, 2, None, None, "", 65537), (1, 2, None, None, "x", 65537)):
        assert codec.decode(KEY, codec.encode(row)) == row
    value = codec.encode((1, 2, None, 3, None, 65537))
    assert value.hex() == "0153444b56" "0801" "1002" "2003" "baa9070105" "c0a907818004"


def test_a_dropped_column_is_skipped_and_its_number_is_not_reused() -> None:
    relation = inlined(Spec("a", BIGINT), Spec("b", TEXT))
    value = row_codec(relation).encode((1, 2, None, 3, "secret", 65537))
    dropped = drop_column(relation, "b")
    assert row_codec(dropped).decode(KEY, value) == (1, 2, None, 3, 65537)
    again = add_column(dropped, Spec("b", TEXT))
    assert row_codec(again).decode(KEY, value) == (1, 2, None, 3, None, 65537)


def test_a_renamed_column_keeps_its_values() -> None:
    relation = live(TABLE)
    value = row_codec(relation).encode(TABLE_ROW)
    assert row_codec(rename_column(relation, "path", "folder")).decode(KEY, value) == TABLE_ROW


def test_an_unknown_column_of_a_declared_relation_keeps_the_other_bytes() -> None:
    plain, extended = live(TABLE), add_column(live(TABLE), Spec("owner", TEXT))
    value = row_codec(extended).encode((*TABLE_ROW[:-1], None, 65537))
    assert value == row_codec(plain).encode(TABLE_ROW)
    value = row_codec(extended).encode((*TABLE_ROW[:-1], "me", 65537))
    assert row_codec(plain).decode(KEY, value) == TABLE_ROW


def test_columns_in_another_order_give_the_same_bytes() -> None:
    columns = [Spec(column.name, column.type) for column in reversed(TABLE.columns)]
    reversed_relation = new_relation(1, TABLE.name, columns)
    row = (*reversed(TABLE_ROW[:-1]), 65537)
    assert row_codec(reversed_relation).encode(row) == row_codec(live(TABLE)).encode(TABLE_ROW)


def test_inlined_tables_of_one_shape_share_their_message() -> None:
    shape_class.cache_clear()
    for table_id in range(50):
        relation = inlined(Spec(f"c{table_id}", BIGINT), Spec("t", TEXT), relation_id=table_id + 1, table_id=table_id)
        row_codec(relation).encode((1, 2, None, 3, "x", 65537))
    assert shape_class.cache_info().currsize == 1


@pytest.mark.parametrize(("column_type", "value", "error"), [
    (TEXT, "a\0b", CharacterNotInRepertoire),
    (TEXT, "\0", CharacterNotInRepertoire),
    (TEXT, "a\ud800", CharacterNotInRepertoire),
    (BIGINT, 2**63, NumericOutOfRange),
    (BIGINT, -(2**63) - 1, NumericOutOfRange),
    (BIGINT, "1", DatatypeMismatch),
    (TEXT, 1, DatatypeMismatch),
    (UUID, b"short", DatatypeMismatch),
    (NUMERIC, 1.5, DatatypeMismatch),
    (INTERVAL, (1, 2), DatatypeMismatch),
    (INTERVAL, (2**31, 0, 0), DatatypeMismatch),
    (TIMETZ, 5, DatatypeMismatch),
])
def test_a_value_that_cannot_be_stored_is_refused(column_type: object, value: Value, error: type[CatalogError]) -> None:
    relation = new_relation(1, "notes", [Spec("a", column_type)])
    with pytest.raises(error) as raised:
        row_codec(relation).encode((value, 65537))
    assert "short" not in str(raised.value)


def test_zero_bytes_in_bytea_are_data() -> None:
    codec = row_codec(new_relation(1, "notes", [Spec("a", BYTEA), Spec("b", TEXT)]))
    assert codec.decode(KEY, codec.encode((b"\0\0", "x", 65537))) == (b"\0\0", "x", 65537)


@pytest.mark.parametrize("row", [(), (1,), (1, None), (1, 2, 3)])
def test_a_row_of_the_wrong_length_or_without_ctid_is_a_fault(row: tuple[Value, ...]) -> None:
    with pytest.raises(InternalProblem):
        row_codec(new_relation(1, "notes", [Spec("a", BIGINT)])).encode(row)


@pytest.mark.parametrize(("column_type", "field"), [
    (NUMERIC, "0a0178"), (UUID, "0a0178"), (INTERVAL, "0a0178"), (TIMETZ, "0a0178"), (TEXT, "0a01ff"),
])
def test_a_broken_field_is_corrupt(column_type: object, field: str) -> None:
    relation = new_relation(1, "notes", [Spec("a", column_type)])
    with pytest.raises(CorruptValue, match="0b2a"):
        row_codec(relation).decode(KEY, HEADER + bytes.fromhex(field + "c0a907818004"))


def test_every_storable_form_has_a_kind() -> None:
    assert {column_type.form for column_type in STORABLE} == set(KIND_OF_FORM)
    assert set(Form) - set(KIND_OF_FORM) == {Form.TID, Form.ARRAY}
    assert KIND_OF_FORM[Form.DATE] is Kind.INT64


def test_a_relation_without_columns_stores_its_ctid() -> None:
    codec = row_codec(new_relation(1, "empty", []))
    assert codec.decode(KEY, codec.encode((65537,))) == (65537,)


@given(texts)
def test_a_changed_column_list_gets_a_codec_of_its_own(name: str) -> None:
    relation = new_relation(1, "notes", [Spec("a", TEXT)])
    longer = replace(relation, columns=(*relation.columns, replace(relation.columns[0], name="b", number=2)))
    assert row_codec(relation) is row_codec(relation)
    assert row_codec(longer).decode(KEY, row_codec(longer).encode((name, name, 1))) == (name, name, 1)
