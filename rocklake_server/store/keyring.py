"""Encryption keys for the values of a store: read once from a file or the environment, never printed.

One key is written ``id:base64``, where the id is what operators call it and the rest 32 bytes (AES-256). A file has one
on each line, a variable has them separated by commas. The first one writes, the others only read.
"""

from __future__ import annotations

import binascii
import re
from base64 import b64decode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from rocklake_server.errors import InvalidParameterValue

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

KEYS_VARIABLE = "ROCKLAKE_ENCRYPTION_KEYS"
FILE_VARIABLE = "ROCKLAKE_ENCRYPTION_KEY_FILE"
KEY_BYTES = 32
ID_BYTES_MAX = 32
_ID = re.compile(rf"[A-Za-z0-9._-]{{1,{ID_BYTES_MAX}}}")
_EXAMPLE = "write id:base64, as openssl rand -base64 32 makes the second part"


@dataclass(frozen=True, slots=True)
class Keyring:
    """``ciphers`` by key id. ``is_patient`` hands values that cannot be opened on as they are stored, for those who
    report each of them. Prints as its ids."""

    writing: str
    ciphers: Mapping[str, AESGCM] = field(repr=False)
    is_patient: bool = False

    def patient(self) -> Keyring:
        return replace(self, is_patient=True)


def read_keyring(variables: Mapping[str, str]) -> Keyring | None:
    """The keys that the environment names, those of the variable before those of the file; ``None`` without any.
    Raises InvalidParameterValue, which repeats no part of a key."""
    entries = list(_entries(variables))
    if not entries:
        return None
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # a start without keys stays as fast as it is

    found: dict[str, AESGCM] = {}
    for where, number, text in entries:
        key_id, separator, encoded = text.partition(":")
        if not separator or not _ID.fullmatch(key_id):
            raise InvalidParameterValue(f"{where} does not hold an encryption key at place {number}; {_EXAMPLE}")
        if key_id in found:
            raise InvalidParameterValue(f'encryption key "{key_id}" is given twice; give each key its own id')
        found[key_id] = AESGCM(_key_bytes(where, key_id, encoded))
    return Keyring(next(iter(found)), found)


def _entries(variables: Mapping[str, str]) -> Iterator[tuple[str, int, str]]:
    """Where each key stands, and its text."""
    listed = variables.get(KEYS_VARIABLE, "")
    for number, text in enumerate(listed.split(",") if listed else (), 1):
        yield KEYS_VARIABLE, number, text.strip()
    path = variables.get(FILE_VARIABLE, "")
    if not path:
        return
    try:
        lines = Path(path).read_text(encoding="ascii").splitlines()
    except (OSError, UnicodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not a text"
        raise InvalidParameterValue(f'encryption key file "{path}" cannot be read: {reason}') from None
    texts = [(number, line.strip()) for number, line in enumerate(lines, 1) if line.strip()]
    keys = [(number, text) for number, text in texts if not text.startswith("#")]
    if not keys:
        raise InvalidParameterValue(f'encryption key file "{path}" holds no key; {_EXAMPLE}, on a line')
    for number, text in keys:
        yield f'encryption key file "{path}"', number, text


def _key_bytes(where: str, key_id: str, encoded: str) -> bytes:
    try:
        key = b64decode(encoded.strip(), validate=True)
    except binascii.Error:
        raise InvalidParameterValue(f'{where}: encryption key "{key_id}" is not base64; {_EXAMPLE}') from None
    if len(key) != KEY_BYTES:
        raise InvalidParameterValue(
            f'{where}: encryption key "{key_id}" has {len(key)} bytes, and needs {KEY_BYTES}; {_EXAMPLE}'
        )
    return key
