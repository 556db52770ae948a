"""Logging, set up once, and the names of requests: what a session is doing, as its log lines and traces say it.

Records go to standard error, one line each, for people or as JSON; users' data is never among them. structlog formats
them; modules log with the standard library's loggers.

A request is one statement of one session. Its id stands in every line that is logged on its way, because the session's
task carries a ``Request`` in its context, whose number moves on from statement to statement. What outlives the
statement that began it is started with ``apart()``.
"""

from __future__ import annotations

import logging
import secrets
import sys
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from contextlib import contextmanager
from contextvars import Context, ContextVar
from typing import TYPE_CHECKING, Any, Protocol

from rocklake_server.errors import CatalogError

if TYPE_CHECKING:
    from rocklake_server.activity import StageWatch

LEVELS = ("debug", "info", "warning", "error")
FORMATS = ("console", "json")

_PROCESS = secrets.token_hex(3)
"""Begins each request id: sessions are numbered from 1 again after a restart."""

AUDIT_LOGGER = "rocklake.audit"
"""Its records are written whatever the level is; see ``auth.audit``."""


class Request:
    """The statement that a session is at. ``number`` counts its statements from 1; ``span`` is a tracer's."""

    __slots__ = ("number", "session", "span")

    def __init__(self, session: int) -> None:
        self.session = session
        self.number = 1
        self.span: object = None

    @property
    def id(self) -> str:
        """Different for every statement of every session, also after a restart."""
        return f"{_PROCESS}-{self.session}-{self.number}"


_current: ContextVar[Request | None] = ContextVar("request", default=None)


def current_request() -> Request | None:
    """That of the task that runs; ``None`` for what the server does of its own accord."""
    return _current.get()


def begin_requests(request: Request) -> None:
    """From now on this task, and the tasks it starts, work for ``request``."""
    _current.set(request)


@contextmanager
def on_behalf_of(request: Request | None) -> Iterator[None]:
    """Lines that are logged here belong to ``request``."""
    token = _current.set(request)
    try:
        yield
    finally:
        _current.reset(token)


def apart() -> Context:
    """For a task or a callback that outlives the request that starts it."""
    return Context()


class Tracer(Protocol):
    """Makes spans of what happened. Times are of ``perf_counter``."""

    def began(self, request: Request, began_s: float) -> None:
        """A statement begins; ``request.span`` is its own until it ends."""

    def ended(
        self, request: Request, kind: str, text: str, database: str, watch: StageWatch, sqlstate: str | None
    ) -> None:
        """A statement ends now; ``text`` is without values. ``sqlstate`` is that of its error."""

    def committed(
        self, lake: str, sequence: int, requests: Sequence[Request | None], watch: StageWatch, *, keys: int
    ) -> None:
        """A group of transactions, those of ``requests``, has become one commit."""


def configure_logging(level: str, log_format: str = "console") -> None:
    """``level`` is one of LEVELS, and does not silence the audit log; ``log_format`` is one of FORMATS."""
    import structlog  # here, so that who logs nothing does not wait for it
    from structlog.stdlib import ExtraAdder, ProcessorFormatter, add_log_level, add_logger_name

    shared: list[Any] = [_add_request, add_log_level, add_logger_name,
                         structlog.processors.TimeStamper(fmt="iso", utc=True)]  # fmt: skip
    if log_format == "json":
        shared.append(ExtraAdder())
        as_json = structlog.processors.JSONRenderer(ensure_ascii=False)
        ending: list[Any] = [structlog.processors.format_exc_info, as_json]
    else:
        ending = [structlog.dev.ConsoleRenderer(
            colors=sys.stderr.isatty(), pad_event_to=0, exception_formatter=structlog.dev.plain_traceback)]
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(ProcessorFormatter(
        foreign_pre_chain=shared, processors=[ProcessorFormatter.remove_processors_meta, *ending]))
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
    logging.getLogger(AUDIT_LOGGER).setLevel(logging.INFO)


def _add_request(_logger: object, _method: str, event: MutableMapping[str, Any]) -> Mapping[str, Any]:
    request = _current.get()
    if request is not None:
        event["request"] = request.id
    return event


_OPERATORS_CLASSES = ("08", "53", "58", "XX")
"""Classes of SQLSTATEs: connection lost, too little of something, the system, the server itself."""


def level_of(error: CatalogError) -> int:
    """Of the line that an error is worth: DuckLake runs again by itself what can be retried, and what is the server's
    or the store's fault concerns who operates them. Its message is not logged, since it may name values."""
    if error.retryable:
        return logging.DEBUG
    return logging.WARNING if error.sqlstate[:2] in _OPERATORS_CLASSES else logging.INFO
