"""A channel over a real socket: its options, and the bound on what all clients together have sent."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator

import pytest

from rocklake_server import limits
from rocklake_server.errors import OutOfMemory
from rocklake_server.server import socket_channel
from rocklake_server.server.busy_poll import BusyPoll
from rocklake_server.server.socket_channel import ReceivedBytes, SocketChannel
from rocklake_server.wire import messages as m
from rocklake_server.wire.layout import encode
from rocklake_server.wire.phases import Phase
from tests.wire.conversation import READY, STARTUP

KILOBYTE = 1024


class Clients:
    """Connections and the channels at their other end, which share one account of received bytes."""

    def __init__(self) -> None:
        self.received = ReceivedBytes()
        self._made: asyncio.Queue[SocketChannel] = asyncio.Queue()
        self._writers: list[asyncio.StreamWriter] = []
        self._channels: list[SocketChannel] = []
        self.server: asyncio.Server | None = None

    async def listen(self) -> None:
        loop = asyncio.get_running_loop()
        self.server = await loop.create_server(
            lambda: SocketChannel(self.received, BusyPoll(0), self._made.put_nowait), "127.0.0.1", 0
        )

    async def connect(self) -> tuple[SocketChannel, asyncio.StreamWriter]:
        """One that is logged in."""
        assert self.server is not None
        _, writer = await asyncio.open_connection(*self.server.sockets[0].getsockname()[:2])
        self._writers.append(writer)
        channel = await self._made.get()
        self._channels.append(channel)
        writer.write(encode(STARTUP))
        assert await channel.receive() == STARTUP
        channel.send(m.AuthenticationOk())
        channel.send(READY)
        channel.flush()
        return channel, writer

    async def close(self) -> None:
        for writer in self._writers:
            writer.close()
        for channel in self._channels:
            channel.close()
        assert self.server is not None
        self.server.close()
        await self.server.wait_closed()


@pytest.fixture
async def clients() -> AsyncIterator[Clients]:
    opened = Clients()
    await opened.listen()
    yield opened
    await opened.close()


async def test_a_silent_client_is_probed_within_bounds(clients: Clients) -> None:
    channel, _ = await clients.connect()
    assert channel._transport is not None
    raw = channel._transport.get_extra_info("socket")
    assert raw.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1
    assert raw.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) == limits.KEEPALIVE_IDLE_S
    assert raw.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL) == limits.KEEPALIVE_INTERVAL_S
    assert raw.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT) == limits.KEEPALIVE_PROBES
    assert raw.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == limits.UNACKNOWLEDGED_MS_MAX
    given_up_s = limits.KEEPALIVE_IDLE_S + limits.KEEPALIVE_INTERVAL_S * limits.KEEPALIVE_PROBES
    assert given_up_s * 1000 == limits.UNACKNOWLEDGED_MS_MAX <= 120_000


async def test_the_client_that_sends_too_much_for_all_is_sent_away(
    clients: Clients, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket_channel, "RECEIVED_BYTES_MAX", 1000 * KILOBYTE)
    first, sends_first = await clients.connect()
    second, sends_second = await clients.connect()
    header = b"Q" + (100_000_000).to_bytes(4, "big")
    sends_first.write(header + b"x" * 600 * KILOBYTE)
    waiting = asyncio.create_task(first.receive())
    while clients.received.total < 600 * KILOBYTE:
        await asyncio.sleep(0.001)
    sends_second.write(header + b"x" * 600 * KILOBYTE)
    with pytest.raises(OutOfMemory, match="messages that are being received"):
        await asyncio.wait_for(second.receive(), 10)
    assert second.phase is Phase.BROKEN
    second.close()
    assert 600 * KILOBYTE <= clients.received.total < 700 * KILOBYTE
    assert not waiting.done()
    sends_first.transport.abort()
    assert await asyncio.wait_for(waiting, 10) is None
    first.close()
    assert clients.received.total == 0


async def test_a_message_that_was_read_counts_no_more(clients: Clients) -> None:
    channel, writer = await clients.connect()
    text = "x" * 600 * KILOBYTE
    writer.write(encode(m.Query(text)))
    message = await asyncio.wait_for(channel.receive(), 10)
    assert isinstance(message, m.Query)
    assert message.query == text
    assert clients.received.total == 0
