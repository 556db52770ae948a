"""What a session asks of the connection it talks through."""

from __future__ import annotations

from typing import Protocol

from rocklake_server.wire.connection import Raw
from rocklake_server.wire.layout import BackendMessage, FrontendMessage
from rocklake_server.wire.phases import Phase


class ClientGone(Exception):
    """The client closed its connection in the middle of a statement."""


class Channel(Protocol):
    """Implemented over a socket by ``server``, over lists by tests."""

    async def receive(self) -> FrontendMessage | None:
        """The client's next message, after sending what is buffered; ``None`` when the client is gone.
        Raises what ``ServerConnection.next_message`` raises."""

    def send(self, message: BackendMessage | Raw) -> None:
        """Buffer a message."""

    def flush(self) -> None:
        """Send what is buffered as far as the client takes it now, without waiting."""

    async def drain(self) -> None:
        """Send what is buffered and wait until the client has taken most of it."""

    @property
    def phase(self) -> Phase:
        """The connection's phase."""

    @property
    def buffered_bytes(self) -> int:
        """Bytes that ``send`` has buffered."""

    @property
    def unsent_bytes(self) -> int:
        """Bytes that were flushed, and that the client has not taken yet."""
