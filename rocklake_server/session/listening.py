"""LISTEN and NOTIFY of one session: what its transaction will publish, and what waits to be told to its client.

Source: PostgreSQL manual, NOTIFY. LISTEN, UNLISTEN and NOTIFY happen when their transaction commits. The client is told
between transactions: at once while it is idle, else when its block or statement has ended.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

from rocklake_server.catalog.notifications import Notification, Notifications
from rocklake_server.errors import InvalidParameterValue, OutOfMemory
from rocklake_server.limits import IDENTIFIER_BYTES_MAX, NOTIFICATION_BYTES_MAX, NOTIFICATIONS_WAITING_BYTES_MAX
from rocklake_server.session.savepoints import Savepoints


class Listening:
    """Follows the session's transaction (see ``Follower``), and listens for it (see ``Listener``). ``wake`` is called
    when something waits to be told; ``overflow`` when that is more than a session may have."""

    def __init__(
        self, notifications: Notifications, database: str, process_id: int,
        wake: Callable[[], None], overflow: Callable[[], None],
    ) -> None:  # fmt: skip
        self._notifications = notifications
        self._database = database
        self._process_id = process_id
        self._wake = wake
        self._overflow = overflow
        self.channels: dict[str, None] = {}
        self._wanted: list[tuple[str | None, bool]] = []
        self._sent: dict[Notification, None] = {}
        self._sent_bytes = 0
        self._savepoints: Savepoints[tuple[int, int]] = Savepoints()
        self._waiting: deque[Notification] = deque()
        self._waiting_bytes = 0

    # -- what the transaction does ------------------------------------------------------------------------------------

    def listen(self, channel: str) -> None:
        self._wanted.append((_checked(channel), True))

    def unlisten(self, channel: str | None) -> None:
        """``None``: all channels."""
        self._wanted.append((channel, False))

    def notify(self, channel: str, payload: str) -> None:
        """Raises InvalidParameterValue, OutOfMemory for more than a transaction may send."""
        if len(payload.encode()) >= NOTIFICATION_BYTES_MAX:
            raise InvalidParameterValue("payload string too long")
        notification = Notification(self._process_id, _checked(channel), payload)
        if notification not in self._sent:
            if self._sent_bytes + notification.size_bytes > NOTIFICATIONS_WAITING_BYTES_MAX:
                raise OutOfMemory("out of memory for the notifications of one transaction")
            self._sent[notification] = None
            self._sent_bytes += notification.size_bytes

    def savepoint(self, name: str) -> None:
        self._savepoints.add(name, (len(self._wanted), len(self._sent)))

    def release(self, name: str) -> None:
        self._savepoints.release(name)

    def rollback_to(self, name: str) -> None:
        wanted, sent = self._savepoints.back_to(name)
        del self._wanted[wanted:]
        self._sent = dict.fromkeys(list(self._sent)[:sent])
        self._sent_bytes = sum(notification.size_bytes for notification in self._sent)

    def end(self, *, committed: bool) -> None:
        self._savepoints.clear()
        if not self._wanted and not self._sent:
            return
        wanted, sent = self._wanted, list(self._sent)
        self._wanted, self._sent, self._sent_bytes = [], {}, 0
        if committed:
            for channel, listens in wanted:
                self._listen_now(channel, listens=listens)
            self._notifications.publish(self._database, sent)

    def _listen_now(self, channel: str | None, *, listens: bool) -> None:
        if listens and channel is not None:
            self.channels[channel] = None
            self._notifications.listen(self._database, channel, self)
            return
        for heard in list(self.channels) if channel is None else [channel]:
            self.channels.pop(heard, None)
            self._notifications.unlisten(self._database, heard, self)

    def close(self) -> None:
        """The session ends."""
        self._listen_now(None, listens=False)
        self._waiting.clear()

    @property
    def has_waiting(self) -> bool:
        return bool(self._waiting)

    # -- what the client is told --------------------------------------------------------------------------------------

    def deliver(self, notifications: Sequence[Notification]) -> None:
        self._waiting += notifications
        self._waiting_bytes += sum(notification.size_bytes for notification in notifications)
        if self._waiting_bytes > NOTIFICATIONS_WAITING_BYTES_MAX:
            self._overflow()
        else:
            self._wake()

    def take(self) -> Sequence[Notification]:
        """What waits; the client is told it now."""
        if not self._waiting:
            return ()
        found, self._waiting = self._waiting, deque()
        self._waiting_bytes = 0
        return tuple(found)


def _checked(channel: str) -> str:
    if not channel:
        raise InvalidParameterValue("channel name cannot be empty")
    if len(channel.encode()) > IDENTIFIER_BYTES_MAX:
        raise InvalidParameterValue("channel name too long")
    return channel
