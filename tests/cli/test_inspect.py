"""``rocklake inspect``: what it says about a lake, as a table and as JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rocklake_server.cli.exit_codes import ExitCode
from rocklake_server.encoding.keys import system_key
from rocklake_server.errors import (
    InvalidParameterValue,
    UndefinedDatabase,
    UndefinedFile,
    UndefinedObject,
    UndefinedTable,
)
from rocklake_server.schema.system_subspaces import SYSTEM_RETAIN_FROM
from tests.catalog.maintenance.whole_lake import Workbench
from tests.cli.console import rocklake, the_sentence
from tests.cli.lake_store import damage, make_store, run

Record = dict[str, Any]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    return make_store(tmp_path_factory.mktemp("lake"))


def records(store: str, *arguments: str) -> list[Record]:
    """What ``inspect`` prints as JSON."""
    ended = run("inspect", *arguments, "--store", store, "--output", "json")
    assert ended.code == 0
    found: list[Record] = json.loads(ended.stdout)
    return found


def columns(found: list[Record], *names: str) -> list[tuple[Any, ...]]:
    return [tuple(record[name] for name in names) for record in found]


def test_lakes(store: str) -> None:
    (lake,) = records(store, "lakes")
    assert (lake["lake"], lake["number"], lake["newest_snapshot"], lake["retain_from"]) == ("lake", 1, 6, None)
    assert lake["stored_bytes"] > 1000


def test_snapshots_with_what_they_changed(store: str) -> None:
    found = records(store, "snapshots", "--limit", "2")
    changes = [(5, "deleted_from_table:1"), (6, 'created_view:"main"."v"')]
    assert columns(found, "snapshot_id", "changes_made") == changes
    assert found[0]["snapshot_time"].startswith("2000-01-01 00:00:00.000005")
    assert len(records(store, "snapshots")) == 6


def test_tables_as_a_snapshot_has_them(store: str) -> None:
    names = ("schema", "name", "columns", "files", "rows_in_files", "bytes_in_files", "delete_files", "deleted_rows",
             "inlined_rows")  # fmt: skip
    assert columns(records(store, "tables"), *names) == [("main", "t", 2, 1, 10, 100, 1, 2, 1)]
    assert columns(records(store, "tables", "--at", "3"), *names) == [
        ("main", "gone", 1, 1, 10, 102, 0, 0, 0),
        ("main", "t", 2, 2, 20, 201, 0, 0, 2),
    ]


@pytest.mark.parametrize("table", ["t", "main.t", "1"])
def test_files_of_a_table_as_a_snapshot_has_them(store: str, table: str) -> None:
    assert columns(records(store, "files", "--table", table), "data_file_id", "path") == [(0, "0.parquet")]
    before = records(store, "files", "--table", table, "--at", "4")
    assert columns(before, "data_file_id", "end_snapshot") == [(0, None), (1, 5)]


def test_files_that_a_snapshot_registered(store: str) -> None:
    assert [record["data_file_id"] for record in records(store, "files", "--registered-at", "3")] == []
    with pytest.raises(UndefinedObject, match="no snapshot 2"):
        run("inspect", "files", "--registered-at", "2", "--store", store)


def test_the_history_of_a_thing(store: str) -> None:
    found = records(store, "history", "column", "1.2")
    assert columns(found, "column_name", "begin_snapshot", "end_snapshot") == [("b", 1, 3), ("c", 3, None)]
    assert columns(records(store, "history", "column", "1"), "column_name") == [("a",), ("b",), ("c",)]
    assert columns(records(store, "history", "tag", "1.comment"), "value") == [("old",), ("new",)]
    assert columns(records(store, "history", "data_file", "1"), "end_snapshot") == [(5,)]
    assert records(store, "history", "table", "77") == []


def test_sizes_of_everything(store: str) -> None:
    found = {(record["name"], record["kind"]): record for record in records(store, "relations")}
    assert found["ducklake_column", "declared"]["keys"] == 4
    assert found["ducklake_column", "declared"]["seen"] == 2
    assert found["ducklake_snapshot", "retired row"]["keys"] == 1
    assert found["visible_at", "index entry"]["keys"] == 3
    assert found["notes", "dropped relation"]["keys"] == 1
    (lake,) = records(store, "lakes")
    counted = [record for (_, kind), record in found.items() if kind not in ("counter", "system key")]
    assert sum(record["key_bytes"] + record["value_bytes"] for record in counted) == lake["stored_bytes"]
    earlier = {record["name"]: record["seen"] for record in records(store, "relations", "--at", "1")}
    assert (earlier["ducklake_column"], earlier["ducklake_data_file"]) == (3, 0)


def test_keys_decoded(store: str) -> None:
    found = records(store, "keys", "--relation", "ducklake_delete_file", "--values")
    assert columns(found, "key", "space", "name", "fields") == [
        ("0c00000000000000010000000000000003", "row", "ducklake_delete_file", {"table_id": 1, "delete_file_id": 3}),
    ]
    assert found[0]["value"]["path"] == "3.parquet"
    assert {record["space"] for record in records(store, "keys", "--limit", "0")} == {
        "row", "retired row", "index entry", "counter", "system key"}
    prefixed = records(store, "keys", "--prefix", "FC 03")
    assert columns(prefixed, "fields") == [({"index": "file_table", "data_file_id": number},) for number in range(3)]


def test_one_key_byte_by_byte(store: str) -> None:
    ended = run("inspect", "key", "06 0000000000000001 0000000000000002 0000000000000003", "--store", store,
                "--output", "json")  # fmt: skip
    facts = json.loads(ended.stdout)
    assert facts["contents"]["column_name"] == "c"
    spans = [(span["bytes"], span["what"], span["value"]) for span in facts["bytes"]]
    assert spans[:4] == [
        ("06", "key: tag", "ducklake_column"),
        ("0000000000000001", "key: table_id", 1),
        ("0000000000000002", "key: column_id", 2),
        ("0000000000000003", "key: begin_snapshot", 3),
    ]
    assert spans[4:6] == [("01", "value: encoding version", 1), ("53444b56", "value: magic", "SDKV")]
    assert "".join(span for span, what, _ in spans if what.startswith("key")) == facts["key"]
    shown = run("inspect", "key", facts["key"], "--store", store).stdout
    assert "field: column_name" in shown


def test_a_table_says_the_same(store: str) -> None:
    shown = run("inspect", "snapshots", "--store", store).stdout
    assert "snapshot id" in shown
    assert "deleted_from_table:1" in shown


def test_the_limit_is_told(store: str) -> None:
    ended = run("inspect", "keys", "--limit", "3", "--store", store)
    assert "3 rows; --limit 0 prints all" in ended.stderr


# -- what is refused --------------------------------------------------------------------------------------------------


def test_what_is_not_there_is_named(store: str) -> None:
    with pytest.raises(UndefinedDatabase, match=r'no lake "sales" in store .* its lakes are: "lake"'):
        run("inspect", "tables", "--store", store, "--lake", "sales")
    with pytest.raises(UndefinedTable, match='no table "nothing" at snapshot 6'):
        run("inspect", "files", "--table", "nothing", "--store", store)
    with pytest.raises(UndefinedTable, match='no relation "nothing"'):
        run("inspect", "keys", "--relation", "nothing", "--store", store)
    with pytest.raises(UndefinedObject, match="has no key 0100"):
        run("inspect", "key", "0100", "--store", store)
    with pytest.raises(UndefinedObject, match="no snapshot 99; its newest is 6"):
        run("inspect", "tables", "--at", "99", "--store", store)
    with pytest.raises(InvalidParameterValue, match='"cat" has no versions; choose one of column'):
        run("inspect", "history", "cat", "1", "--store", store)
    with pytest.raises(InvalidParameterValue, match=r'"x" does not name a column; write TABLE_ID\.COLUMN_ID'):
        run("inspect", "history", "column", "x", "--store", store)


def test_a_snapshot_below_the_boundary_is_refused_with_both_numbers(tmp_path: Path) -> None:
    store = make_store(tmp_path)

    def set_boundary(bench: Workbench) -> None:
        bench.number(system_key(SYSTEM_RETAIN_FROM), 4)

    damage(store, set_boundary)
    with pytest.raises(InvalidParameterValue, match="snapshot 3 is below 4, the oldest that is retained"):
        run("inspect", "tables", "--at", "3", "--store", store)
    assert columns(records(store, "tables", "--at", "4"), "name") == [("t",)]


def test_errors_are_one_line_and_a_code(store: str, tmp_path: Path) -> None:
    missing = rocklake("inspect", "lakes", "--store", f"file://{tmp_path}/nothing")
    assert the_sentence(missing, ExitCode.MISSING) == (
        f'there is no RockLake store at "file://{tmp_path}/nothing". Check --store.')
    assert list(tmp_path.iterdir()) == []
    unknown = rocklake("inspect", "tables", "--store", store, "--lake", "sales")
    assert 'its lakes are: "lake"' in the_sentence(unknown, ExitCode.MISSING)


def test_a_missing_store_is_an_error_of_its_class(tmp_path: Path) -> None:
    with pytest.raises(UndefinedFile):
        run("inspect", "lakes", "--store", f"file://{tmp_path}/nothing")
