"""Who listens on which channel of a database, and how notifications reach them.

Source: PostgreSQL manual, LISTEN and NOTIFY. What a commit publishes reaches every session that listens by then, the
sender included, in the order of the commits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol


class Notification(NamedTuple):
    """``process_id`` is the sender's, 0 for the server itself."""

    process_id: int
    channel: str
    payload: str

    @property
    def size_bytes(self) -> int:
        """About what it takes in memory and on the wire."""
        return 64 + len(self.channel.encode()) + len(self.payload.encode())


class Listener(Protocol):
    """A session. Neither call waits or fails."""

    def deliver(self, notifications: Sequence[Notification]) -> None: ...


class Notifications:
    """Of one server."""

    def __init__(self) -> None:
        self._listeners: dict[tuple[str, str], dict[Listener, None]] = {}

    def listen(self, database: str, channel: str, listener: Listener) -> None:
        self._listeners.setdefault((database, channel), {})[listener] = None

    def unlisten(self, database: str, channel: str, listener: Listener) -> None:
        listeners = self._listeners.get((database, channel))
        if listeners is not None:
            listeners.pop(listener, None)
            if not listeners:
                del self._listeners[database, channel]

    def is_heard(self, database: str, channel: str) -> bool:
        """Whether anybody listens."""
        return (database, channel) in self._listeners

    def publish(self, database: str, notifications: Sequence[Notification]) -> None:
        """What one commit tells, to each listener at once."""
        heard: dict[Listener, list[Notification]] = {}
        for notification in notifications:
            for listener in self._listeners.get((database, notification.channel), ()):
                heard.setdefault(listener, []).append(notification)
        for listener, found in heard.items():
            listener.deliver(found)
