"""Commands that write through the server that holds the store: ``--server``."""

from __future__ import annotations

import json
from collections.abc import Iterator

import psycopg
import pytest

from rocklake_server.cli.exit_codes import ExitCode
from rocklake_server.errors import InvalidParameterValue, StoreUnavailable, UndefinedObject
from tests.cli.console import rocklake, the_sentence
from tests.cli.lake_store import LAKE, make_store, run
from tests.servers import RockLakeServer
from tests.verified import damage_in


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RockLakeServer]:
    folder = tmp_path_factory.mktemp("held")
    running = RockLakeServer(make_store(folder), logs=folder)
    running.start()
    yield running
    running.stop()
    assert damage_in(running.store) == []


def through(server: RockLakeServer, *arguments: str) -> dict[str, object]:
    """What the command prints as JSON."""
    ended = run(*arguments, "--server", f"127.0.0.1:{server.port}", "--lake", LAKE, "--output", "json")
    assert ended.code == ExitCode.DONE, ended
    facts = json.loads(ended.stdout)
    assert isinstance(facts, dict)
    return facts


def test_a_command_that_finds_the_store_held_says_what_to_run(server: RockLakeServer) -> None:
    ended = rocklake("gc", "apply", "--store", server.store, "--lake", LAKE, "--keep-last", "2")
    assert the_sentence(ended, ExitCode.IN_USE).endswith(
        "stop the server first, or run it through that server: "
        "rocklake gc apply --lake lake --keep-last 2 --server HOST:PORT"
    )


def test_pins_gc_and_excise_go_through_the_server(server: RockLakeServer) -> None:
    pin = through(server, "pin", "add", "--snapshot", "4", "--reason", "it's an audit")
    assert (pin["snapshot"], pin["reason"]) == (4, "it's an audit")
    assert through(server, "gc", "apply", "--keep-last", "2")["held_by_pin"] == pin["pin"]
    ended = run("pin", "remove", str(pin["pin"]), "--server", server.dsn(""), "--lake", LAKE)
    assert ended.code == ExitCode.DONE
    facts = through(server, "gc", "apply", "--keep-last", "2")
    assert (facts["retained_from_before"], facts["retain_from"], facts["files_scheduled"]) == (4, 5, 1)
    assert through(server, "excise", "apply")["ended_rows"] == {"ducklake_inlined_data_1_1": 2}
    with psycopg.connect(server.dsn(LAKE)) as connection:
        assert connection.execute("SELECT snapshot_id FROM ducklake_snapshot").fetchall() == [(5,), (6,)]


def test_rows_come_back_and_paths_move_through_the_server(server: RockLakeServer) -> None:
    with psycopg.connect(server.dsn(LAKE), autocommit=True) as connection:
        connection.execute("DELETE FROM ducklake_tag WHERE value = 'new'")
    listed = run("undelete", "list", "--store", server.store, "--lake", LAKE, "--output", "json")
    commit = json.loads(listed.stdout)[-1]["commit"]
    facts = through(server, "undelete", "apply", "--commit", str(commit), "--relation", "ducklake_tag")
    assert facts["rows_brought_back"] == {"ducklake_tag": 1}
    facts = through(server, "relocate", "apply", "--data-path", "/elsewhere")
    assert (facts["old_data_path"], facts["new_data_path"]) == ("/lake/", "/elsewhere/")
    assert through(server, "repair", "apply") == {"lake": LAKE, "mended": [], "not_mended": {}}
    audit = run("inspect", "audit", "--store", server.store, "--lake", LAKE, "--output", "json")
    last = json.loads(audit.stdout)[-1]
    assert last["command"] == "relocate"
    assert last["who"].startswith("rocklake from 127.0.0.1")
    assert {"data_path": "/elsewhere/", "before": "/lake/"} in last["actions"]


def test_errors_of_the_server_are_those_of_the_command(server: RockLakeServer) -> None:
    address = f"127.0.0.1:{server.port}"
    with pytest.raises(UndefinedObject, match='database "nothing" has no lake yet'):
        run("gc", "apply", "--server", address, "--lake", "nothing", "--keep-last", "1")
    with pytest.raises(InvalidParameterValue, match="has no snapshot 99"):
        run("rollback", "apply", "--server", address, "--lake", LAKE, "--to-snapshot", "99")
    with pytest.raises(StoreUnavailable, match="connection"):
        run("gc", "apply", "--server", "127.0.0.1:1", "--lake", LAKE, "--keep-last", "1")
    with pytest.raises(InvalidParameterValue, match="--server"):
        run("gc", "apply", "--server", "host=a b", "--lake", LAKE, "--keep-last", "1")
    with pytest.raises(InvalidParameterValue, match="name the store with --store"):
        run("gc", "apply", "--lake", LAKE, "--keep-last", "1")


def test_a_policy_is_asked_for_before_the_server_is(server: RockLakeServer) -> None:
    ended = run("gc", "apply", "--server", f"127.0.0.1:{server.port}", "--lake", LAKE)
    assert ended.code == ExitCode.USAGE
    assert "exactly one of" in ended.stderr
