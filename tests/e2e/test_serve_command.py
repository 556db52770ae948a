"""``rocklake serve`` as an operator meets it: what it prints, how it stops, and how it refuses."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.duckdb_client import connect
from tests.servers import RockLakeServer, ServerError


def serve(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs a server that is expected to refuse to start."""
    command = [sys.executable, "-m", "rocklake_server.cli.app", "serve", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)


def refused(*arguments: str) -> str:
    """What a refusing server says: a few words for a person, no traceback, a non-zero exit code."""
    done = serve(*arguments)
    said = done.stdout + done.stderr
    assert done.returncode not in (0, -9), said
    assert "Traceback" not in said
    assert said.strip()
    return said


def test_the_printed_attach_statement_works(tmp_path: Path) -> None:
    server = RockLakeServer(f"file://{tmp_path}/store", logs=tmp_path)
    server.start()
    try:
        text = " ".join(server.startup_lines + server.lines_so_far(seconds=2.0))
        found = re.search(r"ATTACH '[^']+'( AS \w+)?( \(.*?\))?;?", text)
        assert found, text
        uri = re.search(r"ATTACH '([^']+)'", found[0])
        assert uri
        with connect() as client:
            client.execute(f"ATTACH '{uri[1]}' AS lake (DATA_PATH '{tmp_path}/data/')")
            client.execute("CREATE TABLE lake.t(id INTEGER)")
    finally:
        server.stop()


def test_a_clean_stop_frees_the_store_for_the_next_server(tmp_path: Path) -> None:
    for _ in range(2):
        server = RockLakeServer(f"file://{tmp_path}/store", logs=tmp_path)
        server.start()
        server.stop()


def test_a_second_server_on_the_same_store_is_refused(tmp_path: Path) -> None:
    store = f"file://{tmp_path}/store"
    first = RockLakeServer(store, logs=tmp_path)
    first.start()
    try:
        with connect() as client:
            client.execute(f"ATTACH 'ducklake:postgres:{first.dsn('a')}' AS lake (DATA_PATH '{tmp_path}/data/')")
            refused("--store", store, "--listen", "127.0.0.1:0")
            client.execute("CREATE TABLE lake.t(id INTEGER)")
    finally:
        first.stop()


def test_an_unknown_store_scheme_is_refused() -> None:
    assert "nowhere" in refused("--store", "nowhere://x/y", "--listen", "127.0.0.1:0")


def test_a_port_in_use_is_refused(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert str(port) in refused("--store", f"file://{tmp_path}/store", "--listen", f"127.0.0.1:{port}")


def test_a_failed_start_shows_the_servers_words(tmp_path: Path) -> None:
    server = RockLakeServer("nowhere://x/y", logs=tmp_path)
    with pytest.raises(ServerError, match="nowhere"):
        server.start()
