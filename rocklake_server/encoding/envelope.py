"""The envelope of every stored value: one version byte, four magic bytes, then a protobuf message.

Version 2 is a sealed value (``store.sealing``), which the store opens on its way here: inside is one of version 1.
"""

from __future__ import annotations

from rocklake_server.errors import CorruptValue, FormatVersionUnsupported
from rocklake_server.store.sealing import SEALED_HEADER, unopened

ENCODING_VERSION = 1
MAGIC = b"SDKV"
HEADER = bytes([ENCODING_VERSION]) + MAGIC
HEADER_BYTES = len(HEADER)


def seal(payload: bytes) -> bytes:
    """``payload`` in its envelope."""
    return HEADER + payload


def unseal(key: bytes, value: bytes) -> bytes:
    """The payload of ``value``. Raises CorruptValue and FormatVersionUnsupported, which name ``key``."""
    if value[:HEADER_BYTES] != HEADER:
        raise refusal(key, value)
    return value[HEADER_BYTES:]


def refusal(key: bytes, value: bytes) -> CorruptValue | FormatVersionUnsupported:
    """The error for a value whose first bytes are not ``HEADER``."""
    if value[:HEADER_BYTES] == SEALED_HEADER:
        return unopened(key, value)
    if value[1:HEADER_BYTES] == MAGIC:
        return FormatVersionUnsupported(
            f"the value of key {key.hex()} has encoding version {value[0]}, not {ENCODING_VERSION}",
            hint="Use a server of the version that wrote the lake, or a newer one.",
        )
    return CorruptValue(f"the value of key {key.hex()} does not begin with {HEADER.hex()}")
