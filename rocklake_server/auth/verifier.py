"""What is stored of a password: a SCRAM-SHA-256 verifier, in PostgreSQL's text form.

``SCRAM-SHA-256$<iterations>:<salt>$<StoredKey>:<ServerKey>``, the bytes in base64. From it a password can be checked
and the server can prove itself; the password cannot be had from it. Source: RFC 5802, section 3; RFC 7677; PostgreSQL
manual, "pg_authid".
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass, field

from rocklake_server.auth.saslprep import prepared_password
from rocklake_server.errors import InvalidParameterValue, Unsupported

ITERATIONS = 4096
"""PostgreSQL's own: each costs an attacker who has the verifier, and whoever logs in, one HMAC."""

ITERATIONS_MAX = 1_000_000
"""More would let a role keep the server busy with its own logins."""

SALT_BYTES = 16
SALT_BYTES_MAX = 256
KEY_BYTES = hashlib.sha256().digest_size

PASSWORD_CHARACTERS_MAX = 1024
"""SASLprep looks at every character."""

_FORM = re.compile(r"SCRAM-SHA-256\$(\d{1,10}):([A-Za-z0-9+/=]+)\$([A-Za-z0-9+/=]+):([A-Za-z0-9+/=]+)")
_MD5_FORM = re.compile(r"md5[0-9a-f]{32}")


def digest(key: bytes, text: bytes) -> bytes:
    """HMAC-SHA-256, 32 bytes."""
    return hmac.digest(key, text, "sha256")


@dataclass(frozen=True, slots=True)
class ScramVerifier:
    """``str`` is the stored form; ``repr`` shows nothing of it."""

    iterations: int
    salt: bytes = field(repr=False)
    stored_key: bytes = field(repr=False)
    server_key: bytes = field(repr=False)

    @classmethod
    def of(cls, password: str, *, salt: bytes | None = None, iterations: int = ITERATIONS) -> ScramVerifier:
        """Of a new password; takes some milliseconds. Raises InvalidParameterValue for one that is empty or has more
        than PASSWORD_CHARACTERS_MAX characters."""
        if not 0 < len(password) <= PASSWORD_CHARACTERS_MAX:
            raise InvalidParameterValue(f"a password has 1 to {PASSWORD_CHARACTERS_MAX} characters")
        salt = secrets.token_bytes(SALT_BYTES) if salt is None else salt
        stored_key, server_key = _keys(password, salt, iterations)
        return cls(iterations, salt, stored_key, server_key)

    @classmethod
    def parse(cls, text: str) -> ScramVerifier:
        """The verifier whose ``str`` is ``text``. Raises InvalidParameterValue, which does not show it."""
        found = _FORM.fullmatch(text)
        try:
            parts = [base64.b64decode(part, validate=True) for part in found.groups()[1:]] if found is not None else []
        except ValueError:
            parts = []
        if found is None or len(parts) != 3:
            raise InvalidParameterValue("the password is no SCRAM-SHA-256 verifier")
        iterations, (salt, stored_key, server_key) = int(found[1]), parts
        if not (0 < len(salt) <= SALT_BYTES_MAX and len(stored_key) == len(server_key) == KEY_BYTES):
            raise InvalidParameterValue("the salt or a key of the SCRAM-SHA-256 verifier has a wrong length")
        if not 0 < iterations <= ITERATIONS_MAX:
            raise InvalidParameterValue(f"a SCRAM-SHA-256 verifier has 1 to {ITERATIONS_MAX} iterations")
        return cls(iterations, salt, stored_key, server_key)

    @classmethod
    def mock(cls, user: str, secret: bytes) -> ScramVerifier:
        """Stands in for a user without one: the same salt whenever it is asked for, and no password fits. ``secret``
        is the server's own."""
        salt = digest(secret, b"salt" + user.encode())[:SALT_BYTES]
        return cls(ITERATIONS, salt, secrets.token_bytes(KEY_BYTES), secrets.token_bytes(KEY_BYTES))

    def matches(self, password: str) -> bool:
        """Takes as long as ``of``. Compares in constant time."""
        stored_key, _ = _keys(password[:PASSWORD_CHARACTERS_MAX], self.salt, self.iterations)
        return hmac.compare_digest(stored_key, self.stored_key) and len(password) <= PASSWORD_CHARACTERS_MAX

    def __str__(self) -> str:
        salt, stored_key, server_key = (
            base64.b64encode(part).decode() for part in (self.salt, self.stored_key, self.server_key)
        )
        return f"SCRAM-SHA-256${self.iterations}:{salt}${stored_key}:{server_key}"


def verifier_of(text: str) -> ScramVerifier:
    """Of what stands after PASSWORD: a verifier that the client has made, or a password. Raises InvalidParameterValue;
    Unsupported for an MD5 hash."""
    if _MD5_FORM.fullmatch(text):
        raise Unsupported(
            "passwords hashed with MD5 are not supported",
            hint="Set password_encryption to scram-sha-256, or use a client of PostgreSQL 14 or newer.",
        )
    return ScramVerifier.parse(text) if text.startswith("SCRAM-SHA-256$") else ScramVerifier.of(text)


def _keys(password: str, salt: bytes, iterations: int) -> tuple[bytes, bytes]:
    """(StoredKey, ServerKey)"""
    salted = hashlib.pbkdf2_hmac("sha256", prepared_password(password), salt, iterations)
    return hashlib.sha256(digest(salted, b"Client Key")).digest(), digest(salted, b"Server Key")
