"""Notifications of commits: each new snapshot of a lake is told on channel ``rocklake_commits`` of its database.

They are made when a commit is published, for those who listen then, and not at all when nobody does.
"""

from __future__ import annotations

import json

from rocklake_server.catalog.notifications import Notification, Notifications
from rocklake_server.catalog.validation import Working
from rocklake_server.catalog.view import Row
from rocklake_server.limits import NOTIFICATION_BYTES_MAX
from rocklake_server.schema.types import Value

CHANNEL = "rocklake_commits"

_SNAPSHOTS, _CHANGES = "ducklake_snapshot", "ducklake_snapshot_changes"


class CommitNotices:
    """Of one lake, which is a schema of a database."""

    def __init__(self, notifications: Notifications, database: str, schema: str) -> None:
        self._notifications = notifications
        self._database = database
        self._schema = schema

    @property
    def are_heard(self) -> bool:
        return self._notifications.is_heard(self._database, CHANNEL)

    def committed(self, group: Working) -> None:
        """Tell the snapshots that a published group added, in their order."""
        relation = group.relations.by_name.get(_SNAPSHOTS)
        if relation is None:
            return
        taken = group.primaries.get(relation.relation_id, {})
        first = group.root.counters.get("next_snapshot_id", 0)
        added = [key[0] for key, is_taken in taken.items() if is_taken]
        snapshots = sorted(snapshot for snapshot in added if isinstance(snapshot, int) and snapshot >= first)
        if snapshots:
            changes = _changes_of(group)
            payloads = [self._payload(snapshot, changes.get(snapshot)) for snapshot in snapshots]
            self._notifications.publish(
                self._database, [Notification(0, CHANNEL, payload) for payload in payloads])

    def _payload(self, snapshot: int, changes: Value) -> str:
        """JSON. ``changes`` is null where it is not known or would not fit."""
        told = {"lake": self._database, "schema": self._schema, "snapshot": snapshot, "changes": changes}
        payload = json.dumps(told, ensure_ascii=False)
        if len(payload.encode()) < NOTIFICATION_BYTES_MAX:
            return payload
        return json.dumps({**told, "changes": None}, ensure_ascii=False)


def _changes_of(group: Working) -> dict[Value, Value]:
    """What the group's snapshots changed, as DuckLake spells it, by snapshot."""
    relation = group.relations.by_name.get(_CHANGES)
    if relation is None or not {"snapshot_id", "changes_made"} <= relation.index.keys():
        return {}
    snapshot, changes = relation.index["snapshot_id"], relation.index["changes_made"]
    rows: list[Row | None] = [
        row for partition in group.changes.get(relation.relation_id, {}).values() for row in partition.values()
    ]
    return {row[snapshot]: row[changes] for row in rows if row is not None}
