"""The opening of a connection: which startup messages are served, negotiated or refused."""

from __future__ import annotations

import pytest

from rocklake_server import errors, limits
from rocklake_server.wire import messages as m
from rocklake_server.wire import startup as s
from rocklake_server.wire.connection import ServerConnection
from rocklake_server.wire.layout import encode
from rocklake_server.wire.phases import Phase
from tests.wire.conversation import READY, STARTUP, Received, connection_in, play


def framed(body: bytes) -> bytes:
    return (len(body) + 4).to_bytes(4, "big") + body


def version(major: int, minor: int) -> bytes:
    return major.to_bytes(2, "big") + minor.to_bytes(2, "big")


def refused(data: bytes) -> errors.CatalogError:
    connection = ServerConnection()
    connection.receive_data(data)
    with pytest.raises(errors.CatalogError) as caught:
        connection.next_message()
    assert connection.phase is Phase.BROKEN
    assert connection.next_message() is None
    error = caught.value
    reply = connection.send(m.ErrorResponse.of(error, severity="FATAL"))
    assert error.sqlstate.encode() in reply
    assert connection.phase is Phase.CLOSED
    return error


def test_the_database_is_named_after_the_user_unless_given() -> None:
    assert s.StartupMessage(3, 0, {"user": "ada"}).database == "ada"
    assert STARTUP.database == "lake"
    assert STARTUP.negotiation() is None


@pytest.mark.parametrize(
    ("minor", "options", "unknown"),
    [(0, {"_pq_.compression": "1"}, ("_pq_.compression",)), (2, {}, ()), (9999, {"_pq_.a": ""}, ("_pq_.a",))],
)
def test_more_than_protocol_3_0_is_negotiated_down(
    minor: int, options: dict[str, str], unknown: tuple[str, ...]
) -> None:
    connection = ServerConnection()
    connection.receive_data(encode(s.StartupMessage(3, minor, {"user": "ada"} | options)))
    message = connection.next_message()
    assert isinstance(message, s.StartupMessage)
    negotiation = message.negotiation()
    assert negotiation == m.NegotiateProtocolVersion(3 << 16, unknown)
    connection.send(negotiation)
    assert connection.phase is Phase.AUTHENTICATING


@pytest.mark.parametrize(("major", "minor"), [(2, 0), (1, 0), (4, 0), (0, 0), (1234, 5681)])
def test_another_major_version_is_refused_in_postgresqls_words(major: int, minor: int) -> None:
    error = refused(framed(version(major, minor) + b"user\0ada\0\0"))
    assert error.sqlstate == "0A000"
    assert str(error) == f"unsupported frontend protocol {major}.{minor}: server supports 3.0 to 3.0"


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (version(3, 0) + b"user\0ada\0", "expected terminator as last byte"),
        (version(3, 0) + b"user\0ada\0\0x", "expected terminator as last byte"),
        (version(3, 0) + b"user\0ada\0\0x\0", "expected terminator as last byte"),
        (version(3, 0) + b"user\0\0", "expected terminator as last byte"),
        (version(1234, 5678) + b"\0" * 4, "insufficient data left in message"),
        (version(1234, 5678) + b"\0" * 12, "invalid message format"),
        (version(1234, 5679) + b"\0", "invalid message format"),
    ],
)
def test_a_malformed_startup_message_is_refused(body: bytes, text: str) -> None:
    error = refused(framed(body))
    assert isinstance(error, errors.ProtocolViolation)
    assert text in str(error)


@pytest.mark.parametrize("parameters", [b"\0", b"user\0\0\0", b"database\0lake\0\0"])
def test_a_startup_without_a_user_is_refused(parameters: bytes) -> None:
    error = refused(framed(version(3, 0) + parameters))
    assert error.sqlstate == "28000"
    assert str(error) == "no PostgreSQL user name specified in startup packet"


def test_a_user_name_that_is_not_utf8_is_refused() -> None:
    assert refused(framed(version(3, 0) + b"user\0\xe9\0\0")).sqlstate == "22021"


@pytest.mark.parametrize("length", [0, 3, 4, 7, limits.STARTUP_BYTES_MAX + 5, 0x47455420, 2**32 - 1])
def test_an_impossible_length_is_refused_before_the_body_arrives(length: int) -> None:
    assert str(refused(length.to_bytes(4, "big"))) == "invalid length of startup packet"


def test_the_longest_startup_message_is_served() -> None:
    room = limits.STARTUP_BYTES_MAX - len(version(3, 0) + b"user\0\0\0")
    message = s.StartupMessage(3, 0, {"user": "x" * room})
    connection = ServerConnection()
    connection.receive_data(encode(message))
    assert connection.next_message() == message


def test_an_encrypted_connection_starts_with_the_first_bytes_of_tls() -> None:
    connection = connection_in(Phase.STARTING_ENCRYPTED)
    play(connection, (Received(STARTUP), m.AuthenticationOk(), READY))
    assert connection.phase is Phase.READY


def test_bytes_before_tls_are_not_taken_for_the_clients() -> None:
    connection = ServerConnection()
    connection.receive_data(encode(s.SSLRequest()) + encode(STARTUP))
    assert connection.next_message() == s.SSLRequest()
    assert connection.next_message() is None
    with pytest.raises(errors.ProtocolViolation, match="received unencrypted data after SSL request"):
        connection.send(s.EncryptionAccepted())
    assert connection.phase is Phase.BROKEN
    assert connection.buffered_bytes == 0


def test_bytes_after_a_refused_request_are_served() -> None:
    connection = ServerConnection()
    connection.receive_data(encode(s.GSSENCRequest()) + encode(s.SSLRequest()) + encode(STARTUP))
    assert connection.next_message() == s.GSSENCRequest()
    assert connection.send(s.EncryptionRefused()) == b"N"
    assert connection.next_message() == s.SSLRequest()
    assert connection.send(s.EncryptionRefused()) == b"N"
    assert connection.next_message() == STARTUP


def test_encryption_is_asked_for_once_it_is_there_no_more() -> None:
    connection = connection_in(Phase.STARTING_ENCRYPTED)
    connection.receive_data(encode(s.SSLRequest()))
    with pytest.raises(errors.ProtocolViolation, match="unexpected SSLRequest message"):
        connection.next_message()
    assert connection.phase is Phase.BROKEN


def test_gssapi_encryption_is_never_accepted() -> None:
    with pytest.raises(errors.ProtocolViolation):
        connection_in(Phase.GSS_ASKED).send(s.EncryptionAccepted())


def test_a_cancel_request_ends_its_connection_without_an_answer() -> None:
    connection = ServerConnection()
    connection.receive_data(encode(s.CancelRequest(7, 9)) + b"more")
    assert connection.next_message() == s.CancelRequest(7, 9)
    assert connection.phase is Phase.CLOSED
    assert connection.next_message() is None
    with pytest.raises(errors.ProtocolViolation):
        connection.send(m.ErrorResponse({"S": "FATAL", "M": "x"}))
