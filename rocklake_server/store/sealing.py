"""Sealed values: encrypted and authenticated with AES-256-GCM (NIST SP 800-38D) under a key of the keyring.

A sealed value is a version byte, four magic bytes, the length of the key's id and the id, a random nonce of 96 bits,
the ciphertext and its tag of 128 bits. Associated data are the directory below the store's root and the key that the
value is stored under, so a value that was moved to another key or another lake does not open.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from rocklake_server.errors import CorruptValue, FormatVersionUnsupported
from rocklake_server.store.base import Entry, Key
from rocklake_server.store.keyring import Keyring

SEALED_HEADER = b"\x02SDKV"
"""Envelope version 2; version 1 is a clear protobuf message (``encoding.envelope``)."""

NONCE_BYTES = 12
TAG_BYTES = 16
_ID_START = len(SEALED_HEADER) + 1


def key_id_of(value: bytes) -> str | None:
    """The id of the key that sealed ``value``; ``None`` for a clear value."""
    if value[: len(SEALED_HEADER)] != SEALED_HEADER or len(value) < _ID_START:
        return None
    return value[_ID_START : _ID_START + value[_ID_START - 1]].decode("ascii", errors="replace")


def unopened(key: bytes, value: bytes) -> FormatVersionUnsupported:
    """The error for a sealed value that nobody has opened."""
    return FormatVersionUnsupported(
        f'the value of key {key.hex()} is encrypted with key "{key_id_of(value)}", which is not given or another one, '
        "or the value was changed",
        hint="Give the key with --encryption-key-file, ROCKLAKE_ENCRYPTION_KEY_FILE or ROCKLAKE_ENCRYPTION_KEYS.",
    )


class Sealer:
    """For the values of one database, which is in ``directory`` below the store's root."""

    def __init__(self, keyring: Keyring, directory: str) -> None:
        from cryptography.exceptions import InvalidTag  # only where there are keys

        self._does_not_open = (InvalidTag, ValueError)
        self._keyring = keyring
        self._scope = directory.encode() + b"\0"
        self._head = self._header(keyring.writing)
        self._cipher = keyring.ciphers[keyring.writing]

    @staticmethod
    def _header(key_id: str) -> bytes:
        return SEALED_HEADER + bytes([len(key_id)]) + key_id.encode("ascii")

    @property
    def writing(self) -> str:
        """The id of the key that new values are sealed with."""
        return self._keyring.writing

    def is_current(self, value: bytes) -> bool:
        """Whether ``value`` is sealed with the key that writes."""
        return value.startswith(self._head)

    def seal(self, key: bytes, value: bytes) -> bytes:
        nonce = os.urandom(NONCE_BYTES)
        return self._head + nonce + self._cipher.encrypt(nonce, value, self._scope + key)

    def open(self, key: bytes, value: bytes) -> bytes:
        """The clear value; one that was never sealed as it is. Raises FormatVersionUnsupported when its key is not
        given, CorruptValue when it does not open; a patient keyring hands both on."""
        if value[: len(SEALED_HEADER)] != SEALED_HEADER:
            return value
        key_id = key_id_of(value) or ""
        cipher = self._keyring.ciphers.get(key_id)
        if cipher is not None:
            start = _ID_START + len(key_id)
            nonce = value[start : start + NONCE_BYTES]
            try:
                return cipher.decrypt(nonce, value[start + NONCE_BYTES :], self._scope + key)
            except self._does_not_open:
                pass  # told below
        if self._keyring.is_patient:
            return value
        if cipher is None:
            raise unopened(key, value)
        raise CorruptValue(
            f'the value of key {key.hex()} does not open with encryption key "{key_id}": '
            "another key has that id, or the value was changed or moved"
        )

    def open_all(self, entries: Iterable[Entry]) -> list[Entry]:
        """Raises as ``open``."""
        opens = self.open
        return [(key, opens(key, value)) for key, value in entries]

    def seal_all(self, entries: Iterable[tuple[Key, bytes | None]]) -> dict[Key, bytes | None]:
        seals = self.seal
        return {key: None if value is None else seals(key, value) for key, value in entries}
