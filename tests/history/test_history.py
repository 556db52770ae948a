"""Real DuckDB processes write one lake for a few seconds; ``make history`` does it for longer."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.history.checking import check
from tests.history.running import prepare, write
from tests.servers import RockLakeServer
from tests.verified import damage_in

WRITERS = 4
SECONDS = 4.0

pytestmark = [pytest.mark.duckdb, pytest.mark.slow]


def test_what_many_writers_were_told_is_what_the_lake_holds(tmp_path: Path) -> None:
    server = RockLakeServer(f"file://{tmp_path}/store", logs=tmp_path)
    server.start()
    try:
        dsn, data = server.dsn("history"), tmp_path / "data"
        first = prepare(dsn, data, WRITERS)
        journals = write(dsn, data, WRITERS, SECONDS, seed=41)
        assert all(journal.committed for journal in journals)
        check(dsn, data, journals, first)
        server.restart()
        check(dsn, data, journals, first)
    finally:
        server.stop()
    assert "Traceback" not in (tmp_path / "server.log").read_text()
    assert damage_in(server.store) == []
