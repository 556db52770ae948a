"""Bytes between Python and the SlateDB library, without the wheel's loop over single bytes.

The wheel copies every outgoing byte by one Python assignment and reads every incoming field through three
Python calls. This module replaces both where it can prove, at import, that its own way gives the same bytes:

- ``LEVEL`` is ``direct`` (keys and values reach ``WriteBatch.put`` by cffi calls on the library that the
  wheel loaded), ``memmove`` (the wheel's own calls over a buffer builder that copies blocks) or ``stock``.
- ``DECODER`` is ``direct`` (one pass over the bytes of a scan batch) or ``stock``.

Encoding, from the UniFFI manual (Lifting, lowering and serialization): integers are big-endian; a byte string
in a buffer is an int32 length and its bytes; a sequence is an int32 count and its items; an optional is a flag
byte before what it may hold.
"""

from __future__ import annotations

import ctypes
import logging
import struct
from collections.abc import Callable, Coroutine, Iterable
from typing import Any

from slatedb.uniffi._slatedb_uniffi import slatedb as binding

from rocklake_server.errors import InternalProblem
from rocklake_server.store.base import Entry, Key

Operation = tuple[Key, bytes | None]
Fill = Callable[[Any, Iterable[Operation]], None]
"""Adds operations to the wheel's WriteBatch. A value of ``None`` deletes the key."""

NextBatch = Callable[[Any, int], Coroutine[Any, Any, list[Entry]]]
"""The next entries of the wheel's DbIterator; fewer than asked for means that it has ended."""

_log = logging.getLogger(__name__)

_BUILDER = getattr(binding, "_UniffiRustBufferBuilder", None)
STOCK_BUILDER = getattr(_BUILDER, "write", None), getattr(_BUILDER, "_pack_into", None)
"""The wheel's two copy loops, which ``memmove`` replaces."""

_LENGTH = struct.Struct(">i")
_PUT_CHECKSUM = 48246
_DELETE_CHECKSUM = 58549
_SAMPLES = (b"", b"k", bytes(range(256)), b"\x00\xff" * 3000)

_CDEF = """
typedef struct { uint64_t capacity; uint64_t len; uint8_t *data; } RustBuffer;
typedef struct { int32_t len; const uint8_t *data; } ForeignBytes;
typedef struct { int8_t code; RustBuffer error_buf; } CallStatus;
RustBuffer ffi_slatedb_uniffi_rustbuffer_from_bytes(ForeignBytes bytes, CallStatus *status);
void ffi_slatedb_uniffi_rustbuffer_free(RustBuffer buffer, CallStatus *status);
uint64_t uniffi_slatedb_uniffi_fn_clone_writebatch(uint64_t handle, CallStatus *status);
void uniffi_slatedb_uniffi_fn_method_writebatch_put(
    uint64_t handle, RustBuffer key, RustBuffer value, CallStatus *status);
void uniffi_slatedb_uniffi_fn_method_writebatch_delete(uint64_t handle, RustBuffer key, CallStatus *status);
uint16_t uniffi_slatedb_uniffi_checksum_method_writebatch_put(void);
uint16_t uniffi_slatedb_uniffi_checksum_method_writebatch_delete(void);
"""


def _require(holds: bool, what: str) -> None:
    if not holds:
        raise InternalProblem(f"the slatedb library differs from what this server knows: {what}")


def fill_stock(batch: Any, operations: Iterable[Operation]) -> None:
    """Through the wheel's own methods, whatever its buffer builder is."""
    for key, value in operations:
        if value is None:
            batch.delete(key)
        else:
            batch.put(key, value)


def _append(builder: Any, data: bytes) -> None:
    """Copies ``data`` to the end of the wheel's buffer builder in one block."""
    buffer, size = builder.rbuf, len(data)
    if buffer.len + size > buffer.capacity:
        builder.rbuf = buffer = binding._UniffiRustBuffer.reserve(buffer, size)
    ctypes.memmove(ctypes.addressof(buffer.data.contents) + buffer.len, bytes(data), size)
    buffer.len += size


def _pack(builder: Any, size: int, layout: str, value: Any) -> None:
    data = struct.pack(layout, value)
    _require(len(data) == size, "the size of a packed number")
    _append(builder, data)


def _install_memmove() -> None:
    """Replaces the builder's copy loops, and puts them back when a round trip fails."""
    builder = binding._UniffiRustBufferBuilder
    _require(None not in STOCK_BUILDER, "the buffer builder")
    builder.write, builder._pack_into = _append, _pack
    try:
        for sample in _SAMPLES:
            lowered = binding._UniffiFfiConverterBytes.lower(sample)
            _require(binding._UniffiFfiConverterBytes.lift(lowered) == sample, "byte strings")
        number = 2**63 + 1
        lowered = binding._UniffiFfiConverterOptionalUInt64.lower(number)
        _require(binding._UniffiFfiConverterOptionalUInt64.lift(lowered) == number, "numbers")
    except BaseException:
        builder.write, builder._pack_into = STOCK_BUILDER
        raise


def _load_direct() -> tuple[Any, Any]:
    """cffi's view of the library that the wheel has loaded, with layouts and signatures checked."""
    import cffi  # only this level needs it

    ffi = cffi.FFI()
    ffi.cdef(_CDEF)
    library = ffi.dlopen(binding._UniffiLib._name)
    for name, structure in (("RustBuffer", binding._UniffiRustBuffer),
                            ("ForeignBytes", binding._UniffiForeignBytes),
                            ("CallStatus", binding._UniffiRustCallStatus)):
        fields = dict(ffi.typeof(name).fields)
        _require(ffi.sizeof(name) == ctypes.sizeof(structure), f"the size of {name}")
        _require(list(fields) == [field[0] for field in structure._fields_], f"the fields of {name}")
        for field_name, field in fields.items():
            _require(field.offset == getattr(structure, field_name).offset, f"{name}.{field_name}")
    put_checksum = library.uniffi_slatedb_uniffi_checksum_method_writebatch_put()
    delete_checksum = library.uniffi_slatedb_uniffi_checksum_method_writebatch_delete()
    _require(put_checksum == _PUT_CHECKSUM, "WriteBatch.put")
    _require(delete_checksum == _DELETE_CHECKSUM, "WriteBatch.delete")
    return ffi, library


def _fill_direct_with(ffi: Any, library: Any) -> Fill:
    from_bytes = library.ffi_slatedb_uniffi_rustbuffer_from_bytes
    clone = library.uniffi_slatedb_uniffi_fn_clone_writebatch
    put = library.uniffi_slatedb_uniffi_fn_method_writebatch_put
    delete = library.uniffi_slatedb_uniffi_fn_method_writebatch_delete
    new, from_buffer, length = ffi.new, ffi.from_buffer, _LENGTH.pack

    def fill_direct(batch: Any, operations: Iterable[Operation]) -> None:
        # cffi releases the interpreter lock in each call, so the two structures belong to this call alone.
        status, foreign = new("CallStatus *"), new("ForeignBytes *")
        handle = batch._handle
        for key, value in operations:
            data = length(len(key)) + key
            foreign.len, foreign.data = len(data), from_buffer(data)
            key_buffer = from_bytes(foreign[0], status)
            if value is None:
                delete(clone(handle, status), key_buffer, status)
            else:
                data = length(len(value)) + value
                foreign.len, foreign.data = len(data), from_buffer(data)
                put(clone(handle, status), key_buffer, from_bytes(foreign[0], status), status)
            if status.code:
                library.ffi_slatedb_uniffi_rustbuffer_free(status.error_buf, new("CallStatus *"))
                raise InternalProblem("the slatedb library refuses an operation of a write batch")

    return fill_direct


def _verify_direct(ffi: Any, library: Any, fill: Fill) -> None:
    """Buffers made by cffi read back through the wheel, and the batch calls see them."""
    status = ffi.new("CallStatus *")
    for sample in _SAMPLES:
        data = struct.pack(">i", len(sample)) + sample
        made = library.ffi_slatedb_uniffi_rustbuffer_from_bytes(
            ffi.new("ForeignBytes *", {"len": len(data), "data": ffi.from_buffer(data)})[0], status)
        buffer = binding._UniffiRustBuffer(made.capacity, made.len, ctypes.cast(
            int(ffi.cast("uintptr_t", made.data)), ctypes.POINTER(ctypes.c_char)))
        _require(binding._UniffiFfiConverterBytes.lift(buffer) == sample and not status.code, "buffers")
    batch = binding.WriteBatch()
    fill(batch, [(Key(b"key"), b"value"), (Key(b"key"), None)])
    for value in (b"value", None):  # an empty key is refused, so the library does read what it is given
        try:
            fill(batch, [(Key(b""), value)])
        except InternalProblem:
            continue
        raise InternalProblem("the slatedb library differs from what this server knows: an empty key")


def _choose_fill() -> tuple[str, Fill]:
    level = "stock"
    try:
        _install_memmove()
        level = "memmove"
        ffi, library = _load_direct()
        direct = _fill_direct_with(ffi, library)
        _verify_direct(ffi, library, direct)
    except Exception as problem:  # noqa: BLE001 - whatever a foreign library raises, the slower level still works
        _log.warning("slatedb marshalling stays at level %s: %s", level, problem)
        return level, fill_stock
    return "direct", direct


def decode_direct(buffer: Any) -> list[Entry]:
    """A scan batch in one pass: (key, value, uint64 sequence, int64 created, optional int64 expiry) each."""
    try:
        raw = ctypes.string_at(buffer.data, buffer.len)
    finally:
        buffer.free()
    length = _LENGTH.unpack_from
    (count,) = length(raw)
    at, entries = 4, []
    for _ in range(count):
        value_at = at + 8 + length(raw, at)[0]
        end = value_at + length(raw, value_at - 4)[0]
        entries.append((Key(raw[at + 4:value_at - 4]), raw[value_at:end]))
        at = end + (25 if raw[end + 16] else 17)
    _require(at == len(raw), "the layout of a scan batch")
    return entries


def _verify_decoder() -> None:
    converter = binding._UniffiFfiConverterSequenceTypeKeyValue
    rows = [binding.KeyValue(key=sample + b"k", value=sample, seq=2**40 + number, create_ts=-number,
                             expire_ts=expiry)
            for number, sample in enumerate(_SAMPLES) for expiry in (None, 7)]
    for sample in (rows, []):
        made = decode_direct(converter.lower(sample))
        _require(made == [(row.key, row.value) for row in sample], "a scan batch")


async def next_batch_stock(iterator: Any, rows_max: int) -> list[Entry]:
    """``next_batch`` through the wheel's own method."""
    return [(Key(row.key), row.value) for row in await iterator.next_batch(rows_max)]


async def next_batch_direct(iterator: Any, rows_max: int) -> list[Entry]:
    """``next_batch`` through the wheel's call with this module's reader."""
    library = binding._UniffiLib
    begin = library.uniffi_slatedb_uniffi_fn_method_dbiterator_next_batch
    entries: list[Entry] = await binding._uniffi_rust_call_async(
        begin(iterator._uniffi_clone_handle(), rows_max),
        library.ffi_slatedb_uniffi_rust_future_poll_rust_buffer,
        library.ffi_slatedb_uniffi_rust_future_complete_rust_buffer,
        library.ffi_slatedb_uniffi_rust_future_free_rust_buffer,
        decode_direct, binding._UniffiFfiConverterTypeError)
    return entries


def _choose_next_batch() -> tuple[str, NextBatch]:
    try:
        _verify_decoder()
    except Exception as problem:  # noqa: BLE001 - as above
        _log.warning("slatedb scan batches are read by the wheel: %s", problem)
        return "stock", next_batch_stock
    return "direct", next_batch_direct


LEVEL, fill = _choose_fill()
DECODER, next_batch = _choose_next_batch()
_log.info("slatedb marshalling: writes %s, scans %s", LEVEL, DECODER)
