"""The running session as its statements see it: implements ``plan.live_session.LiveSession``."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rocklake_server.auth.roles import Privilege
from rocklake_server.catalog.advisory_locks import AdvisoryKey, HeldLock, LockMode, Scope
from rocklake_server.catalog.databases import Databases
from rocklake_server.catalog.temporary import TEMPORARY_SCHEMA
from rocklake_server.errors import InsufficientPrivilege, Unsupported
from rocklake_server.pacing import can_wait, waited
from rocklake_server.plan.live_session import Activity, Cursor, Lock, PreparedStatement
from rocklake_server.session.backends import Backends
from rocklake_server.wire.messages import NoticeResponse

if TYPE_CHECKING:
    from rocklake_server.session.session import Session

_TRANSACTION, _AWAITED, _WRITES = "ExclusiveLock", "ShareLock", "RowExclusiveLock"
"""Lock modes: of a transaction itself, of who waits for its end, of a relation that it wrote."""


class Live:
    """Of one session; ``backends`` are all of the server's."""

    def __init__(self, session: Session, databases: Databases, backends: Backends) -> None:
        self._session = session
        self._databases = databases
        self._backends = backends
        self._locks = databases.advisory_locks

    # -- looking ------------------------------------------------------------------------------------------------------

    def activities(self) -> Sequence[Activity]:
        """What others ask, and from where, only who administers their database sees, as in PostgreSQL."""
        waits_for_advice = {lock.holder for lock in self._locks.held() if not lock.granted}
        return [
            found if self._is_over(session) else found.hidden()
            for session in self._backends.all() for found in [session.activity(waits_for_advice)]
        ]

    def _is_over(self, other: Session) -> bool:
        """Whether the session's user is the other one's too, or an admin of its database; nobody but a superuser is
        over a superuser."""
        access = self._session.access
        if access.user == other.user:
            return True
        held = access.roles.table.privilege
        return held(access.user, other.database) >= max(Privilege.ADMIN, held(other.user, other.database))

    def locks(self) -> Sequence[Lock]:
        advisory = list(self._locks.held())
        advised = {held.holder for held in advisory if not held.granted}
        found: list[Lock] = []
        for session in self._backends.all():
            found += _of_transaction(session)
            if session.holder not in advised:
                found += self._awaited(session)
        return found + [self._of_advisory(held) for held in advisory]

    def _awaited(self, session: Session) -> list[Lock]:
        """The transactions that a session waits for: who keeps it from a primary key, or from the next snapshot."""
        return [
            Lock(session.process_id, session.virtual_id, _AWAITED, granted=False,
                 virtual_id=self._virtual_id(owner.process_id))
            for owner in session.holder.waits_for
        ]

    def _of_advisory(self, held: HeldLock) -> Lock:
        since_us = None
        if not held.granted:
            waited_s = asyncio.get_running_loop().time() - held.since_s
            since_us = self._databases.clock.now_us() - round(waited_s * 1_000_000)
        pid = held.holder.process_id
        return Lock(
            pid, self._virtual_id(pid), held.mode.value, held.granted, held.key.database, advisory=held.key,
            waits_since_us=since_us,
        )

    def _virtual_id(self, process_id: int) -> str:
        session = self._backends.find(process_id)
        return f"{process_id}/0" if session is None else session.virtual_id

    def blockers(self, process_id: int) -> tuple[int, ...]:
        session = self._backends.find(process_id)
        if session is None:
            return ()
        return tuple(dict.fromkeys(holder.process_id for holder in session.holder.waits_for))

    def cursors(self) -> Sequence[Cursor]:
        return [
            Cursor(
                portal.name, portal.prepared.text, portal.hold, portal.binary,
                portal.place is not None and portal.place.backward, portal.made_us,
            )
            for portal in self._session.registry.portals.values()
        ]

    def prepared_statements(self) -> Sequence[PreparedStatement]:
        return [
            PreparedStatement(one.name, one.text, one.made_us, tuple(kind.oid for kind in one.parameters), one.from_sql)
            for one in self._session.registry.statements.values() if one.name
        ]

    def channels(self) -> Sequence[str]:
        return list(self._session.listening.channels)

    # -- acting -------------------------------------------------------------------------------------------------------

    def cancel(self, process_id: int) -> bool:
        session = self._found(process_id, "cancel")
        if session is not None:
            session.cancel()
        return session is not None

    def terminate(self, process_id: int) -> bool:
        session = self._found(process_id, "terminate")
        if session is not None:
            session.terminate()
        return session is not None

    def _found(self, process_id: int, verb: str) -> Session | None:
        """Raises InsufficientPrivilege for a session of somebody else."""
        session = self._backends.find(process_id)
        if session is not None and not self._is_over(session):
            raise InsufficientPrivilege(
                f"permission denied to {verb} the process",
                detail=f'Only a superuser, or an admin of database "{session.database}", may {verb} the processes of '
                f'role "{session.user}".',
            )
        return session

    def notify(self, channel: str, payload: str) -> None:
        self._session.listening.notify(channel, payload)

    def warn(self, message: str) -> None:
        self._session.notice(NoticeResponse.of(message, severity="WARNING", sqlstate="01000"))

    def try_lock(self, key: AdvisoryKey, mode: LockMode, scope: Scope) -> bool:
        return self._locks.take_now(key, self._session.holder, mode, scope)

    def lock(self, key: AdvisoryKey, mode: LockMode, scope: Scope) -> None:
        if self.try_lock(key, mode, scope):
            return
        if not can_wait():
            raise Unsupported("waiting for an advisory lock is not supported here")
        timeout_s = self._session.settings.timeouts.lock_s
        waited(lambda: self._locks.take(key, self._session.holder, mode, scope, timeout_s))

    def unlock(self, key: AdvisoryKey, mode: LockMode) -> bool:
        return self._locks.release(key, self._session.holder, mode)

    def unlock_all(self) -> None:
        self._locks.release_session(self._session.holder)


def _of_transaction(session: Session) -> list[Lock]:
    """An open transaction has a lock of its own, and one on each relation that it wrote. Reading locks nothing."""
    transaction = session.transaction
    if transaction is None:
        return []
    pid, own_id = session.process_id, session.virtual_id
    written = [
        Lock(pid, own_id, _WRITES, granted=True, database=session.database, relation_oid=relation.oid)
        for schema, part in transaction.parts.items() if schema != TEMPORARY_SCHEMA
        for relation_id, staged in part.staged.items()
        if staged.entries and (relation := part.relations.by_id.get(relation_id)) is not None
    ]
    return [Lock(pid, own_id, _TRANSACTION, granted=True, virtual_id=own_id), *written]
