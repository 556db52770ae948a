"""Certificates for a test session: a server's, clients', and those of strangers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import trustme

HOST = "localhost"


@dataclass(frozen=True, slots=True)
class Certificates:
    """PEM files. ``server`` is for localhost and its addresses, ``clients`` are by common name; ``stranger_ca`` has
    issued nothing of these."""

    folder: Path
    ca: trustme.CA

    @classmethod
    def make(cls, folder: Path) -> Certificates:
        made = cls(folder, trustme.CA())
        made.ca.cert_pem.write_to_path(str(made.ca_file))
        trustme.CA().cert_pem.write_to_path(str(made.stranger_ca))
        made.renew_server()
        return made

    @property
    def ca_file(self) -> Path:
        return self.folder / "ca.pem"

    @property
    def stranger_ca(self) -> Path:
        return self.folder / "stranger.pem"

    @property
    def server(self) -> Path:
        return self.folder / "server.pem"

    @property
    def server_key(self) -> Path:
        return self.folder / "server.key"

    def renew_server(self) -> None:
        """Another certificate with another key in the same files."""
        issued = self.ca.issue_cert(HOST, "127.0.0.1", "::1")
        issued.private_key_pem.write_to_path(str(self.server_key))
        issued.cert_chain_pems[0].write_to_path(str(self.server))

    def client(self, name: str, *, stranger: bool = False) -> tuple[Path, Path]:
        """(certificate, key) of a client; of a stranger, one that no known authority has issued."""
        issuer = trustme.CA() if stranger else self.ca
        stem = self.folder / f"{name}{'-stranger' if stranger else ''}"
        certificate, key = stem.with_suffix(".crt"), stem.with_suffix(".client-key")
        issued = issuer.issue_cert(f"{name}.example.org", common_name=name)
        issued.cert_chain_pems[0].write_to_path(str(certificate))
        key.touch(mode=0o600)
        issued.private_key_pem.write_to_path(str(key))
        return certificate, key
