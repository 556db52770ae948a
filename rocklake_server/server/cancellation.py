"""Backend keys: what a CancelRequest has to show, and the session that it then cancels."""

from __future__ import annotations

import secrets
from itertools import count

from rocklake_server.session.session import Session


class Cancellations:
    """Process ids are unique among open sessions; keys are random."""

    def __init__(self) -> None:
        self._next = count(1)
        self._sessions: dict[int, tuple[int, Session]] = {}

    def new_key(self) -> tuple[int, int]:
        """(process id, secret key) for a session that starts."""
        process_id = next(self._next) & 0x7FFFFFFF
        return process_id, secrets.randbelow(1 << 31)

    def add(self, process_id: int, secret_key: int, session: Session) -> None:
        self._sessions[process_id] = secret_key, session

    def remove(self, process_id: int) -> None:
        self._sessions.pop(process_id, None)

    def cancel(self, process_id: int, secret_key: int) -> None:
        """Cancel what the session runs; a wrong key does nothing and says nothing, as in PostgreSQL."""
        known_key, session = self._sessions.get(process_id, (None, None))
        if session is not None and known_key == secret_key:
            session.cancel()

    def sessions(self) -> list[Session]:
        return [session for _, session in self._sessions.values()]
