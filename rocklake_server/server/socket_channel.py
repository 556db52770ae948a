"""One socket as a session's channel: bytes in, messages out, with backpressure both ways."""

from __future__ import annotations

import asyncio
import socket
from typing import cast

from rocklake_server.errors import CatalogError
from rocklake_server.session.channel import ClientGone
from rocklake_server.wire.connection import Encoded, Raw, ServerConnection
from rocklake_server.wire.layout import BackendMessage, FrontendMessage
from rocklake_server.wire.phases import Phase
from rocklake_server.wire.startup import EncryptionReply

RECEIVE_BUFFER_BYTES = 256 * 1024
"""Unread bytes past which the socket is not read while the session is busy."""


class SocketChannel(asyncio.Protocol):
    """Implements ``session.channel.Channel``."""

    def __init__(self) -> None:
        self._connection = ServerConnection()
        self._transport: asyncio.Transport | None = None
        self._out: list[Encoded] = []
        self._out_bytes = 0
        self._reader: asyncio.Future[None] | None = None
        self._writable = asyncio.Event()
        self._writable.set()
        self._reading = True
        self._waiting = False
        self._ended = False
        self._gone = False
        self._error: CatalogError | None = None

    # -- asyncio.Protocol ---------------------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        raw = transport.get_extra_info("socket")
        if raw is not None and raw.family in (socket.AF_INET, socket.AF_INET6):
            raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)

    def data_received(self, data: bytes) -> None:
        try:
            self._connection.receive_data(bytes(data))
        except CatalogError as error:
            self._error = error
        self._wake()
        if not self._waiting and self._connection.buffered_bytes > RECEIVE_BUFFER_BYTES:
            self._pause_reading()

    def eof_received(self) -> bool:
        """The client sends no more, but may still read the answers to what it sent."""
        self._ended = True
        self._wake()
        return True

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002  the reason does not matter
        self._lost()

    def pause_writing(self) -> None:
        self._writable.clear()

    def resume_writing(self) -> None:
        self._writable.set()

    def _lost(self) -> None:
        self._gone = True
        self._wake()
        self._writable.set()

    def _wake(self) -> None:
        """Something came for ``receive``, or nothing will any more."""
        if self._reader is not None and not self._reader.done():
            self._reader.set_result(None)

    # -- Channel ------------------------------------------------------------------------------------------------------

    @property
    def phase(self) -> Phase:
        return self._connection.phase

    @property
    def peer(self) -> str | None:
        """The client's address, for logs and pg_stat_activity."""
        name = self._transport.get_extra_info("peername") if self._transport is not None else None
        return str(name[0]) if isinstance(name, tuple) else None

    @property
    def buffered_bytes(self) -> int:
        return self._out_bytes

    async def receive(self) -> FrontendMessage | None:
        self.flush()
        self._waiting = True
        try:
            while True:
                if self._error is not None:
                    error, self._error = self._error, None
                    raise error
                message = self._connection.next_message()
                if message is not None:
                    return message
                if self._ended or self._gone or self.phase is Phase.CLOSED:
                    return None
                self._resume_reading()
                self._reader = asyncio.get_running_loop().create_future()
                await self._reader
        finally:
            self._waiting = False

    def send(self, message: BackendMessage | Raw | EncryptionReply) -> None:
        data = self._connection.send(message)
        self._out.append(data)
        self._out_bytes += len(data)

    def flush(self) -> None:
        """Hand what is buffered to the transport."""
        if self._out and self._transport is not None and not self._gone:
            self._transport.write(self._out[0] if len(self._out) == 1 else b"".join(self._out))
        self._out.clear()
        self._out_bytes = 0

    async def drain(self) -> None:
        """Raises ClientGone when there is nobody to send to. Other sessions get their turn in any case."""
        self.flush()
        await asyncio.sleep(0)
        await self._writable.wait()
        if self._gone:
            raise ClientGone

    def close(self) -> None:
        """Send what is buffered, then close."""
        self.flush()
        if self._transport is not None:
            self._transport.close()

    def _pause_reading(self) -> None:
        if self._reading and self._transport is not None:
            self._transport.pause_reading()
            self._reading = False

    def _resume_reading(self) -> None:
        if not self._reading and self._transport is not None and not self._transport.is_closing():
            self._transport.resume_reading()
            self._reading = True
