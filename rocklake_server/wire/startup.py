"""The messages without a tag, which open a connection, and the server's answers to them.

Source: PostgreSQL manual, "Message Formats" (SSLRequest, GSSENCRequest, CancelRequest, StartupMessage) and
"Start-up".
"""

from __future__ import annotations

from dataclasses import dataclass, field

from rocklake_server import limits
from rocklake_server.errors import InvalidAuthorization, ProtocolViolation, Unsupported
from rocklake_server.wire.fields import UINT16, Int32, Parameters, Reader, UInt16
from rocklake_server.wire.layout import LENGTH, FrontendMessage, untagged
from rocklake_server.wire.messages import NegotiateProtocolVersion

PROTOCOL_MAJOR = 3
PROTOCOL_MINOR_MAX = 0

PROTOCOL_OPTION_PREFIX = "_pq_."
"""Start-up parameters with this prefix are options of the protocol, not settings."""


@untagged(80877102, bytes_max=16)
class CancelRequest(FrontendMessage):
    """Cancels what the session with this key runs. The only message of its connection, and it gets no
    answer."""

    process_id: Int32
    secret_key: Int32 = field(repr=False)


@untagged(80877104, bytes_max=8)
class GSSENCRequest(FrontendMessage):
    """Asks for GSSAPI encryption."""


@untagged(80877103, bytes_max=8)
class SSLRequest(FrontendMessage):
    """Asks for TLS."""


@untagged(None, bytes_max=limits.STARTUP_BYTES_MAX)
class StartupMessage(FrontendMessage):
    """Opens a session. Parameters are ``user``, ``database``, ``options``, ``replication``, settings, and
    protocol options, which begin with ``_pq_.``."""

    major: UInt16
    minor: UInt16
    parameters: Parameters

    @property
    def user(self) -> str:
        """Never empty in a decoded message."""
        return self.parameters.get("user", "")

    @property
    def database(self) -> str:
        """The user's name unless given, as in PostgreSQL."""
        return self.parameters.get("database") or self.user

    def negotiation(self) -> NegotiateProtocolVersion | None:
        """What to send before authentication when the client asks for more than protocol 3.0."""
        unknown = tuple(name for name in self.parameters if name.startswith(PROTOCOL_OPTION_PREFIX))
        if self.minor <= PROTOCOL_MINOR_MAX and not unknown:
            return None
        return NegotiateProtocolVersion(PROTOCOL_MAJOR << 16 | PROTOCOL_MINOR_MAX, unknown)


StartupRequest = CancelRequest | GSSENCRequest | SSLRequest | StartupMessage
_REQUEST_BY_LEAD: dict[bytes, type[CancelRequest | GSSENCRequest | SSLRequest]] = {
    kind.lead: kind for kind in (CancelRequest, GSSENCRequest, SSLRequest)
}


@dataclass(frozen=True, slots=True)
class EncryptionAccepted:
    """Answers SSLRequest with the byte S; from then on the bytes of the connection are TLS's."""

    def encode(self) -> bytes:
        return b"S"


@dataclass(frozen=True, slots=True)
class EncryptionRefused:
    """Answers SSLRequest or GSSENCRequest with the byte N; the client goes on in the clear or leaves."""

    def encode(self) -> bytes:
        return b"N"


EncryptionReply = EncryptionAccepted | EncryptionRefused


def check_length(length: int) -> None:
    """Raises ProtocolViolation when ``length``, which counts itself, is no startup message's."""
    if not 8 <= length <= limits.STARTUP_BYTES_MAX + LENGTH.size:
        raise ProtocolViolation("invalid length of startup packet")


def decode_startup(data: bytes | bytearray, start: int, end: int) -> StartupRequest:
    """The message whose body, after the length word, is ``data[start:end]``.

    Raises ProtocolViolation, CharacterNotInRepertoire, Unsupported for a protocol that is not 3.x, or
    InvalidAuthorization without a user.
    """
    reader = Reader(data, start, end)
    kind = _REQUEST_BY_LEAD.get(reader.take(LENGTH.size))
    if kind is not None:
        request: StartupRequest = kind.layout.decode(data, start + LENGTH.size, end)
        return request
    version = Reader(data, start, end)
    major, minor = UINT16.read(version), UINT16.read(version)
    if major != PROTOCOL_MAJOR:
        raise Unsupported(
            f"unsupported frontend protocol {major}.{minor}: server supports 3.0 to 3.{PROTOCOL_MINOR_MAX}"
        )
    try:
        message: StartupMessage = StartupMessage.layout.decode(data, start, end)
    except ProtocolViolation as error:
        raise ProtocolViolation(
            "invalid startup packet layout: expected terminator as last byte"
        ) from error
    if not message.user:
        raise InvalidAuthorization("no PostgreSQL user name specified in startup packet")
    return message
