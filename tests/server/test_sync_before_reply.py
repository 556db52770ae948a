"""On a local folder a commit is answered after its record of the redo journal is on the disk, and not before."""

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


def _commit_replies(calls: list[SystemCall]) -> list[SystemCall]:
    """Sends to a socket that hold the command tag of COMMIT."""
    return [call for call in calls if call.name in SENDS and "<socket:" in call.text and r"COMMIT\0" in call.text]


def _syncs(calls: list[SystemCall], path: str) -> list[SystemCall]:
    return [call for call in calls if call.name in SYNCS and f"<{path}>" in call.text and call.text.endswith("= 0")]


def _durable(calls: list[SystemCall], directory: Path) -> list[int]:
    """For each record of the journal, in their order, the place in the trace from which on it is on the disk."""
    (journal,) = directory.iterdir()
    written = [call for call in calls if call.name == "write" and f"<{journal}>" in call.text]
    synced = _syncs(calls, str(journal))
    for record, sync, following in zip(written, synced, [*written[1:], None], strict=True):
        assert record.ended is not None
        assert record.ended < sync.begun
        assert following is None or (sync.ended is not None and sync.ended < following.begun), "one at a time"
    return [sync.ended for sync in synced if sync.ended is not None]


def _trace_of_commits(folder: Path, writers: int) -> tuple[list[SystemCall], list[int], list[int]]:
    """The server's system calls while ``writers`` commit ``COMMITS`` times each, the sizes of the groups, and from
    which call on each is on the disk."""
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
        calls = parse_trace(trace.read_text(errors="replace"))
        durable = _durable(calls, folder / "store/lakes/1/redo")
    finally:
        server.stop()
    sizes = [int(size) for size in re.findall(r"commit \d+ begins: (\d+) transactions", said)]
    return calls, sizes, durable


@pytest.mark.parametrize("writers", [1, 3])
def test_every_commit_is_answered_after_its_record_is_synced(tmp_path: Path, writers: int) -> None:
    calls, sizes, durable = _trace_of_commits(tmp_path, writers)
    replies = _commit_replies(calls)
    assert len(replies) == sum(sizes) == writers * COMMITS
    assert len(durable) == len(sizes), "one record for each group"
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
