"""Framing: any split of the bytes gives the same messages, bounds hold before memory is taken, time stays
linear."""

from __future__ import annotations

import time
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocklake_server import errors, limits
from rocklake_server.wire import messages as m
from rocklake_server.wire import startup as s
from rocklake_server.wire.connection import UNAUTHENTICATED_BYTES_MAX, Raw, ServerConnection
from rocklake_server.wire.layout import (
    FRONTEND,
    SMALL_MESSAGE_BYTES_MAX,
    BackendMessage,
    FrontendMessage,
    encode,
)
from rocklake_server.wire.phases import RECEIVED, Phase
from tests.wire.cases import FRONTEND_CASES, STARTUP_CASES, named
from tests.wire.conversation import READY, STARTUP, connection_in
from tests.wire.strategies import UNTAGGED, messages_of

PIECE_BYTES = 64 * 1024


def phase_for(message: FrontendMessage) -> Phase:
    """A phase in which ``message`` is accepted."""
    return next(phase for phase, row in RECEIVED.items() if type(message) in row)


@pytest.mark.parametrize(("message", "data"), named(FRONTEND_CASES + STARTUP_CASES))
def test_a_message_is_read_whole(message: FrontendMessage, data: bytes) -> None:
    connection = connection_in(phase_for(message))
    connection.receive_data(data)
    assert connection.next_message() == message
    assert connection.buffered_bytes == 0


@pytest.mark.parametrize(("message", "data"), named(FRONTEND_CASES + STARTUP_CASES))
def test_a_message_is_read_one_byte_at_a_time(message: FrontendMessage, data: bytes) -> None:
    connection = connection_in(phase_for(message))
    for position in range(len(data) - 1):
        connection.receive_data(data[position : position + 1])
        assert connection.next_message() is None
        assert connection.buffered_bytes == position + 1
    connection.receive_data(data[-1:])
    assert connection.next_message() == message


@pytest.mark.parametrize(("message", "data"), named(FRONTEND_CASES + STARTUP_CASES))
@pytest.mark.parametrize("trailing", [b"Q", b"Q\0\0\0\x0dSELECT"])
def test_trailing_data_waits_for_its_turn(message: FrontendMessage, data: bytes, trailing: bytes) -> None:
    connection = connection_in(phase_for(message))
    connection.receive_data(data + trailing)
    assert connection.next_message() == message
    assert connection.buffered_bytes == len(trailing)


@given(st.data())
def test_any_split_gives_the_same_messages(data: st.DataObject) -> None:
    kinds = [kind for kind in FRONTEND.values() if RECEIVED[Phase.PIPELINE].get(kind) is Phase.PIPELINE]
    sent = data.draw(st.lists(st.sampled_from(kinds).flatmap(messages_of), min_size=1, max_size=6))
    stream = b"".join(map(encode, sent))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=6)))
    connection = connection_in(Phase.READY)
    received: list[FrontendMessage] = []
    for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True):
        connection.receive_data(stream[start:end])
        while (message := connection.next_message()) is not None:
            received.append(message)
    assert received == sent


@pytest.mark.parametrize("length", [0, 1, 3, limits.MESSAGE_BYTES_MAX + 1, 2**32 - 1])
def test_an_impossible_length_ends_the_connection_before_memory_is_taken(length: int) -> None:
    connection = connection_in(Phase.READY)
    connection.receive_data(b"Q" + length.to_bytes(4, "big"))
    tracemalloc.start()
    try:
        with pytest.raises(errors.ProtocolViolation, match="invalid message length"):
            connection.next_message()
        assert tracemalloc.get_traced_memory()[1] < 100_000
    finally:
        tracemalloc.stop()
    assert connection.phase is Phase.BROKEN
    assert connection.send(m.ErrorResponse.of(errors.ProtocolViolation("x"), severity="FATAL"))
    assert connection.phase is Phase.CLOSED


def test_a_long_message_takes_memory_only_as_it_arrives() -> None:
    connection = connection_in(Phase.READY)
    tracemalloc.start()
    try:
        connection.receive_data(b"Q" + limits.MESSAGE_BYTES_MAX.to_bytes(4, "big") + b"SELECT")
        assert connection.next_message() is None
        assert tracemalloc.get_traced_memory()[1] < 100_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("kind", [kind for kind in FRONTEND.values() if kind.bytes_max == SMALL_MESSAGE_BYTES_MAX])
def test_a_message_without_data_is_small(kind: type[FrontendMessage]) -> None:
    phase = next(phase for phase, row in RECEIVED.items() if kind in row)
    connection = connection_in(phase)
    connection.receive_data(kind.tag + (SMALL_MESSAGE_BYTES_MAX + 1).to_bytes(4, "big"))
    with pytest.raises(errors.ProtocolViolation, match="invalid message length"):
        connection.next_message()
    assert connection.phase is Phase.BROKEN


def test_a_message_that_is_dropped_has_its_bound_too() -> None:
    connection = connection_in(Phase.COPY_IN)
    connection.receive_data(b"S" + (SMALL_MESSAGE_BYTES_MAX + 1).to_bytes(4, "big"))
    with pytest.raises(errors.ProtocolViolation, match="invalid message length"):
        connection.next_message()


def test_an_unknown_message_type_ends_the_connection() -> None:
    connection = connection_in(Phase.READY)
    connection.receive_data(b"y\0\0\0\4")
    with pytest.raises(errors.ProtocolViolation, match="invalid frontend message type 121"):
        connection.next_message()
    connection.receive_data(encode(m.Query("SELECT 1")))
    assert connection.next_message() is None


def test_before_the_password_every_other_message_is_refused_by_its_first_bytes() -> None:
    connection = connection_in(Phase.AWAITING_PASSWORD)
    connection.receive_data(b"Q\x3f\xff\xff\xff")
    with pytest.raises(errors.ProtocolViolation, match="expected password response, got message type 81"):
        connection.next_message()


@pytest.mark.parametrize("phase", [Phase.AUTHENTICATING, Phase.INITIALIZING, Phase.TLS_ASKED])
def test_a_client_that_is_not_authenticated_cannot_fill_memory(phase: Phase) -> None:
    connection = connection_in(phase)
    connection.receive_data(bytes(UNAUTHENTICATED_BYTES_MAX))
    with pytest.raises(errors.ProtocolViolation, match="too much data before authentication"):
        connection.receive_data(b"\0")
    assert connection.phase is Phase.BROKEN
    assert connection.buffered_bytes == 0


def test_a_dropped_message_takes_no_memory() -> None:
    connection = connection_in(Phase.SKIP_TO_SYNC)
    connection.receive_data(b"Q" + (10_000_000).to_bytes(4, "big"))
    assert connection.next_message() is None
    for _ in range(4):
        connection.receive_data(b"x" * 2_000_000)
        assert connection.buffered_bytes == 0
        assert connection.next_message() is None
    connection.receive_data(b"x" * 1_999_996 + encode(m.Sync()))
    assert connection.next_message() == m.Sync()


def test_a_query_is_held_while_the_one_before_is_answered() -> None:
    connection = connection_in(Phase.READY)
    connection.receive_data(encode(m.Query("SELECT 1")) + encode(m.Query("SELECT 2")))
    assert connection.next_message() == m.Query("SELECT 1")
    assert connection.next_message() is None
    connection.receive_data(encode(m.Terminate()))
    assert connection.next_message() is None
    connection.send(READY)
    assert connection.next_message() == m.Query("SELECT 2")
    connection.send(READY)
    assert connection.next_message() == m.Terminate()
    assert connection.phase is Phase.CLOSED


def test_a_closed_connection_keeps_nothing() -> None:
    connection = connection_in(Phase.QUERYING)
    connection.receive_data(encode(m.Query("SELECT 2")))
    connection.close()
    connection.receive_data(encode(m.Query("SELECT 3")))
    assert (connection.phase, connection.buffered_bytes) == (Phase.CLOSED, 0)
    assert connection.next_message() is None


@pytest.mark.parametrize(
    ("phase", "message"),
    [
        (Phase.COPY_OUT, m.CopyData(b"row")),
        (Phase.COPY_OUT_PIPELINE, m.CopyData(b"row")),
        (Phase.QUERYING, m.DataRow((b"1",))),
        (Phase.PIPELINE, m.DataRow((b"1",))),
    ],
)
def test_encoded_rows_are_sent_as_they_are(phase: Phase, message: m.CopyData | m.DataRow) -> None:
    connection = connection_in(phase)
    rows = memoryview(encode(message) * 3)
    assert connection.send(Raw(type(message), rows)) is rows
    assert connection.phase is phase


@pytest.mark.parametrize("kind", [m.CopyData, m.DataRow])
def test_encoded_rows_are_refused_where_rows_are(kind: type[m.CopyData] | type[m.DataRow]) -> None:
    for phase in (Phase.READY, Phase.FINISHING, Phase.SKIP_TO_SYNC, Phase.COPY_IN, Phase.AUTHENTICATING):
        connection = connection_in(phase)
        with pytest.raises(errors.ProtocolViolation):
            connection.send(Raw(kind, b""))


def test_a_reply_that_cannot_be_encoded_changes_nothing() -> None:
    connection = connection_in(Phase.QUERYING)
    with pytest.raises(errors.CharacterNotInRepertoire):
        connection.send(m.ErrorResponse({"M": "a\0b"}))
    assert connection.phase is Phase.QUERYING


def test_a_long_query_in_pieces_takes_linear_time() -> None:
    text = "x" * 20_000_000
    stream = encode(m.Query(text))
    connection = connection_in(Phase.READY)
    start = time.perf_counter()
    message = None
    for position in range(0, len(stream), PIECE_BYTES):
        assert message is None
        connection.receive_data(stream[position : position + PIECE_BYTES])
        message = connection.next_message()
    assert time.perf_counter() - start < 1
    assert message == m.Query(text)
    assert connection.buffered_bytes == 0


def test_many_small_messages_in_one_piece_take_linear_time() -> None:
    connection = connection_in(Phase.COPY_IN)
    stream = encode(m.CopyData(b"row")) * 100_000
    start = time.perf_counter()
    connection.receive_data(stream[:3])
    connection.receive_data(stream[3:])
    count = 0
    while connection.next_message() is not None:
        count += 1
    assert count == 100_000
    assert time.perf_counter() - start < 2


def test_a_long_copy_stream_in_pieces_takes_linear_time() -> None:
    connection = connection_in(Phase.COPY_IN)
    stream = encode(m.CopyData(b"r" * 1_000_000)) * 20
    start = time.perf_counter()
    sizes: list[int] = []
    for position in range(0, len(stream), PIECE_BYTES):
        connection.receive_data(stream[position : position + PIECE_BYTES])
        while isinstance(message := connection.next_message(), m.CopyData):
            sizes.append(len(message.data))
    assert sizes == [1_000_000] * 20
    assert time.perf_counter() - start < 1


ANSWERS: dict[Phase, BackendMessage | s.EncryptionRefused] = {
    Phase.TLS_ASKED: s.EncryptionRefused(),
    Phase.GSS_ASKED: s.EncryptionRefused(),
    Phase.AUTHENTICATING: m.AuthenticationOk(),
    Phase.INITIALIZING: READY,
    Phase.QUERYING: READY,
    Phase.FINISHING: READY,
    Phase.COPY_OUT: m.CopyDone(),
    Phase.COPY_OUT_PIPELINE: m.CopyDone(),
}


def serve(connection: ServerConnection, pieces: list[bytes]) -> None:
    """Answers whatever comes, as a session would; raises what a session could not have expected."""
    for piece in pieces:
        try:
            connection.receive_data(piece)
        except errors.ProtocolViolation as error:
            connection.send(m.ErrorResponse.of(error, severity="FATAL"))
        for _ in range(sum(map(len, pieces)) + 10):
            try:
                message = connection.next_message()
            except errors.CatalogError as error:
                severity = "FATAL" if connection.phase is Phase.BROKEN else "ERROR"
                connection.send(m.ErrorResponse.of(error, severity=severity))
                continue
            if (answer := ANSWERS.get(connection.phase)) is not None:
                connection.send(answer)
            elif message is None:
                break
        else:
            raise AssertionError("the connection does not come to rest")


FRAMES = st.one_of(
    st.binary(max_size=40),
    st.sampled_from([*FRONTEND.values(), *UNTAGGED]).flatmap(messages_of).map(encode),
    st.builds(
        lambda kind, body, wrong: kind + (len(body) + 4 + wrong).to_bytes(4, "big", signed=True) + body,
        st.sampled_from(sorted(FRONTEND)),
        st.binary(max_size=20),
        st.integers(-6, 6) | st.just(0),
    ),
)


@given(st.sampled_from(Phase), st.lists(FRAMES, max_size=6))
def test_no_bytes_raise_anything_but_a_catalog_error(phase: Phase, pieces: list[bytes]) -> None:
    serve(connection_in(phase), pieces)


@given(st.lists(FRAMES, max_size=6))
def test_no_bytes_after_a_startup_raise_anything_but_a_catalog_error(pieces: list[bytes]) -> None:
    serve(ServerConnection(), [encode(STARTUP), *pieces])
