"""The paths of the admin port and what each answers. It listens before the store is opened, so that a start that
waits is seen to be alive and not ready."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from http import HTTPStatus

from rocklake_server.clock import SystemClock
from rocklake_server.config import Listen
from rocklake_server.limits import READY_TIMEOUT_S
from rocklake_server.pacing import in_slices
from rocklake_server.server.admin.console import lake_answer, server_answer, snapshots_answer
from rocklake_server.server.admin.console_files import console_files
from rocklake_server.server.admin.exposition import exposition
from rocklake_server.server.admin.http import HttpServer, Request, Response, json_response, text_response
from rocklake_server.server.admin.lake_page import iso
from rocklake_server.server.admin.observed import Observed
from rocklake_server.server.admin.readiness import Readiness
from rocklake_server.server.admin.status import server_version, status

CONSOLE = "/console/"

PATHS = {
    CONSOLE: "a page for people: lakes, tables, snapshots, sessions, findings; `/` leads to it",
    "/metrics": "the metrics, for Prometheus",
    "/live": "200 as long as the process serves",
    "/ready": f"200 when the store has answered just now; otherwise 503 with the reason, within {READY_TIMEOUT_S:g} s",
    "/status": "the server at a glance, as JSON",
}
"""What there is, and what it answers."""

_STARTING = "the store is being opened"
_STOPPING = "the server is stopping"


class AdminPort:
    """``observed`` is the server once it accepts connections; ``stopping`` is set when it no longer does."""

    def __init__(self) -> None:
        self.observed: Observed | None = None
        self.stopping = False
        self._readiness = Readiness()
        self._http = HttpServer(self._respond)
        self._paths: dict[str, Callable[[Request], Awaitable[Response]]] = {
            "/": _to_console, CONSOLE.rstrip("/"): _to_console,
            "/metrics": self._metrics, "/live": self._live, "/ready": self._ready, "/status": self._status,
            f"{CONSOLE}data/server": self._server, f"{CONSOLE}data/lake": self._lake,
            f"{CONSOLE}data/snapshots": self._snapshots,
        }  # fmt: skip

    async def start(self, listen: Listen) -> Listen:
        """Returns where it really listens. Raises OSError when the address cannot be used."""
        return Listen(listen.host, await self._http.start(listen.host, listen.port))

    async def close(self) -> None:
        await self._http.close()
        await self._readiness.close()

    async def _respond(self, request: Request) -> Response:
        answer = self._paths.get(request.path)
        if answer is None and request.path.startswith(CONSOLE):
            file = console_files().get(request.path.removeprefix(CONSOLE))
            return file or text_response("the console has no such file", HTTPStatus.NOT_FOUND)
        if answer is None:
            return text_response(f"there are {', '.join(PATHS)}", HTTPStatus.NOT_FOUND)
        return await answer(request)

    async def _live(self, _request: Request) -> Response:
        """The event loop serves: that is all it says."""
        return text_response("live")

    async def _ready(self, _request: Request) -> Response:
        problem = await self._problem()
        return text_response("ready") if problem is None else _unavailable(problem)

    async def _metrics(self, request: Request) -> Response:
        if self.observed is None:
            return _unavailable(_STARTING)
        body, content_type = await exposition(self.observed, request.headers.get("accept", ""))
        return Response(body, content_type=content_type)

    async def _status(self, _request: Request) -> Response:
        observed = self.observed
        if observed is None:
            return await json_response({"ready": False, "problem": _STARTING})
        problem = await self._problem()
        return await json_response(await in_slices(lambda: status(observed, problem)))

    async def _server(self, _request: Request) -> Response:
        if self.observed is None:
            return await json_response(_closed())
        return await server_answer(self.observed, await self._problem())

    async def _lake(self, request: Request) -> Response:
        return await lake_answer(self.observed, request.query) if self.observed is not None else await _not_open()

    async def _snapshots(self, request: Request) -> Response:
        return await snapshots_answer(self.observed, request.query) if self.observed is not None else await _not_open()

    async def _problem(self) -> str | None:
        if self.observed is None:
            return _STARTING
        if self.stopping:
            return _STOPPING
        return await self._readiness.problem(self.observed.databases)


def _unavailable(problem: str) -> Response:
    return text_response(f"not ready: {problem}", HTTPStatus.SERVICE_UNAVAILABLE)


async def _to_console(_request: Request) -> Response:
    return Response(b"", HTTPStatus.FOUND, headers=(("Location", CONSOLE),))


def _closed() -> dict[str, object]:
    """What the console shows before the store is open."""
    now = iso(SystemClock().now_us())
    return {"is_open": False, "version": server_version(), "store": None, "now": now, "ready": False,
            "problem": _STARTING}  # fmt: skip


async def _not_open() -> Response:
    return await json_response({"problem": _STARTING}, HTTPStatus.SERVICE_UNAVAILABLE)
