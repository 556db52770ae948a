"""``rocklake rekey``: how many values each key has sealed, and all of them sealed with the first."""

from __future__ import annotations

import asyncio
import json
from base64 import b64encode
from pathlib import Path

import pytest

from rocklake_server.cli.exit_codes import ExitCode
from rocklake_server.errors import CatalogError, CorruptValue, FormatVersionUnsupported, InvalidParameterValue
from rocklake_server.store.base import Prefix, WriteBatch
from rocklake_server.store.keyring import FILE_VARIABLE
from rocklake_server.store.object_stores import parse_store_url
from rocklake_server.store.slate import open_slate_store
from tests.catalog.maintenance.whole_lake import DIRECTORY
from tests.cli.console import Ended
from tests.cli.lake_store import LAKE, make_store, run

KEYS = {name: b64encode(bytes([number]) * 32).decode() for number, name in enumerate(("old", "new"))}


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv(FILE_VARIABLE, "")  # what a command sets is taken back
    return make_store(tmp_path)


def rekey(command: str, store: str, file: Path, *names: str) -> Ended:
    file.write_text("".join(f"{name}:{KEYS[name]}\n" for name in names))
    return run("rekey", command, "--store", store, "--encryption-key-file", str(file), "--output", "json")


def keys_of(ended: Ended) -> dict[str | None, bool]:
    return {record["key"]: record["is_current"] for record in json.loads(ended.stdout)}


def test_a_key_comes_is_replaced_and_goes(store: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "keys"
    ended = rekey("plan", store, file, "old")
    assert (ended.code, keys_of(ended)) == (ExitCode.FOUND, {None: False})
    ended = rekey("apply", store, file, "old")
    assert (ended.code, keys_of(ended)) == (0, {"old": True})
    ended = rekey("plan", store, file, "new", "old")
    assert (ended.code, keys_of(ended)) == (ExitCode.FOUND, {"old": False})
    with pytest.raises(FormatVersionUnsupported, match='encrypted with key "old"'):
        rekey("apply", store, file, "new")
    ended = rekey("apply", store, file, "new", "old")
    assert (ended.code, keys_of(ended)) == (0, {"new": True})
    assert rekey("plan", store, file, "new").code == 0
    assert run("verify", "--store", store).code == 0
    monkeypatch.setenv(FILE_VARIABLE, "")
    with pytest.raises(FormatVersionUnsupported, match='encrypted with key "new"') as caught:
        run("inspect", "tables", "--store", store, "--lake", LAKE)
    assert caught.value.hint is not None


def test_every_command_reads_with_the_key(store: str, tmp_path: Path) -> None:
    before = [run("inspect", what, "--store", store, "--output", "json").stdout for what in ("tables", "snapshots")]
    assert rekey("apply", store, tmp_path / "keys", "new").code == 0
    assert [run("inspect", w, "--store", store, "--output", "json").stdout for w in ("tables", "snapshots")] == before
    backup = f"file://{tmp_path}/backup"
    assert run("backup", "--store", store, "--to", backup).code == 0
    assert keys_of(rekey("plan", backup, tmp_path / "keys", "new")) == {"new": True}
    assert run("clone", "--store", store, "--lake", LAKE, "--as", "copy").code == 0
    assert run("checkpoint", "create", "--store", store, "--lake", LAKE, "--name", "monday").code == 0
    for command in (("verify",), ("gc", "plan", "--lake", LAKE, "--keep-last", "3"),
                    ("undelete", "list", "--lake", LAKE), ("inspect", "lakes"),
                    ("checkpoint", "list", "--lake", LAKE)):  # fmt: skip
        try:
            ended = run(*command, "--store", store)
        except CatalogError as error:
            raise AssertionError(command) from error
        assert ended.code == 0, (command, ended)


def test_values_that_do_not_open_are_found_by_verify_one_by_one(store: str, tmp_path: Path) -> None:
    file = tmp_path / "keys"
    assert rekey("apply", store, file, "new").code == 0

    async def damage() -> None:
        lake = await open_slate_store(parse_store_url(store, {}).child(DIRECTORY))
        async for entries in (await lake.snapshot()).scan(Prefix(b"\x0b")):
            changed = {key: value[:-1] + bytes([value[-1] ^ 1]) for key, value in entries[:2]}
        await lake.write(WriteBatch(dict(changed)))
        await lake.close()

    asyncio.run(damage())
    ended = run("verify", "--store", store, "--lake", LAKE, "--output", "json")
    assert ended.code == ExitCode.FOUND
    found = [record for record in json.loads(ended.stdout) if record["check"] == "value-envelope"]
    assert len(found) == 2
    assert 'encrypted with key "new"' in found[0]["what"]
    with pytest.raises(CorruptValue, match='does not open with encryption key "new"'):
        run("inspect", "tables", "--store", store, "--lake", LAKE)


def test_there_is_nothing_to_do_without_a_key(store: str) -> None:
    for command in ("plan", "apply"):
        with pytest.raises(InvalidParameterValue, match="no encryption key to write with"):
            run("rekey", command, "--store", store)
