"""Every message against its bytes, in both directions, and what malformed ones are answered with."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocklake_server import errors, limits
from rocklake_server.wire import messages as m
from rocklake_server.wire import startup as s
from rocklake_server.wire.layout import (
    BACKEND,
    FRONTEND,
    SMALL_MESSAGE_BYTES_MAX,
    BackendMessage,
    FrontendMessage,
    Message,
    codec_of,
    decode_backend,
    encode,
    message,
    untagged,
)
from tests.wire.cases import BACKEND_CASES, FRONTEND_CASES, STARTUP_CASES, named
from tests.wire.strategies import ALL, messages_of

SELF_DELIMITING_CASES = tuple(
    (value, data) for value, data in FRONTEND_CASES if not isinstance(value, m.CopyData | m.PasswordMessage)
)
"""All but those that end with whatever is left."""


def decode_frontend(kind: type[FrontendMessage], data: bytes) -> FrontendMessage:
    if not kind.tag:
        return s.decode_startup(data, 4, len(data))
    return kind.layout.decode(data, 5, len(data))


@pytest.mark.parametrize(("value", "data"), named(FRONTEND_CASES + STARTUP_CASES + BACKEND_CASES))
def test_a_message_is_written_as_the_manual_says(value: Message, data: bytes) -> None:
    assert encode(value) == data


@pytest.mark.parametrize(("value", "data"), named(FRONTEND_CASES + STARTUP_CASES))
@pytest.mark.parametrize("kind_of_buffer", [bytes, bytearray])
def test_a_frontend_message_is_read_as_the_manual_says(
    value: FrontendMessage, data: bytes, kind_of_buffer: Callable[[bytes], bytes]
) -> None:
    decoded = decode_frontend(type(value), kind_of_buffer(data))
    assert decoded == value
    assert type(decoded) is type(value)


@pytest.mark.parametrize(("value", "data"), named(BACKEND_CASES))
def test_a_backend_message_is_read_as_the_manual_says(value: BackendMessage, data: bytes) -> None:
    assert decode_backend(data) == (value,)


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)
def test_every_message_has_a_case(kind: type[Message]) -> None:
    cases = {type(value) for value, _ in (*FRONTEND_CASES, *STARTUP_CASES, *BACKEND_CASES)}
    assert kind in cases


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)
def test_every_message_round_trips(kind: type[Message]) -> None:
    @given(messages_of(kind))
    def round_trip(value: Message) -> None:
        data = encode(value)
        if isinstance(value, FrontendMessage):
            assert decode_frontend(type(value), data) == value
        if isinstance(value, BackendMessage):
            assert decode_backend(data) == (value,)

    round_trip()


@pytest.mark.parametrize(("value", "data"), named(SELF_DELIMITING_CASES))
def test_a_body_cut_anywhere_is_refused(value: FrontendMessage, data: bytes) -> None:
    for end in range(5, len(data)):
        with pytest.raises(errors.ProtocolViolation, match=r"insufficient data|invalid string"):
            value.layout.decode(data, 5, end)


@pytest.mark.parametrize(("value", "data"), named(SELF_DELIMITING_CASES))
def test_a_body_with_something_left_over_is_refused(value: FrontendMessage, data: bytes) -> None:
    with pytest.raises(errors.ProtocolViolation, match="invalid message format"):
        value.layout.decode(data + b"\0", 5, len(data) + 1)


def test_null_is_length_minus_one_and_takes_nothing() -> None:
    body = b"\0\0" + b"\0\0" + b"\0\2" + b"\xff\xff\xff\xff" + b"\0\0\0\1x" + b"\0\0"
    assert m.Bind.layout.decode(body, 0, len(body)).parameters == (None, b"x")


@pytest.mark.parametrize("length", [-2, -3, -(2**31), 3, 2**31 - 1])
def test_any_other_length_that_does_not_fit_is_refused(length: int) -> None:
    # taken for a NULL, or for nothing, what follows would be a sound end of the message
    body = b"\0\0" + b"\0\0" + b"\0\1" + length.to_bytes(4, "big", signed=True) + b"\0\0"
    with pytest.raises(errors.ProtocolViolation, match="insufficient data left in message"):
        m.Bind.layout.decode(body, 0, len(body))


def test_a_count_without_its_items_is_refused() -> None:
    body = b"\0\0" + b"\xff\xff" + b"\0\0" * 3
    with pytest.raises(errors.ProtocolViolation, match="insufficient data left in message"):
        m.Bind.layout.decode(body, 0, len(body))


def test_as_many_parameters_as_postgresql_takes() -> None:
    bind = m.Bind("", "", (), (None,) * 65_535, ())
    data = encode(bind)
    assert m.Bind.layout.decode(data, 5, len(data)) == bind


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (b"\xff", "0xff"),
        (b"ab\xc3", "0xc3"),
        (b"\xc3(", "0xc3 0x28"),
        (b"\xe2\x82(", "0xe2 0x82 0x28"),
        (b"\xed\xa0\x80", "0xed 0xa0 0x80"),
        (b"\xf4\x90\x80\x80", "0xf4 0x90 0x80 0x80"),
        (b"\xc0\xaf", "0xc0 0xaf"),
    ],
)
def test_text_that_is_not_utf8_is_refused_with_its_bytes(text: bytes, shown: str) -> None:
    body = text + b"\0"
    with pytest.raises(errors.CharacterNotInRepertoire) as caught:
        m.Query.layout.decode(body, 0, len(body))
    assert str(caught.value) == f'invalid byte sequence for encoding "UTF8": {shown}'


@pytest.mark.parametrize(("text", "shown"), [("a\0b", "0x00"), ("é\ud800", "0xed 0xa0 0x80")])
def test_text_that_no_client_could_read_is_not_written(text: str, shown: str) -> None:
    with pytest.raises(errors.CharacterNotInRepertoire, match=shown):
        encode(m.CommandComplete(text))


def test_a_number_outside_its_field_is_our_own_fault() -> None:
    with pytest.raises(errors.InternalProblem, match="CopyInResponse"):
        encode(m.CopyInResponse(256, ()))
    with pytest.raises(errors.InternalProblem, match="DataRow"):
        encode(m.DataRow((None,) * 65_536))


@pytest.mark.parametrize(("kind", "word"), [(m.Describe, "DESCRIBE"), (m.Close, "CLOSE")])
def test_describe_and_close_name_an_unknown_subtype(kind: type[FrontendMessage], word: str) -> None:
    with pytest.raises(errors.ProtocolViolation, match=f"invalid {word} message subtype 88"):
        kind.layout.decode(b"X\0", 0, 2)


def test_a_second_message_with_a_tag_of_its_direction_fails_at_import() -> None:
    with pytest.raises(TypeError, match="declared twice"):

        @message(b"Q")
        class AnotherQuery(FrontendMessage):
            """Not a message of the protocol."""

    with pytest.raises(TypeError, match="declared twice"):

        @message(b"R", lead=0)
        class AnotherOk(BackendMessage):
            """Not a message of the protocol."""

    assert FRONTEND[b"Q"] is m.Query
    assert BACKEND[b"R\0\0\0\0"] is m.AuthenticationOk


def test_the_same_tag_means_different_things_in_each_direction() -> None:
    assert FRONTEND[b"D"] is m.Describe
    assert BACKEND[b"D"] is m.DataRow
    assert FRONTEND[b"d"] is BACKEND[b"d"] is m.CopyData


def test_a_field_without_a_layout_fails_at_import() -> None:
    with pytest.raises(TypeError, match="no wire layout"):

        @untagged(1, bytes_max=8)
        class Vague(FrontendMessage):
            """Its field could be anything."""

            number: int

    with pytest.raises(TypeError, match="no wire layout"):
        codec_of(str)


def test_only_messages_that_carry_data_may_be_long() -> None:
    long = {m.Query, m.Parse, m.Bind, m.FunctionCall, m.CopyData}
    for kind in FRONTEND.values():
        expected = limits.MESSAGE_BYTES_MAX if kind in long else SMALL_MESSAGE_BYTES_MAX
        assert kind.bytes_max == expected, kind


def test_an_error_becomes_a_report_with_all_its_fields() -> None:
    error = errors.UndefinedTable('relation "x" does not exist', detail="d", hint="h", position=15)
    assert m.ErrorResponse.of(error).fields == {
        "S": "ERROR", "V": "ERROR", "C": "42P01", "M": 'relation "x" does not exist', "D": "d", "H": "h", "P": "15",
    }  # fmt: skip
    assert not m.ErrorResponse.of(error).fatal
    assert m.ErrorResponse.of(error, severity="FATAL").fatal
    assert m.ErrorResponse.of(errors.AdminShutdown("the server is stopping")).fatal
    assert m.NoticeResponse.of("x", severity="WARNING", sqlstate="25P01").fields["S"] == "WARNING"


@pytest.mark.parametrize("secret", [m.PasswordMessage(b"hunter2\0"), m.AuthenticationSASLContinue(b"hunter2")])
def test_a_secret_is_not_in_a_repr(secret: Message) -> None:
    assert "hunter2" not in repr(secret)


@given(st.binary(max_size=64), st.sampled_from(sorted(FRONTEND)))
def test_no_body_raises_anything_but_a_catalog_error(body: bytes, tag: bytes) -> None:
    try:
        decoded = FRONTEND[tag].layout.decode(body, 0, len(body))
    except errors.CatalogError:
        return
    assert encode(decoded) == tag + (len(body) + 4).to_bytes(4, "big") + body
