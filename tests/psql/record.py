"""Records what psql sends for its backslash commands and completions: ``python -m tests.psql.record PSQL ...``.

Each program runs ``commands.sql`` and types ``completions.txt`` against a PostgreSQL that logs every statement. What
was sent goes to ``recorded/psql.sql`` with the versions that sent it; OIDs of the lake's relations stand there by name.
"""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg

from tests.postgres import running_postgres
from tests.psql.lakes import SEEDS, Lake
from tests.psql.sides import SAME_START, USER
from tests.psql.statements import END, FOLDER, write_statements

HERE = Path(__file__).parent
_LOGGED = re.compile(r"^\d+@@ (?P<kind>[A-Z]+):  (?:statement: )?(?P<text>.*)$")
_OWN = re.compile(r"^\s*(?:SELECT 1|SELECT \*|SELECT count|SELECT key|SELECT oid, relname|SELECT indkey|SELECT 'r'"
                  r"|SELECT 'SELECT|SELECT 7|INSERT|DELETE|COPY|SET|BEGIN|SELECT name FROM pg_settings)")
"""Statements of the script and of the completed lines themselves."""


def sent(log: Path, start: int) -> Iterator[str]:
    """The statements in a log from a position on."""
    statement: str | None = None
    for line in log.read_bytes()[start:].decode(errors="replace").splitlines():
        begins = _LOGGED.match(line)
        if begins is None:
            statement = None if statement is None else f"{statement}\n{line.removeprefix(chr(9))}"
            continue
        if statement is not None:
            yield statement
        statement = begins["text"] if begins["kind"] == "LOG" else None
    if statement is not None:
        yield statement


def complete(program: str, dsn: str, lines: list[str]) -> None:
    """Type each line and two tabs at a terminal, and take the line back."""
    process, terminal = pty.fork()
    if process == 0:
        os.environ |= {"TERM": "dumb", "PAGER": "cat", "PSQL_HISTORY": "/dev/null"}
        os.execv(program, [program, dsn, "-X"])
    _read(terminal, 1.0)
    for line in lines:
        os.write(terminal, line.encode() + b"\t\t")
        if b"possibilities" in _read(terminal, 0.15):
            os.write(terminal, b"n")
        os.write(terminal, b"\x15")
        _read(terminal, 0.05)
        os.write(terminal, b"\x03")
        _read(terminal, 0.05)
    os.write(terminal, b"\\q\n")
    time.sleep(0.3)
    os.close(terminal)
    os.waitpid(process, 0)


def _read(terminal: int, seconds: float) -> bytes:
    found = b""
    while select.select([terminal], [], [], seconds)[0]:
        try:
            found += os.read(terminal, 65536)
        except OSError:
            break
    return found


def record(programs: list[str]) -> dict[str, set[str]]:
    """Statement -> the major versions that sent it."""
    lake = Lake(SEEDS[0])
    described = ("ducklake_data_file", "ducklake_schema", "plain", "ducklake_schema_pkey", lake.indexes[0])
    script = (HERE / "commands.sql").read_text() + "".join(
        f'\\{command} "{name}"\n' for name in described for command in ("d", "d+"))
    lines = (HERE / "completions.txt").read_text().splitlines()
    found: dict[str, set[str]] = {}
    with running_postgres(USER) as dsn:
        with psycopg.connect(dsn, autocommit=True) as admin:
            admin.execute(f"CREATE DATABASE {lake.database}")
        own = psycopg.conninfo.make_conninfo(dsn, dbname=lake.database)
        with psycopg.connect(own, autocommit=True) as admin:
            for statement in (*SAME_START, *lake.statements):
                admin.execute(statement)
            for setting, value in (("log_statement", "all"), ("log_line_prefix", "%p@@ ")):
                admin.execute(f"ALTER SYSTEM SET {setting} = '{value}'")
            names = {str(oid): name for oid, name in admin.execute(
                "SELECT oid, relname FROM pg_class WHERE relnamespace = 'public'::regnamespace").fetchall()}
            (folder,) = admin.execute("SHOW data_directory").fetchone() or ("",)
            admin.execute("SELECT pg_reload_conf()")
        log = Path(folder).parent / "log"
        for program in programs:
            version = subprocess.check_output([program, "--version"], text=True).split()[2].split(".")[0]
            start = log.stat().st_size
            subprocess.run([program, own, "-X", "-f", "-"], input=script, text=True, check=False, capture_output=True)
            complete(program, own, lines)
            for statement in sent(log, start):
                if not _OWN.match(statement):
                    named = re.sub(r"'(\d{5,})'", lambda oid: f"'{{{names.get(oid[1], oid[1])}}}'", statement)
                    found.setdefault(named.rstrip("; \n") + END, set()).add(version)
    return found


if __name__ == "__main__":
    write_statements(FOLDER / "psql.sql", record(sys.argv[1:]))
