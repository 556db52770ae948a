"""Metrics as the text that a scrape gets, made in slices: many lakes hold up nobody."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from prometheus_client import ProcessCollector
from prometheus_client.core import Metric as Family
from prometheus_client.exposition import choose_encoder
from prometheus_client.registry import Collector
from prometheus_client.samples import Sample

from rocklake_server.pacing import checkpoint, in_slices, slices
from rocklake_server.server.admin.metrics import METRICS
from rocklake_server.server.admin.observed import Observed

_PROCESS = ProcessCollector(registry=None)
"""``process_*``: memory, processor time, open files, start."""


class _Checked(list[Sample]):
    """Samples with checkpoints between them: writing their text takes longer than reading their values."""

    def __iter__(self) -> Iterator[Sample]:
        for run in slices(self):
            yield from list.__iter__(self) if run is self else run


@dataclass(frozen=True)
class _Scrape(Collector):
    observed: Observed

    def collect(self) -> Iterator[Family]:
        for metric in METRICS:
            checkpoint()
            family = metric.family(self.observed)
            family.samples = _Checked(family.samples)
            yield family
        yield from _PROCESS.collect()


async def exposition(observed: Observed, accept: str) -> tuple[bytes, str]:
    """The text and its content type: Prometheus' format or, if ``accept`` prefers it, OpenMetrics."""
    encode, content_type = choose_encoder(accept)
    return await in_slices(lambda: encode(_Scrape(observed))), content_type
