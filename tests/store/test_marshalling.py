"""Each way of handing bytes to the library and back gives the same store."""

from __future__ import annotations

import sys

import pytest
from slatedb.uniffi._slatedb_uniffi import slatedb as binding

from rocklake_server.errors import InternalProblem
from rocklake_server.store import marshalling
from rocklake_server.store.base import Key
from rocklake_server.store.object_stores import StoreLocation
from rocklake_server.store.slate import open_slate_store
from tests.store.places import batch_of, read

_builder = binding._UniffiRustBufferBuilder
_operations: list[tuple[bytes, bytes | None]] = [
    (b"a", b""), (b"\x00", bytes(range(256))), (b"k" * 5000, b"\xff" * 100_000), (b"gone", b"1"), (b"gone", None)]


def test_the_fastest_level_is_active_on_the_library_that_the_package_pins() -> None:
    assert (marshalling.LEVEL, marshalling.DECODER) == ("direct", "direct")


@pytest.fixture
def stock_builder(monkeypatch: pytest.MonkeyPatch) -> None:
    """The wheel's own buffer builder, which this process has replaced at import."""
    write, pack = marshalling.STOCK_BUILDER
    monkeypatch.setattr(_builder, "write", write)
    monkeypatch.setattr(_builder, "_pack_into", pack)


@pytest.fixture(params=["direct", "memmove", "stock"])
def level(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "stock":
        request.getfixturevalue("stock_builder")
        monkeypatch.setattr(marshalling, "next_batch", marshalling.next_batch_stock)
    if request.param != "direct":
        monkeypatch.setattr(marshalling, "fill", marshalling.fill_stock)
    return str(request.param)


async def test_every_level_writes_the_same_bytes(level: str, in_memory: StoreLocation) -> None:
    store = await open_slate_store(in_memory)
    await store.write(batch_of(*_operations))
    expected = sorted((key, value) for key, value in dict(_operations).items() if value is not None)
    assert await read(await store.snapshot()) == expected
    await store.close()


def test_without_cffi_blocks_are_copied(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture,
                                        stock_builder: None) -> None:
    monkeypatch.setitem(sys.modules, "cffi", None)
    assert marshalling._choose_fill() == ("memmove", marshalling.fill_stock)
    assert _builder.write is marshalling._append
    assert "stays at level memmove" in caplog.text


def test_a_library_with_another_signature_is_not_called_directly(
        monkeypatch: pytest.MonkeyPatch, stock_builder: None) -> None:
    monkeypatch.setattr(marshalling, "_PUT_CHECKSUM", 1)
    assert marshalling._choose_fill() == ("memmove", marshalling.fill_stock)


def test_a_copy_that_spoils_bytes_is_put_back(monkeypatch: pytest.MonkeyPatch, stock_builder: None) -> None:
    def spoil(builder: object, data: bytes) -> None:
        good(builder, bytes(len(data)))

    good = marshalling._append
    monkeypatch.setattr(marshalling, "_append", spoil)
    before = _builder.write
    assert marshalling._choose_fill() == ("stock", marshalling.fill_stock)
    assert _builder.write is before


def test_a_reader_that_spoils_rows_is_not_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    def spoil(buffer: object) -> list[tuple[Key, bytes]]:
        return good(buffer)[1:]

    good = marshalling.decode_direct
    monkeypatch.setattr(marshalling, "decode_direct", spoil)
    assert marshalling._choose_next_batch() == ("stock", marshalling.next_batch_stock)


def test_a_refused_operation_is_an_error_at_every_level(level: str) -> None:
    with pytest.raises((InternalProblem, binding.Error)):
        marshalling.fill(binding.WriteBatch(), [(Key(b""), b"value")])
