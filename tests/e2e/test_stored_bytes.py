"""What others find in the store: every row of a lake under its documented key, read with SlateDB's own binding,
protoc's reading of the committed .proto, and the key table written down here."""

from __future__ import annotations

import asyncio
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import psycopg
import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from psycopg.rows import dict_row
from slatedb.uniffi import DbBuilder, KeyRange, ObjectStoreBuilder, ObjectStoreType

from tests.e2e.test_demo import run_demo
from tests.servers import RockLakeServer

REPOSITORY = Path(__file__).parents[2]

KEYS = {
    "ducklake_metadata": (0x01, "scope", "scope_id", "key"),
    "ducklake_snapshot": (0x02, "snapshot_id"),
    "ducklake_snapshot_changes": (0x03, "snapshot_id"),
    "ducklake_schema": (0x04, "schema_id", "begin_snapshot"),
    "ducklake_table": (0x05, "schema_id", "table_id", "begin_snapshot"),
    "ducklake_column": (0x06, "table_id", "column_id", "begin_snapshot"),
    "ducklake_data_file": (0x0B, "table_id", "data_file_id"),
    "ducklake_delete_file": (0x0C, "table_id", "delete_file_id"),
    "ducklake_inlined_data_tables": (0x0E, "table_id", "schema_version"),
    "ducklake_table_stats": (0x11, "table_id"),
    "ducklake_table_column_stats": (0x12, "table_id", "column_id"),
    "ducklake_file_column_stats": (0x13, "table_id", "column_id", "data_file_id"),
    "ducklake_schema_versions": (0x1C, "table_id", "begin_snapshot", "schema_version"),
}
"""Tag and key fields of the relations that a short tour fills; ids are 8 bytes, texts end 00 00, NULL is 80 and
zeros."""


def documented_key(name: str, row: dict[str, Any]) -> bytes:
    tag, *fields = KEYS[name]
    key = bytes([tag])
    for field in fields:
        value = row[field]
        if value is None:
            key += b"\x80" + bytes(7)
        elif isinstance(value, str):
            key += value.encode().replace(b"\0", b"\0\xff") + b"\0\0"
        else:
            key += struct.pack(">q", value)
    return key


def message_classes(folder: Path) -> dict[str, Any]:
    """The messages of proto/catalog.proto, as protoc reads it, by message name."""
    target = folder / "catalog.bin"
    subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "grpc_tools.protoc", f"--proto_path={REPOSITORY / 'proto'}",
         f"--descriptor_set_out={target}", "catalog.proto"],
        check=True,
    )
    (file,) = descriptor_pb2.FileDescriptorSet.FromString(target.read_bytes()).file
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return {
        message.name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{file.package}.{message.name}"))
        for message in file.message_type
    }


async def everything(folder: Path, path: str) -> dict[bytes, bytes]:
    """All keys and values of one SlateDB database."""
    builder = ObjectStoreBuilder(ObjectStoreType.LOCAL)
    builder.with_config("local_path", str(folder))
    db = await DbBuilder(path, builder.build()).build()
    found: dict[bytes, bytes] = {}
    everywhere = KeyRange(start=None, start_inclusive=False, end=None, end_inclusive=False)
    iterator = await db.scan(everywhere)
    while (entry := await iterator.next()) is not None:
        found[bytes(entry.key)] = bytes(entry.value)
    await db.shutdown()
    return found


def plain(value: Any) -> Any:
    """A value as psycopg gives it, in the form in which the message holds it."""
    if hasattr(value, "hex") and hasattr(value, "urn"):
        return value.bytes
    if hasattr(value, "timestamp"):
        seconds = value.timestamp() - 946_684_800
        return round(seconds * 1_000_000)
    return value


@pytest.mark.slow
def test_after_the_demo_every_row_is_under_its_documented_key(tmp_path: Path) -> None:
    done = run_demo(tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    store = tmp_path / "demo-lake" / "catalog"
    rows = served_rows(store, tmp_path)
    assert rows.keys() >= KEYS.keys()
    assert set(rows) - set(KEYS) == set(), "a relation with rows has no documented key in this test"
    stored = asyncio.run(everything(store, "lakes/1"))
    classes = message_classes(tmp_path)
    for name, found in rows.items():
        message = classes["".join(word.capitalize() for word in name.split("_"))]
        for row in found:
            value = stored.pop(documented_key(name, row))
            assert value[:5] == b"\x01SDKV"
            parsed = message.FromString(value[5:])
            columns = {field.name: content for field, content in parsed.ListFields() if field.number < 14_999}
            assert columns == {column: plain(content) for column, content in row.items() if content is not None}
    left = [key for key in stored if key[0] < 0xFB]
    assert not left, f"keys of declared relations without a row: {left}"


def served_rows(store: Path, logs: Path) -> dict[str, list[dict[str, Any]]]:
    """The rows of every declared relation that has some, as the server answers them."""
    server = RockLakeServer(f"file://{store}", logs=logs)
    server.start()
    try:
        with psycopg.connect(server.dsn("demo"), autocommit=True, row_factory=dict_row) as connection:
            names = [
                row["relname"]
                for row in connection.execute("SELECT relname FROM pg_class WHERE relkind = 'r'").fetchall()
                if not row["relname"].startswith(("ducklake_inlined_data_", "ducklake_inlined_delete_"))
                or row["relname"] == "ducklake_inlined_data_tables"
            ]
            answered = {name: connection.execute(f"SELECT * FROM {name}").fetchall() for name in names}
    finally:
        server.stop()
    return {name: found for name, found in answered.items() if found}
