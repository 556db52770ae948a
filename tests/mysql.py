"""A real MariaDB for tests of MySQL catalogs, one throwaway server for a module; they skip where none is installed."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pymysql
import pytest

START_SECONDS_MAX = 30
SERVER = shutil.which("mariadbd", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
SYSTEM_TABLES = [Path("/usr/share/mysql") / f"mysql_system_tables{part}.sql" for part in ("", "_data")]

needs_mysql = pytest.mark.skipif(
    SERVER is None or not all(path.exists() for path in SYSTEM_TABLES),
    reason="no MariaDB is installed: apt-get install mariadb-server-core",
)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def running_mysql() -> Iterator[int]:
    """The port of a server of its own, that lets everybody in."""
    assert SERVER is not None
    folder = Path(tempfile.mkdtemp(prefix="rocklake-mysql-", dir="/tmp"))
    data, port = folder / "data", _free_port()
    user = ["--user=root"] if os.geteuid() == 0 else []
    data.mkdir()
    common = [SERVER, "--no-defaults", f"--datadir={data}", "--innodb-flush-log-at-trx-commit=0", *user]
    tables = "".join(["CREATE DATABASE mysql;\nUSE mysql;\n", *(path.read_text() for path in SYSTEM_TABLES)])
    subprocess.run([*common, "--bootstrap"], input=tables, text=True, check=True, capture_output=True)
    command = [*common, f"--port={port}", "--bind-address=127.0.0.1", f"--socket={folder}/socket",
               f"--pid-file={folder}/pid", "--skip-grant-tables", "--character-set-server=latin1"]  # fmt: skip
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        _wait_until_ready(port, process, folder / "log")
        yield port
    finally:
        process.terminate()
        process.wait(START_SECONDS_MAX)
        shutil.rmtree(folder, ignore_errors=True)


def _wait_until_ready(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS_MAX
    while True:
        try:
            pymysql.connect(host="127.0.0.1", port=port, user="root").close()
        except pymysql.OperationalError:
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"MariaDB did not start:\n{log.read_text()[-2000:]}") from None
            time.sleep(0.05)
        else:
            return
