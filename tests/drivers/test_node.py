"""node-postgres, through one JavaScript program. Debian: node-pg; elsewhere npm install pg pg-cursor, and NODE_PATH."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.servers import RockLakeServer

PROGRAM = Path(__file__).with_name("client.js")
SECONDS_MAX = 60


def has_driver() -> bool:
    if shutil.which("node") is None:
        return False
    looked = subprocess.run(
        ["node", "-e", "require('pg'); require('pg-cursor')"], capture_output=True, timeout=SECONDS_MAX, check=False
    )
    return looked.returncode == 0


@pytest.fixture(scope="module", autouse=True)
def driver() -> None:
    if not has_driver():
        pytest.skip("no node-postgres: apt-get install node-pg, or npm install pg pg-cursor and set NODE_PATH")


def test_a_javascript_program(server: RockLakeServer) -> None:
    ran = subprocess.run(
        ["node", PROGRAM, str(server.port)], capture_output=True, text=True, timeout=SECONDS_MAX, check=False
    )
    lines = ran.stdout.splitlines()
    assert [line for line in lines if not line.startswith("ok ")] == []
    assert ran.returncode == 0, ran.stderr
    assert len(lines) > 10
