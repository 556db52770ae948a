"""A real PostgreSQL for differential tests: one throwaway server for the whole run.

The fixture fails, and does not skip, where no server binary is installed. Version 15 is the one whose texts and
messages the project follows; with another, tests of odd inputs can differ.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

REFERENCE_VERSION = 15
START_SECONDS_MAX = 30


def _bin_folder() -> Path:
    """The folder that holds initdb and postgres: version 15, or else the newest."""
    found = {int(path.parts[-3]): path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/initdb")}
    if found:
        return found[REFERENCE_VERSION if REFERENCE_VERSION in found else max(found)]
    pg_config = shutil.which("pg_config")
    if pg_config is not None:
        folder = Path(subprocess.check_output([pg_config, "--bindir"], text=True).strip())
        if (folder / "initdb").exists():
            return folder
    raise RuntimeError("no PostgreSQL server is installed: apt-get install postgresql")


def _as_server_user(command: list[str]) -> list[str]:
    """PostgreSQL refuses to run as root."""
    return ["runuser", "-u", "postgres", "--", *command] if os.geteuid() == 0 else command


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_until_ready(dsn: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS_MAX
    while True:
        try:
            psycopg.connect(dsn, connect_timeout=5).close()
        except psycopg.OperationalError:
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"PostgreSQL did not start:\n{log.read_text()[-2000:]}") from None
            time.sleep(0.05)
        else:
            return


@pytest.fixture(scope="session")
def postgres_dsn() -> Iterator[str]:
    """The connection string of a running server with an empty database; the user is a superuser."""
    with running_postgres() as dsn:
        yield dsn


@contextmanager
def running_postgres(user: str = "postgres") -> Iterator[str]:
    """A server of its own for as long as the context lasts; the value is its connection string. ``user`` is its
    superuser."""
    folder = Path(tempfile.mkdtemp(prefix="rocklake-postgres-", dir="/tmp"))
    binaries = _bin_folder()
    if os.geteuid() == 0:
        shutil.chown(folder, "postgres", "postgres")
    data, log = folder / "data", folder / "log"
    initdb = [str(binaries / "initdb"), "-D", str(data), "-U", user, "-A", "trust", "-E", "UTF8",
              "--locale", "C", "--no-sync"]
    subprocess.run(_as_server_user(initdb), check=True, capture_output=True, cwd=folder)
    port = _free_port()
    options = {"port": port, "listen_addresses": "127.0.0.1", "unix_socket_directories": folder, "fsync": "off",
               "timezone": "UTC", "full_page_writes": "off", "max_connections": 40, "log_timezone": "UTC"}
    command = [str(binaries / "postgres"), "-D", str(data)]
    for name, value in options.items():
        command += ["-c", f"{name}={value}"]
    with log.open("wb") as output:
        process = subprocess.Popen(_as_server_user(command), stdout=output, stderr=output, cwd=folder)
    dsn = f"host=127.0.0.1 port={port} user={user} dbname=postgres"
    try:
        _wait_until_ready(dsn, process, log)
        yield dsn
    finally:
        _stop(data, process)
        shutil.rmtree(data, ignore_errors=True)


def _stop(data: Path, process: subprocess.Popen[bytes]) -> None:
    """A fast shutdown of the postmaster itself; ``process`` may be the program that changed the user."""
    try:
        postmaster = int((data / "postmaster.pid").read_text().split()[0])
        os.kill(postmaster, signal.SIGINT)
    except (FileNotFoundError, ProcessLookupError, ValueError, IndexError):
        process.terminate()
    try:
        process.wait(timeout=20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
