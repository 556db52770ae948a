"""HTTP/1.1 for a few GET requests over asyncio streams; h11 reads and writes the protocol (RFC 9110, 9112)."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from http import HTTPStatus
from urllib.parse import parse_qsl

import h11

from rocklake_server.limits import ADMIN_CONNECTIONS_MAX, ADMIN_HEAD_BYTES_MAX, ADMIN_SILENCE_S_MAX
from rocklake_server.pacing import checkpoint, in_slices

logger = logging.getLogger(__name__)

_READ_BYTES = 16 * 1024
_TEXT = "text/plain; charset=utf-8"
_JSON = json.JSONEncoder(indent=2)
_PARTS_PER_CHECK = 256


@dataclass(frozen=True, slots=True)
class Request:
    """A GET or HEAD request. ``headers`` are by lower-case name; of a parameters values the last counts."""

    path: str
    headers: dict[str, str]
    query: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Response:
    """``headers`` go beside those that every answer has."""

    body: bytes
    status: HTTPStatus = HTTPStatus.OK
    content_type: str = _TEXT
    headers: tuple[tuple[str, str], ...] = field(default=())


Respond = Callable[[Request], Awaitable[Response]]


def text_response(text: str, status: HTTPStatus = HTTPStatus.OK, *headers: tuple[str, str]) -> Response:
    """One line."""
    return Response(f"{text}\n".encode(), status, headers=headers)


async def json_response(facts: dict[str, object], status: HTTPStatus = HTTPStatus.OK) -> Response:
    """As people can read it, too; made in slices."""
    text = await in_slices(lambda: _encoded_json(facts))
    return Response(text.encode(), status, content_type="application/json")


def _encoded_json(facts: dict[str, object]) -> str:
    parts: list[str] = []
    for part in _JSON.iterencode(facts):
        parts.append(part)
        if not len(parts) % _PARTS_PER_CHECK:
            checkpoint()
    return "".join([*parts, "\n"])


class HttpServer:
    """Serves ``respond``, which must not raise for what a client sends. A failure of its own is logged and answered
    with 500."""

    def __init__(self, respond: Respond, silence_s: float = ADMIN_SILENCE_S_MAX) -> None:
        self._respond = respond
        self._silence_s = silence_s
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()

    async def start(self, host: str, port: int) -> int:
        """Returns the port. Raises OSError when the address cannot be used."""
        self._server = await asyncio.start_server(self._connected, host, port)
        bound: int = self._server.sockets[0].getsockname()[1]
        return bound

    async def close(self) -> None:
        """End every connection, answered or not."""
        if self._server is not None:
            self._server.close()
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self._connections) >= ADMIN_CONNECTIONS_MAX:
            writer.transport.abort()
            return
        task = asyncio.get_running_loop().create_task(self._serve(reader, writer))
        self._connections.add(task)
        task.add_done_callback(self._connections.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        http = h11.Connection(h11.SERVER, max_incomplete_event_size=ADMIN_HEAD_BYTES_MAX)
        try:
            while await self._exchange(http, reader, writer):
                http.start_next_cycle()
        except (TimeoutError, ConnectionError):
            logger.debug("a connection to the admin port ended without an answer")
            writer.transport.abort()
        finally:
            writer.close()

    async def _exchange(
        self, http: h11.Connection, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        """One request and its answer. Whether another one may follow. Raises TimeoutError, ConnectionError."""
        method = b""
        try:
            async with asyncio.timeout(self._silence_s):
                request = await _received(http, reader)
            if request is None:
                return False
            method = request.method
            response = await self._answer(request)
        except h11.RemoteProtocolError as error:
            if http.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
                return False
            response = text_response("this is no HTTP request", HTTPStatus(error.error_status_hint))
        async with asyncio.timeout(self._silence_s):
            writer.write(_encoded(http, response, with_body=method != b"HEAD"))
            await writer.drain()
        return http.our_state is h11.DONE and http.their_state is h11.DONE

    async def _answer(self, request: h11.Request) -> Response:
        if request.method not in (b"GET", b"HEAD"):
            return text_response("only GET is served here", HTTPStatus.METHOD_NOT_ALLOWED, ("Allow", "GET, HEAD"))
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in request.headers}
        try:
            path, _, query = request.target.decode("latin-1").partition("?")
            return await self._respond(Request(path, headers, dict(parse_qsl(query, keep_blank_values=True))))
        except Exception:
            logger.exception("the admin port failed")
            return text_response("internal error", HTTPStatus.INTERNAL_SERVER_ERROR)


async def _received(http: h11.Connection, reader: asyncio.StreamReader) -> h11.Request | None:
    """The next request, its body dropped; ``None`` when the client is gone. Raises h11.RemoteProtocolError."""
    request: h11.Request | None = None
    while True:
        match http.next_event():
            case h11.NEED_DATA:
                http.receive_data(await reader.read(_READ_BYTES))
            case h11.Request() as request:
                if http.they_are_waiting_for_100_continue:
                    return request
            case h11.EndOfMessage():
                return request
            case h11.ConnectionClosed():
                return None


def _encoded(http: h11.Connection, response: Response, *, with_body: bool) -> bytes:
    headers = [
        ("Content-Type", response.content_type),
        ("Content-Length", str(len(response.body))),
        ("Cache-Control", "no-store"),
        ("X-Content-Type-Options", "nosniff"),
        *response.headers,
    ]
    status = response.status
    head = http.send(h11.Response(status_code=status.value, headers=headers, reason=status.phrase.encode()))
    body = http.send(h11.Data(data=response.body)) if with_body else b""
    return b"".join(part or b"" for part in (head, body, http.send(h11.EndOfMessage())))
