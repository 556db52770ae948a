"""The HTTP server around h11: silence and failures end a connection, and nothing else."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from rocklake_server.server.admin.http import HttpServer, Request, Response, text_response

GET = b"GET /%s HTTP/1.1\r\nHost: x\r\n\r\n"
BIG = b"x" * 32 * 1024 * 1024
SOON_S = 10.0


async def respond(request: Request) -> Response:
    match request.path:
        case "/broken":
            raise ValueError("as the test wants it")
        case "/big":
            return Response(BIG)
        case path:
            return text_response(f"{path} {request.headers.get('x-said', '')}")


@asynccontextmanager
async def connected(silence_s: float = SOON_S) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    server = HttpServer(respond, silence_s)
    port = await server.start("127.0.0.1", 0)
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        async with asyncio.timeout(SOON_S):
            yield reader, writer
    finally:
        writer.close()
        await server.close()


async def test_a_request_reaches_its_answer() -> None:
    async with connected() as (reader, writer):
        writer.write(b"GET /path?query=1 HTTP/1.1\r\nHost: x\r\nX-Said: hello\r\nConnection: close\r\n\r\n")
        head, _, body = (await reader.read()).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 OK\r\n")
    assert body == b"/path hello\n"


async def test_requests_may_come_in_any_pieces() -> None:
    async with connected() as (reader, writer):
        for byte in GET % b"a" + GET % b"b":
            writer.write(bytes([byte]))
            await asyncio.sleep(0)
        answered = b""
        while answered.count(b"HTTP/1.1 200 OK") < 2 or not answered.endswith(b"/b \n"):
            answered += await reader.read(4096)


async def test_a_failure_of_ours_is_answered_and_logged(caplog: pytest.LogCaptureFixture) -> None:
    async with connected() as (reader, writer):
        writer.write(GET % b"broken" + GET % b"next")
        answered = b""
        while not answered.endswith(b"/next \n"):
            answered += await reader.read(4096)
    assert answered.startswith(b"HTTP/1.1 500 Internal Server Error\r\n")
    assert b"as the test wants it" not in answered
    assert [record.levelno for record in caplog.records] == [logging.ERROR]


@pytest.mark.parametrize("sent", [b"", b"GET /a HT", b"GET /a HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab"])
async def test_a_silent_client_is_sent_away(sent: bytes) -> None:
    async with connected(silence_s=0.1) as (reader, writer):
        writer.write(sent)
        try:
            assert await reader.read() == b""
        except ConnectionResetError:
            pass  # as good an end as the other


async def test_a_client_that_does_not_read_is_sent_away() -> None:
    async with connected(silence_s=0.2) as (reader, writer):
        writer.write(GET % b"big")
        await asyncio.sleep(1.0)
        received = 0
        try:
            while part := await reader.read(1 << 20):
                received += len(part)
        except ConnectionResetError:
            pass  # as good an end as the other
    assert received < len(BIG)


async def test_closing_ends_what_is_open() -> None:
    server = HttpServer(respond)
    port = await server.start("127.0.0.1", 0)
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    await asyncio.sleep(0.05)
    await asyncio.wait_for(server.close(), SOON_S)
    assert await asyncio.wait_for(reader.read(), SOON_S) == b""
    writer.close()
