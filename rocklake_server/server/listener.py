"""Accepting connections: the startup messages, the limit on sessions, and a graceful stop."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Hashable

from rocklake_server.auth.backoff import LoginBackoff
from rocklake_server.catalog.database_admin import require_admitted
from rocklake_server.catalog.databases import Databases
from rocklake_server.config import Listen
from rocklake_server.errors import CatalogError, TooManyConnections, Unsupported
from rocklake_server.operations.procedures import PROCEDURES
from rocklake_server.plan.cache import PlanCache
from rocklake_server.plan.statement_plans import Compiled
from rocklake_server.server.busy_poll import BusyPoll
from rocklake_server.server.cancellation import Cancellations
from rocklake_server.server.login import ClientLeft, Doorkeeper
from rocklake_server.server.login_policy import Policy
from rocklake_server.server.socket_channel import ReceivedBytes, SocketChannel
from rocklake_server.server.startup_settings import startup_settings
from rocklake_server.server.tls import Tls
from rocklake_server.session.backends import Backends
from rocklake_server.session.session import Session
from rocklake_server.session.statement_meter import StatementMeter
from rocklake_server.wire.messages import AuthenticationOk, BackendKeyData, ErrorResponse
from rocklake_server.wire.startup import (
    CancelRequest,
    EncryptionRefused,
    GSSENCRequest,
    SSLRequest,
    StartupMessage,
)

logger = logging.getLogger(__name__)

STARTUP_TIMEOUT_S = 60.0

STARTING_MIN = 64
"""Connections that may be starting up at the same time beyond as many as there may be sessions."""

PLAN_CACHES_MAX = 64
"""Databases whose plans are kept, the least recently connected to dropped first."""

LAST_PAUSE_S = 0.1
"""Between two looks at what a stop has to wait for after its deadline: commits that are being written."""


def connections_allowed(sessions_max: int) -> int:
    """How many connections may be open, those included that are starting up or ask for a cancellation."""
    return 2 * sessions_max + STARTING_MIN


class Listener:
    """One listening socket and the sessions that came through it."""

    def __init__(
        self,
        databases: Databases,
        *,
        max_connections: int,
        busy_poll_s: float = 0.0,
        meter: StatementMeter | None = None,
        creates_databases: bool = True,
        policy: Policy | None = None,
        tls: Tls | None = None,
        backoff: LoginBackoff | None = None,
    ) -> None:
        """``creates_databases``: a database that does not exist may be connected to, and its first table makes it."""
        self._databases = databases
        self._creates_databases = creates_databases
        self._tls = tls
        roles = databases.directory.roles
        backoff = backoff if backoff is not None else LoginBackoff()
        self._doorkeeper = Doorkeeper(roles, policy or Policy(), databases.clock, backoff)
        roles.observers.append(self._check_access)
        self._max_connections = max_connections
        self._meter = meter
        self._cancellations = Cancellations()
        self._backends = Backends()
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()
        self._starting: set[asyncio.Task[None]] = set()
        self._received = ReceivedBytes()
        self._busy_poll = BusyPoll(busy_poll_s)
        self._plans: dict[str, PlanCache] = {}
        self._shared_plans: dict[Hashable, Compiled] = {}

    async def start(self, listen: Listen) -> Listen:
        """Returns where it really listens. Raises OSError when the address cannot be used."""
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(self._accept, listen.host, listen.port, backlog=512)
        port: int = self._server.sockets[0].getsockname()[1]
        return Listen(listen.host, port)

    def sessions(self) -> list[Session]:
        """Those that go on."""
        return self._cancellations.sessions()

    async def stop(self, timeout_s: float) -> None:
        """Accept no more, let running statements and blocks finish for ``timeout_s``, then end every session. Commits
        under way are seen through and answered."""
        if self._server is not None:
            self._server.close()
        for task in self._starting:
            task.cancel()
        self._stop_sessions(at_once=False)
        if self._connections:
            await asyncio.wait(self._connections, timeout=timeout_s)
        while self._connections:
            self._stop_sessions(at_once=True)
            await asyncio.wait(self._connections, timeout=LAST_PAUSE_S)

    def _stop_sessions(self, *, at_once: bool) -> None:
        for session in self._cancellations.sessions():
            session.stop(at_once=at_once)

    def _check_access(self) -> None:
        """After a change of roles."""
        for session in self._cancellations.sessions():
            session.check_access()

    def _accept(self) -> SocketChannel:
        return SocketChannel(self._received, self._busy_poll, self._connected, self._tls)

    def _connected(self, channel: SocketChannel) -> None:
        task = asyncio.create_task(self._serve(channel))
        for tasks in (self._connections, self._starting):
            tasks.add(task)
            task.add_done_callback(tasks.discard)

    async def _serve(self, channel: SocketChannel) -> None:
        try:
            self._check_number()
            async with asyncio.timeout(STARTUP_TIMEOUT_S):
                startup = await self._startup(channel)
                if startup is not None:
                    await self._login(channel, startup)
            if startup is not None:
                await self._run_session(channel, startup)
        except CatalogError as error:
            self._databases.activity.failed(error.sqlstate)
            _refuse(channel, error)
        except (TimeoutError, ConnectionError, ClientLeft):
            logger.debug("a connection ended before its session began")
        except Exception:
            logger.exception("a connection ended by an internal error")
        finally:
            channel.close()

    def _check_number(self) -> None:
        """Refuse one connection too many at once, whatever it wants."""
        if len(self._connections) > connections_allowed(self._max_connections):
            raise _too_many()

    async def _startup(self, channel: SocketChannel) -> StartupMessage | None:
        """The startup message; ``None`` when the connection was for a cancellation or is gone."""
        while True:
            match await channel.receive():
                case SSLRequest() if channel.offers_tls:
                    channel.accept_tls()
                case SSLRequest() | GSSENCRequest():
                    channel.send(EncryptionRefused())
                case CancelRequest() as request:
                    self._cancellations.cancel(request.process_id, request.secret_key)
                    return None
                case StartupMessage() as startup:
                    return startup
                case _:
                    return None

    async def _login(self, channel: SocketChannel, startup: StartupMessage) -> None:
        """Raises Unsupported, and what ``Doorkeeper.admit`` raises."""
        if startup.parameters.get("replication", "false") not in ("false", "off", "no", "0"):
            raise Unsupported("replication connections are not supported")
        negotiation = startup.negotiation()
        if negotiation is not None:
            channel.send(negotiation)
        await self._doorkeeper.admit(channel, startup)

    async def _run_session(self, channel: SocketChannel, startup: StartupMessage) -> None:
        task = asyncio.current_task()
        if task is not None:
            self._starting.discard(task)
        if len(self._cancellations.sessions()) >= self._max_connections:
            raise _too_many()
        require_admitted(self._databases, startup.database, created_on_use=self._creates_databases)
        process_id, secret_key = self._cancellations.new_key()
        session = Session(
            self._databases,
            channel,
            user=startup.user,
            database=startup.database,
            process_id=process_id,
            startup=startup_settings(startup.parameters),
            client_address=channel.peer,
            plans=self._plans_of(startup.database),
            meter=self._meter,
            procedures=PROCEDURES,
            client_port=channel.peer_port,
            backends=self._backends,
        )
        channel.when_gone = session.abandon
        channel.send(AuthenticationOk())
        session.start()
        channel.send(BackendKeyData(process_id, secret_key))
        session.ready()
        self._cancellations.add(process_id, secret_key, session)
        self._databases.activity.sessions_begun += 1
        try:
            await session.run()
        finally:
            self._cancellations.remove(process_id)


    def _plans_of(self, database: str) -> PlanCache:
        plans = self._plans.pop(database) if database in self._plans else PlanCache(self._shared_plans)
        self._plans[database] = plans
        if len(self._plans) > PLAN_CACHES_MAX:
            del self._plans[next(iter(self._plans))]
        return plans


def _too_many() -> TooManyConnections:
    return TooManyConnections("sorry, too many clients already")


def _refuse(channel: SocketChannel, error: CatalogError) -> None:
    """A FATAL report, where the phase still allows one."""
    try:
        channel.send(ErrorResponse.of(error, severity="FATAL"))
    except CatalogError:
        logger.debug("a connection broke before its error could be sent: %s", error)
