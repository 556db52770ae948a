"""``rocklake dropped``: a dropped lake comes back whole, or goes for good, and nothing goes by looking."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from rocklake_server.catalog.database_admin import drop_database
from rocklake_server.catalog.directory import Directory
from rocklake_server.catalog.listing import NEXT_LAKE
from rocklake_server.errors import (
    CannotConnectNow,
    CorruptValue,
    FormatVersionUnsupported,
    ObjectInUse,
    ObjectNotInPrerequisiteState,
    UndefinedObject,
)
from rocklake_server.store.base import WriteBatch
from rocklake_server.store.folder_lock import FolderLock
from rocklake_server.store.object_stores import StoreLocation, parse_store_url
from rocklake_server.store.slate import open_slate_store
from tests.catalog.engine import Engine, insert, select
from tests.catalog.slate_engine import running_engine
from tests.cli.lake_store import run
from tests.s3_stub import S3Stub

SNAPSHOT = {"snapshot_id": 1, "schema_version": 0, "next_catalog_id": 1, "next_file_id": 0}


async def make(location: StoreLocation) -> None:
    """Database ``lake`` with a row is dropped, database ``kept`` is not."""
    async with running_engine(location) as engine:
        await engine.create_catalog()
        transaction = await engine.begin()
        await insert(transaction, "ducklake_snapshot", SNAPSHOT)
        await transaction.commit()
        place = await engine.databases.directory.register("kept", "public")
        assert place.number == 2
        await engine.databases.lake_of("kept", "public")
        await drop_database(engine.databases, "lake", "postgres", force=False)


@pytest.fixture(params=["file", "s3"])
def store(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    if request.param == "file":
        url = f"file://{tmp_path}/store"
        asyncio.run(make(parse_store_url(url, {})))
        yield url
        return
    with S3Stub() as stub:
        for name, value in stub.variables.items():
            monkeypatch.setenv(name, value)
        asyncio.run(make(parse_store_url("s3://bucket/catalog", stub.variables)))
        yield "s3://bucket/catalog"


def facts(*arguments: str) -> dict[str, object]:
    ended = run("dropped", *arguments, "--output", "json")
    assert ended.code == 0, ended
    found: dict[str, object] = json.loads(ended.stdout)
    return found


def listed(store: str) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads(run("dropped", "list", "--store", store, "--output", "json").stdout)
    return found


def audited(store: str) -> list[str]:
    found = json.loads(run("dropped", "audit", "--store", store, "--output", "json").stdout)
    return [record["what"] for record in found]


@asynccontextmanager
async def serving(store: str) -> AsyncIterator[Engine]:
    import os

    async with running_engine(parse_store_url(store, os.environ)) as engine:
        yield engine


async def rows_of(store: str) -> list[tuple[object, ...]]:
    async with serving(store) as engine:
        return list(await select(await engine.begin(read_only=True), "ducklake_snapshot", "snapshot_id"))


def test_a_dropped_lake_is_listed_and_comes_back_with_its_rows(store: str) -> None:
    (found,) = listed(store)
    assert (found["number"], found["database"], found["schema"]) == (1, "lake", "public")
    assert found["can_be_restored"] is True
    assert str(found["dropped_at"]).startswith("2000-01-01")
    assert int(str(found["objects"])) > 0
    planned = facts("restore", "plan", "--store", store, "--number", "1")
    assert (planned["becomes"], planned["commit_sequence"]) == ("lake/public", 2)
    assert listed(store) == [found], "a plan changes nothing"
    assert facts("restore", "apply", "--store", store, "--number", "1") == planned
    assert listed(store) == []
    assert audited(store) == ["restore"]
    assert asyncio.run(rows_of(store)) == [(1,)]


def test_another_name_is_taken_and_one_that_is_not_free_is_refused(store: str) -> None:
    with pytest.raises(ObjectNotInPrerequisiteState, match='"kept/public" exists; restore under another name'):
        run("dropped", "restore", "apply", "--store", store, "--number", "1", "--as", "kept")
    assert facts("restore", "apply", "--store", store, "--number", "1", "--as", "kept/old")["becomes"] == "kept/old"

    async def schemas() -> list[str]:
        async with serving(store) as engine:
            return list(engine.databases.directory.schemas("kept"))

    assert asyncio.run(schemas()) == ["old", "public"]


def test_an_excised_lake_leaves_nothing_and_the_others_stay(store: str) -> None:
    planned = facts("excise", "plan", "--store", store, "--number", "1")
    assert listed(store)[0]["objects"] == planned["objects"], "a plan removes nothing"
    done = facts("excise", "apply", "--store", store, "--number", "1")
    assert int(str(done["objects"])) >= int(str(planned["objects"]))
    assert listed(store) == []
    assert audited(store) == ["excise"]
    with pytest.raises(UndefinedObject, match="no dropped lake 1; dropped lakes are: none"):
        run("dropped", "restore", "plan", "--store", store, "--number", "1")

    async def lakes() -> list[str]:
        async with serving(store) as engine:
            assert await engine.databases.lake_of("kept", "public") is not None
            return list(engine.databases.directory.databases())

    assert asyncio.run(lakes()) == ["kept"]
    if store.startswith("file://"):
        folder = Path(store.removeprefix("file://"))
        assert [path.name for path in (folder / "lakes").iterdir()] == ["2"]


# -- what is in the way -----------------------------------------------------------------------------------------------


@pytest.fixture
def folder_store(tmp_path: Path) -> str:
    url = f"file://{tmp_path}/store"
    asyncio.run(make(parse_store_url(url, {})))
    return url


def test_a_checkpoint_keeps_its_lake(folder_store: str) -> None:
    number = ("--store", folder_store, "--number", "1")
    run("dropped", "restore", "apply", *number)
    assert run("checkpoint", "create", "--store", folder_store, "--lake", "lake", "--name", "monday").code == 0

    async def drop() -> None:
        async with serving(folder_store) as engine:
            await drop_database(engine.databases, "lake", "postgres", force=False)

    asyncio.run(drop())
    for command in ("plan", "apply"):
        with pytest.raises(ObjectInUse, match='"monday"; restore it and delete them first'):
            run("dropped", "excise", command, *number)
    run("dropped", "restore", "apply", *number)
    assert asyncio.run(rows_of(folder_store)) == [(1,)]


def test_an_excision_that_was_interrupted_is_finished_and_never_restored(folder_store: str) -> None:
    location = parse_store_url(folder_store, {})

    async def begin() -> None:
        directory = await Directory.open(await open_slate_store(location.child("system")))
        await directory.begin_excision(1, 5)
        await directory.close()

    asyncio.run(begin())
    assert listed(folder_store)[0]["can_be_restored"] is False
    for command in ("plan", "apply"):
        with pytest.raises(ObjectNotInPrerequisiteState, match="finish the excision"):
            run("dropped", "restore", command, "--store", folder_store, "--number", "1")
    facts("excise", "apply", "--store", folder_store, "--number", "1")
    assert listed(folder_store) == []


def test_a_running_server_is_not_disturbed(folder_store: str) -> None:
    with FolderLock(parse_store_url(folder_store, {})):
        assert len(listed(folder_store)) == 1
        for command in ("restore", "excise"):
            facts(command, "plan", "--store", folder_store, "--number", "1")
            with pytest.raises(CannotConnectNow, match="stop the server first"):
                run("dropped", command, "apply", "--store", folder_store, "--number", "1")
    assert len(listed(folder_store)) == 1


def test_a_lake_of_a_newer_format_stays_dropped(folder_store: str) -> None:
    from rocklake_server.encoding.definitions import encode_number
    from rocklake_server.encoding.keys import system_key
    from rocklake_server.schema.system_subspaces import SYSTEM_FORMAT_VERSION

    async def age() -> None:
        lake = await open_slate_store(parse_store_url(folder_store, {}).child("lakes/1"))
        await lake.write(WriteBatch({system_key(SYSTEM_FORMAT_VERSION): encode_number(9)}))
        await lake.close()

    asyncio.run(age())
    with pytest.raises(FormatVersionUnsupported, match="format version 9"):
        run("dropped", "restore", "apply", "--store", folder_store, "--number", "1")
    assert len(listed(folder_store)) == 1


def test_a_damaged_list_is_told(folder_store: str) -> None:
    async def damage() -> None:
        system = await open_slate_store(parse_store_url(folder_store, {}).child("system"))
        await system.write(WriteBatch({NEXT_LAKE: b"\0"}))
        await system.close()

    asyncio.run(damage())
    with pytest.raises(CorruptValue, match="holds 1 bytes, not 8"):
        run("dropped", "list", "--store", folder_store)
