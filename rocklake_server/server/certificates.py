"""Which hash a certificate was signed with, read from its DER form.

Certificate ::= SEQUENCE { tbsCertificate, signatureAlgorithm SEQUENCE { OBJECT IDENTIFIER, ... }, ... }. Source: RFC
5280, section 4.1; X.690 for DER; RFC 5929, section 4.1, for what is used in the place of weak hashes.
"""

from __future__ import annotations

_SEQUENCE, _IDENTIFIER = 0x30, 0x06

_RSA = bytes.fromhex("2a864886f70d0101")
_ECDSA = bytes.fromhex("2a8648ce3d04")
_HASHES = {
    _RSA + b"\x04": "sha256",  # MD5
    _RSA + b"\x05": "sha256",  # SHA-1
    _RSA + b"\x0e": "sha224",
    _RSA + b"\x0b": "sha256",
    _RSA + b"\x0c": "sha384",
    _RSA + b"\x0d": "sha512",
    _ECDSA + b"\x01": "sha256",  # SHA-1
    _ECDSA + b"\x03\x01": "sha224",
    _ECDSA + b"\x03\x02": "sha256",
    _ECDSA + b"\x03\x03": "sha384",
    _ECDSA + b"\x03\x04": "sha512",
}
"""By object identifier. RSA-PSS and EdDSA name no hash there: such certificates have no channel binding."""


def signature_hash(der: bytes) -> str | None:
    """As ``hashlib`` calls it; ``None`` for a signature that is not in the list. Raises ValueError for what is no
    certificate."""
    start, end = _content(der, 0, _SEQUENCE)
    _, signed_end = _content(der[:end], start, _SEQUENCE)
    algorithm, _ = _content(der[:end], signed_end, _SEQUENCE)
    first, last = _content(der[:end], algorithm, _IDENTIFIER)
    return _HASHES.get(der[first:last])


def _content(der: bytes, position: int, tag: int) -> tuple[int, int]:
    """Where the content of the element at ``position`` begins and ends."""
    if len(der) < position + 2 or der[position] != tag:
        raise ValueError("it is no X.509 certificate")
    length, start = der[position + 1], position + 2
    if length & 0x80:
        size = length & 0x7F
        length, start = int.from_bytes(der[start : start + size], "big"), start + size
    if start + length > len(der):
        raise ValueError("the certificate is cut off")
    return start, start + length
