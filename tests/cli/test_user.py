"""``rocklake user``: without a server, beside one and through one; passwords come and go unseen."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from rocklake_server.cli.exit_codes import ExitCode
from rocklake_server.errors import (
    CannotConnectNow,
    CatalogError,
    DuplicateObject,
    InvalidParameterValue,
    ObjectNotInPrerequisiteState,
    StoreUnavailable,
    UndefinedObject,
)
from tests.cli.console import command, environment
from tests.cli.lake_store import run
from tests.servers import RockLakeServer

PASSWORD = "correct horse"
NEW_PASSWORD = "battery staple"
TYPING_S_MAX = 30.0


@pytest.fixture(autouse=True)
def password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROCKLAKE_PASSWORD", PASSWORD)


@pytest.fixture
def store(tmp_path: Path) -> str:
    """A store with a superuser ``ada``, made before any server ran."""
    url = f"file://{tmp_path}/store"
    assert run("user", "add", "ada", "--superuser", "--store", url).code == 0
    return url


@pytest.fixture
def server(store: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[RockLakeServer]:
    """Started after ada's password was lost and set anew."""
    monkeypatch.setenv("ROCKLAKE_PASSWORD", NEW_PASSWORD)
    assert run("user", "alter", "ada", "--password", "--store", store).code == 0
    running = RockLakeServer(store, logs=tmp_path)
    running.start()
    yield running
    running.stop()


def listed(store: str) -> dict[str, dict[str, object]]:
    ended = run("user", "list", "--store", store, "--output", "json")
    assert ended.code == 0
    return {str(row.pop("role")): row for row in json.loads(ended.stdout)}


def dsn(server: RockLakeServer, user: str = "ada", password: str = NEW_PASSWORD) -> str:
    return f"host=127.0.0.1 port={server.port} dbname=lake user={user} password='{password}'"


def refused(error: type[CatalogError], *arguments: str) -> str:
    with pytest.raises(error) as caught:
        run(*arguments)
    return str(caught.value)


# -- without a server -------------------------------------------------------------------------------------------------


def test_users_are_managed_without_a_server(store: str) -> None:
    def user(*arguments: str) -> None:
        assert run("user", *arguments, "--store", store).code == 0

    user("add", "bob", "--valid-until", "2030-01-01", "--no-password")
    user("grant", "bob", "reader", "--lake", "lake", "--lake", "other")
    user("grant", "bob", "admin", "--lake", "lake")
    user("revoke", "bob", "reader", "--lake", "lake")
    assert listed(store) == {
        "ada": {"superuser": True, "login": True, "password": True, "valid_until": None, "grants": {}, "member_of": []},
        "bob": {"superuser": False, "login": True, "password": False, "valid_until": "2030-01-01 00:00:00+00",
                "grants": {"lake": ["admin"], "other": ["reader"]}, "member_of": []},
    }  # fmt: skip
    user("alter", "bob", "--password", "--no-login", "--valid-until", "infinity")
    user("revoke", "bob", "connect", "--lake", "lake")
    assert listed(store)["bob"] == {
        "superuser": False, "login": False, "password": True, "valid_until": None, "grants": {"other": ["reader"]},
        "member_of": [],
    }  # fmt: skip
    user("grant", "public", "reader", "--lake", "lake")
    assert listed(store)["public"] == {
        "superuser": None, "login": None, "password": None, "valid_until": None, "grants": {"lake": ["reader"]},
        "member_of": None,
    }  # fmt: skip
    user("revoke", "public", "connect", "--lake", "lake")
    user("remove", "bob")
    assert list(listed(store)) == ["ada"]
    assert "ada" in run("user", "list", "--store", store).stdout


def test_what_cannot_be_is_refused(store: str, tmp_path: Path) -> None:
    here = ("--store", store)
    refused(DuplicateObject, "user", "add", "ada", *here)
    refused(UndefinedObject, "user", "grant", "bob", "reader", "--lake", "lake", *here)
    refused(ObjectNotInPrerequisiteState, "user", "remove", "ada", *here)
    refused(ObjectNotInPrerequisiteState, "user", "add", "bob", "--store", f"file://{tmp_path}/empty")
    assert "nothing to change" in refused(InvalidParameterValue, "user", "alter", "ada", *here)
    assert "two different things" in refused(
        InvalidParameterValue, "user", "alter", "ada", "--password", "--no-password", *here
    )
    assert "name the store with --store" in refused(InvalidParameterValue, "user", "add", "bob")


def test_a_password_comes_from_a_file(store: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "password"
    file.write_text("from a file\nand not this\n")
    both = ("user", "add", "bob", "--password-file", str(file), "--store", store)
    assert "one of them is wanted" in refused(InvalidParameterValue, *both)
    monkeypatch.delenv("ROCKLAKE_PASSWORD")
    assert run(*both).code == 0
    file.write_text("\n")
    assert "is empty" in refused(InvalidParameterValue, *both)
    file.unlink()
    assert "cannot read password file" in refused(InvalidParameterValue, *both)
    assert "a password is wanted" in refused(InvalidParameterValue, "user", "add", "carl", "--store", store)


def test_a_password_is_typed_twice_and_not_shown(store: str) -> None:
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        command("user", "add", "bob", "--store", store), env=environment(), stdin=theirs, stdout=theirs, stderr=theirs,
        start_new_session=True,
    )  # fmt: skip
    os.close(theirs)
    said, typed, deadline = b"", 0, time.monotonic() + TYPING_S_MAX
    while time.monotonic() < deadline:
        try:
            piece = os.read(ours, 1000)
        except OSError:
            break
        said += piece
        if said.count(b": ") > typed and typed < 2:
            os.write(ours, b"typed by hand\n")
            typed += 1
    os.close(ours)
    assert process.wait(TYPING_S_MAX) == 0, said
    assert typed == 2
    assert b"typed by hand" not in said
    assert listed(store)["bob"]["password"] is True


# -- with one ---------------------------------------------------------------------------------------------------------


def test_users_are_managed_through_a_server(server: RockLakeServer, store: str) -> None:
    def user(*arguments: str) -> None:
        assert run("user", *arguments, "--server", dsn(server)).code == 0

    user("add", "bob")
    user("grant", "bob", "writer", "--lake", "lake")
    with psycopg.connect(dsn(server, "bob"), autocommit=True) as bob:
        bob.execute("CREATE TABLE t (a bigint)")
        user("revoke", "bob", "connect", "--lake", "lake")
        with pytest.raises(psycopg.OperationalError):
            bob.execute("SELECT * FROM t")
    user("remove", "bob")
    assert list(listed(store)) == ["ada"], "a list is read beside the server"

    held = refused(CannotConnectNow, "user", "remove", "ada", "--store", store)
    assert held.endswith('or change roles through it: --server "host=... user=... dbname=..."')
    refused(UndefinedObject, "user", "remove", "nobody", "--server", dsn(server))
    said = refused(StoreUnavailable, "user", "remove", "ada", "--server", dsn(server, password=PASSWORD))
    assert 'password authentication failed for user "ada"' in said
    log = server.log_path.read_text()
    assert "role user=ada address=127.0.0.1 action=create role=bob login=true superuser=false password=changed" in log
    assert NEW_PASSWORD not in log


def test_a_backup_asks_for_the_same_passwords(store: str, tmp_path: Path) -> None:
    copy = f"file://{tmp_path}/copy"
    run("user", "add", "bob", "--store", store)
    run("user", "grant", "bob", "reader", "--lake", "lake", "--store", store)
    assert run("backup", "--store", store, "--to", copy).code == 0
    assert listed(copy) == listed(store)


def test_no_option_takes_a_password(store: str) -> None:
    assert run("user", "add", "bob", "--password", "secret", "--store", store).code == ExitCode.USAGE
