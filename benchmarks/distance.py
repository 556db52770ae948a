"""A server as seen from far away: a proxy on loopback that delays each direction by half a round trip."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace

from psycopg import conninfo

from benchmarks.proxy import ThreadedProxy
from benchmarks.targets import Target

PIECE_BYTES = 1 << 18


@contextmanager
def at_distance(target: Target, round_trip_ms: float) -> Iterator[Target]:
    """The same database, ``round_trip_ms`` away; 0 is the target itself."""
    if not round_trip_ms:
        yield target
        return
    parts = conninfo.conninfo_to_dict(target.dsn)
    proxy = _Proxy(str(parts["host"]), int(str(parts["port"])), round_trip_ms / 2000)
    proxy.start()
    try:
        yield replace(target, dsn=conninfo.make_conninfo(target.dsn, host="127.0.0.1", port=proxy.port))
    finally:
        proxy.stop()


class _Proxy(ThreadedProxy):
    def __init__(self, host: str, port: int, delay_s: float) -> None:
        super().__init__(asyncio.new_event_loop())
        self._behind = host, port
        self._delay_s = delay_s

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            far_reader, far_writer = await asyncio.open_connection(*self._behind)
        except OSError:
            writer.close()
            return
        for each in (writer, far_writer):
            each.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        there, back = self._pump(reader, far_writer), self._pump(far_reader, writer)
        with suppress(asyncio.CancelledError):  # by ``_serve``; the stream's own callback cannot take one
            await asyncio.gather(there, back, return_exceptions=True)

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Pieces arrive in order, each as late as it was sent plus the delay, whatever their number."""
        pieces: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()
        delivering = asyncio.create_task(self._deliver(pieces, writer))
        try:
            while data := await reader.read(PIECE_BYTES):
                pieces.put_nowait((time.monotonic() + self._delay_s, data))
        finally:
            pieces.put_nowait((time.monotonic() + self._delay_s, b""))
            await delivering

    async def _deliver(self, pieces: asyncio.Queue[tuple[float, bytes]], writer: asyncio.StreamWriter) -> None:
        while True:
            due, data = await pieces.get()
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            if not data:
                writer.close()
                return
            writer.write(data)
            await writer.drain()
