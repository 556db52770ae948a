"""Every metric, declared once: its name, what it says and where its value is. ``/metrics``, the reference page and the
tests of dashboard and alerts derive from this.

Names and units follow Prometheus' documentation, "Metric and label naming". Nothing here is on a statement's way: the
engine counts with plain numbers (``rocklake_server.activity``), and they become metrics when somebody asks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from itertools import accumulate

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.core import Metric as Family

from rocklake_server.activity import Histogram
from rocklake_server.catalog.chunk import encodings, unpacked
from rocklake_server.catalog.lake import Lake
from rocklake_server.catalog.survey import Survey
from rocklake_server.clock import age_s
from rocklake_server.errors import CatalogError
from rocklake_server.pacing import checked, checkpoint
from rocklake_server.server.admin.observed import Observed, newest_snapshot, survey_of
from rocklake_server.session.session import SESSION_STATES
from rocklake_server.session.statement_meter import SAMPLE_TEXTS

Sample = tuple[tuple[str, ...], float | Histogram]
"""Values of the labels, and the metric's value for them."""

PREFIX = "rocklake_"


class MetricKind(Enum):
    """As Prometheus names them."""

    COUNTER = "counter"
    GAUGE = "gauge"
    HISTOGRAM = "histogram"


@dataclass(frozen=True, slots=True)
class Metric:
    """``read`` gives its samples, a Histogram each for a histogram."""

    name: str
    kind: MetricKind
    help: str
    read: Callable[[Observed], Iterable[Sample]]
    labels: tuple[str, ...] = ()

    @property
    def full_name(self) -> str:
        return PREFIX + self.name

    @property
    def series(self) -> tuple[str, ...]:
        """Names of what a scrape shows of it."""
        suffixes = ("_bucket", "_sum", "_count") if self.kind is MetricKind.HISTOGRAM else ("",)
        return tuple(self.full_name + suffix for suffix in suffixes)

    def family(self, observed: Observed) -> Family:
        """Its samples as they are now."""
        family = _FAMILIES[self.kind](self.full_name, self.help, labels=self.labels)
        for labels, value in self.read(observed):
            checkpoint()
            if isinstance(family, HistogramMetricFamily):
                assert isinstance(value, Histogram)
                family.add_metric(labels, *_cumulative(value))
            else:
                family.add_metric(labels, value)  # type: ignore[arg-type]
        return family


_FAMILIES: dict[MetricKind, Callable[..., CounterMetricFamily | GaugeMetricFamily | HistogramMetricFamily]] = {
    MetricKind.COUNTER: CounterMetricFamily,
    MetricKind.GAUGE: GaugeMetricFamily,
    MetricKind.HISTOGRAM: HistogramMetricFamily,
}


def _cumulative(histogram: Histogram) -> tuple[list[tuple[str, float]], float]:
    """Buckets by their upper bound, and the sum of the values."""
    bounds = [*(f"{bound:g}" for bound in histogram.bounds), "+Inf"]
    return list(zip(bounds, accumulate(histogram.counts), strict=True)), histogram.sum


def _one(read: Callable[[Observed], float | Histogram]) -> Callable[[Observed], Iterable[Sample]]:
    return lambda observed: [((), read(observed))]


def _each_lake(read: Callable[[Lake], float | None]) -> Callable[[Observed], Iterable[Sample]]:
    def samples(observed: Observed) -> Iterator[Sample]:
        for database, schema, lake in observed.open_lakes():
            if (value := read(lake)) is not None:
                yield (database, schema), value

    return samples


def _each_survey(read: Callable[[Survey, Lake], float | None]) -> Callable[[Observed], Iterable[Sample]]:
    def of(lake: Lake) -> float | None:
        survey = survey_of(lake)
        return None if survey is None else read(survey, lake)

    return _each_lake(of)


def _inlined_rows(survey: Survey, lake: Lake) -> int:
    return sum(rows for rows, _ in survey.inlined(lake.newest.relations).values())


def _checkpoint_ages(observed: Observed) -> Iterator[Sample]:
    now_us = observed.databases.clock.now_us()
    for database, schema, lake in observed.open_lakes():
        age = age_s(lake.survey.checkpoint_s if lake.survey is not None else None, now_us)
        if age is not None:
            yield (database, schema), age


def _sessions(observed: Observed) -> Iterable[Sample]:
    states = dict.fromkeys(SESSION_STATES, 0)
    for session in checked(observed.sessions()):
        states[session.state] += 1
    return [((state,), count) for state, count in states.items()]


def _errors(observed: Observed) -> Iterator[Sample]:
    for sqlstate, count in sorted(observed.databases.activity.errors.items()):
        is_retryable = CatalogError.by_sqlstate[sqlstate].retryable
        yield (sqlstate, "true" if is_retryable else "false"), count


def _unavailable(observed: Observed) -> int:
    return sum(lake.store.needs_reopen for _, _, lake in observed.open_lakes())


_CACHES = {"encodings": encodings, "unpacked_rows": unpacked}

METRICS = (
    Metric(
        "statement_duration_seconds", MetricKind.HISTOGRAM,
        "Statements that succeeded: from their message, or the statement before, until the answer was there.",
        lambda o: [((kind,), times) for kind, times in o.databases.activity.statements.items()], ("kind",),
    ),
    Metric(
        "statement_stage_duration_seconds", MetricKind.HISTOGRAM,
        f"Stages of a sample of the statements that succeeded, about one in {SAMPLE_TEXTS}.",
        lambda o: list(o.databases.activity.statement_stages.items()), ("kind", "stage"),
    ),
    Metric(
        "errors_total", MetricKind.COUNTER,
        "Errors that clients were told; retryable ones are conflicts, which DuckLake runs again by itself.",
        _errors, ("sqlstate", "retryable"),
    ),
    Metric("sessions", MetricKind.GAUGE, "Sessions that are open.", _sessions, ("state",)),
    Metric("sessions_limit", MetricKind.GAUGE, "Sessions that may be open at once (--max-connections).",
           _one(lambda o: o.sessions_max)),
    Metric("sessions_begun_total", MetricKind.COUNTER, "Sessions that began.",
           _one(lambda o: o.databases.activity.sessions_begun)),
    Metric("commit_duration_seconds", MetricKind.HISTOGRAM,
           "Transactions that were committed: from asking for it until it was durable and visible.",
           _one(lambda o: o.databases.activity.commits)),
    Metric("commit_stage_duration_seconds", MetricKind.HISTOGRAM,
           "Stages of the groups that were committed: each group's validations, encoding, write and publication.",
           lambda o: [((stage,), times) for stage, times in o.databases.activity.commit_stages.items()], ("stage",)),
    Metric("commits_waiting", MetricKind.GAUGE, "Transactions whose commit was asked for and is not decided yet.",
           _one(lambda o: o.databases.activity.commits_waiting)),
    Metric("commit_group_transactions", MetricKind.HISTOGRAM, "Transactions that shared one write batch.",
           _one(lambda o: o.databases.activity.groups)),
    Metric("store_write_duration_seconds", MetricKind.HISTOGRAM, "Write batches of commits until they were durable.",
           _one(lambda o: o.databases.activity.store_writes)),
    Metric("store_write_failures_total", MetricKind.COUNTER,
           "Write batches of commits that failed, or whose outcome had to be read back.",
           _one(lambda o: o.databases.activity.store_write_failures)),
    Metric("store_operation_duration_seconds", MetricKind.HISTOGRAM,
           "Other calls to stores: opening, snapshots, reads by key and by range, and moving writes to tables (flush).",
           lambda o: [((name,), times) for name, times in o.databases.activity.store_times.by_operation.items()],
           ("operation",)),
    Metric("store_owned", MetricKind.GAUGE, "1 while this server owns the store, 0 once another one does.",
           _one(lambda o: float(not o.databases.ownership.is_lost))),
    Metric("image_memory_bytes", MetricKind.GAUGE, "Memory of loaded rows, all lakes together, as last measured.",
           _one(lambda o: o.databases.residency.about_bytes)),
    Metric("image_memory_limit_bytes", MetricKind.GAUGE, "What loaded rows may take (--image-memory).",
           _one(lambda o: o.databases.residency.bytes_max)),
    Metric("cache_bytes", MetricKind.GAUGE,
           "Memory of what is kept beside loaded rows: encoded for COPY, or unpacked.",
           lambda _: [((name,), cache.bytes) for name, cache in _CACHES.items()], ("cache",)),
    Metric("cache_limit_bytes", MetricKind.GAUGE, "What each of these caches may take.",
           lambda _: [((name,), cache.bytes_max) for name, cache in _CACHES.items()], ("cache",)),
    Metric("cache_hits_total", MetricKind.COUNTER, "Looks into these caches that found what they wanted.",
           lambda _: [((name,), cache.hits) for name, cache in _CACHES.items()], ("cache",)),
    Metric("cache_misses_total", MetricKind.COUNTER, "Looks into these caches that did not: it was made again.",
           lambda _: [((name,), cache.misses) for name, cache in _CACHES.items()], ("cache",)),
    Metric("lakes", MetricKind.GAUGE, "Lakes that the store has.",
           _one(lambda o: o.databases.directory.lakes_count)),
    Metric("lakes_open", MetricKind.GAUGE, "Lakes that are open; one that nobody uses closes.",
           _one(lambda o: len(o.databases.open_lakes()))),
    Metric("lakes_unavailable", MetricKind.GAUGE, "Open lakes whose store failed and is not open again yet.",
           _one(_unavailable)),
    Metric("lake_commit_sequence", MetricKind.GAUGE, "Number of an open lake's newest commit.",
           _each_lake(lambda lake: lake.newest.sequence), ("database", "schema")),
    Metric("lake_snapshot", MetricKind.GAUGE, "An open lake's newest DuckLake snapshot.",
           _each_lake(newest_snapshot), ("database", "schema")),
    Metric("lake_stored_bytes", MetricKind.GAUGE, "Keys and values of an open lake's rows and indexes.",
           _each_lake(lambda lake: lake.newest.stored_bytes), ("database", "schema")),
    Metric("maintenance_runs_total", MetricKind.COUNTER,
           "Runs of procedures that ended, scheduled or called: done, failed or canceled.",
           lambda o: sorted(o.databases.runs.counts.items()), ("procedure", "result")),
    Metric("maintenance_duration_seconds", MetricKind.HISTOGRAM, "What runs of procedures took.",
           lambda o: [((job,), times) for job, times in o.databases.runs.seconds.items()], ("procedure",)),
    Metric("maintenance_running", MetricKind.GAUGE, "Procedures that are running.",
           _one(lambda o: o.databases.runs.now)),
    Metric("lake_snapshots", MetricKind.GAUGE, "DuckLake snapshots that an open lake keeps.",
           _each_survey(lambda survey, _: survey.snapshots), ("database", "schema")),
    Metric("lake_files", MetricKind.GAUGE, "Data files of an open lake's newest snapshot.",
           _each_survey(lambda survey, _: survey.total.files_count), ("database", "schema")),
    Metric("lake_small_files", MetricKind.GAUGE, "Those of them that have less than 16 MiB.",
           _each_survey(lambda survey, _: survey.total.small_files), ("database", "schema")),
    Metric("lake_file_bytes", MetricKind.GAUGE, "Bytes of the data files of an open lake's newest snapshot.",
           _each_survey(lambda survey, _: survey.total.bytes), ("database", "schema")),
    Metric("lake_history_files", MetricKind.GAUGE,
           "Data files that are no longer part of an open lake, and that older snapshots still have.",
           _each_survey(lambda survey, _: survey.total.kept_files), ("database", "schema")),
    Metric("lake_delete_files", MetricKind.GAUGE, "Delete files of an open lake's newest snapshot.",
           _each_survey(lambda survey, _: survey.total.delete_files), ("database", "schema")),
    Metric("lake_inlined_rows", MetricKind.GAUGE, "Rows of an open lake that are in the catalog and in no file yet.",
           _each_survey(_inlined_rows), ("database", "schema")),
    Metric("lake_checkpoint_age_seconds", MetricKind.GAUGE,
           "Since the newest checkpoint of an open lake that has one was made; looked for once a minute.",
           _checkpoint_ages, ("database", "schema")),
    Metric("uptime_seconds", MetricKind.GAUGE, "Since the server accepted connections.",
           _one(lambda o: o.uptime_s)),
)  # fmt: skip
