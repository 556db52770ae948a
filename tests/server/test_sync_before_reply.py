"""On a local folder a commit is answered after its log file and the log's folder are on the disk, and not before."""

from __future__ import annotations

import re
import threading
from pathlib import Path

import psycopg
import pytest

from tests.server.system_calls import SystemCall, parse_trace, traced
from tests.servers import RockLakeServer

pytestmark = pytest.mark.slow

COMMITS = 10
SYNCS = ("fsync", "fdatasync")
SENDS = ("write", "writev", "sendto", "sendmsg")
PUBLISHES = ("openat", "link", "linkat", "rename", "renameat", "renameat2")


def _commit_replies(calls: list[SystemCall]) -> list[SystemCall]:
    """Sends to a socket that hold the command tag of COMMIT."""
    return [call for call in calls if call.name in SENDS and "<socket:" in call.text and r"COMMIT\0" in call.text]


def _syncs(calls: list[SystemCall], path: str) -> list[SystemCall]:
    return [call for call in calls if call.name in SYNCS and f"<{path}>" in call.text and call.text.endswith("= 0")]


def _log_files(calls: list[SystemCall], log: Path) -> list[tuple[str, int]]:
    """Each log file that was published, with the place in the trace after which it has its name."""
    found = {}
    for call in calls:
        for name in (part for part in call.text.split('"')[1::2] if part.startswith(f"{log}/") and "#" not in part):
            if call.name in PUBLISHES and call.name != "openat" and call.ended is not None:
                found.setdefault(name, call.ended)
    return sorted(found.items())


def _durable(calls: list[SystemCall], log: Path) -> list[int]:
    """For each log file, in their order, the place in the trace from which on it and its name are on the disk."""
    folder_syncs = _syncs(calls, str(log))
    places = []
    for name, published in _log_files(calls, log):
        (synced,) = _syncs(calls, name)
        assert synced.begun > published
        assert synced.ended is not None
        places.append(next(call.ended for call in folder_syncs if call.begun > synced.ended))
    return places


def _trace_of_commits(folder: Path, writers: int) -> tuple[list[SystemCall], list[int]]:
    """The server's system calls while ``writers`` commit ``COMMITS`` times each, and the sizes of the groups."""
    server = RockLakeServer(f"file://{folder}/store", logs=folder, log_level="debug")
    server.start()
    try:
        dsn, trace = server.dsn("lake"), folder / "trace"
        with psycopg.connect(dsn, autocommit=True) as connection:
            connection.execute("CREATE TABLE t(n BIGINT)")
        said_before = len(server.log_path.read_text())
        with traced(server.pid, trace):
            _write(dsn, writers)
        said = server.log_path.read_text()[said_before:]
    finally:
        server.stop()
    sizes = [int(size) for size in re.findall(r"commit \d+ begins: (\d+) transactions", said)]
    return parse_trace(trace.read_text(errors="replace")), sizes


@pytest.mark.parametrize("writers", [1, 3])
def test_every_commit_is_answered_after_its_log_file_and_the_folder_are_synced(tmp_path: Path, writers: int) -> None:
    calls, sizes = _trace_of_commits(tmp_path, writers)
    durable, replies = _durable(calls, tmp_path / "store/lakes/1/wal"), _commit_replies(calls)
    assert len(replies) == sum(sizes) == writers * COMMITS
    assert len(durable) == len(sizes), "one log file for each group"
    for answered, reply in enumerate(replies, 1):
        on_disk = sum(size for size, place in zip(sizes, durable, strict=True) if place < reply.begun)
        assert answered <= on_disk, f"{answered} commits were answered when {on_disk} were on the disk"


def _write(dsn: str, writers: int) -> None:
    def commit_rows(first: int) -> None:
        with psycopg.connect(dsn, autocommit=True) as connection:
            for number in range(first, first + COMMITS):
                connection.execute(f"BEGIN; INSERT INTO t VALUES ({number})")
                connection.execute("COMMIT")

    threads = [threading.Thread(target=commit_rows, args=(100 * writer,)) for writer in range(writers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
