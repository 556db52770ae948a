"""TLS without I/O: a server's certificate as it is now, and one connection's bytes in and out.

Source: RFC 8446 and 5246 through OpenSSL; RFC 5929, section 4, for ``tls-server-end-point``; PostgreSQL manual,
"Secure TCP/IP Connections with SSL" and, for connections that begin with TLS, "SSL Session Encryption".
"""

from __future__ import annotations

import hashlib
import logging
import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from rocklake_server.errors import InvalidParameterValue
from rocklake_server.server.certificates import signature_hash

logger = logging.getLogger(__name__)

ALPN_PROTOCOL = "postgresql"
CLIENT_HELLO = 0x16
"""The first byte of a connection that begins with TLS: a handshake record. No startup message begins with it."""

_READ_BYTES = 256 * 1024


@dataclass(frozen=True, slots=True)
class TlsFiles:
    """PEM files: the certificate and what it was issued by, its key, and who issues certificates of clients."""

    certificate: Path
    key: Path
    client_ca: Path | None = None


@dataclass(frozen=True, slots=True)
class TlsIdentity:
    """What connections are encrypted with. ``end_point`` is the certificate's hash for channel binding; ``None`` for
    a signature that the RFC gives no hash for."""

    context: ssl.SSLContext
    end_point: bytes | None


def load_identity(files: TlsFiles) -> TlsIdentity:
    """Raises InvalidParameterValue, naming the file."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.options |= ssl.OP_NO_RENEGOTIATION | ssl.OP_NO_TICKET | ssl.OP_NO_COMPRESSION
    context.num_tickets = 0
    context.set_alpn_protocols([ALPN_PROTOCOL])
    try:
        context.load_cert_chain(files.certificate, files.key, password=_no_passphrase)
        first = files.certificate.read_text(encoding="ascii", errors="replace")
        der = ssl.PEM_cert_to_DER_cert(_first_certificate(first))
    except (OSError, ValueError) as error:
        raise InvalidParameterValue(
            f'cannot use TLS certificate "{files.certificate}" with key "{files.key}": {_reason(error)}'
        ) from None
    if files.client_ca is not None:
        try:
            context.load_verify_locations(files.client_ca)
        except (OSError, ValueError) as error:
            problem = f'cannot use the certificates of clients\' issuers in "{files.client_ca}": {_reason(error)}'
            raise InvalidParameterValue(problem) from None
        context.verify_mode = ssl.CERT_OPTIONAL
    name = signature_hash(der)
    return TlsIdentity(context, None if name is None else hashlib.new(name, der).digest())


class Tls:
    """The identity of a server, which ``reload`` replaces for connections from then on."""

    def __init__(self, files: TlsFiles) -> None:
        """Raises what ``load_identity`` raises."""
        self.files = files
        self.identity = load_identity(files)

    def __str__(self) -> str:
        return f'TLS certificate "{self.files.certificate}"'

    def reload(self) -> None:
        """Read the files again. Raises as ``load_identity``; the identity stays what it was then."""
        self.identity = load_identity(self.files)


class TlsStream:
    """One connection's TLS. Bytes of the peer go into ``received``, bytes for it come from ``take_output``."""

    __slots__ = ("_incoming", "_is_closed", "_outgoing", "_ssl", "identity", "is_established")

    def __init__(self, identity: TlsIdentity) -> None:
        self.identity = identity
        self.is_established = False
        self._is_closed = False
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._ssl = identity.context.wrap_bio(self._incoming, self._outgoing, server_side=True)

    def received(self, data: bytes) -> bytes:
        """What ``data`` holds for the application, nothing while the handshake goes on or after the peer's end.
        Raises ssl.SSLError for what is no TLS, or no TLS that is accepted; there may be an alert to send then."""
        self._incoming.write(data)
        if not self.is_established:
            try:
                self._ssl.do_handshake()
            except ssl.SSLWantReadError:
                return b""
            self.is_established = True
        pieces: list[bytes] = []
        try:
            while piece := self._ssl.read(_READ_BYTES):
                pieces.append(piece)
        except ssl.SSLWantReadError:
            pass  # all that came is read
        except ssl.SSLZeroReturnError:
            self._is_closed = True
        else:
            self._is_closed = True
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    @property
    def is_closed(self) -> bool:
        """Whether the peer sends no more."""
        return self._is_closed

    def send(self, data: bytes | bytearray | memoryview) -> None:
        """Encrypt for ``take_output``. Nothing is sent before the handshake is over."""
        if self.is_established and len(data):
            self._ssl.write(data)

    def close(self) -> None:
        """Say the end to the peer."""
        if self.is_established:
            try:
                self._ssl.unwrap()
            except ssl.SSLError:
                pass  # the peer has not said its own yet, or is beyond speaking to

    def take_output(self) -> bytes:
        return self._outgoing.read()

    @property
    def protocol(self) -> str | None:
        """As "TLSv1.3"."""
        return self._ssl.version()

    @property
    def application_protocol(self) -> str | None:
        """What ALPN agreed upon."""
        return self._ssl.selected_alpn_protocol()

    @property
    def has_client_certificate(self) -> bool:
        """One that was verified: any other ends the handshake."""
        return bool(self._ssl.getpeercert())

    @property
    def client_name(self) -> str | None:
        """The common name of the client's certificate; ``None`` without one, or with several."""
        found = self._ssl.getpeercert() or {}
        subject = cast("tuple[tuple[tuple[str, str], ...], ...]", found.get("subject", ()))
        names = [value for part in subject for name, value in part if name == "commonName"]
        return names[0] if len(names) == 1 else None


def _no_passphrase() -> str:
    raise ValueError("the key is protected by a passphrase, and nobody is there to type it")


def _first_certificate(text: str) -> str:
    """The server's own, which stands first."""
    start = text.find(ssl.PEM_HEADER)
    end = text.find(ssl.PEM_FOOTER, start)
    if start < 0 or end < 0:
        raise ValueError("it holds no PEM certificate")
    return text[start : end + len(ssl.PEM_FOOTER)]


def _reason(error: Exception) -> str:
    if isinstance(error, ssl.SSLError):
        return (error.reason or str(error)).lower().replace("_", " ")
    return error.strerror or str(error) if isinstance(error, OSError) else str(error)
