"""The server's life: open the store, listen, wait for a signal, drain, close."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import signal
from collections.abc import Callable, Coroutine, Sequence
from contextlib import AsyncExitStack
from time import perf_counter

from rocklake_server.activity import Activity
from rocklake_server.catalog.databases import Databases
from rocklake_server.catalog.recovery import keep_usable, open_every_lake
from rocklake_server.catalog.rekeying import rekey_running
from rocklake_server.catalog.residency import Residency
from rocklake_server.clock import SystemClock
from rocklake_server.config import CreateDatabases, Listen, LoginSettings, ServerSettings
from rocklake_server.errors import CannotConnectNow, CatalogError, InvalidParameterValue
from rocklake_server.operations.schedule import Schedule, read_schedule
from rocklake_server.operations.scheduler import Scheduler
from rocklake_server.server.admin.observed import Observed
from rocklake_server.server.admin.port import AdminPort
from rocklake_server.server.admin.status import server_version
from rocklake_server.server.admin.surveyor import Surveyor
from rocklake_server.server.file_limit import allow_open_files
from rocklake_server.server.initial_role import make_initial_role
from rocklake_server.server.listener import Listener, connections_allowed
from rocklake_server.server.login_policy import HbaFile, Policy
from rocklake_server.server.tls import Tls, TlsFiles
from rocklake_server.server.tracing import SpanTracer, otlp_provider
from rocklake_server.session.statement_meter import StatementMeter
from rocklake_server.store import opening
from rocklake_server.store.base import Store
from rocklake_server.store.folder_lock import FolderLock
from rocklake_server.store.lease import Lease
from rocklake_server.store.measured import MeasuredStore
from rocklake_server.store.object_stores import StoreLocation, parse_store_url
from rocklake_server.store.ownership import UNDISPUTED, Ownership
from rocklake_server.telemetry import Tracer

logger = logging.getLogger(__name__)


GARBAGE_THRESHOLDS = (10_000, 20, 50)
"""Full collections visit every row in memory, which holds up all sessions: they are rare. Rows are in no cycles."""


Announce = Callable[[Listen, Listen | None], None]
"""Told where the server listens, and where its admin port does if it has one."""


async def serve(settings: ServerSettings, announce: Announce) -> None:
    """Run until SIGINT or SIGTERM. ``announce`` is called once connections are accepted. Raises CatalogError when the
    store or an address cannot be used."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    tls, policy = _tls(settings.login), _policy(settings)
    loop.add_signal_handler(signal.SIGHUP, _reload, (tls, policy.hba))
    location = parse_store_url(settings.store, settings.variables)
    if settings.takeover and not location.is_remote:
        raise InvalidParameterValue(f'store "{location}" cannot be taken over: only a bucket has a lease')
    schedule = Schedule() if settings.maintenance is None else read_schedule(settings.maintenance)
    async with AsyncExitStack() as stack:
        admin = AdminPort() if settings.admin is not None else None
        watched: Listen | None = None
        if admin is not None and settings.admin is not None:
            stack.push_async_callback(admin.close)
            watched = await _listening(admin, settings.admin)
        databases = await _opened_unless(stop, _open(settings, location, stack))
        if databases is None:
            return
        await make_initial_role(databases, settings.login)
        _run_until_closed(stack, Scheduler(databases, schedule).run())
        allow_open_files(connections_allowed(settings.max_connections))
        listener = Listener(
            databases, max_connections=settings.max_connections, busy_poll_s=settings.busy_poll_us / 1e6,
            meter=_meter(settings, databases), policy=policy, tls=tls,
            creates_databases=settings.create_databases is CreateDatabases.AUTO,
        )  # fmt: skip
        where = await _listening(listener, settings.listen)
        gc.freeze()
        gc.set_threshold(*GARBAGE_THRESHOLDS)
        if admin is not None:
            surveyor = Surveyor(databases, location)
            _run_until_closed(stack, surveyor.run())
            admin.observed = Observed(
                databases, str(location), listener.sessions, settings.max_connections, surveyor)
        announce(where, watched)
        await stop.wait()
        if admin is not None:
            admin.stopping = True
        logger.info("stopping: running statements may finish for %.0f s", settings.drain_timeout_s)
        await listener.stop(settings.drain_timeout_s)


def _tls(login: LoginSettings) -> Tls | None:
    """Raises InvalidParameterValue."""
    if login.tls_certificate is None or login.tls_key is None:
        return None
    return Tls(TlsFiles(login.tls_certificate, login.tls_key, login.tls_client_ca))


def _policy(settings: ServerSettings) -> Policy:
    """Raises InvalidParameterValue."""
    login = settings.login
    hba = None
    if login.hba_file is not None:
        hba = HbaFile(
            login.hba_file, has_tls=login.tls_certificate is not None, has_client_ca=login.tls_client_ca is not None
        )
    return Policy(hba, settings.insecure_trust)


def _reload(parts: Sequence[Tls | HbaFile | None]) -> None:
    """On SIGHUP. What cannot be used is logged, and stays as it was."""
    for part in parts:
        if part is not None:
            try:
                part.reload()
            except CatalogError as error:
                logger.warning("not reloaded: %s", error)
            else:
                logger.info("reloaded %s", part)


def _meter(settings: ServerSettings, databases: Databases) -> StatementMeter | None:
    """``None`` when nobody would see what it counts."""
    if settings.admin is None and settings.slow_statement_ms is None and databases.activity.tracer is None:
        return None
    slow_s = None if settings.slow_statement_ms is None else settings.slow_statement_ms / 1000
    return StatementMeter(databases.activity, slow_s)


def _tracer(settings: ServerSettings, stack: AsyncExitStack) -> Tracer | None:
    """``None`` unless traces are wanted. Raises Unsupported when OpenTelemetry is not installed."""
    if settings.otlp_endpoint is None:
        return None
    tracer = SpanTracer(otlp_provider(settings.otlp_endpoint, server_version()))
    stack.push_async_callback(asyncio.to_thread, tracer.close)
    return tracer


async def _open(settings: ServerSettings, location: StoreLocation, stack: AsyncExitStack) -> Databases:
    """Own the store, then open it; ``stack`` undoes both in turn."""
    ownership: Ownership = UNDISPUTED
    has_displaced = False
    activity = Activity()
    activity.tracer = _tracer(settings, stack)  # closed last: a collector that does not answer keeps no store
    stack.enter_context(FolderLock(location))
    if location.is_remote:
        lease = await Lease.acquire(location, lease_s=settings.lease_time_s, takeover=settings.takeover)
        stack.push_async_callback(lease.release)
        ownership, has_displaced = lease, lease.displaced is not None

    async def open_store(directory: str) -> Store:
        began_s, times = perf_counter(), activity.store_times
        store = await opening.open_store(location.child(directory), ownership=ownership, times=times)
        times.since("open", began_s)
        return store if settings.admin is None else MeasuredStore(store, times)

    residency = Residency(settings.image_memory_mib << 20)
    databases = await Databases.open(
        open_store, SystemClock(), ownership, residency, activity, open_lakes_max=settings.max_open_lakes,
        location=location)
    stack.push_async_callback(databases.close)
    _run_until_closed(stack, keep_usable(databases))
    if settings.rekey:
        if location.keyring is None:
            raise InvalidParameterValue("--rekey needs an encryption key; give --encryption-key-file")
        _run_until_closed(stack, rekey_running(databases))
    if has_displaced:
        _run_until_closed(stack, open_every_lake(databases))
    return databases


def _run_until_closed(stack: AsyncExitStack, work: Coroutine[None, None, None]) -> None:
    async def end() -> None:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    task = asyncio.create_task(work)
    stack.push_async_callback(end)


async def _opened_unless(stop: asyncio.Event, opening: Coroutine[None, None, Databases]) -> Databases | None:
    """What ``opening`` returns; ``None`` when the stop came first: a store that does not answer delays no stop."""
    task = asyncio.create_task(opening)
    stopped = asyncio.create_task(stop.wait())
    await asyncio.wait((task, stopped), return_when=asyncio.FIRST_COMPLETED)
    stopped.cancel()
    if task.done():
        return await task
    task.cancel()
    await asyncio.wait((task,))
    return None


async def _listening(listener: Listener | AdminPort, listen: Listen) -> Listen:
    try:
        return await listener.start(listen)
    except OSError as error:
        # The loop's own text for a failed bind repeats the address; errors of name resolution have negative numbers.
        number = error.errno or 0
        reason = os.strerror(number) if number > 0 else error.strerror or str(error)
        raise CannotConnectNow(f"cannot listen on {listen}: {reason}") from error
