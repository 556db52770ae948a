"""OpenTelemetry traces: a span per statement, one per commit, and one per stage of each.

Needs the packages of ``rocklake-server[otel]``. Names and attributes follow OpenTelemetry's semantic conventions for
database calls. Spans hold no values: texts are templates, as in the log. What OTEL_* variables say is for
OpenTelemetry to read: the service's name, headers, the sampler.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rocklake_server.activity import StageWatch
from rocklake_server.errors import Unsupported
from rocklake_server.telemetry import Request, Tracer

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Span

SERVICE = "rocklake"
EXPORT_S_MAX = 3.0
"""How long a collector may take for a batch, unless TIMEOUT_VARIABLE says otherwise: the last batch delays the end."""

TIMEOUT_VARIABLE = "OTEL_EXPORTER_OTLP_TIMEOUT"
_SYSTEM = "postgresql"
"""What a client speaks, as the conventions name it."""


def otlp_provider(endpoint: str, version: str) -> TracerProvider:
    """Sends spans in the background to an OTLP collector at ``endpoint``, over HTTP. Raises Unsupported when
    OpenTelemetry is not installed."""
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError:
        raise Unsupported(
            "traces need OpenTelemetry, which is not installed", hint="Run pip install 'rocklake-server[otel]'."
        ) from None
    attributes: Mapping[str, str] = {"service.name": SERVICE, "service.version": version}
    provider = TracerProvider(resource=Resource(attributes).merge(Resource.create()), shutdown_on_exit=False)
    target = endpoint if "/v1/" in endpoint else endpoint.rstrip("/") + "/v1/traces"
    limit_s = None if TIMEOUT_VARIABLE in os.environ else EXPORT_S_MAX
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=target, timeout=limit_s)))
    return provider


class SpanTracer(Tracer):
    """Makes spans of what it is told. ``close`` sends what is left."""

    def __init__(self, provider: TracerProvider) -> None:
        from opentelemetry import trace

        self._api = trace
        self._provider = provider
        self._tracer = provider.get_tracer("rocklake_server")
        self._epoch_ns = time.time_ns() - time.perf_counter_ns()

    def _ns(self, moment_s: float) -> int:
        return self._epoch_ns + int(moment_s * 1e9)

    def began(self, request: Request, began_s: float) -> None:
        request.span = self._tracer.start_span(
            "statement", kind=self._api.SpanKind.SERVER, start_time=self._ns(began_s),
            attributes={"db.system.name": _SYSTEM, "rocklake.request": request.id, "rocklake.session": request.session})

    def ended(
        self, request: Request, kind: str, text: str, database: str, watch: StageWatch, sqlstate: str | None
    ) -> None:
        span: Any = request.span
        if span is None:
            return
        request.span = None
        span.update_name(f"{kind} {database}")
        span.set_attributes({"db.namespace": database, "db.operation.name": kind, "db.query.text": text})
        if sqlstate is not None:
            span.set_attributes({"db.response.status_code": sqlstate, "error.type": sqlstate})
            span.set_status(self._api.StatusCode.ERROR)
        self._stages(span, watch)
        span.end(self._ns(time.perf_counter()))

    def committed(
        self, lake: str, sequence: int, requests: Sequence[Request | None], watch: StageWatch, *, keys: int
    ) -> None:
        """The group of a lone transaction belongs to its statement; one of several is a trace of its own, linked to
        the statement of each."""
        spans = [request.span for request in requests if request is not None and request.span is not None]
        parent, links = self._parent_and_links(spans, alone=len(requests) == 1)
        span = self._tracer.start_span(
            "group commit", context=parent, links=links, start_time=self._ns(watch.began_s),
            attributes={"rocklake.lake": lake, "rocklake.commit_sequence": sequence,
                        "rocklake.transactions": len(requests), "rocklake.keys": keys})  # fmt: skip
        self._stages(span, watch)
        span.end(self._ns(time.perf_counter()))

    def _parent_and_links(self, spans: Sequence[Any], *, alone: bool) -> tuple[Any, list[Any]]:
        if alone and spans:
            return self._api.set_span_in_context(spans[0]), []
        return None, [self._api.Link(span.get_span_context()) for span in spans]

    def _stages(self, span: Span, watch: StageWatch) -> None:
        """One after the other, as the watch has them: of a stage that came several times one span of the whole."""
        inside = self._api.set_span_in_context(span)
        for stage, began_s, ended_s in _in_turn(watch):
            self._tracer.start_span(stage, context=inside, start_time=self._ns(began_s)).end(self._ns(ended_s))

    def close(self) -> None:
        """Blocks until what is left was sent, or that failed."""
        self._provider.shutdown()


def _in_turn(watch: StageWatch) -> Iterator[tuple[str, float, float]]:
    began_s = watch.began_s
    for stage, took_s in watch.seconds.items():
        yield stage, began_s, began_s + took_s
        began_s += took_s
