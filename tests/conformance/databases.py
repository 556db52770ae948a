"""A clean metadata database for every file: connection strings, and the resets before and after.

A connection string and a hook's command may hold ``{n}`` (the file's number in the suite), ``{w}`` (the number of the
job), ``{a}`` (the attempt) and ``{test}`` (the file's name as an identifier). Resets use PostgreSQL's simple query
protocol only.
"""

from __future__ import annotations

import os
import re
import subprocess
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from psycopg import pq

ANSWER_SECONDS_MAX = 30.0
TEST_SCHEMAS = ("metadata_s1", "metadata_s2", "junk_1064", "scoped_meta_1064")
"""Schemas that DuckLake's own files make in the metadata database, besides ``public``."""
PLACEHOLDERS = re.compile(r"\{[nwa]\}")
_DBNAME = re.compile(r"\bdbname\s*=\s*('(?:[^'\\]|\\.)*'|\S+)")
_SECOND_DATABASE = re.compile(r"\{DUCKLAKE_CONNECTION\}(_\w+)")


class DatabaseError(RuntimeError):
    """The metadata database could not be made ready."""


class Reset(StrEnum):
    """How a file gets a clean metadata database."""

    SCHEMA = "schema"
    """Drop and create the schemas that files use."""
    DATABASE = "database"
    """Drop and create the connection string's database."""
    NONE = "none"
    """The server makes databases at their first use, or a hook does it."""


@dataclass(frozen=True, slots=True)
class Databases:
    """Where the metadata goes. An empty ``dsn`` leaves DuckDB files as metadata."""

    dsn: str
    reset: Reset = Reset.NONE
    admin_dbname: str = "postgres"
    before_command: str = ""
    after_command: str = ""
    command_seconds_max: float = ANSWER_SECONDS_MAX
    keep: bool = False

    def prepare(self, file: Path, dsn: str, names: Mapping[str, str]) -> None:
        """Make the database of ``dsn`` clean. Raises DatabaseError."""
        if self.before_command:
            self._hook(self.before_command, file, dsn, names)
        elif self.reset is Reset.SCHEMA:
            dropped = [f"DROP SCHEMA IF EXISTS {schema} CASCADE" for schema in ("public", *TEST_SCHEMAS)]
            execute(dsn, *dropped, "CREATE SCHEMA public")
        elif self.reset is Reset.DATABASE:
            self._recreate(file, dsn, create=True)

    def clean_up(self, file: Path, dsn: str, names: Mapping[str, str]) -> None:
        """Remove what ``prepare`` made. Raises DatabaseError."""
        if self.after_command:
            self._hook(self.after_command, file, dsn, names)
        elif self.reset is Reset.DATABASE and not self.before_command and not self.keep:
            self._recreate(file, dsn, create=False)

    def _recreate(self, file: Path, dsn: str, *, create: bool) -> None:
        """Drop the database, and those that the file names by a suffix on its connection string."""
        text = file.read_text(encoding="utf-8", errors="replace")
        admin = _DBNAME.sub(f"dbname={self.admin_dbname}", dsn)
        for suffix in ("", *sorted(set(_SECOND_DATABASE.findall(text)))):
            name = dbname(dsn) + suffix
            statements = [f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)', f'CREATE DATABASE "{name}"']
            execute(admin, *statements[: 2 if create else 1])

    def _hook(self, command: str, file: Path, dsn: str, names: Mapping[str, str]) -> None:
        environment = os.environ | {"CONFORMANCE_DSN": dsn, "CONFORMANCE_FILE": str(file)}
        try:
            subprocess.run(
                filled(command, names), shell=True, check=True, timeout=self.command_seconds_max, env=environment,
                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            )  # fmt: skip
        except subprocess.SubprocessError as error:
            raise DatabaseError(str(error)) from error


def filled(text: str, names: Mapping[str, str]) -> str:
    """``text`` with ``{name}`` replaced for each of ``names``."""
    for name, value in names.items():
        text = text.replace(f"{{{name}}}", value)
    return text


def dbname(dsn: str) -> str:
    """The database that a connection string names. Raises DatabaseError when it names none."""
    found = _DBNAME.search(dsn)
    if found is None:
        raise DatabaseError("the connection string has no dbname")
    return found[1].strip("'")


def execute(dsn: str, *statements: str) -> None:
    """Run statements one by one. Raises DatabaseError for an error, or without an answer in time."""
    outcome: list[DatabaseError | None] = []

    def work() -> None:
        try:
            _execute(dsn, statements)
        except DatabaseError as error:
            outcome.append(error)
        else:
            outcome.append(None)

    # A server that never answers must not stop the whole run
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(ANSWER_SECONDS_MAX)
    if not outcome:
        raise DatabaseError(f"no answer within {ANSWER_SECONDS_MAX:.0f} s: {'; '.join(statements)}")
    if outcome[0] is not None:
        raise outcome[0]


def _execute(dsn: str, statements: tuple[str, ...]) -> None:
    connection = pq.PGconn.connect(f"connect_timeout={ANSWER_SECONDS_MAX:.0f} {dsn}".encode())
    try:
        if connection.status != pq.ConnStatus.OK:
            raise DatabaseError(connection.error_message.decode(errors="replace").strip())
        for sql in statements:
            result = connection.exec_(sql.encode())
            if result.status not in (pq.ExecStatus.COMMAND_OK, pq.ExecStatus.TUPLES_OK):
                raise DatabaseError(f"{sql}: {result.error_message.decode(errors='replace').strip()}")
    finally:
        connection.finish()
