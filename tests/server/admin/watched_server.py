"""A server with an admin port, and what it answers there."""

from __future__ import annotations

import http.client
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from tests.servers import RockLakeServer

ANSWER_SECONDS_MAX = 20.0
_ADMIN = re.compile(r"at http://(?P<host>[0-9.]+):(?P<port>\d+):")

Labels = tuple[tuple[str, str], ...]
Scrape = dict[tuple[str, Labels], float]
"""Values by series name and labels."""


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    text: str


def ask(port: int, path: str, *, method: str = "GET", headers: Mapping[str, str] | None = None) -> Answer:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=ANSWER_SECONDS_MAX)
    try:
        connection.request(method, path, headers=dict(headers or {}))
        reply = connection.getresponse()
        return Answer(reply.status, dict(reply.getheaders()), reply.read().decode())
    finally:
        connection.close()


def scrape(port: int) -> Scrape:
    answer = ask(port, "/metrics")
    assert answer.status == 200, answer.text
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


@contextmanager
def watched(logs: Path, store: str, **environment: str) -> Iterator[tuple[RockLakeServer, int]]:
    """A server and its admin port, stopped afterwards."""
    server = RockLakeServer(store, logs=logs, environment=environment, arguments=("--admin", "127.0.0.1:0"))
    server.start()
    try:
        yield server, admin_port(server)
    finally:
        server.stop()
    assert "Traceback" not in (logs / "server.log").read_text()


def admin_port(server: RockLakeServer) -> int:
    """As the server announced it."""
    lines: list[str] = []
    while not (found := _ADMIN.search("\n".join(lines))):
        more = server.lines_so_far(seconds=ANSWER_SECONDS_MAX)
        assert more, f"no admin port was announced: {lines}"
        lines += more
    return int(found["port"])
