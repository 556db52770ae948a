"""One socket as a session's channel: bytes in, messages out, encrypted or not, with backpressure both ways."""

from __future__ import annotations

import asyncio
import logging
import socket
import ssl
from collections.abc import Callable
from typing import cast

from rocklake_server.errors import CatalogError, OutOfMemory
from rocklake_server.limits import (
    HALF_CLOSED_S_MAX,
    KEEPALIVE_IDLE_S,
    KEEPALIVE_INTERVAL_S,
    KEEPALIVE_PROBES,
    RECEIVED_BYTES_MAX,
    SEND_BUFFER_BYTES,
    UNACKNOWLEDGED_MS_MAX,
)
from rocklake_server.server.busy_poll import BusyPoll
from rocklake_server.server.tls import ALPN_PROTOCOL, CLIENT_HELLO, Tls, TlsStream
from rocklake_server.session.channel import ClientGone
from rocklake_server.wire.connection import Encoded, Raw, ServerConnection
from rocklake_server.wire.layout import BackendMessage, FrontendMessage
from rocklake_server.wire.phases import Phase
from rocklake_server.wire.startup import EncryptionAccepted, EncryptionReply

logger = logging.getLogger(__name__)

RECEIVE_BUFFER_BYTES = 256 * 1024
"""Unread bytes past which the socket is not read while the session is busy."""


TCP_OPTIONS = (
    (socket.IPPROTO_TCP, "TCP_NODELAY", 1),
    (socket.SOL_SOCKET, "SO_KEEPALIVE", 1),
    (socket.IPPROTO_TCP, "TCP_KEEPIDLE", KEEPALIVE_IDLE_S),
    (socket.IPPROTO_TCP, "TCP_KEEPINTVL", KEEPALIVE_INTERVAL_S),
    (socket.IPPROTO_TCP, "TCP_KEEPCNT", KEEPALIVE_PROBES),
    (socket.IPPROTO_TCP, "TCP_USER_TIMEOUT", UNACKNOWLEDGED_MS_MAX),
)
"""Set where the system knows them."""


_THIS_MACHINE = ("127.0.0.1", "::1", "::ffff:127.0.0.1")


class ReceivedBytes:
    """What all clients together have sent and no message was made of yet."""

    def __init__(self) -> None:
        self.total = 0


class SocketChannel(asyncio.Protocol):
    """Implements ``session.channel.Channel``. ``when_made`` is called with it once it is connected; ``when_gone`` when
    the connection is lost, also while a statement runs. With ``tls`` the client may ask for encryption, or begin with
    it."""

    __slots__ = (
        "_began_with_tls", "_busy_poll", "_connection", "_counted", "_ended", "_error", "_filter", "_gone", "_is_near",
        "_out", "_out_bytes", "_reader", "_reading", "_received", "_tls", "_transport", "_waiting", "_when_made",
        "_writable", "stream", "when_gone",
    )

    def __init__(
        self,
        received: ReceivedBytes,
        busy_poll: BusyPoll,
        when_made: Callable[[SocketChannel], None],
        tls: Tls | None = None,
    ) -> None:
        self._received = received
        self._busy_poll = busy_poll
        self._is_near = False
        self._when_made = when_made
        self._counted = 0
        self.when_gone: Callable[[], None] | None = None
        self._connection = ServerConnection()
        self._tls = tls
        self._began_with_tls = False
        self.stream: TlsStream | None = None
        self._filter: Callable[[bytes], bytes] | None = None if tls is None else self._first_bytes
        self._transport: asyncio.Transport | None = None
        self._out: list[Encoded] = []
        self._out_bytes = 0
        self._reader: asyncio.Future[None] | None = None
        self._writable: asyncio.Future[None] | None = None
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
            for level, name, value in TCP_OPTIONS:
                if hasattr(socket, name):
                    raw.setsockopt(level, getattr(socket, name), value)
        self._is_near = self.peer in _THIS_MACHINE
        self._when_made(self)

    def data_received(self, data: bytes) -> None:
        self._busy_poll.heard()
        try:
            self._connection.receive_data(bytes(data) if self._filter is None else self._filter(bytes(data)))
        except CatalogError as error:
            self._error = error
        buffered = self._connection.buffered_bytes
        if buffered > RECEIVE_BUFFER_BYTES:
            self._count(buffered)
            if not self._waiting:
                self._pause_reading()
        self._wake()

    def eof_received(self) -> bool:
        """The client sends no more, but may still read the answers to what it sent."""
        self._ended = True
        asyncio.get_running_loop().call_later(HALF_CLOSED_S_MAX, self._lost)
        self._wake()
        return True

    # -- TLS ----------------------------------------------------------------------------------------------------------

    @property
    def offers_tls(self) -> bool:
        return self._tls is not None

    def accept_tls(self) -> None:
        """Answer the client's SSLRequest. Raises ProtocolViolation when it has sent something after it already: that
        was not encrypted, and somebody else may have put it there. What comes from now on can only be TLS."""
        assert self._tls is not None, "it was offered"
        self.send(EncryptionAccepted())
        self.flush()
        self._begin_tls(self._tls)

    def _begin_tls(self, tls: Tls) -> None:
        self.stream = TlsStream(tls.identity)
        self._filter = self._decrypted

    def _first_bytes(self, data: bytes) -> bytes:
        """A connection that begins with TLS is known by its first byte."""
        self._filter = None
        if data[:1] != bytes([CLIENT_HELLO]) or self._tls is None:
            return data
        self._began_with_tls = True
        self._connection.begin_encrypted()
        self._begin_tls(self._tls)
        return self._decrypted(data)

    def _decrypted(self, data: bytes) -> bytes:
        """The filter of an encrypted connection. One whose TLS breaks is over, after the alert that says why."""
        stream = self.stream
        if stream is None or self._gone:
            return b""
        was_established = stream.is_established
        try:
            plain = stream.received(data)
        except ssl.SSLError as error:
            logger.info("TLS with %s failed: %s", self.peer, error.reason or error)
            self._write(stream.take_output())
            self._give_up_tls()
            return b""
        self._write(stream.take_output())
        if stream.is_established and not was_established and not self._may_go_on(stream):
            logger.info("TLS with %s failed: a connection that begins with it has to name ALPN protocol %s",
                        self.peer, ALPN_PROTOCOL)  # fmt: skip
            self._give_up_tls()
            return b""
        self._ended = self._ended or stream.is_closed
        return plain

    def _may_go_on(self, stream: TlsStream) -> bool:
        """Whoever begins with TLS names the protocol, so that what was meant for another server ends here."""
        return not self._began_with_tls or stream.application_protocol == ALPN_PROTOCOL

    def _give_up_tls(self) -> None:
        self._connection.give_up()
        if self._transport is not None:
            self._transport.close()
        self._lost()

    def _write(self, data: bytes) -> None:
        if data and self._transport is not None and not self._transport.is_closing():
            self._transport.write(data)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002  the reason does not matter
        self._lost()

    def pause_writing(self) -> None:
        self._writable = asyncio.get_running_loop().create_future()

    def resume_writing(self) -> None:
        if self._writable is not None and not self._writable.done():
            self._writable.set_result(None)
        self._writable = None

    def _lost(self) -> None:
        if self._gone:
            return
        self._gone = True
        self._count(0)
        self._wake()
        self.resume_writing()
        if self.when_gone is not None:
            self.when_gone()

    def _count(self, buffered: int) -> None:
        """Keep account of a long message's bytes. The client that goes past the bound of all is sent away."""
        self._received.total += buffered - self._counted
        self._counted = buffered
        if self._received.total > RECEIVED_BYTES_MAX and buffered:
            self._connection.give_up()
            self._count(0)
            self._error = OutOfMemory(
                "out of memory for messages that are being received",
                detail=f"All clients together may send {RECEIVED_BYTES_MAX} bytes that are not answered yet.",
            )

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
        name = self._peername
        return None if name is None else str(name[0])

    @property
    def peer_port(self) -> int | None:
        name = self._peername
        return int(str(name[1])) if name is not None else None

    @property
    def _peername(self) -> tuple[object, ...] | None:
        name = self._transport.get_extra_info("peername") if self._transport is not None else None
        return name if isinstance(name, tuple) else None

    @property
    def local_address(self) -> str | None:
        """The address of this server that the client connected to."""
        name = self._transport.get_extra_info("sockname") if self._transport is not None else None
        return str(name[0]) if isinstance(name, tuple) else None

    @property
    def buffered_bytes(self) -> int:
        return self._out_bytes

    @property
    def unsent_bytes(self) -> int:
        return self._transport.get_write_buffer_size() if self._transport is not None and not self._gone else 0

    async def receive(self) -> FrontendMessage | None:
        if self._connection.phase is Phase.READY or self._out_bytes > SEND_BUFFER_BYTES:
            self.flush()
        if self._writable is not None:
            await self._until_writable()
        self._waiting = True
        try:
            while True:
                if self._error is not None:
                    error, self._error = self._error, None
                    raise error
                message = self._connection.next_message()
                if message is not None:
                    if self._counted:
                        self._count(self._connection.buffered_bytes)
                    return message
                if self._ended or self._gone or self._connection.phase is Phase.CLOSED:
                    return None
                self.flush()
                self._resume_reading()
                self._reader = asyncio.get_running_loop().create_future()
                self._busy_poll.answered(self, is_near=self._is_near)
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
            data = self._out[0] if len(self._out) == 1 else b"".join(self._out)
            if self.stream is not None:
                self.stream.send(data)
                data = self.stream.take_output()
            self._transport.write(data)
        self._out.clear()
        self._out_bytes = 0

    async def drain(self) -> None:
        """Raises ClientGone when there is nobody to send to. Other sessions get their turn in any case."""
        self.flush()
        await asyncio.sleep(0)
        await self._until_writable()
        if self._gone:
            raise ClientGone

    async def _until_writable(self) -> None:
        """Until the client has taken most of what was sent, or is gone: a client that never reads is not answered
        any further."""
        if self._writable is not None:
            await asyncio.shield(self._writable)

    def close(self) -> None:
        """Send what is buffered, then close."""
        self._count(0)
        self.flush()
        if self.stream is not None and not self._gone:
            self.stream.close()
            self._write(self.stream.take_output())
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
