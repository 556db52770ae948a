"""One lake of a soak run: clients at work, trouble now and then, and an account of it at the end."""

from __future__ import annotations

import random
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import psycopg

from tests.duckdb_client import LakeClient
from tests.soak.books import faults_in_the_books
from tests.soak.fleet import Fleet
from tests.soak.keeper import Keeper
from tests.soak.places import Place
from tests.soak.roles import SCHEMA, Broken, check_invariants

ROLES = {"append": 3, "transfer": 2, "read": 1, "maintain": 1}
SECONDS_BETWEEN_EVENTS = (6.0, 20.0)
TROUBLE_SECONDS = (1.0, 6.0)
CLIENTS_NOTICE_SECONDS = 2.0
DATABASE = "soak"


@dataclass
class Report:
    """Figures of one phase."""

    seconds: float = 0.0
    events: Counter[str] = field(default_factory=Counter)
    said: dict[str, Counter[str]] = field(default_factory=dict)
    failures: Counter[str] = field(default_factory=Counter)
    unanswered: Counter[str] = field(default_factory=Counter)
    files_restored: int = 0
    snapshots: str = ""
    problems: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        commits = sum(said["acknowledged"] for said in self.said.values())
        lines = [
            f"  {self.seconds:.0f} s, {commits} commits acknowledged ({commits / max(self.seconds, 1):.1f}/s), "
            f"{len(self.problems)} problems",
            "  events: " + ", ".join(f"{count} {event}" for event, count in sorted(self.events.items())),
        ]
        for role, said in self.said.items():
            lines.append(f"  {role}: " + ", ".join(f"{count} {word}" for word, count in sorted(said.items())))
        lines.append("  unanswered and found landed / not landed: "
                           f"{self.unanswered['landed']} / {self.unanswered['not landed']}")
        lines.append(f"  files of landed commits that their clients removed: {self.files_restored}")
        lines.append(f"  snapshots: {self.snapshots}")
        lines += [f"  failed {count} times: {text}" for text, count in self.failures.most_common(8)]
        return lines


def run_phase(place: Place, folder: Path, seconds: float, chance: random.Random) -> Report:
    report = Report()
    server = place.server
    server.start()
    dsn, data = server.dsn(DATABASE), folder / "data"
    fleet = Fleet(ROLES, dsn, data, chance.randrange(1_000_000))
    keeper = Keeper(data, folder / "kept")
    try:
        with LakeClient(dsn, data) as lake:
            lake.run(*SCHEMA)
        _work(place, fleet, keeper, seconds, chance, report)
        fleet.kill()
        server.kill()
        server.start()
        _restore(dsn, data, keeper, report)
        _account(dsn, data, fleet, report)
        if report.problems:
            _keep_catalog(dsn, folder / "catalog")
        server.stop()
    finally:
        fleet.kill()
        keeper.stop()
        server.kill()
    return report


def _restore(dsn: str, data: Path, keeper: Keeper, report: Report) -> None:
    with LakeClient(dsn, data) as lake:
        restored, faults = keeper.restore(lake)
    report.files_restored += restored
    report.problems += faults


def _work(place: Place, fleet: Fleet, keeper: Keeper, seconds: float, chance: random.Random, report: Report) -> None:
    begun = time.monotonic()
    next_event = begun + chance.uniform(*SECONDS_BETWEEN_EVENTS)
    while (now := time.monotonic()) - begun < seconds:
        fleet.tend()
        if fleet.broken:
            break  # what comes later would hide how it came about
        if now > next_event:
            report.events[_event(place, chance)] += 1
            keeper.trouble(now, time.monotonic())
            time.sleep(CLIENTS_NOTICE_SECONDS)
            _restore(fleet.dsn, fleet.data, keeper, report)
            next_event = time.monotonic() + chance.uniform(*SECONDS_BETWEEN_EVENTS)
        time.sleep(0.5)
    report.seconds = time.monotonic() - begun


def _event(place: Place, chance: random.Random) -> str:
    """Something goes wrong; returns what, when it is over."""
    kind = chance.choice(["kill", "restart", "trouble", "trouble"] if place.trouble else ["kill", "kill", "restart"])
    if kind == "trouble" and place.trouble is not None:
        what = place.trouble(chance)
        time.sleep(chance.uniform(*TROUBLE_SECONDS))
        place.calm()
        return what
    if kind == "kill":
        place.server.kill()
    else:
        place.server.stop()
    place.server.start()
    return f"server {kind}"


def _account(dsn: str, data: Path, fleet: Fleet, report: Report) -> None:
    """Compares what clients were told with what a fresh client finds."""
    for client in fleet.clients:
        report.said.setdefault(client.role, Counter()).update(client.said)
        report.failures += client.failures
    report.problems += fleet.broken
    with psycopg.connect(dsn, autocommit=True) as connection, LakeClient(dsn, data) as lake:
        report.problems += faults_in_the_books(connection, lake)
        try:
            check_invariants(lake)
        except Broken as error:
            report.problems.append(str(error))
        for role, table in (("append", "one"), ("transfer", "transfers")):
            for client in fleet.of(role):
                rows = lake.rows(f"SELECT number FROM {table} WHERE writer = {client.number}")
                found = {number for (number,) in rows}
                _compare(f"{role} {client.number}", found, client.acknowledged, client.tried, report)
        ids = [number for (number,) in lake.rows("SELECT snapshot_id FROM ducklake_snapshots('lake') ORDER BY 1")]
        if ids != list(range(ids[0], ids[-1] + 1)):
            report.problems.append("the snapshots that are kept have a gap")
        report.snapshots = f"{ids[0]} to {ids[-1]}, no gap"


def _keep_catalog(dsn: str, folder: Path) -> None:
    """Every relation of the lake as a file."""
    folder.mkdir()
    with psycopg.connect(dsn, autocommit=True) as connection:
        names = "SELECT relname FROM pg_class WHERE relname LIKE 'ducklake%' AND relkind = 'r'"
        for (name,) in connection.execute(names).fetchall():
            rows = connection.execute(f"SELECT * FROM {name}").fetchall()
            (folder / f"{name}.txt").write_text("\n".join(map(str, rows)))


def _compare(who: str, found: set[int], acknowledged: set[int], tried: set[int], report: Report) -> None:
    if lost := acknowledged - found:
        report.problems.append(f"{who}: lost {sorted(lost)}")
    if made_up := found - tried:
        report.problems.append(f"{who}: never tried {sorted(made_up)}")
    unanswered = tried - acknowledged
    report.unanswered["landed"] += len(unanswered & found)
    report.unanswered["not landed"] += len(unanswered - found)
