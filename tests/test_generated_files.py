"""Files that derive from the registry are in step with it, and describe the messages that the server runs on."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

from rocklake_server.encoding.descriptors import catalog_messages, file_descriptor
from rocklake_server.schema.derive import ddl
from rocklake_server.schema.generate import OUTPUTS, REPOSITORY
from rocklake_server.schema.messages import PACKAGE, message_name
from rocklake_server.schema.registry import BY_NAME, TABLES, columns_of
from tests.encoding.golden_values import GOLDEN_VALUES


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> descriptor_pb2.FileDescriptorProto:
    """``proto/catalog.proto`` as protoc reads it."""
    target = tmp_path_factory.mktemp("proto") / "catalog.bin"
    command = [sys.executable, "-W", "ignore", "-m", "grpc_tools.protoc", f"--proto_path={REPOSITORY / 'proto'}",
               f"--descriptor_set_out={target}", "catalog.proto"]
    finished = subprocess.run(command, capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stderr
    (file,) = descriptor_pb2.FileDescriptorSet.FromString(target.read_bytes()).file
    return file


@pytest.mark.parametrize("path", OUTPUTS)
def test_file_is_what_the_registry_generates(path: str) -> None:
    assert (REPOSITORY / path).read_text(encoding="utf-8") == OUTPUTS[path](), (
        f"{path} is out of step: run python -m rocklake_server.schema.generate"
    )


def test_protoc_reads_the_descriptors_that_the_server_runs_on(
        compiled: descriptor_pb2.FileDescriptorProto) -> None:
    running = file_descriptor("catalog.proto", PACKAGE, catalog_messages())
    for message in compiled.message_type:
        for field in message.field:
            field.ClearField("json_name")
    assert compiled == running


def test_golden_values_read_the_same_through_the_compiled_file(
        compiled: descriptor_pb2.FileDescriptorProto) -> None:
    pool = descriptor_pool.DescriptorPool()
    pool.Add(compiled)
    for name, row, value in GOLDEN_VALUES:
        table = BY_NAME[name]
        descriptor = pool.FindMessageTypeByName(f"{PACKAGE}.{message_name(table)}")
        parsed = message_factory.GetMessageClass(descriptor).FromString(bytes.fromhex(value)[5:])
        names = [*(column.name for column in columns_of(table, "1.1")), "ctid"]
        assert {field.name: content for field, content in parsed.ListFields()} == {
            column: content for column, content in zip(names, row, strict=True) if content is not None
        }


def test_ddl_names_a_relation_as_its_version_does() -> None:
    assert "CREATE TABLE ducklake_file_column_statistics (" in ddl("0.2")
    assert "CREATE TABLE ducklake_file_column_stats (" in ddl("0.3")
    assert "ducklake_macro" not in ddl("0.3")
    assert ddl("1.0").count("CREATE TABLE") == 28
    assert ddl().count("CREATE TABLE") == len(TABLES) == 29
    assert ddl().count("PRIMARY KEY") == 5


def test_generated_folders_hold_nothing_else() -> None:
    for folder in ("proto", "sql"):
        listed = {f"{folder}/{path.name}" for path in Path(REPOSITORY / folder).iterdir() if path.is_file()}
        assert listed == {path for path in OUTPUTS if path.startswith(folder)}
