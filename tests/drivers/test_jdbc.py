"""pgjdbc, through one Java program that is compiled here. Debian: default-jdk-headless, libpostgresql-jdbc-java."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.servers import RockLakeServer

DRIVER = Path("/usr/share/java/postgresql.jar")
PROGRAM = Path(__file__).with_name("Jdbc.java")
SECONDS_MAX = 100

pytestmark = [
    pytest.mark.skipif(shutil.which("javac") is None, reason="no Java compiler: apt-get install default-jdk-headless"),
    pytest.mark.skipif(not DRIVER.exists(), reason="no pgjdbc: apt-get install libpostgresql-jdbc-java"),
]


def test_a_java_program(server: RockLakeServer, tmp_path: Path) -> None:
    subprocess.run(["javac", "-d", tmp_path, "-cp", DRIVER, PROGRAM], check=True, timeout=SECONDS_MAX)
    ran = subprocess.run(
        ["java", "-XX:TieredStopAtLevel=1", "-cp", f"{tmp_path}:{DRIVER}", "Jdbc",
         f"jdbc:postgresql://127.0.0.1:{server.port}/lake"],
        capture_output=True, text=True, timeout=SECONDS_MAX, check=False,
    )  # fmt: skip
    lines = ran.stdout.splitlines()
    assert [line for line in lines if not line.startswith("ok ")] == []
    assert ran.returncode == 0, ran.stderr
    assert len(lines) > 20
