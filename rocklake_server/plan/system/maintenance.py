"""``rocklake.maintenance``: the last runs of procedures in the session's database."""

from __future__ import annotations

import json

from rocklake_server.catalog.view import TransactionView
from rocklake_server.plan.system.relation import SystemRelation, SystemRows, columns


def _runs(view: TransactionView) -> SystemRows:
    return tuple([
        (run.number, run.job, run.schema, run.who, run.started_us, run.seconds, run.result.value,
         None if run.facts is None else json.dumps(dict(run.facts), ensure_ascii=False), run.error)
        for run in view.maintenance_runs()
    ])  # fmt: skip


RELATIONS = (
    SystemRelation(
        "rocklake", "maintenance",
        columns("run int8, job text, schema text, who text, started timestamptz, seconds float8, result text,"
                "facts text, error text"),
        _runs, live=lambda context: _runs(context.view),
    ),
)  # fmt: skip
