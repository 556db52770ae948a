"""What the console says about the health of a server and its lakes: what is wrong, what may become so, what would help.

Problems keep clients from being served, warnings will, advice is about speed and room. Each says what to do.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from rocklake_server.activity import Histogram
from rocklake_server.catalog.lake import Lake
from rocklake_server.catalog.survey import Survey
from rocklake_server.clock import age_s
from rocklake_server.pacing import checked
from rocklake_server.server.admin.observed import Observed, survey_of

SESSIONS_SHARE_MAX = 0.9
COMMIT_S_MAX = 2.0
"""What one commit in a hundred may take."""

LOST_PER_COMMIT_MAX = 2.0
LOST_MIN = 20
"""Transactions that lose against others before it is worth a word."""

SMALL_FILES_MIN = 100
SMALL_SHARE_MIN = 0.5
"""How many small files a table may have, and which share of all its files."""

INLINED_ROWS_MAX = 100_000
DELETED_SHARE_MAX = 0.3
DELETED_ROWS_MIN = 10_000
KEPT_SHARE_MAX = 2.0
KEPT_BYTES_MIN = 1 << 30
"""Of files that only older snapshots have, by the bytes of those that the newest has."""

SNAPSHOTS_MAX = 100_000
CHECKPOINT_AGE_S_MAX = 7 * 24 * 3600.0


class Level(Enum):
    PROBLEM = "problem"
    WARNING = "warning"
    ADVICE = "advice"


_ORDER = {level: number for number, level in enumerate(Level)}


@dataclass(frozen=True, slots=True)
class Finding:
    """``lake`` are database and schema of the one that it is about."""

    level: Level
    what: str
    todo: str
    lake: tuple[str, str] | None = None

    def as_json(self) -> dict[str, object]:
        lake = None if self.lake is None else {"database": self.lake[0], "schema": self.lake[1]}
        return {"level": self.level.value, "what": self.what, "todo": self.todo, "lake": lake}


def quantile_s(times: Histogram, share: float) -> float | None:
    """As Prometheus' ``histogram_quantile``: by straight lines within the buckets; ``None`` without values."""
    wanted, below, low = share * times.count, 0, 0.0
    if not wanted:
        return None
    for count, high in zip(times.counts, times.bounds, strict=False):
        if below + count >= wanted:
            return low + (high - low) * (wanted - below) / count
        below, low = below + count, high
    return low


def findings_of(observed: Observed, problem: str | None) -> list[Finding]:
    """The worst first. ``problem`` is why the server is not ready."""
    found = [*_of_server(observed, problem)]
    for database, schema, lake in observed.open_lakes():
        found += findings_of_lake(database, schema, lake, observed.databases.clock.now_us())
    return sorted(found, key=lambda finding: _ORDER[finding.level])


def _of_server(observed: Observed, problem: str | None) -> Iterator[Finding]:
    databases, activity = observed.databases, observed.databases.activity
    if problem is not None:
        yield Finding(Level.PROBLEM, f"The server is not ready: {problem}.", "Look at the server's log and its store.")
    sessions, allowed = len(observed.sessions()), observed.sessions_max
    if sessions > SESSIONS_SHARE_MAX * allowed:
        yield Finding(Level.WARNING, f"{sessions} of {allowed} sessions are open.",
                      "Clients beyond them are refused. Raise `--max-connections`, or see who holds them.")  # fmt: skip
    if databases.residency.about_bytes > databases.residency.bytes_max:
        yield Finding(Level.WARNING, "Loaded rows do not fit into memory.",
                      "They are read from the store again and again. Raise `--image-memory`.")  # fmt: skip
    if activity.store_write_failures:
        yield Finding(Level.WARNING, f"Writes to the store failed since the start: {activity.store_write_failures}.",
                      "Each was told to its client, or its outcome was read back. Look at the store.")  # fmt: skip
    slow_s = quantile_s(activity.commits, 0.99)
    if slow_s is not None and slow_s > COMMIT_S_MAX:
        yield Finding(Level.WARNING, f"One commit in a hundred takes {slow_s:.1f} s or more.",
                      "Look at the latency of the store, which bounds it.")  # fmt: skip
    recent = list(observed.surveyor.minutes.known)[-15:]
    lost, commits = sum(minute.did.lost for minute in recent), sum(minute.did.commits for minute in recent)
    if lost >= LOST_MIN and lost > LOST_PER_COMMIT_MAX * commits:
        yield Finding(Level.WARNING, f"Writers lately lost {lost} times and committed {commits} times.",
                      "DuckLake runs them again by itself; fewer writers, or larger commits, help.")  # fmt: skip


def findings_of_lake(database: str, schema: str, lake: Lake, now_us: int) -> Iterator[Finding]:
    """Of one open lake."""
    key = database, schema
    if lake.taken_over:
        yield Finding(Level.PROBLEM, f'Another server owns lake "{database}" now.', "Use that one.", key)
    elif lake.store.needs_reopen:
        yield Finding(Level.PROBLEM, f'Lake "{database}" waits for its store.',
                      "The server tries again by itself. Look at the store and at the log.", key)  # fmt: skip
    survey = survey_of(lake)
    if survey is not None:
        yield from _of_survey(key, lake, survey, now_us)


def _of_survey(key: tuple[str, str], lake: Lake, survey: Survey, now_us: int) -> Iterator[Finding]:
    database = key[0]
    small = _small_tables(survey)
    if small:
        yield Finding(Level.ADVICE, f'Lake "{database}" has {small} table{"s" * (small > 1)} of mostly small files.',
                      "In DuckDB, `CALL ducklake_merge_adjacent_files('…')` joins them.", key)  # fmt: skip
    rows = sum(rows for rows, _ in survey.inlined(lake.newest.relations).values())
    if rows > INLINED_ROWS_MAX:
        yield Finding(Level.ADVICE, f'{rows:,} rows of lake "{database}" are in the catalog and in no file.',
                      "In DuckDB, `CALL ducklake_flush_inlined_data('…')` writes them to files.", key)  # fmt: skip
    total = survey.total
    if total.deleted_rows >= DELETED_ROWS_MIN and total.deleted_rows > DELETED_SHARE_MAX * total.rows:
        yield Finding(Level.ADVICE, f'{total.deleted_rows:,} rows in the files of lake "{database}" are deleted.',
                      "In DuckDB, `CALL ducklake_rewrite_data_files('…')` leaves them out.", key)  # fmt: skip
    if total.kept_bytes >= KEPT_BYTES_MIN and total.kept_bytes > KEPT_SHARE_MAX * total.bytes:
        yield Finding(Level.ADVICE, f'Most bytes of lake "{database}" belong to older snapshots alone.',
                      "`rocklake gc plan` says what would expire; cleaning up removes the files.", key)  # fmt: skip
    if survey.snapshots > SNAPSHOTS_MAX:
        yield Finding(Level.ADVICE, f'Lake "{database}" keeps {survey.snapshots:,} snapshots.',
                      "`rocklake gc plan` says what would expire.", key)  # fmt: skip
    old_s = age_s(survey.checkpoint_s, now_us)
    if old_s is not None and old_s > CHECKPOINT_AGE_S_MAX:
        yield Finding(Level.ADVICE, f'The newest checkpoint of lake "{database}" is {old_s / 86_400:.0f} days old.',
                      "`rocklake checkpoint create` makes one beside the running server.", key)  # fmt: skip


def _small_tables(survey: Survey) -> int:
    """How many tables have so many small files that joining them is worth it."""
    return sum(
        count.small_files >= SMALL_FILES_MIN and count.small_files >= SMALL_SHARE_MIN * count.files_count
        for count in checked(list(survey.tables.values()))
    )
