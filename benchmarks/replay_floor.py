"""The client's own share of a case: what would be left if the server answered at once.

A proxy stands before the server. It keeps the reply of each request, and when a request comes again while it replays,
the reply comes from memory. Requests that it has not seen are passed on, and the time that it waits for their replies
is counted, to be taken off. What remains is the client's work and one wake-up for each round trip. It is no bound in
the strict sense: a server that answers before the client has gone to sleep, or with smaller replies, is faster.

A request is everything that the client sends up to a message that is answered: Query, Sync, CopyDone or CopyFail. A
Describe that comes in a request of its own is about the statement that was last parsed, which is part of its key.
"""

from __future__ import annotations

import asyncio
import socket
import time
from contextlib import suppress

import uvloop

from benchmarks.proxy import ThreadedProxy

Key = tuple[bytes, bytes]

SSL_REQUEST, GSS_REQUEST, CANCEL_REQUEST = 80_877_103, 80_877_104, 80_877_102
ENDS_REQUEST = b"QScf"
ENDS_REPLY = b"ZG"
PARSE, DESCRIBE, TERMINATE = b"PDX"
READ_BYTES = 1 << 20
NO_STATEMENT = b""


class ReplayProxy(ThreadedProxy):
    """``replays``: whether replies come from memory where they can; ``waited_s``: how long it has waited for replies of
    the server."""

    def __init__(self, host: str, port: int) -> None:
        super().__init__(uvloop.new_event_loop())
        self.replays = False
        self.waited_s = 0.0
        self.upstream = host, port
        self.replies: dict[Key, bytes] = {}

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        session = _Session(self, reader, writer)
        with suppress(asyncio.CancelledError, ConnectionError, asyncio.IncompleteReadError):
            await session.run()
        session.close()


class _Session:
    """One client's connection, and the server's behind it once something has to be asked there."""

    def __init__(self, proxy: ReplayProxy, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._proxy = proxy
        self._reader = reader
        self._writer = writer
        self._behind: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self._startup = b""
        self._parsed = NO_STATEMENT
        writer.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    async def run(self) -> None:
        if not await self._start():
            return
        received = bytearray()
        while data := await self._reader.read(READ_BYTES):
            received += data
            while (request := self._next_request(received)) is not None:
                if request[0][-5:-4] == b"X" and len(request[0]) == 5:
                    return
                self._writer.write(await self._answer(*request))
                await self._writer.drain()

    def close(self) -> None:
        self._writer.close()
        if self._behind is not None:
            self._behind[1].close()

    async def _start(self) -> bool:
        """Whether the client opened a session."""
        while True:
            length = await self._reader.readexactly(4)
            self._startup = length + await self._reader.readexactly(int.from_bytes(length, "big") - 4)
            code = int.from_bytes(self._startup[4:8], "big")
            if code == CANCEL_REQUEST:
                _, behind = await asyncio.open_connection(*self._proxy.upstream)
                behind.write(self._startup)
                behind.close()
                return False
            if code not in (SSL_REQUEST, GSS_REQUEST):
                break
            self._writer.write(b"N")
        key = self._startup, NO_STATEMENT
        reply = self._proxy.replies.get(key) if self._proxy.replays else None
        self._writer.write(reply if reply is not None else await self._connect())
        return True

    def _next_request(self, received: bytearray) -> tuple[bytes, bytes] | None:
        """(a whole request, the statement that it is about), taken off ``received``."""
        position, parsed, describes = 0, self._parsed, False
        while len(received) - position >= 5:
            end = position + 1 + int.from_bytes(received[position + 1 : position + 5], "big")
            if len(received) < end:
                return None
            kind = received[position]
            if kind == PARSE:
                parsed = bytes(received[position:end])
            describes = describes or kind == DESCRIBE
            position = end
            if kind in ENDS_REQUEST or kind == TERMINATE:
                request = bytes(received[:position])
                del received[:position]
                self._parsed = parsed
                return request, parsed if describes else NO_STATEMENT
        return None

    async def _answer(self, request: bytes, statement: bytes) -> bytes:
        key = request, statement
        reply = self._proxy.replies.get(key) if self._proxy.replays else None
        if reply is None:
            if self._behind is None:
                await self._connect()
            reply = self._proxy.replies[key] = await self._ask(request)
        return reply

    async def _connect(self) -> bytes:
        self._behind = await asyncio.open_connection(*self._proxy.upstream)
        self._behind[1].get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        reply = self._proxy.replies[self._startup, NO_STATEMENT] = await self._ask(self._startup)
        return reply

    async def _ask(self, request: bytes) -> bytes:
        """The server's reply to its end. Raises ConnectionError when the server closes first."""
        assert self._behind is not None
        reader, writer = self._behind
        start = time.perf_counter()
        writer.write(request)
        reply, position = bytearray(), 0
        while True:
            while len(reply) - position >= 5:
                end = position + 1 + int.from_bytes(reply[position + 1 : position + 5], "big")
                if len(reply) < end:
                    break
                if reply[position] in ENDS_REPLY:
                    self._proxy.waited_s += time.perf_counter() - start
                    return bytes(reply[:end])
                position = end
            data = await reader.read(READ_BYTES)
            if not data:
                raise ConnectionError("the server closed the connection")
            reply += data
