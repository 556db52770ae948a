"""What a PasswordMessage holds, which depends on what the server asked for last. Source: PostgreSQL manual, "Message
Formats" (PasswordMessage, SASLInitialResponse, SASLResponse)."""

from __future__ import annotations

from rocklake_server.errors import ProtocolViolation
from rocklake_server.wire.fields import CString, NullableBytes
from rocklake_server.wire.layout import Structure, structure
from rocklake_server.wire.messages import PasswordMessage


@structure
class SASLInitialResponse(Structure):
    """The mechanism that the client has chosen, and its first message, which may be left out."""

    mechanism: CString
    data: NullableBytes


def initial_response(message: PasswordMessage) -> SASLInitialResponse:
    """The first answer to AuthenticationSASL. Raises ProtocolViolation, CharacterNotInRepertoire."""
    data = bytes(message.data)
    response: SASLInitialResponse = SASLInitialResponse.layout.decode(data, 0, len(data))
    return response


def cleartext_password(message: PasswordMessage) -> str:
    """The answer to AuthenticationCleartextPassword. Raises ProtocolViolation, which does not show it."""
    data = bytes(message.data)
    if not data.endswith(b"\0") or b"\0" in data[:-1]:
        raise ProtocolViolation("invalid password packet size")
    try:
        return data[:-1].decode()
    except UnicodeDecodeError:
        raise ProtocolViolation("the password is not UTF-8") from None
