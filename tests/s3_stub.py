"""A small S3 server for tests: buckets in memory, requests counted, delays and failures on demand.

It answers path-style requests and ignores signatures: LIST (version 2), GET with ranges, HEAD, PUT with
If-None-Match and If-Match, copies within the server, uploads in parts, DELETE and the bulk delete. ``x-amz-meta-*``
headers come back as they were sent. It runs in a thread with its own event loop::

    with S3Stub() as stub:
        location = parse_store_url("s3://bucket/prefix", stub.variables)

A ``director`` decides about single requests, and can crash their client: whoever connected before gets no more
answers and changes nothing more, and ``listen_again`` lets the next client in, at another endpoint.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import format_datetime
from enum import Enum
from functools import partial
from types import TracebackType
from typing import NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

from rocklake_server.clock import POSTGRES_EPOCH_UNIX_S, SystemClock

HANG_S = 3600.0


class Action(Enum):
    REFUSE = "answer with an error status and do nothing"
    LOSE_RESPONSE = "do what is asked, then close the connection without an answer"
    DROP = "close the connection and do nothing"
    HANG = "do what is asked, and never answer"
    HOLD = "wait for ``let_go``, then do what is asked"


@dataclass(slots=True)
class Fault:
    """What the next ``times`` requests (``None``: all) of one verb meet whose key holds ``key_part``."""

    verb: str
    action: Action
    key_part: str = ""
    times: int | None = 1
    status: int = 503

    def takes(self, verb: str, key: str) -> bool:
        if verb != self.verb or self.key_part not in key or self.times == 0:
            return False
        if self.times is not None:
            self.times -= 1
        return True


class Kept(Enum):
    """What becomes of a request's body. A real S3 keeps all of it or nothing; folders behind an S3 need not."""

    WHOLE = "all of it"
    NOTHING = "the request is not carried out"
    HALF = "its first half, as if that were all"
    EMPTY = "an object without bytes"
    LATER = "the request is carried out by ``land_late``"


@dataclass(frozen=True, slots=True)
class Fate:
    """What one request meets. After ``crashes`` no request of the same client is carried out or answered."""

    kept: Kept = Kept.WHOLE
    status: int | None = None
    """The answer's status, ``None`` for no answer; 200 stands for the answer that belongs to the request."""
    crashes: bool = False
    requests: int = 1
    """How many meet it: the chosen one and those that follow it, whatever they are."""


class Request(NamedTuple):
    verb: str
    bucket: str
    key: str
    query: dict[str, list[str]]
    headers: dict[str, str]
    body: bytes

    def argument(self, name: str) -> str:
        return self.query.get(name, [""])[0]


@dataclass(slots=True)
class Response:
    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)

    def encode(self, *, head_only: bool) -> bytes:
        headers = {"Content-Length": str(len(self.body)), **self.headers}
        lines = [f"HTTP/1.1 {self.status} Status", *map(": ".join, headers.items()), "", ""]
        return "\r\n".join(lines).encode() + (b"" if head_only else self.body)


@dataclass(frozen=True, slots=True)
class Object:
    body: bytes
    etag: str
    metadata: dict[str, str]
    modified: datetime
    writer: str = ""
    """The access key of whoever put it."""


def _now() -> datetime:
    """Garbage collectors compare an object's age with the wall clock."""
    return datetime.fromtimestamp(SystemClock().now_us() // 1_000_000 + POSTGRES_EPOCH_UNIX_S, UTC)


def _error(status: int, code: str) -> Response:
    body = f"<Error><Code>{code}</Code></Error>".encode()
    return Response(status, body, {"Content-Type": "application/xml"})


def directory_of(key: str) -> str:
    """The directory that a key lies in, without the path above it: ``wal``, ``manifest``, …"""
    return key.split("/")[-2] if "/" in key else ""


class S3Stub:
    """The server. ``counts`` is by ``(verb, directory)``; LIST and BULK_DELETE are verbs of their own."""

    def __init__(self, *buckets: str) -> None:
        self.objects: dict[str, dict[str, Object]] = {bucket: {} for bucket in buckets or ("bucket",)}
        self.counts: Counter[tuple[str, str]] = Counter()
        self.delays_s: dict[str, float] = {}
        """Seconds before a verb, or a verb and a directory as in ``PUT wal``, is carried out."""
        self.faults: list[Fault] = []
        self.ignored_conditions: frozenset[str] = frozenset()
        """Headers of PUT, in lower case, that the server does not know."""
        self.endpoint = ""
        self._versions = 0
        self._uploads: dict[str, dict[int, bytes]] = {}
        self._let_go = asyncio.Event()
        self.director: Callable[[str, str], Fate | None] | None = None
        """Is asked for each request, by verb and directory, on the stub's own thread."""
        self._client = 0
        self._late: list[Request] = []
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="s3-stub", daemon=True)
        self._connections: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    def __enter__(self) -> S3Stub:
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._listen(), self._loop).result()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 traceback: TracebackType | None) -> None:
        asyncio.run_coroutine_threadsafe(self._stop(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    @property
    def variables(self) -> dict[str, str]:
        """The AWS variables that lead a client here."""
        return {"AWS_ENDPOINT_URL": self.endpoint, "AWS_REGION": "us-east-1",
                "AWS_ACCESS_KEY_ID": "stub-access", "AWS_SECRET_ACCESS_KEY": "stub-secret"}

    def count(self, verb: str, directory: str | None = None) -> int:
        """Requests of one verb, in one directory or in all."""
        return sum(number for (counted, place), number in self.counts.items()
                   if counted == verb and directory in (None, place))

    def let_go(self) -> None:
        """Carry out the requests that are held, and hold none from now on."""
        self._loop.call_soon_threadsafe(self._let_go.set)

    def crash(self) -> None:
        """As a fate that crashes its client, between two requests."""
        asyncio.run_coroutine_threadsafe(self._cut_off(), self._loop).result()

    def listen_again(self) -> None:
        """For the client that comes after a crash."""
        asyncio.run_coroutine_threadsafe(self._listen(), self._loop).result()

    def land_late(self) -> int:
        """Carry out the requests that were kept for later; returns their number."""
        async def land() -> int:
            late, self._late = self._late, []
            for request in late:
                self._carry_out(request.verb, request)
            return len(late)

        return asyncio.run_coroutine_threadsafe(land(), self._loop).result()

    async def _listen(self) -> None:
        self._server = await asyncio.start_server(partial(self._serve, self._client), "127.0.0.1", 0)
        self.endpoint = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def _cut_off(self) -> None:
        self._client += 1
        if self._server is not None:
            self._server.close()

    async def _stop(self) -> None:
        if self._server is not None:
            self._server.close()
        for connection in self._connections:
            connection.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    async def _serve(self, client: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
                while (request := await _read_request(reader)) is not None:
                    response = await self._respond(request, client)
                    if response is None or client != self._client:
                        break
                    writer.write(response.encode(head_only=request.verb == "HEAD"))
                    await writer.drain()
        finally:
            writer.close()
            with suppress(ConnectionError, asyncio.CancelledError):
                await writer.wait_closed()
            self._connections.discard(task)

    async def _respond(self, request: Request, client: int) -> Response | None:
        """The answer, or ``None`` to close the connection."""
        if client != self._client:
            return None
        verb, place = request.verb, directory_of(request.key)
        if verb == "GET" and not request.key:
            verb, place = "LIST", directory_of(request.argument("prefix").rstrip("/") + "/")
        elif verb == "POST" and "delete" in request.query:
            verb = "BULK_DELETE"
        self.counts[verb, place] += 1
        await asyncio.sleep(self.delays_s.get(f"{verb} {place}", self.delays_s.get(verb, 0)))
        if client != self._client:
            return None
        if self.director is not None and (fate := self.director(verb, place)) is not None:
            return await self._meet(fate, verb, request)
        fault = next((fault for fault in self.faults if fault.takes(verb, request.key)), None)
        if fault is not None and fault.action is Action.REFUSE:
            return _error(fault.status, "SlowDown" if fault.status == 503 else "AccessDenied")
        if fault is not None and fault.action is Action.DROP:
            return None
        if fault is not None and fault.action is Action.HOLD:
            await self._let_go.wait()
        response = self._carry_out(verb, request)
        if fault is not None and fault.action is Action.HANG:
            await asyncio.sleep(HANG_S)
        return response if fault is None or fault.action is Action.HOLD else None

    async def _meet(self, fate: Fate, verb: str, request: Request) -> Response | None:
        answer: Response | None = None
        match fate.kept:
            case Kept.WHOLE:
                answer = self._carry_out(verb, request)
            case Kept.HALF | Kept.EMPTY:
                kept_bytes = len(request.body) // 2 if fate.kept is Kept.HALF else 0
                answer = self._carry_out(verb, request._replace(body=request.body[:kept_bytes]))
            case Kept.LATER:
                self._late.append(request)
            case Kept.NOTHING:
                pass
        if fate.crashes:
            await self._cut_off()
        if fate.status is None:
            return None
        return answer if fate.status == 200 else _error(fate.status, "SlowDown")

    def _carry_out(self, verb: str, request: Request) -> Response:
        objects = self.objects.get(request.bucket)
        if objects is None:
            return _error(404, "NoSuchBucket")
        match verb:
            case "LIST":
                return self._list(objects, request)
            case "PUT" if request.argument("uploadId"):
                return self._put_part(request)
            case "PUT" if "x-amz-copy-source" in request.headers:
                return self._copy(objects, request)
            case "PUT":
                return self._put(objects, request)
            case "GET" | "HEAD":
                return self._get(objects, request)
            case "DELETE":
                objects.pop(request.key, None)
                return Response(204)
            case "POST" if "uploads" in request.query:
                return self._begin_upload()
            case "POST" if request.argument("uploadId"):
                return self._complete_upload(objects, request)
            case "BULK_DELETE":
                keys = re.findall(r"<Key>(.*?)</Key>", request.body.decode())
                for key in keys:
                    objects.pop(key, None)
                deleted = "".join(f"<Deleted><Key>{key}</Key></Deleted>" for key in keys)
                return Response(body=f"<DeleteResult>{deleted}</DeleteResult>".encode())
            case _:
                return _error(501, "NotImplemented")

    def _put(self, objects: dict[str, Object], request: Request) -> Response:
        held = objects.get(request.key)
        conditions = {name: value for name, value in request.headers.items() if name not in self.ignored_conditions}
        if conditions.get("if-none-match") == "*" and held is not None:
            return _error(412, "PreconditionFailed")
        expected = conditions.get("if-match")
        if expected is not None and (held is None or held.etag != expected):
            return _error(412, "PreconditionFailed")
        self._versions += 1
        etag = f'"{hashlib.sha256(request.body).hexdigest()[:24]}-{self._versions}"'
        metadata = {name: value for name, value in request.headers.items() if name.startswith("x-amz-meta-")}
        credential = re.search(r"Credential=([^/]*)/", request.headers.get("authorization", ""))
        objects[request.key] = Object(request.body, etag, metadata, _now(), credential[1] if credential else "")
        return Response(headers={"ETag": etag})

    def _copy(self, objects: dict[str, Object], request: Request) -> Response:
        bucket, _, key = unquote(request.headers["x-amz-copy-source"]).lstrip("/").partition("/")
        source = self.objects.get(bucket, {}).get(key)
        if source is None:
            return _error(404, "NoSuchKey")
        etag = self._put(objects, request._replace(body=source.body)).headers["ETag"]
        body = f"<CopyObjectResult><ETag>{escape(etag)}</ETag></CopyObjectResult>"
        return Response(body=body.encode())

    def _begin_upload(self) -> Response:
        upload = f"upload-{len(self._uploads) + 1}"
        self._uploads[upload] = {}
        body = f"<InitiateMultipartUploadResult><UploadId>{upload}</UploadId></InitiateMultipartUploadResult>"
        return Response(body=body.encode())

    def _put_part(self, request: Request) -> Response:
        parts = self._uploads.get(request.argument("uploadId"))
        if parts is None:
            return _error(404, "NoSuchUpload")
        parts[int(request.argument("partNumber"))] = request.body
        return Response(headers={"ETag": f'"{hashlib.sha256(request.body).hexdigest()[:24]}"'})

    def _complete_upload(self, objects: dict[str, Object], request: Request) -> Response:
        parts = self._uploads.pop(request.argument("uploadId"), None)
        if parts is None:
            return _error(404, "NoSuchUpload")
        body = b"".join(parts[number] for number in sorted(parts))
        etag = self._put(objects, request._replace(body=body)).headers["ETag"]
        body_xml = f"<CompleteMultipartUploadResult><ETag>{escape(etag)}</ETag></CompleteMultipartUploadResult>"
        return Response(body=body_xml.encode())

    @staticmethod
    def _get(objects: dict[str, Object], request: Request) -> Response:
        held = objects.get(request.key)
        if held is None:
            return _error(404, "NoSuchKey")
        modified = format_datetime(held.modified, usegmt=True)
        headers = {"ETag": held.etag, "Last-Modified": modified, **held.metadata}
        span = re.fullmatch(r"bytes=(\d*)-(\d*)", request.headers.get("range", ""))
        if span is None or request.verb == "HEAD":
            return Response(200, held.body, headers)
        size = len(held.body)
        if span[1]:
            first, end = int(span[1]), min(size, int(span[2]) + 1 if span[2] else size)
        else:
            first, end = max(0, size - int(span[2])), size
        if first >= size:
            return _error(416, "InvalidRange")
        headers["Content-Range"] = f"bytes {first}-{end - 1}/{size}"
        return Response(206, held.body[first:end], headers)

    @staticmethod
    def _list(objects: dict[str, Object], request: Request) -> Response:
        prefix, delimiter = request.argument("prefix"), request.argument("delimiter")
        after = request.argument("continuation-token") or request.argument("start-after")
        limit = int(request.argument("max-keys") or 1000)
        contents: list[str] = []
        folders: dict[str, None] = {}
        last, is_truncated = "", False
        for key in sorted(key for key in objects if key.startswith(prefix) and key > after):
            if len(contents) + len(folders) == limit:
                is_truncated = True
                break
            last = key
            rest = key[len(prefix):]
            if delimiter and delimiter in rest:
                folders[prefix + rest.split(delimiter, 1)[0] + delimiter] = None
            else:
                contents.append(key)
        items = "".join(_contents(key, objects[key]) for key in contents)
        items += "".join(f"<CommonPrefixes><Prefix>{escape(folder)}</Prefix></CommonPrefixes>"
                         for folder in folders)
        if is_truncated:
            items += f"<NextContinuationToken>{escape(last)}</NextContinuationToken>"
        body = (f'<?xml version="1.0" encoding="UTF-8"?><ListBucketResult>'
                f"<IsTruncated>{str(is_truncated).lower()}</IsTruncated>{items}</ListBucketResult>")
        return Response(body=body.encode(), headers={"Content-Type": "application/xml"})


def _contents(key: str, held: Object) -> str:
    return (f"<Contents><Key>{escape(key)}</Key><Size>{len(held.body)}</Size>"
            f"<LastModified>{held.modified:%Y-%m-%dT%H:%M:%S.000Z}</LastModified>"
            f"<ETag>{escape(held.etag)}</ETag></Contents>")


async def _read_request(reader: asyncio.StreamReader) -> Request | None:
    line = await reader.readline()
    if not line:
        return None
    verb, target, _ = line.decode().split(" ", 2)
    headers: dict[str, str] = {}
    while (line := await reader.readline()) not in (b"\r\n", b""):
        name, _, value = line.decode().partition(":")
        headers[name.strip().lower()] = value.strip()
    body = b""
    if "content-length" in headers:
        body = await reader.readexactly(int(headers["content-length"]))
    parts = urlsplit(target)
    bucket, _, key = unquote(parts.path).lstrip("/").partition("/")
    return Request(verb, bucket, key, parse_qs(parts.query, keep_blank_values=True), headers, body)
