"""The server at a glance, for people and scripts: what /status answers."""

from __future__ import annotations

import os
from collections import Counter
from importlib.metadata import PackageNotFoundError, version

from rocklake_server.catalog.lake import Lake
from rocklake_server.catalog.maintenance.audit import audit_time
from rocklake_server.catalog.maintenance.runs import Run
from rocklake_server.clock import age_s
from rocklake_server.pacing import checked
from rocklake_server.server.admin.observed import Observed, newest_snapshot, survey_of

LAKES_SHOWN_MAX = 1000
"""More open lakes are counted only."""


RUNS_SHOWN_MAX = 200
"""The last run of each job in each lake, the newest ones."""


def _run_facts(run: Run) -> dict[str, object]:
    return {
        "job": run.job, "database": run.database, "schema": run.schema, "who": run.who,
        "started": audit_time(run.started_us), "seconds": None if run.seconds is None else round(run.seconds, 3),
        "result": run.result.value, "facts": run.facts, "error": run.error,
    }  # fmt: skip


def server_version() -> str:
    """Of the installed package; "unknown" where it runs from a source tree."""
    try:
        return version("rocklake-server")
    except PackageNotFoundError:
        return "unknown"


def status(observed: Observed, problem: str | None) -> dict[str, object]:
    """Everything is JSON's; ``problem`` is why the server is not ready."""
    databases, activity = observed.databases, observed.databases.activity
    states = Counter(session.state for session in checked(observed.sessions()))
    lakes = list(observed.open_lakes())
    return {
        "version": server_version(),
        "process_id": os.getpid(),
        "uptime_s": round(observed.uptime_s, 3),
        "store": observed.store,
        "ready": problem is None,
        "problem": problem,
        "owns_store": not databases.ownership.is_lost,
        "sessions": {"open": states.total(), "limit": observed.sessions_max, "begun": activity.sessions_begun,
                     "states": dict(states)},
        "statements": {kind: times.count for kind, times in activity.statements.items()},
        "errors": dict(sorted(activity.errors.items())),
        "commits": {"transactions": activity.commits.count, "groups": activity.groups.count,
                    "failed_writes": activity.store_write_failures},
        "image_memory": {"bytes": databases.residency.about_bytes, "limit_bytes": databases.residency.bytes_max},
        "maintenance": {
            "next": {job: audit_time(at_us) for job, at_us in sorted(databases.runs.following_us.items())},
            "last": [_run_facts(run) for run in checked(databases.runs.latest(RUNS_SHOWN_MAX))],
        },
        "lakes": {"listed": databases.directory.lakes_count, "open": len(lakes)},
        "open_lakes": [
            {
                "database": database,
                "schema": schema,
                "commit_sequence": lake.newest.sequence,
                "newest_snapshot": newest_snapshot(lake),
                "stored_bytes": lake.newest.stored_bytes,
                **_counted(lake, databases.clock.now_us()),
                "available": not lake.store.needs_reopen,
            }
            for database, schema, lake in checked(lakes[:LAKES_SHOWN_MAX])
        ],
    }  # fmt: skip


def _counted(lake: Lake, now_us: int) -> dict[str, object]:
    """``None`` as long as it is not known."""
    survey = survey_of(lake)
    return {
        "snapshots": survey.snapshots if survey is not None else None,
        "files": survey.total.files_count if survey is not None else None,
        "small_files": survey.total.small_files if survey is not None else None,
        "checkpoint_age_s": age_s(survey.checkpoint_s if survey is not None else None, now_us),
    }
