"""The servers that are compared: ours on a local folder and a durable PostgreSQL, both started here, both fresh."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import duckdb
import psycopg

from tests.duckdb_client import connect
from tests.servers import RockLakeServer

START_S_MAX = 30


@dataclass
class Target:
    """One server with an empty database and a folder for the lake's data."""

    name: str
    dsn: str
    data: str = field(default_factory=lambda: tempfile.mkdtemp(prefix="rocklake-bench-data-"))

    def client(self, *, attached: bool = True) -> duckdb.DuckDBPyConnection:
        """A new DuckDB, as a new process would be."""
        connection = connect()
        if attached:
            self.attach(connection)
        return connection

    def attach(self, connection: duckdb.DuckDBPyConnection) -> None:
        connection.execute(f"ATTACH 'ducklake:postgres:{self.dsn}' AS lake (DATA_PATH '{self.data}/')")
        connection.execute("USE lake")

    def settle(self, connection: psycopg.Connection[tuple[object, ...]]) -> None:
        """After many rows were written: what autovacuum does to a PostgreSQL within a minute."""
        if self.name == "postgres":
            connection.execute("VACUUM ANALYZE")

    def detach(self, connection: duckdb.DuckDBPyConnection) -> None:
        connection.execute("USE memory")
        connection.execute("DETACH lake")


@contextmanager
def rocklake() -> Iterator[Target]:
    """Ours, as ``rocklake serve`` runs it."""
    folder = Path(tempfile.mkdtemp(prefix="rocklake-bench-store-"))
    server = RockLakeServer(f"file://{folder}/store", logs=folder)
    server.start()
    try:
        yield Target("rocklake", server.dsn("bench"))
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def postgres() -> Iterator[Target]:
    """PostgreSQL with durable commits, autovacuum, and a quarter of the machine's memory for its buffers."""
    folder = Path(tempfile.mkdtemp(prefix="rocklake-bench-postgres-", dir="/tmp"))
    binaries = max(Path("/usr/lib/postgresql").glob("*/bin/initdb")).parent
    as_postgres = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    if as_postgres:
        shutil.chown(folder, "postgres", "postgres")
    data = folder / "data"
    initdb = [str(binaries / "initdb"), "-D", str(data), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale", "C"]
    subprocess.run([*as_postgres, *initdb], check=True, capture_output=True, cwd=folder)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    memory_mb = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 4 // 2**20
    settings = {"port": port, "unix_socket_directories": folder, "fsync": "on", "synchronous_commit": "on",
                "autovacuum": "on", "shared_buffers": f"{memory_mb}MB", "max_connections": 300}
    command = [str(binaries / "postgres"), "-D", str(data)]
    for name, value in settings.items():
        command += ["-c", f"{name}={value}"]
    print("PostgreSQL:", ", ".join(f"{name}={value}" for name, value in settings.items() if name != "port"))
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen([*as_postgres, *command], stdout=log, stderr=log, cwd=folder)
    target = Target("postgres", f"host=127.0.0.1 port={port} user=postgres dbname=postgres")
    try:
        _wait(target.dsn, process)
        yield target
    finally:
        stop = [str(binaries / "pg_ctl"), "-D", str(data), "-m", "fast", "stop"]
        subprocess.run([*as_postgres, *stop], capture_output=True, cwd=folder, check=False)
        process.wait(timeout=START_S_MAX)
        shutil.rmtree(folder, ignore_errors=True)


def _wait(dsn: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_S_MAX
    while True:
        try:
            psycopg.connect(dsn).close()
        except psycopg.OperationalError:
            if process.poll() is not None or time.monotonic() > deadline:
                sys.exit("PostgreSQL did not start")
            time.sleep(0.05)
        else:
            return
