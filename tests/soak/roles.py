"""What the clients of a soak run do: each role is a loop of one DuckDB process on the shared lake.

A role yields after each thing that it did. What it needs to keep in one transaction it writes in one transaction, so
that any snapshot of the lake satisfies ``INVARIANTS``.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

from tests.duckdb_client import LakeClient

ACCOUNTS = 20
BALANCE = 1000
PARQUET_ROWS = 30
"""Above the row limit of inlining, so that a commit makes a data file."""

TABLES = ("one", "two", "accounts", "transfers")
SCHEMA = (
    "CREATE TABLE one(writer INTEGER, number INTEGER)",
    "CREATE TABLE two(writer INTEGER, number INTEGER, part INTEGER)",
    "CREATE TABLE accounts(id INTEGER, balance INTEGER)",
    "CREATE TABLE transfers(writer INTEGER, number INTEGER)",
    f"INSERT INTO accounts SELECT i, {BALANCE} FROM range({ACCOUNTS}) t(i)",
)

INVARIANTS = {
    "each commit of a writer is in both tables": (
        "SELECT count(*) FROM (SELECT writer, number FROM one) a FULL JOIN "
        "(SELECT DISTINCT writer, number FROM two) b USING (writer, number) "
        "WHERE a.number IS NULL OR b.number IS NULL", 0),
    "no commit was applied twice": (
        "SELECT count(*) FROM (SELECT 1 FROM one GROUP BY writer, number HAVING count(*) > 1)", 0),
    "no part was applied twice": (
        "SELECT count(*) FROM (SELECT 1 FROM two GROUP BY writer, number, part HAVING count(*) > 1)", 0),
    "no transfer was applied twice": (
        "SELECT count(*) FROM (SELECT 1 FROM transfers GROUP BY writer, number HAVING count(*) > 1)", 0),
    "no money is lost or made": ("SELECT sum(balance)::BIGINT FROM accounts", ACCOUNTS * BALANCE),
    "every account is there once": ("SELECT count(*) - count(DISTINCT id) FROM accounts", 0),
}
"""Query and its answer, in every snapshot."""


class Broken(RuntimeError):
    """An invariant does not hold."""


def check_invariants(lake: LakeClient) -> None:
    """Raises Broken."""
    for claim, (query, expected) in INVARIANTS.items():
        if (found := lake.value(query)) != expected:
            raise Broken(f"{claim}: {found}, not {expected}")


Said = Callable[[str, int], None]
Role = Callable[[LakeClient, int, random.Random, Iterator[int], Said], Iterator[None]]
"""Takes a number from the iterator for each thing that it does; after an error it is begun again, with the next."""


def append(lake: LakeClient, me: int, chance: random.Random, numbers: Iterator[int], say: Said) -> Iterator[None]:
    """One row here and some rows there, inlined or as data files."""
    for number in numbers:
        parts = PARQUET_ROWS if chance.random() < 0.3 else 2
        say("tried", number)
        lake.run(
            "BEGIN", f"INSERT INTO one VALUES ({me}, {number})",
            f"INSERT INTO two SELECT {me}, {number}, i FROM range({parts}) t(i)", "COMMIT",
        )
        say("acknowledged", number)
        yield


def transfer(lake: LakeClient, me: int, chance: random.Random, numbers: Iterator[int], say: Said) -> Iterator[None]:
    """Money from one account to another, and a note of it."""
    for number in numbers:
        source, target = chance.sample(range(ACCOUNTS), 2)
        say("tried", number)
        lake.run(
            "BEGIN", f"UPDATE accounts SET balance = balance - 1 WHERE id = {source}",
            f"UPDATE accounts SET balance = balance + 1 WHERE id = {target}",
            f"INSERT INTO transfers VALUES ({me}, {number})", "COMMIT",
        )
        say("acknowledged", number)
        yield


def read(lake: LakeClient, me: int, chance: random.Random, numbers: Iterator[int], say: Said) -> Iterator[None]:
    """The invariants, all in one snapshot; snapshots never go back."""
    newest = -1
    for number in numbers:
        lake.run("BEGIN")
        check_invariants(lake)
        snapshot = lake.snapshot()
        lake.run("COMMIT")
        if snapshot < newest:
            raise Broken(f"snapshot {snapshot} was the newest after {newest} had been")
        newest = snapshot
        say("read", number)
        yield


def maintain(lake: LakeClient, me: int, chance: random.Random, numbers: Iterator[int], say: Said) -> Iterator[None]:
    """Flush, merge, expire and clean up, in turns. Two faults of DuckLake 1.5.5, which PostgreSQL has as well, are kept
    out: a rewrite commits beside an inlined delete from the file that it rewrites, and a flush of inlined deletes whose
    commit is tried again leaves them behind, so that they count twice. Only accounts has inlined deletes."""
    calls = (
        "CALL ducklake_flush_inlined_data('lake', table_name => 'one')",
        "CALL ducklake_flush_inlined_data('lake', table_name => 'two')",
        "CALL ducklake_flush_inlined_data('lake', table_name => 'transfers')",
        "CALL ducklake_merge_adjacent_files('lake')",
        "CALL ducklake_expire_snapshots('lake', older_than => now() - INTERVAL '30 seconds')",
        "CALL ducklake_cleanup_old_files('lake', older_than => now() - INTERVAL '60 seconds')",
    )
    for number in numbers:
        lake.run(calls[number % len(calls)])
        say("maintained", number)
        yield


ROLES: dict[str, Role] = {"append": append, "transfer": transfer, "read": read, "maintain": maintain}
