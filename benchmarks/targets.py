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
from dataclasses import dataclass, replace
from pathlib import Path

import duckdb
import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from tests.duckdb_client import connect
from tests.servers import RockLakeServer

START_S_MAX = 30
SHOWN_SETTINGS = ("server_version", "fsync", "synchronous_commit", "full_page_writes", "autovacuum", "shared_buffers",
                  "effective_cache_size", "work_mem", "max_wal_size", "max_connections")


@dataclass(frozen=True, slots=True)
class Target:
    """One database of a server, and a folder for its lake's data."""

    name: str
    dsn: str
    data: Path
    is_postgres: bool = False

    def client(self, *, attached: bool = True) -> duckdb.DuckDBPyConnection:
        """A new DuckDB, as a new process would be."""
        connection = connect()
        if attached:
            self.attach(connection)
        return connection

    def attach(self, connection: duckdb.DuckDBPyConnection) -> None:
        """As ``lake``, which becomes the current database."""
        self.attach_as(connection, "lake")
        connection.execute("USE lake")

    def attach_as(self, connection: duckdb.DuckDBPyConnection, alias: str) -> None:
        connection.execute(f"ATTACH 'ducklake:postgres:{self.dsn}' AS {alias} (DATA_PATH '{self.data}/')")

    def detach(self, connection: duckdb.DuckDBPyConnection) -> None:
        connection.execute("USE memory")
        connection.execute("DETACH lake")

    def database(self, name: str) -> Target:
        """Another database beside this one."""
        dbname = f"{conninfo_to_dict(self.dsn)['dbname']}_{name}"
        return replace(self, dsn=make_conninfo(self.dsn, dbname=dbname), data=self.data / name)

    def create_database(self, name: str) -> Target:
        """As ``database``, which does not exist yet. Ours are made by their first use."""
        made = self.database(name)
        if self.is_postgres:
            with psycopg.connect(self.dsn, autocommit=True) as connection:
                connection.execute(f'CREATE DATABASE "{conninfo_to_dict(made.dsn)["dbname"]}"'.encode())
        return made

    def settle(self, connection: psycopg.Connection[tuple[object, ...]]) -> None:
        """After many rows were written: what autovacuum does to a PostgreSQL within a minute."""
        if self.is_postgres:
            connection.execute("VACUUM ANALYZE")


@contextmanager
def rocklake() -> Iterator[Target]:
    """Ours, as ``rocklake serve`` runs it."""
    folder = Path(tempfile.mkdtemp(prefix="rocklake-bench-store-"))
    server = RockLakeServer(f"file://{folder}/store", logs=folder, is_fresh=True)
    server.start()
    try:
        yield Target("rocklake", server.dsn("bench"), folder / "data")
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
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen([*as_postgres, *command], stdout=log, stderr=log, cwd=folder)
    lake_data = Path(tempfile.mkdtemp(prefix="rocklake-bench-data-"))
    dsn = f"host=127.0.0.1 port={port} user=postgres dbname=postgres"
    target = Target("postgres", dsn, lake_data, is_postgres=True)
    try:
        _wait(target.dsn, process)
        yield target
    finally:
        stop = [str(binaries / "pg_ctl"), "-D", str(data), "-m", "fast", "stop"]
        subprocess.run([*as_postgres, *stop], capture_output=True, cwd=folder, check=False)
        process.wait(timeout=START_S_MAX)
        for each in (folder, lake_data):
            shutil.rmtree(each, ignore_errors=True)


def settings_of(target: Target) -> dict[str, str]:
    """What PostgreSQL itself says of the settings that move a figure."""
    with psycopg.connect(target.dsn) as connection:
        rows = connection.execute("SELECT name, current_setting(name) FROM pg_settings WHERE name = ANY(%s)",
                                  [list(SHOWN_SETTINGS)]).fetchall()
    return dict(sorted(rows))


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
