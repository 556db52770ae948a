"""Outages, lost answers, refused access and other writers: each ends in one clear error, and in bounded time."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path
from time import perf_counter

import pytest

from rocklake_server.errors import (
    RETRY_WORDS,
    CannotConnectNow,
    CatalogError,
    OutcomeUnknown,
    StoreUnavailable,
)
from rocklake_server.store.base import Key
from rocklake_server.store.object_stores import StoreLocation, parse_store_url
from rocklake_server.store.slate import open_slate_store
from rocklake_server.store.slate_settings import SlateSettings
from tests.s3_stub import Action, Fault, S3Stub
from tests.store.places import keys, read, rows

_NO_RETRIES = SlateSettings(object_store_max_retries=0)


async def _refused_opening(location: StoreLocation, settings: SlateSettings | None = None) -> CatalogError:
    with pytest.raises(CatalogError) as caught:
        await open_slate_store(location, settings)
    text = str(caught.value)
    assert str(location) in text
    assert "stub-secret" not in text
    assert "stub-access" not in text
    assert not any(word in text for word in RETRY_WORDS)
    return caught.value


async def test_an_endpoint_that_nobody_serves_is_unavailable_in_bounded_time(stub: S3Stub) -> None:
    location = parse_store_url("s3://bucket/x", {**stub.variables, "AWS_ENDPOINT_URL": "http://127.0.0.1:1"})
    begin = perf_counter()
    error = await _refused_opening(location, SlateSettings(open_timeout_s=1.0))
    assert isinstance(error, StoreUnavailable)
    assert perf_counter() - begin < 5


async def test_an_endpoint_that_never_answers_is_unavailable_in_bounded_time(stub: S3Stub) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        endpoint = f"http://127.0.0.1:{silent.getsockname()[1]}"
        location = parse_store_url("s3://bucket/x", {**stub.variables, "AWS_ENDPOINT_URL": endpoint})
        begin = perf_counter()
        error = await _refused_opening(location, SlateSettings(open_timeout_s=1.0))
        assert isinstance(error, StoreUnavailable)
        assert "in time" in str(error)
        assert perf_counter() - begin < 5


@pytest.mark.parametrize("open_timeout_s", [0.0, 0.04, 0.08, 0.12, 0.16, 0.2])
async def test_an_opening_that_was_given_up_hinders_no_later_one(
        stub: S3Stub, bucket: StoreLocation, open_timeout_s: float) -> None:
    stub.delays_s.update(dict.fromkeys(("GET", "HEAD", "LIST", "PUT"), 0.03))
    await _refused_opening(bucket, SlateSettings(open_timeout_s=open_timeout_s))
    stub.delays_s.clear()
    store = await open_slate_store(bucket)
    await store.write(rows([b"a"]))
    assert await keys(store) == [b"a"]
    await store.close()


async def test_two_openings_that_make_the_same_manifest_find_no_damage(stub: S3Stub, bucket: StoreLocation) -> None:
    """As one that was given up and the one after it."""
    stub.delays_s["PUT"] = 0.1
    opened = await asyncio.gather(*(open_slate_store(bucket) for _ in range(2)), return_exceptions=True)
    stub.delays_s.clear()
    assert sum(not isinstance(each, BaseException) for each in opened) >= 1
    for each in opened:
        if isinstance(each, BaseException):
            assert isinstance(each, CannotConnectNow), each
        else:
            await each.close()
    store = await open_slate_store(bucket)
    await store.write(rows([b"a"]))
    assert await keys(store) == [b"a"]
    await store.close()


async def test_a_missing_bucket_is_named(stub: S3Stub) -> None:
    error = await _refused_opening(parse_store_url("s3://absent/x", stub.variables))
    assert isinstance(error, StoreUnavailable)
    assert "the bucket does not exist" in str(error)


async def test_refused_access_is_named(stub: S3Stub) -> None:
    stub.faults.append(Fault("PUT", Action.REFUSE, times=None, status=403))
    error = await _refused_opening(parse_store_url("s3://bucket/x", stub.variables))
    assert isinstance(error, StoreUnavailable)
    assert "access is denied" in str(error)


async def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    error = await _refused_opening(parse_store_url(f"file://{tmp_path}/file", {}))
    assert isinstance(error, StoreUnavailable)
    assert "cannot be created" in str(error)


async def test_a_lost_answer_to_a_put_is_not_an_error_and_the_batch_is_there_once(
        stub: S3Stub, bucket: StoreLocation) -> None:
    store = await open_slate_store(bucket)
    stub.faults.append(Fault("PUT", Action.LOSE_RESPONSE, "wal"))
    await store.write(rows([b"a"]))
    await store.write(rows([b"b"]))
    await store.close()
    store = await open_slate_store(bucket)
    assert await keys(store) == [b"a", b"b"]
    await store.close()


async def test_a_short_outage_only_delays_a_write(stub: S3Stub, bucket: StoreLocation) -> None:
    store = await open_slate_store(bucket)
    stub.faults.append(Fault("PUT", Action.REFUSE, "wal", times=3))
    await store.write(rows([b"a"]))
    assert await keys(store) == [b"a"]
    await store.close()


@pytest.mark.parametrize(("action", "landed"), [(Action.REFUSE, False), (Action.LOSE_RESPONSE, True)])
async def test_after_an_outage_the_outcome_is_unknown_and_reopening_tells_it(
        stub: S3Stub, bucket: StoreLocation, action: Action, landed: bool) -> None:
    store = await open_slate_store(bucket, _NO_RETRIES)
    await store.write(rows([b"before"]))
    if landed:
        stub.faults.append(Fault("PUT", action, "wal"))
        stub.faults.append(Fault("HEAD", Action.DROP, "wal", times=None))
    stub.faults.append(Fault("PUT", Action.REFUSE, "wal", times=None))
    with pytest.raises(OutcomeUnknown) as caught:
        await store.write(rows([b"during"]))
    assert not any(word in str(caught.value) for word in RETRY_WORDS)
    assert store.needs_reopen
    for refused in (store.snapshot(), store.write(rows([b"after"]))):
        with pytest.raises(CannotConnectNow, match="reopened"):
            await refused
    stub.faults.clear()
    await store.reopen()
    assert await keys(store) == ([b"before", b"during"] if landed else [b"before"])
    await store.write(rows([b"after"]))
    assert b"after" in await keys(store)
    await store.close()


async def test_reopening_while_the_outage_lasts_fails_and_may_be_repeated(stub: S3Stub) -> None:
    settings = SlateSettings(object_store_max_retries=0, open_timeout_s=0.5, close_timeout_s=0.5)
    bucket = parse_store_url("s3://bucket/x", stub.variables)
    store = await open_slate_store(bucket, settings)
    stub.faults.append(Fault("PUT", Action.REFUSE, times=None))
    with pytest.raises(OutcomeUnknown):
        await store.write(rows([b"a"]))
    with pytest.raises(StoreUnavailable):
        await store.reopen()
    assert store.needs_reopen
    with pytest.raises(CannotConnectNow, match="reopened"):
        await store.snapshot()
    stub.faults.clear()
    await store.reopen()
    await store.write(rows([b"b"]))
    await store.close()
    with pytest.raises(CannotConnectNow, match="closed"):
        await store.reopen()


async def test_a_cancelled_write_leaves_the_outcome_unknown(stub: S3Stub, bucket: StoreLocation) -> None:
    store = await open_slate_store(bucket)
    stub.delays_s["PUT"] = 0.2
    write = asyncio.ensure_future(store.write(rows([b"a"])))
    await asyncio.sleep(0.05)
    write.cancel()
    with pytest.raises(asyncio.CancelledError):
        await write
    assert store.needs_reopen
    stub.delays_s.clear()
    await store.reopen()
    assert await keys(store) in ([], [b"a"])
    await store.close()


async def test_a_writer_that_was_taken_over_writes_no_more(in_memory: StoreLocation) -> None:
    old = await open_slate_store(in_memory)
    await old.write(rows([b"old"]))
    snapshot = await old.snapshot()
    new = await open_slate_store(in_memory)
    with pytest.raises((OutcomeUnknown, CannotConnectNow)):  # found by its log's PUT, or by a poll before
        await old.write(rows([b"late"]))
    assert old.needs_reopen
    for refused in (old.write(rows([b"later"])), old.snapshot()):
        with pytest.raises(CannotConnectNow):
            await refused
    with pytest.raises(CannotConnectNow, match="another server has taken it over"):
        await snapshot.get(Key(b"old"))
    with pytest.raises(CannotConnectNow, match="another server has taken it over"):
        await read(snapshot)
    assert await keys(new) == [b"old"]
    await new.write(rows([b"new"]))
    await old.close()
    assert await keys(new) == [b"new", b"old"]
    await new.close()


async def test_an_idle_writer_notices_that_it_was_taken_over(in_memory: StoreLocation) -> None:
    old = await open_slate_store(in_memory, SlateSettings(overrides={"manifest_poll_interval": "50ms"}))
    new = await open_slate_store(in_memory)
    async with asyncio.timeout(5):
        while not old.needs_reopen:
            await asyncio.sleep(0.02)
    for refused in (old.write(rows([b"late"])), old.snapshot()):
        with pytest.raises(CannotConnectNow, match="another server has taken it over"):
            await refused
    await old.close()
    await new.close()
