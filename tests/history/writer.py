"""One DuckDB process that appends, updates and deletes, and keeps a journal of what it was told.

Usage: python -m tests.history.writer DSN DATA_FOLDER NUMBER SEED SECONDS

Every writer has the table ``own_<number>`` to itself and shares the table ``shared``; in both it touches only rows of
its own, so that what they must hold in the end follows from its own journal. Each transaction names itself in its
commit message. The journal is one JSON object a line on stdout; the last one tells the rows.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path

import duckdb

from tests.duckdb_client import LakeClient

MANY_ROWS = 40
"""More than DuckLake inlines: these go to a Parquet file."""

Rows = dict[int, int]
Step = tuple[str, Callable[[], None]]


class Writer:
    """``tables`` are the rows that this writer has there, by number; what is not committed is in no model."""

    def __init__(self, lake: LakeClient, number: int, seed: int) -> None:
        self.lake = lake
        self.number = number
        self.random = random.Random(seed)
        self.own = f"own_{number}"
        self.tables: dict[str, Rows] = {"shared": {}, self.own: {}}
        self.transactions = 0
        self._next_row = 0
        self._changed: dict[str, Rows] = {}

    def transact(self) -> None:
        """One transaction, retried by nobody but DuckLake; its line of the journal."""
        message = f"{self.number}-{self.transactions}"
        self.transactions += 1
        self._changed = {table: dict(rows) for table, rows in self.tables.items()}
        kinds: tuple[str, ...] = self.random.choices(
            (("insert",), ("update",), ("delete",), ("insert", "insert"), ("insert", "update"), ("create",)),
            weights=(10, 3, 3, 3, 2, 1),
        )[0]
        tables = self.random.choices(list(self.tables), k=len(kinds))
        statements = [getattr(self, f"_{kind}")(table) for kind, table in zip(kinds, tables, strict=True)]
        shares = any(kind != "create" and table == "shared" for kind, table in zip(kinds, tables, strict=True))
        line = {"message": message, "shares": shares, "error": self._run(message, statements)}
        if line["error"] is None:
            self.tables = self._changed
        print(json.dumps(line), flush=True)

    def _run(self, message: str, statements: list[str]) -> str | None:
        try:
            self.lake.run("BEGIN", f"CALL lake.set_commit_message('{self.number}', '{message}')", *statements, "COMMIT")
        except duckdb.Error as error:
            try:
                self.lake.run("ROLLBACK")
            except duckdb.Error:
                pass  # the failed COMMIT has rolled back
            return str(error)
        return None

    def _insert(self, table: str) -> str:
        first, count = self._next_row, self.random.choice((1, 1, 2, 3, MANY_ROWS))
        self._next_row += count
        self._changed[table] |= dict.fromkeys(range(first, first + count), 0)
        return f"INSERT INTO {table} SELECT {self.number}, range, 0 FROM range({first}, {first + count})"

    def _update(self, table: str) -> str:
        numbers = self._some(table)
        if not numbers:
            return self._insert(table)
        rows = self._changed[table]
        rows |= {n: rows[n] + 1 for n in numbers}
        return f"UPDATE {table} SET v = v + 1 WHERE writer = {self.number} AND n IN ({', '.join(map(str, numbers))})"

    def _delete(self, table: str) -> str:
        numbers = self._some(table)
        if not numbers:
            return self._insert(table)
        for n in numbers:
            del self._changed[table][n]
        return f"DELETE FROM {table} WHERE writer = {self.number} AND n IN ({', '.join(map(str, numbers))})"

    def _create(self, _: str) -> str:
        table = f"extra_{self.number}_{self.transactions}"
        self._changed[table] = {self._next_row: 0}
        self._next_row += 1
        return f"CREATE TABLE {table} AS SELECT {self.number} AS writer, {self._next_row - 1} AS n, 0 AS v"

    def _some(self, table: str) -> list[int]:
        """A few of its rows; none if it has none."""
        rows = sorted(self._changed[table])
        return self.random.sample(rows, min(len(rows), self.random.randint(1, 3)))


def main(dsn: str, data_folder: str, number: str, seed: str, seconds: str) -> None:
    lake = LakeClient(dsn, Path(data_folder))
    writer = Writer(lake, int(number), int(seed))
    print(json.dumps({"ready": True}), flush=True)
    sys.stdin.readline()
    end = time.monotonic() + float(seconds)
    while time.monotonic() < end:
        writer.transact()
    rows = {table: sorted(rows.items()) for table, rows in writer.tables.items()}
    print(json.dumps({"rows": rows}), flush=True)
    lake.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
