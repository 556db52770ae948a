"""``python -m benchmarks.statements``: what the statements of a DuckDB session cost the server alone, in one process
and without sockets. ``--profile`` shows where the time goes; ``--metered`` counts statements, as with an admin port."""

from __future__ import annotations

import argparse
import asyncio
import cProfile
import pstats
import statistics
import time

from rocklake_server.schema.registry import tables_of
from rocklake_server.session.statement_meter import StatementMeter
from tests.session.conversation import ListChannel
from tests.session.conversation import place as serving

SCAN = 'COPY (SELECT {} FROM "public"."{}" WHERE {}) TO STDOUT (FORMAT "binary");'
LATEST = (
    'COPY (SELECT "snapshot_id", "schema_version", "next_catalog_id", "next_file_id" FROM (SELECT snapshot_id, '
    'schema_version, next_catalog_id, next_file_id\n\t\t FROM "public".ducklake_snapshot WHERE snapshot_id = (\n'
    '\t\t     SELECT MAX(snapshot_id) FROM "public".ducklake_snapshot\n\t\t )) AS __unnamed_subquery ) '
    'TO STDOUT (FORMAT "binary");'
)
COMMIT_BATCH = (
    'INSERT INTO "public".ducklake_snapshot VALUES ({n}, NOW(), 1, 2, 0);'
    'UPDATE "public".ducklake_table_stats SET record_count={n}, file_size_bytes=0, next_row_id={n} WHERE table_id=1;\n'
    "WITH new_values(tid, cid, new_contains_null, new_contains_nan, new_min, new_max, new_extra_stats) AS (\n"
    "VALUES (1, 1, false, NULL, '5', '{n}', NULL),(1, 2, false, NULL, '1', '3', NULL)\n)\n"
    'UPDATE "public".ducklake_table_column_stats\nSET contains_null=CAST(new_contains_null AS BOOLEAN), '
    "contains_nan=CAST(new_contains_nan AS BOOLEAN), min_value=new_min, max_value=new_max, "
    "extra_stats=new_extra_stats\nFROM new_values\nWHERE table_id=tid AND column_id=cid;\n"
    'INSERT INTO "public".ducklake_inlined_data_1_1 VALUES ({n}, {n}, NULL, 1);'
    "INSERT INTO \"public\".ducklake_snapshot_changes VALUES ({n}, 'inlined_insert:1', NULL, NULL, NULL);"
)
STATEMENTS = {
    "select 1": "SELECT 1",
    "begin": "BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ",
    "latest snapshot": LATEST,
    "scan of tables": SCAN.format(
        '"table_id", "begin_snapshot", "end_snapshot", "schema_id", "table_uuid", "table_name", "path", '
        '"path_is_relative"', "ducklake_table", "\"begin_snapshot\" <= '{n}'"),
    "scan of tags": SCAN.format('"object_id", "key", "value"', "ducklake_tag", "\"begin_snapshot\" <= '{n}'"),
    "scan of files": SCAN.format('"data_file_id", "path"', "ducklake_data_file",
                                 "\"table_id\" = '2' AND \"begin_snapshot\" <= '{n}'"),
    "commit batch": COMMIT_BATCH,
    "commit": "COMMIT",
    "point select": "SELECT schema_version, next_file_id FROM ducklake_snapshot WHERE snapshot_id = {n}",
    "discard all": "DISCARD ALL",
}
SETUP = (
    "INSERT INTO ducklake_snapshot VALUES (0, NOW(), 0, 1, 0)",
    "INSERT INTO ducklake_table VALUES (1, '00000000-0000-0000-0000-000000000001', 0, NULL, 0, 't', 't/', true)",
    "INSERT INTO ducklake_table_stats VALUES (1, 0, 0, 0)",
    "INSERT INTO ducklake_table_column_stats VALUES (1, 1, true, NULL, '1', '1', NULL), "
    "(1, 2, true, NULL, '1', '1', NULL)",
    "CREATE TABLE ducklake_inlined_data_1_1(row_id BIGINT, begin_snapshot BIGINT, end_snapshot BIGINT, a INTEGER)",
)


def ddl() -> list[str]:
    """CREATE TABLE of every relation of catalog version 1.0."""
    found = []
    for table in tables_of("1.0"):
        columns = [
            f"{c.name} {c.type.sql}{' PRIMARY KEY' if c.name in table.primary_key else ''}"
            for c in table.columns if c.until is None and c.since != "1.1"
        ]
        found.append(f"CREATE TABLE {table.name} ({', '.join(columns)})")
    return found


async def ask(channel: ListChannel, text: str) -> None:
    """One simple Query, its replies dropped."""
    body = text.encode() + b"\0"
    channel.feed(b"Q" + (len(body) + 4).to_bytes(4, "big") + body)
    while not channel.idle.is_set():
        await asyncio.sleep(0)
    if b"SERROR" in channel.sent:
        raise SystemExit(f"{text[:200]}: {bytes(channel.sent[:300])!r}")
    channel.sent.clear()


async def measure(rounds: int, profile: cProfile.Profile | None, *, metered: bool) -> dict[str, float]:
    times: dict[str, list[float]] = {name: [] for name in STATEMENTS}
    async with serving() as place:
        if metered:
            place.meter = StatementMeter(place.databases.activity, slow_s=None)
        channel = (await place.client()).channel
        for text in (*ddl(), *SETUP):
            await ask(channel, text)
        for number in range(1, rounds + 1):
            if profile is not None and number == 20:
                profile.enable()
            for name, text in STATEMENTS.items():
                start = time.perf_counter()
                await ask(channel, text.replace("{n}", str(number)))
                times[name].append((time.perf_counter() - start) * 1e6)
        if profile is not None:
            profile.disable()
    return {name: statistics.median(each) for name, each in times.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=1000)
    parser.add_argument("--profile", action="store_true")
    parser.add_argument("--metered", action="store_true")
    options = parser.parse_args()
    profile = cProfile.Profile() if options.profile else None
    measured = asyncio.run(measure(options.rounds, profile, metered=options.metered))
    for name, microseconds in measured.items():
        print(f"{name:20s} {microseconds:8.1f} µs")
    if profile is not None:
        pstats.Stats(profile).sort_stats("tottime").print_stats(50)


if __name__ == "__main__":
    main()
