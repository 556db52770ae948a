"""The console page's data: small JSON answers, made when the page asks, in slices of the event loop."""

from __future__ import annotations

from collections import Counter
from http import HTTPStatus
from itertools import islice

from rocklake_server.activity import Histogram
from rocklake_server.catalog.databases import PUBLIC
from rocklake_server.catalog.lake import Lake
from rocklake_server.clock import elapsed_s
from rocklake_server.errors import CatalogError, UndefinedDatabase
from rocklake_server.pacing import checked, in_slices
from rocklake_server.server.admin.findings import findings_of, findings_of_lake, quantile_s
from rocklake_server.server.admin.http import Response, json_response
from rocklake_server.server.admin.lake_page import Listed, iso, lake_lines, lake_page, snapshots_page
from rocklake_server.server.admin.observed import Observed
from rocklake_server.server.admin.status import server_version

SESSIONS_SHOWN_MAX = 200
LAKES_SHOWN_MAX = 200
"""More are counted only."""

SNAPSHOT_MAX = (1 << 62) - 1


async def server_answer(observed: Observed, problem: str | None) -> Response:
    """The overview and the sessions. ``problem`` is why the server is not ready."""
    return await json_response(await in_slices(lambda: _server(observed, problem)))


def _server(observed: Observed, problem: str | None) -> dict[str, object]:
    databases, activity = observed.databases, observed.databases.activity
    sessions = observed.sessions()
    states = Counter(session.state for session in checked(sessions))
    observed.surveyor.minutes.look()
    statements = _together(list(activity.statements.values()))
    return {
        "is_open": True,
        "version": server_version(),
        "store": observed.store,
        "now": iso(databases.clock.now_us()),
        "uptime_s": observed.uptime_s,
        "ready": problem is None,
        "problem": problem,
        "findings": [finding.as_json() for finding in findings_of(observed, problem)],
        "sessions": {"open": states.total(), "active": states["active"], "limit": observed.sessions_max},
        "session_list": _session_lines(observed),
        "commits": {"count": activity.commits.count, "median_s": quantile_s(activity.commits, 0.5),
                    "most_s": quantile_s(activity.commits, 0.99)},
        "statements": {"count": statements.count, "median_s": quantile_s(statements, 0.5)},
        "memory": {"bytes": databases.residency.about_bytes, "limit_bytes": databases.residency.bytes_max},
        "minutes": [
            {"began": iso(minute.began_us), "commits": minute.did.commits, "statements": minute.did.statements,
             "lost": minute.did.lost, "failed": minute.did.failed}
            for minute in observed.surveyor.minutes.known
        ],
        "lakes_count": databases.directory.lakes_count,
        "lakes": lake_lines(_listed(observed), lake_name),
    }  # fmt: skip


def _together(histograms: list[Histogram]) -> Histogram:
    """Those of the same bounds as one."""
    total = Histogram()
    total.counts = [sum(counts) for counts in zip(*(times.counts for times in histograms), strict=True)]
    return total


def _session_lines(observed: Observed) -> list[dict[str, object]]:
    """The oldest first."""
    now_s = elapsed_s()
    return [
        {
            "id": session.process_id,
            "user": session.user,
            "database": session.database,
            "address": session.client_address,
            "application": session.settings.value("application_name"),
            "state": session.state,
            "open_s": now_s - session.began_s,
            "statements": session.request.number - 1,
        }
        for session in islice(sorted(observed.sessions(), key=lambda session: session.process_id), SESSIONS_SHOWN_MAX)
    ]


def _listed(observed: Observed) -> list[Listed]:
    """By name."""
    directory = observed.databases.directory
    opened = {(database, schema): lake for database, schema, lake in observed.open_lakes()}
    names = ((database, schema) for database in directory.databases() for schema in sorted(directory.schemas(database)))
    return [(*name, opened.get(name)) for name in islice(names, LAKES_SHOWN_MAX)]


def lake_name(database: str, schema: str) -> str:
    """As ``--lake`` names it."""
    return database if schema == PUBLIC else f"{database}/{schema}"


async def lake_answer(observed: Observed, query: dict[str, str]) -> Response:
    """One lake, which opens as for a client."""
    database, schema = query.get("database", ""), query.get("schema", PUBLIC)

    async def answer(lake: Lake) -> dict[str, object]:
        now_us = observed.databases.clock.now_us()
        found = await lake_page(database, lake, now_us)
        findings = await in_slices(lambda: list(findings_of_lake(database, schema, lake, now_us)))
        return {**found, "findings": [finding.as_json() for finding in findings]}

    try:
        return await json_response(await answer(await _lake(observed, database, schema)))
    except CatalogError as error:
        return await _problem(error)


async def snapshots_answer(observed: Observed, query: dict[str, str]) -> Response:
    """Older snapshots of one lake: those below ``before``."""
    before = query.get("before", "")
    if not before.isdecimal() or int(before) > SNAPSHOT_MAX:
        return await json_response({"problem": "before has to be the number of a snapshot"}, HTTPStatus.BAD_REQUEST)
    try:
        lake = await _lake(observed, query.get("database", ""), query.get("schema", PUBLIC))
        return await json_response(await snapshots_page(lake, int(before)))
    except CatalogError as error:
        return await _problem(error)


async def _lake(observed: Observed, database: str, schema: str) -> Lake:
    """Raises UndefinedDatabase, and what opening a lake raises."""
    databases = observed.databases
    opened = (await databases.lakes_of(database)).get(schema) if databases.directory.schemas(database) else None
    if opened is None:
        raise UndefinedDatabase(f'there is no lake "{lake_name(database, schema)}"')
    return opened.lake


async def _problem(error: CatalogError) -> Response:
    is_missing = isinstance(error, UndefinedDatabase)
    status = HTTPStatus.NOT_FOUND if is_missing else HTTPStatus.SERVICE_UNAVAILABLE
    return await json_response({"problem": str(error)}, status)
