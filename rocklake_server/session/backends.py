"""The sessions of a server by process id, as they see each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rocklake_server.session.session import Session


class Backends:
    """Those that run."""

    def __init__(self) -> None:
        self._sessions: dict[int, Session] = {}

    def add(self, session: Session) -> None:
        self._sessions[session.process_id] = session

    def remove(self, session: Session) -> None:
        self._sessions.pop(session.process_id, None)

    def find(self, process_id: int) -> Session | None:
        return self._sessions.get(process_id)

    def all(self) -> Sequence[Session]:
        return list(self._sessions.values())
