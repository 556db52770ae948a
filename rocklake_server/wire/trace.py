"""Messages as text, in the format of libpq's PQtrace without time stamps: direction, length, name and fields,
with tabs between them. Passwords and SASL data are shown by their size only."""

from __future__ import annotations

from rocklake_server.wire.layout import FrontendMessage, Message, encode
from rocklake_server.wire.startup import (
    EncryptionAccepted,
    EncryptionRefused,
    EncryptionReply,
    StartupMessage,
)


def trace(message: Message | EncryptionReply, direction: str | None = None) -> str:
    """One line for ``message``. ``direction`` is F or B; CopyData and CopyDone, which are both, are F without
    it."""
    if isinstance(message, EncryptionAccepted | EncryptionRefused):
        return f"{direction or 'B'}\t1\tSSLResponse\t {message.encode().decode()}"
    shown = direction or ("F" if isinstance(message, FrontendMessage) else "B")
    length = len(encode(message)) - len(message.tag)
    fields = message.layout.trace(message)
    if isinstance(message, StartupMessage) or message.tag:
        return f"{shown}\t{length}\t{type(message).__name__}" + (f"\t{fields}" if fields else "")
    code = int.from_bytes(message.lead, "big")
    return f"{shown}\t{length}\t{type(message).__name__}\t {code >> 16} {code & 0xFFFF}{fields}"
