"""A guided tour: a real DuckDB creates a lake through RockLake, changes it, travels in time, and finds it again.

Run it with ``make demo``. The lake and its catalog go to ./demo-lake, which is removed first. Exit code 0 when every
answer was as expected.
"""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import duckdb
from rich.console import Console
from rich.table import Table
from rich.text import Text

FOLDER = Path("demo-lake").resolve()
STORE = f"file://{FOLDER}/catalog"
YOUR_PORT = 5488
START_SECONDS_MAX = 30.0
STOP_SECONDS_MAX = 20.0
CONSOLE = Console(width=100, highlight=False)


def say(text: str, style: str = "") -> None:
    CONSOLE.print(Text(text, style=style), soft_wrap=True)


def heading(text: str) -> None:
    CONSOLE.print()
    CONSOLE.rule(text, align="left", style="dim")


class DemoFailed(Exception):
    """Something is not as the tour promises; the text is for a person."""


class Server:
    """``rocklake serve`` on a local folder, as anybody would start it."""

    def __init__(self) -> None:
        self.port = 0
        self._log = FOLDER / "server.log"
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        listen = f"127.0.0.1:{self.port}"
        say(f"$ rocklake serve --store {STORE} --listen {listen}", style="bold green")
        command = [sys.executable, "-m", "rocklake_server.cli.app", "serve", "--store", STORE, "--listen", listen]
        with self._log.open("a") as log:
            self._process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
        self.port = self._wait_for_port(self._process)
        say(f"  listening on 127.0.0.1:{self.port}")

    def stop(self) -> None:
        assert self._process is not None
        self._process.terminate()
        if code := self._process.wait(STOP_SECONDS_MAX):
            raise DemoFailed(f"the server stopped with exit code {code}; its log is {self._log}")

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()

    def _wait_for_port(self, process: subprocess.Popen[str]) -> int:
        assert process.stdout is not None
        alarm = threading.Timer(START_SECONDS_MAX, process.kill)  # ends the loop below
        alarm.start()
        try:
            for line in process.stdout:
                if found := re.search(r"listening on 127\.0\.0\.1:(\d+)", line):
                    return int(found[1])
        finally:
            alarm.cancel()
        raise DemoFailed("\n".join(["the server did not start:", *self._log.read_text().splitlines()[-5:]]))


class Client:
    """A DuckDB process with the ducklake and postgres extensions, attached to the lake."""

    def __init__(self, port: int) -> None:
        self._connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
        for name in ("postgres_scanner", "ducklake"):
            self._connection.execute(f"LOAD '{_extension(name)}'")
        self._connection.execute("SET TimeZone = 'UTC'")
        self.show(attach_statement(port))
        self.show("USE lake")

    def show(self, statement: str, expected: list[tuple[object, ...]] | None = None) -> None:
        """Run a statement, print it with its answer, and compare the answer."""
        say(f"\nD {statement}", style="bold cyan")
        try:
            rows = self._connection.execute(statement).fetchall()
            names = [column[0] for column in self._connection.description or []]
        except duckdb.Error as error:
            raise DemoFailed(f"{statement}\n{error}") from None
        if rows and names != ["Count"]:
            _print_table(names, rows)
        else:
            say(f"  {rows[0][0]} rows" if rows else "  done")
        if expected is not None and rows != expected:
            raise DemoFailed(f"{statement}\nanswered {rows},\nexpected {expected}")


def attach_statement(port: int) -> str:
    dsn = f"host=127.0.0.1 port={port} dbname=demo user=me"
    return f"ATTACH 'ducklake:postgres:{dsn}' AS lake (DATA_PATH '{FOLDER}/data/')"


def change(lake: Client) -> None:
    heading("A table: small inserts live in the catalog, larger ones in Parquet files")
    lake.show("CREATE TABLE trips(id INTEGER, city VARCHAR, fare DECIMAL(8, 2))")
    lake.show("INSERT INTO trips VALUES (1, 'Oslo', 12.50), (2, 'Rome', 8.00), (3, 'Lima', 5.75)")
    lake.show("INSERT INTO trips SELECT range, 'Bonn', 10 FROM range(100, 1100)", [(1000,)])
    lake.show("UPDATE trips SET fare = fare * 2 WHERE city = 'Rome'", [(1,)])
    lake.show("DELETE FROM trips WHERE id >= 600", [(500,)])
    by_city = "SELECT city, count(*) AS trips, sum(fare)::DOUBLE AS fares FROM trips GROUP BY city ORDER BY city"
    lake.show(by_city, [("Bonn", 500, 5000.0), ("Lima", 1, 5.75), ("Oslo", 1, 12.5), ("Rome", 1, 16.0)])


def travel(lake: Client) -> None:
    heading("Time travel: every commit is a snapshot")
    lake.show(
        "SELECT snapshot_id, strftime(snapshot_time, '%H:%M:%S.%f') AS time, "
        "array_to_string(map_keys(changes), ', ') AS changes FROM ducklake_snapshots('lake')"
    )
    lake.show("FROM trips AT (VERSION => 2) ORDER BY id")
    lake.show("SELECT count(*) AS trips FROM trips AT (VERSION => 3)", [(1003,)])
    lake.show("SET VARIABLE moment = (SELECT max(snapshot_time) FROM ducklake_snapshots('lake') WHERE snapshot_id = 2)")
    lake.show("SELECT count(*) AS trips FROM trips AT (TIMESTAMP => getvariable('moment'))", [(3,)])
    lake.show("SELECT change_type, id, city, fare::DOUBLE AS fare FROM lake.table_changes('trips', 4, 4) ORDER BY 1",
              [("update_postimage", 2, "Rome", 16.0), ("update_preimage", 2, "Rome", 8.0)])
    lake.show(
        "SELECT right(data_file, 14) AS data_file, data_file_size_bytes AS bytes, delete_file IS NOT NULL AS deletes "
        "FROM ducklake_list_files('lake', 'trips')"
    )


def alter(lake: Client) -> None:
    heading("The schema changes; no data file is rewritten")
    lake.show("ALTER TABLE trips ADD COLUMN tip DOUBLE DEFAULT 0.5")
    lake.show("ALTER TABLE trips RENAME COLUMN city TO town")
    lake.show("SELECT id, town, tip FROM trips WHERE id < 10 ORDER BY id",
              [(1, "Oslo", 0.5), (2, "Rome", 0.5), (3, "Lima", 0.5)])


def tour(server: Server) -> None:
    server.start()
    lake = Client(server.port)
    change(lake)
    travel(lake)
    alter(lake)
    heading("The server stops and starts again; a new DuckDB finds everything")
    server.stop()
    server.start()
    again = Client(server.port)
    again.show("SELECT count(*) AS trips, max(id) AS newest FROM trips", [(503, 599)])
    again.show("SELECT count(*) AS trips FROM trips AT (VERSION => 2)", [(3,)])
    server.stop()


def main() -> int:
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    server = Server()
    try:
        tour(server)
    except (DemoFailed, subprocess.TimeoutExpired) as failure:
        say(f"\nThe demo failed: {failure}", style="bold red")
        return 1
    finally:
        server.kill()
    heading("Your turn: start the server on this lake, and attach your own DuckDB")
    command = Path(sys.executable).with_name("rocklake")
    say(f"$ {command} serve --store {STORE} --listen 127.0.0.1:{YOUR_PORT}", style="bold green")
    say(f"D INSTALL ducklake; INSTALL postgres; {attach_statement(YOUR_PORT)};", style="bold cyan")
    return 0


def _print_table(names: list[str], rows: list[tuple[object, ...]]) -> None:
    table = Table(*names)
    for row in rows:
        table.add_row(*("NULL" if value is None else str(value) for value in row))
    CONSOLE.print(table)


def _extension(name: str) -> Path:
    spec = importlib.util.find_spec(f"duckdb_extension_{name}")
    if spec is None or not spec.submodule_search_locations:
        raise DemoFailed(f"DuckDB's {name} extension is not installed: pip install 'rocklake-server[demo]'")
    folder = Path(spec.submodule_search_locations[0]) / "extensions" / f"v{duckdb.__version__}"
    return folder / f"{name}.duckdb_extension"


if __name__ == "__main__":
    sys.exit(main())
