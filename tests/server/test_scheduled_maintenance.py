"""``rocklake serve --maintenance``: jobs run by themselves, and what they did is shown."""

from __future__ import annotations

import json
import time
import urllib.request
from pathlib import Path

import psycopg

from rocklake_server.cli.exit_codes import ExitCode
from tests.cli.console import rocklake, the_sentence
from tests.cli.lake_store import LAKE, make_store
from tests.server.admin.watched_server import admin_port
from tests.servers import RockLakeServer
from tests.verified import damage_in

FILE = """
[[job]]
run = "gc"
every = "1s"
keep_last = 2

[[job]]
run = "checkpoint"
every = "1s"
lakes = ["lake", "not there"]
keep_days = 1

[[job]]
run = "flush"
every = "1s"
"""
SECONDS_MAX = 30


def test_jobs_run_by_themselves_and_are_shown(tmp_path: Path) -> None:
    file = tmp_path / "maintenance.toml"
    file.write_text(FILE)
    arguments = ("--maintenance", str(file), "--admin", "127.0.0.1:0")
    server = RockLakeServer(make_store(tmp_path), logs=tmp_path, arguments=arguments)
    server.start()
    try:
        wanted = [("checkpoint", "done"), ("flush", "done"), ("gc", "done")]
        with psycopg.connect(server.dsn(LAKE), autocommit=True) as connection:
            query = "SELECT DISTINCT job, result FROM rocklake.maintenance WHERE result <> 'running' ORDER BY job"
            deadline = time.monotonic() + SECONDS_MAX
            while connection.execute(query).fetchall() != wanted:
                assert time.monotonic() < deadline, server.log_tail()
                time.sleep(0.1)
            assert connection.execute("SELECT snapshot_id FROM ducklake_snapshot").fetchall() == [(5,), (6,)]
            started, seconds = connection.execute(
                "SELECT started, seconds FROM rocklake.maintenance WHERE job = 'gc' ORDER BY run LIMIT 1"
            ).fetchone() or (None, None)
            assert seconds is not None
            assert started is not None
        with urllib.request.urlopen(f"http://127.0.0.1:{admin_port(server)}/status", timeout=10) as reply:
            shown = json.load(reply)["maintenance"]
        assert shown["next"].keys() == {"gc", "checkpoint", "flush", "retired_retention"}
        last = {(run["job"], run["database"]): run for run in shown["last"]}
        assert last["checkpoint", "not there"]["error"] == 'database "not there" has no lake yet'
        assert last["gc", LAKE]["who"] == "schedule"
    finally:
        server.stop()
    assert 'checkpoint of lake "not there" failed' in server.log_tail()
    assert damage_in(server.store) == []


def test_a_file_that_is_not_understood_stops_the_start(tmp_path: Path) -> None:
    file = tmp_path / "maintenance.toml"
    file.write_text('[[job]]\nrun = "vacuum"\nevery = "1h"')
    ended = rocklake("serve", "--store", f"file://{tmp_path}/store", "--maintenance", str(file))
    assert the_sentence(ended, ExitCode.REFUSED) == (
        f'maintenance file "{file}": job 1 needs run, one of: gc, excise, checkpoint, flush'
    )
    assert not (tmp_path / "store").exists()
