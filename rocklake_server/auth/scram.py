"""The server's side of SCRAM-SHA-256 and SCRAM-SHA-256-PLUS, message by message.

The client proves that it knows the password, the server that it knows the verifier, and with channel binding both that
they are the two ends of one TLS connection. Source: RFC 5802, RFC 7677; RFC 5929 for ``tls-server-end-point``.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import secrets

from rocklake_server.auth.verifier import KEY_BYTES, ScramVerifier, digest
from rocklake_server.errors import InvalidAuthorization, ProtocolViolation, Unsupported

SCRAM = "SCRAM-SHA-256"
SCRAM_PLUS = "SCRAM-SHA-256-PLUS"
CHANNEL_BINDING = "tls-server-end-point"
NONCE_BYTES = 18
MESSAGE_BYTES_MAX = 4096
"""Longer than any client's."""


class ScramServer:
    """One exchange: ``first``, then ``final``. ``is_genuine`` is False for a stand-in's verifier: the exchange runs to
    its end and fails. ``end_point`` is the hash of the certificate of this TLS connection, ``None`` without one."""

    def __init__(
        self, verifier: ScramVerifier, *, is_genuine: bool, end_point: bytes | None = None, nonce: str | None = None
    ) -> None:
        self._verifier = verifier
        self._is_genuine = is_genuine
        self._end_point = end_point
        self._nonce = nonce if nonce is not None else base64.b64encode(secrets.token_bytes(NONCE_BYTES)).decode()
        self._binding = b""
        self._client_first_bare = ""
        self._server_first = ""

    @property
    def mechanisms(self) -> tuple[str, ...]:
        """What is offered, best first."""
        return (SCRAM,) if self._end_point is None else (SCRAM_PLUS, SCRAM)

    def first(self, mechanism: str, message: bytes) -> bytes:
        """The answer to the client's first message. Raises ProtocolViolation, Unsupported, InvalidAuthorization."""
        if mechanism not in self.mechanisms:
            raise ProtocolViolation("client selected an invalid SASL authentication mechanism")
        text = _text(message)
        flag, authorization, bare = _split(text)
        self._check_binding(mechanism, flag)
        if authorization:
            raise Unsupported("client uses authorization identity, but it is not supported")
        attributes = bare.split(",")
        if attributes[0].startswith("m="):
            raise Unsupported("client requires an unsupported SCRAM extension")
        if len(attributes) < 2 or not attributes[0].startswith("n="):
            raise _malformed("a user name and a nonce are expected")
        nonce = _attribute("r", attributes[1])
        if not nonce:
            raise _malformed("the nonce is empty")
        header = text[: len(text) - len(bare)].encode()
        self._binding = header + (self._end_point or b"" if mechanism == SCRAM_PLUS else b"")
        self._client_first_bare = bare
        self._nonce = nonce + self._nonce
        salt = base64.b64encode(self._verifier.salt).decode()
        self._server_first = f"r={self._nonce},s={salt},i={self._verifier.iterations}"
        return self._server_first.encode()

    def final(self, message: bytes) -> bytes | None:
        """The server's proof for the client's; ``None`` when that one is wrong. Raises ProtocolViolation, and
        InvalidAuthorization when the two ends are of different TLS connections."""
        text = _text(message)
        without_proof, comma, proof_text = text.rpartition(",p=")
        attributes = without_proof.split(",")
        if not comma or len(attributes) < 2:
            raise _malformed("channel binding, nonce and proof are expected")
        binding = _bytes(_attribute("c", attributes[0]))
        if not hmac.compare_digest(binding, self._binding):
            raise InvalidAuthorization("SCRAM channel binding check failed")
        if not hmac.compare_digest(_attribute("r", attributes[1]), self._nonce):
            raise ProtocolViolation("invalid SCRAM response", detail="The nonce does not match.")
        proof = _bytes(proof_text)
        if len(proof) != KEY_BYTES:
            raise _malformed("the proof has a wrong length")
        exchange = f"{self._client_first_bare},{self._server_first},{without_proof}".encode()
        signature = digest(self._verifier.stored_key, exchange)
        client_key = bytes(a ^ b for a, b in zip(proof, signature, strict=True))
        is_right = hmac.compare_digest(hashlib.sha256(client_key).digest(), self._verifier.stored_key)
        if not (is_right and self._is_genuine):
            return None
        return b"v=" + base64.b64encode(digest(self._verifier.server_key, exchange))

    def _check_binding(self, mechanism: str, flag: str) -> None:
        """Hold the client's word about channel binding against what was offered: a difference is an attacker's."""
        if flag == "y" and self._end_point is not None:
            raise InvalidAuthorization(
                "SCRAM channel binding negotiation error",
                detail="The client supports SCRAM channel binding but thinks the server does not. "
                "However, this server does support channel binding.",
            )
        if (mechanism == SCRAM_PLUS) != flag.startswith("p="):
            raise _malformed("the mechanism does not go with the channel binding flag")
        if flag.startswith("p=") and flag != f"p={CHANNEL_BINDING}":
            raise Unsupported("unsupported SCRAM channel-binding type")


def _split(text: str) -> tuple[str, str, str]:
    """The channel binding flag, the authorization identity and the bare message."""
    parts = text.split(",", 2)
    if len(parts) != 3 or not (parts[0] in ("n", "y") or parts[0].startswith("p=")):
        raise _malformed("the channel binding flag is expected first")
    return parts[0], parts[1], parts[2]


def _text(message: bytes) -> str:
    if not 0 < len(message) <= MESSAGE_BYTES_MAX or b"\0" in message:
        raise _malformed("the message is empty, too long or holds a zero byte")
    try:
        return message.decode()
    except UnicodeDecodeError:
        raise _malformed("the message is not UTF-8") from None


def _attribute(name: str, text: str) -> str:
    """The value of ``name=value``, printable ASCII."""
    if not text.startswith(f"{name}=") or not (text.isascii() and text.isprintable()):
        raise _malformed(f"attribute {name} is expected")
    return text[2:]


def _bytes(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise _malformed("a value is not base64") from None


def _malformed(detail: str) -> ProtocolViolation:
    return ProtocolViolation("malformed SCRAM message", detail=f"{detail[0].upper()}{detail[1:]}.")
