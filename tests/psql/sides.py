"""The same lakes in a PostgreSQL and in this server, and psql on either."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psycopg

from tests.postgres import running_postgres
from tests.psql.lakes import SEEDS, Lake
from tests.servers import RockLakeServer

USER = "rocklake"
SAME_START = (
    "DROP EXTENSION plpgsql",
    f"ALTER ROLE {USER} NOREPLICATION",
    "UPDATE pg_namespace SET nspowner = 10, nspacl = NULL WHERE nspname = 'public'",
)
"""What a lake never has goes from PostgreSQL's new databases: a procedural language, replication, a role of its own
that owns schema public, and a list of what others may do there."""

_SIZES = re.compile(r"\b\d+ (?:bytes|kB|MB)\b")
_PLACES = re.compile(r"^psql:[^ ]*: ", re.MULTILINE)


@dataclass
class Sides:
    """Connection strings by lake."""

    lakes: list[Lake]
    postgres: dict[str, str] = field(default_factory=dict)
    rocklake: dict[str, str] = field(default_factory=dict)


@contextmanager
def both_sides(logs: Path) -> Iterator[Sides]:
    """Three lakes on both."""
    sides = Sides([Lake(seed) for seed in SEEDS])
    server = RockLakeServer("memory:///psql", logs=logs)
    server.start()
    try:
        with running_postgres(USER) as dsn:
            for lake in sides.lakes:
                with psycopg.connect(dsn, autocommit=True) as admin:
                    admin.execute(f"CREATE DATABASE {lake.database}")
                sides.postgres[lake.database] = psycopg.conninfo.make_conninfo(dsn, dbname=lake.database)
                sides.rocklake[lake.database] = psycopg.conninfo.make_conninfo(
                    server.dsn(lake.database), user=USER)
                with psycopg.connect(sides.postgres[lake.database], autocommit=True) as connection:
                    for statement in (*SAME_START, *lake.statements):
                        connection.execute(statement)
                with psycopg.connect(sides.rocklake[lake.database], autocommit=True) as connection:
                    for statement in lake.statements:
                        connection.execute(statement)
            yield sides
    finally:
        server.stop()
    assert "Traceback" not in server.log_path.read_text()


def installed_psql() -> str:
    found = shutil.which("psql")
    assert found, "psql is not installed: apt-get install postgresql-client"
    return found


def watched(dsn: str, script: str, lines: int) -> list[str]:
    """So many lines of what psql prints while it repeats a statement, which it does until it is ended."""
    command = [installed_psql(), dsn, "-X", "-A", "-t", "-q"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdin
        assert running.stdout
        running.stdin.write(script)
        running.stdin.close()
        found = [running.stdout.readline() for _ in range(lines)]
        running.terminate()
    return found


def psql(dsn: str, script: str, program: str | None = None, *, aligned: bool = False) -> dict[str, str]:
    """What psql prints, by the ``# name`` lines that the script echoes; errors are part of it."""
    command = [program or installed_psql(), dsn, "-X", "-v", "HISTFILE=/dev/null",
               *([] if aligned else ["-A"]), "-f", "-"]
    done = subprocess.run(command, input=script, text=True, timeout=120, check=False, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    sections: dict[str, str] = {}
    for part in _PLACES.sub("", done.stdout).split("\n# "):
        name, _, text = part.removeprefix("# ").partition("\n")
        assert name not in sections, name
        sections[name] = _SIZES.sub("(size)", text)
    return sections
