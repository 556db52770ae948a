"""The lease: one holder at a time, in its own eyes too, whatever the store, the network and the machine do."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator

import pytest

from rocklake_server.clock import elapsed_s
from rocklake_server.errors import (
    RETRY_WORDS,
    CannotConnectNow,
    CatalogError,
    CorruptValue,
    StoreUnavailable,
    Unsupported,
)
from rocklake_server.store import lease_claim
from rocklake_server.store.lease import Lease
from rocklake_server.store.lease_claim import TRUSTED_PART, WAITED_PART
from rocklake_server.store.lease_object import LEASE_OBJECT, LeaseObject, LeaseRecord
from rocklake_server.store.object_stores import SCHEMES, StoreLocation, parse_store_url
from tests.s3_stub import Action, Fault, S3Stub

LEASE_S = 0.7
KEY = f"some/prefix/{LEASE_OBJECT}"


class JumpingClock:
    """The real one, plus what the test adds: a machine that slept, or a process that was stopped."""

    def __init__(self) -> None:
        self.added_s = 0.0

    def __call__(self) -> float:
        return elapsed_s() + self.added_s


class Servers:
    """Leases that a test acquires; those it does not end itself are forgotten at its end, as by a crash."""

    def __init__(self, location: StoreLocation) -> None:
        self.location = location
        self.clock = JumpingClock()
        self._leases: list[Lease] = []

    async def acquire(self, *, lease_s: float = LEASE_S, takeover: bool = False) -> Lease:
        lease = await Lease.acquire(self.location, lease_s=lease_s, takeover=takeover, now=self.clock)
        self._leases.append(lease)
        return lease

    async def crash(self, *leases: Lease) -> None:
        for lease in leases or self._leases:
            lease._keeper.cancel()
            await asyncio.gather(lease._keeper, return_exceptions=True)


@pytest.fixture
async def servers(stub: S3Stub) -> AsyncIterator[Servers]:
    running = Servers(parse_store_url("s3://bucket/some/prefix", stub.variables))
    yield running
    await running.crash()


async def eventually(has_happened) -> None:
    async with asyncio.timeout(10):
        while not has_happened():
            await asyncio.sleep(0.01)


def refuse(stub: S3Stub) -> None:
    stub.faults += [Fault(verb, Action.REFUSE, LEASE_OBJECT, times=None) for verb in ("GET", "PUT")]


# -- one holder -------------------------------------------------------------------------------------------------------


async def test_a_live_holder_is_not_displaced_and_is_named(servers: Servers) -> None:
    first = await servers.acquire(lease_s=3.0)
    began = time.monotonic()
    with pytest.raises(CannotConnectNow) as caught:
        await servers.acquire()
    text = str(caught.value)
    assert "in use by another server (process " in text
    assert "--takeover" in text
    assert not any(word in text for word in RETRY_WORDS)
    assert time.monotonic() - began < 3.0 * WAITED_PART - 0.2, "its first renewal tells"
    first.require()


async def test_a_lease_that_was_given_back_is_free_at_once(servers: Servers, stub: S3Stub) -> None:
    await (await servers.acquire()).release()
    gets = stub.count("GET")
    second = await servers.acquire()
    assert stub.count("GET") - gets == 1
    assert second.displaced is None
    second.require()


async def test_after_a_crash_the_next_server_waits_for_the_lease_and_no_longer(servers: Servers) -> None:
    first = await servers.acquire()
    await servers.crash(first)
    began = time.monotonic()
    second = await servers.acquire()
    waited_s = time.monotonic() - began
    assert WAITED_PART * LEASE_S <= waited_s < WAITED_PART * LEASE_S + 1.0
    assert second.displaced is not None
    assert not first.is_held, "in its own eyes its time ended before"


async def test_the_holder_stops_trusting_before_anybody_may_take(servers: Servers) -> None:
    assert TRUSTED_PART < WAITED_PART < 1
    first = await servers.acquire()
    await servers.crash(first)
    servers.clock.added_s += LEASE_S * TRUSTED_PART
    with pytest.raises(StoreUnavailable, match="the lease on store"):
        first.require()


async def test_the_time_of_the_holder_counts_and_not_that_of_the_next_server(servers: Servers) -> None:
    await servers.crash(await servers.acquire(lease_s=1.5))
    began = time.monotonic()
    await servers.acquire(lease_s=0.5)
    assert time.monotonic() - began >= 1.5 * WAITED_PART


@pytest.mark.parametrize("before", ["nothing", "a lease that was given back", "a crashed holder"])
async def test_of_servers_that_start_at_once_one_gets_the_lease(servers: Servers, before: str) -> None:
    if before != "nothing":
        first = await servers.acquire(lease_s=0.5)
        await (servers.crash(first) if "crashed" in before else first.release())
    found = await asyncio.gather(*(servers.acquire() for _ in range(6)), return_exceptions=True)
    assert [type(lease) for lease in found].count(Lease) == 1
    assert all(isinstance(other, Lease | CannotConnectNow) for other in found)


# -- takeover ---------------------------------------------------------------------------------------------------------


async def test_a_takeover_is_granted_once_the_old_holder_has_stopped(servers: Servers, stub: S3Stub) -> None:
    lease_s = 3.0
    first = await servers.acquire(lease_s=lease_s)
    began = time.monotonic()
    taking = asyncio.create_task(servers.acquire(lease_s=lease_s, takeover=True))
    while not taking.done():
        before = first.is_lost
        await asyncio.sleep(0.005)
        assert not taking.done() or before or first.is_lost
    second = await taking
    assert time.monotonic() - began < lease_s * WAITED_PART, "it did not wait for the end of the lease"
    assert (first.is_lost, second.is_held) == (True, True)
    with pytest.raises(CannotConnectNow, match="another server has taken store"):
        first.require()
    with pytest.raises(CannotConnectNow):
        await first.confirm()
    puts = stub.count("PUT")
    await first.release()
    assert stub.count("PUT") == puts, "what is lost is not given back"
    await second.confirm()


async def test_a_takeover_from_a_server_that_does_not_answer_waits_for_its_time(servers: Servers) -> None:
    first = await servers.acquire()
    await servers.crash(first)
    began = time.monotonic()
    await servers.acquire(takeover=True)
    assert time.monotonic() - began >= LEASE_S * WAITED_PART
    assert not first.is_held


async def test_a_third_server_respects_the_time_of_the_displaced_one(servers: Servers, stub: S3Stub) -> None:
    first = await servers.acquire(lease_s=1.5)
    await servers.crash(first)
    puts = stub.count("PUT")
    taking = asyncio.create_task(servers.acquire(lease_s=0.5, takeover=True))
    await eventually(lambda: stub.count("PUT") > puts)
    taking.cancel()
    began = time.monotonic()
    await servers.acquire(lease_s=0.5)
    assert time.monotonic() - began >= 1.5 * WAITED_PART


async def test_takeovers_at_once_leave_one_holder(servers: Servers) -> None:
    first = await servers.acquire()
    found = await asyncio.gather(*(servers.acquire(takeover=True) for _ in range(4)), return_exceptions=True)
    await asyncio.sleep(LEASE_S)
    assert [lease.is_held for lease in found if isinstance(lease, Lease)].count(True) == 1
    assert first.is_lost


# -- losing time ------------------------------------------------------------------------------------------------------


async def test_a_lease_that_is_renewed_stays(servers: Servers) -> None:
    lease = await servers.acquire(lease_s=0.5)
    for _ in range(60):
        await asyncio.sleep(0.02)
        lease.require()


async def test_an_outage_suspends_the_lease_and_its_end_restores_it(servers: Servers, stub: S3Stub) -> None:
    lease = await servers.acquire(lease_s=1.5)
    puts = stub.count("PUT")
    await eventually(lambda: stub.count("PUT") > puts)
    await asyncio.sleep(0.05)
    refuse(stub)
    await asyncio.sleep(0.3)
    lease.require()
    await eventually(lambda: not lease.is_held)
    for refused in (lease.wait(), lease.confirm()):
        with pytest.raises(StoreUnavailable):
            await refused
    assert not lease.is_lost
    stub.faults.clear()
    await eventually(lambda: lease.is_held)
    await lease.wait()


async def test_a_renewal_counts_from_when_it_was_sent(servers: Servers, stub: S3Stub) -> None:
    lease = await servers.acquire(lease_s=2.0)
    stub.delays_s["PUT"] = 0.3
    before = lease._trusted_until
    await eventually(lambda: lease._trusted_until > before)
    assert lease._trusted_until - servers.clock() <= 2.0 * TRUSTED_PART - 0.3


async def test_a_store_that_hangs_suspends_the_lease(servers: Servers, stub: S3Stub) -> None:
    lease = await servers.acquire()
    stub.delays_s["PUT"] = 30.0
    await eventually(lambda: not lease.is_held)
    stub.delays_s.clear()
    await eventually(lambda: lease.is_held)


async def test_a_process_that_was_stopped_answers_nothing_before_it_has_asked_the_store(servers: Servers) -> None:
    lease = await servers.acquire(lease_s=3.0)
    servers.clock.added_s += 60.0
    with pytest.raises(StoreUnavailable):
        lease.require()
    await lease.wait()
    lease.require()


async def test_a_process_that_was_stopped_finds_that_it_was_replaced(servers: Servers) -> None:
    first = await servers.acquire()
    await servers.crash(first)
    second = await servers.acquire()
    assert not first.is_lost
    with pytest.raises(CannotConnectNow, match="taken store"):
        await first.confirm()
    assert first.is_lost
    second.require()


async def test_waiting_sessions_are_woken_by_the_renewal(servers: Servers, stub: S3Stub) -> None:
    lease = await servers.acquire()
    refuse(stub)
    await eventually(lambda: not lease.is_held)
    waiting = [asyncio.create_task(lease.wait()) for _ in range(50)]
    await asyncio.sleep(0)
    stub.faults.clear()
    assert await asyncio.gather(*waiting) == [None] * 50


# -- lost answers -----------------------------------------------------------------------------------------------------


async def test_a_lost_answer_to_a_renewal_loses_nothing(servers: Servers, stub: S3Stub) -> None:
    lease = await servers.acquire()
    for _ in range(3):
        fault = Fault("PUT", Action.LOSE_RESPONSE, LEASE_OBJECT)
        stub.faults.append(fault)
        await eventually(lambda fault=fault: fault.times == 0)
    await lease.confirm()
    await asyncio.sleep(LEASE_S)
    lease.require()


async def test_a_lost_answer_to_the_claim_does_not_lock_the_server_out(servers: Servers, stub: S3Stub) -> None:
    stub.faults.append(Fault("PUT", Action.LOSE_RESPONSE, LEASE_OBJECT))
    (await servers.acquire()).require()


async def test_a_lost_answer_to_a_takeover_does_not_lock_the_server_out(servers: Servers, stub: S3Stub) -> None:
    first = await servers.acquire()
    await servers.crash(first)
    stub.faults.append(Fault("PUT", Action.LOSE_RESPONSE, LEASE_OBJECT))
    (await servers.acquire(takeover=True)).require()


async def test_a_lease_that_somebody_removed_is_written_again_while_it_is_trusted(
        servers: Servers, stub: S3Stub) -> None:
    lease = await servers.acquire()
    del stub.objects["bucket"][KEY]
    await eventually(lambda: KEY in stub.objects["bucket"])
    await asyncio.sleep(LEASE_S)
    lease.require()


async def test_a_lease_that_ran_out_and_was_removed_is_lost(servers: Servers, stub: S3Stub) -> None:
    """Another server may have come and gone."""
    lease = await servers.acquire()
    await servers.crash(lease)
    del stub.objects["bucket"][KEY]
    servers.clock.added_s += LEASE_S
    with pytest.raises(CannotConnectNow, match="its lease was removed"):
        await lease.confirm()
    assert KEY not in stub.objects["bucket"]


# -- stores -----------------------------------------------------------------------------------------------------------


async def test_a_store_that_ignores_conditions_is_refused(servers: Servers, stub: S3Stub) -> None:
    stub.ignored_conditions = frozenset({"if-match"})
    with pytest.raises(Unsupported, match="it ignores If-Match"):
        await servers.acquire()


async def test_a_store_that_is_gone_is_an_error_in_bounded_time(
        servers: Servers, stub: S3Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease_claim, "STORE_START_TIMEOUT_S", 0.5)
    refuse(stub)
    began = time.monotonic()
    with pytest.raises(StoreUnavailable) as caught:
        await servers.acquire()
    assert time.monotonic() - began < 3
    assert "stub-secret" not in str(caught.value)
    assert "stub-access" not in str(caught.value)


async def test_a_store_that_comes_late_is_waited_for(servers: Servers, stub: S3Stub) -> None:
    stub.faults.append(Fault("GET", Action.REFUSE, LEASE_OBJECT, times=2))
    (await servers.acquire()).require()


@pytest.mark.parametrize(("fault", "why"), [
    (Fault("PUT", Action.REFUSE, times=None, status=403), "access is denied"),
    (None, "the bucket does not exist"),
])
async def test_what_no_waiting_cures_is_told_at_once(stub: S3Stub, fault: Fault | None, why: str) -> None:
    stub.faults += [fault] if fault else []
    location = parse_store_url(f"s3://{'bucket' if fault else 'missing'}/x", stub.variables)
    began = time.monotonic()
    with pytest.raises(CatalogError, match=why):
        await Lease.acquire(location, lease_s=10.0, takeover=False)
    assert time.monotonic() - began < 5


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"{}", b'{"holder_id": 1, "holder": "", "lease_s": 1}',
                                  b'{"holder_id": "a", "holder": "b", "lease_s": -1}'])
async def test_an_object_that_is_no_lease_is_corruption(servers: Servers, stub: S3Stub, body: bytes) -> None:
    await (await servers.acquire()).release()
    held = stub.objects["bucket"][KEY]
    stub.objects["bucket"][KEY] = type(held)(body, held.etag, held.metadata, held.modified)
    with pytest.raises(CorruptValue, match=LEASE_OBJECT):
        await servers.acquire()


def test_the_record_survives_its_encoding() -> None:
    record = LeaseRecord("id", "process 1 on häuschen", 2.5, renewal=7, released=True, asks="other")
    assert LeaseRecord.decode(record.encode()) == record


VALUES = {"endpoint": "http://127.0.0.1:9", "base_url": "http://127.0.0.1:9", "account_key": "c2VjcmV0",
          "application_credentials": "", "service_account": "", "service_account_key": "", "sas_token": "a=b"}


@pytest.mark.parametrize("scheme", [name for name in SCHEMES if name not in ("file", "memory")])
def test_the_client_knows_every_option_that_a_variable_can_set(scheme: str) -> None:
    options = {
        variable.option: "true" if variable.is_boolean else VALUES.get(variable.option, "value")
        for variable in SCHEMES[scheme].variables
    }
    given = tuple((option, value) for option, value in options.items() if value)
    assert len(given) > 1
    LeaseObject(StoreLocation(scheme, "bucket", "x", given), timeout_s=1.0)


async def test_a_lease_costs_three_requests_in_its_time(servers: Servers, stub: S3Stub) -> None:
    await servers.acquire(lease_s=0.6)
    before = sum(stub.counts.values())
    await asyncio.sleep(1.5)
    assert 4 <= sum(stub.counts.values()) - before <= 8
