"""TLS over bytes, the certificates it is given, and the hash that channel binding takes of them."""

from __future__ import annotations

import datetime
import hashlib
import ssl
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from cryptography.x509.oid import NameOID
from hypothesis import given
from hypothesis import strategies as st

from rocklake_server.errors import InvalidParameterValue
from rocklake_server.server.certificates import signature_hash
from rocklake_server.server.tls import Tls, TlsFiles, TlsStream, load_identity
from tests.server.certificates import HOST, Certificates

RSA = rsa.generate_private_key(65537, 2048)
EC = ec.generate_private_key(ec.SECP256R1())
DAY = datetime.timedelta(days=1)
NOW = datetime.datetime(2026, 11, 30, tzinfo=datetime.UTC)


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return Certificates.make(tmp_path_factory.mktemp("certificates"))


def files(certificates: Certificates) -> TlsFiles:
    return TlsFiles(certificates.server, certificates.server_key, certificates.ca_file)


def signed(key, algorithm, **options) -> bytes:
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "x" * 60)])
    builder = x509.CertificateBuilder(name, name, key.public_key(), 1, NOW, NOW + DAY)
    return builder.sign(key, algorithm, **options).public_bytes(serialization.Encoding.DER)


@pytest.mark.parametrize(
    ("key", "algorithm", "name"),
    [
        (RSA, hashes.SHA256(), "sha256"),
        (RSA, hashes.SHA384(), "sha384"),
        (RSA, hashes.SHA512(), "sha512"),
        (RSA, hashes.SHA224(), "sha224"),
        (EC, hashes.SHA256(), "sha256"),
        (EC, hashes.SHA384(), "sha384"),
        (EC, hashes.SHA512(), "sha512"),
    ],
)
def test_the_hash_is_the_signatures(key, algorithm, name: str) -> None:
    assert signature_hash(signed(key, algorithm)) == name


def test_some_signatures_have_none() -> None:
    assert signature_hash(signed(ed25519.Ed25519PrivateKey.generate(), None)) is None
    pss = padding.PSS(padding.MGF1(hashes.SHA256()), padding.PSS.DIGEST_LENGTH)
    assert signature_hash(signed(RSA, hashes.SHA256(), rsa_padding=pss)) is None


@given(st.binary(max_size=40), st.integers(0, 200))
def test_what_is_no_certificate_is_refused(rubbish: bytes, length: int) -> None:
    for data in (rubbish, CERTIFICATE[:length], CERTIFICATE[:length] + rubbish):
        try:
            assert signature_hash(data) in (None, "sha256")
        except ValueError:
            continue


CERTIFICATE = signed(EC, hashes.SHA256())


def test_the_end_point_is_the_certificates_hash(certificates: Certificates) -> None:
    der = ssl.PEM_cert_to_DER_cert(certificates.server.read_text())
    assert load_identity(files(certificates)).end_point == hashlib.sha256(der).digest()


def test_files_that_cannot_be_used_are_named(certificates: Certificates, tmp_path: Path) -> None:
    def refused(**changed: Path) -> str:
        given = {"certificate": certificates.server, "key": certificates.server_key} | changed
        with pytest.raises(InvalidParameterValue) as caught:
            load_identity(TlsFiles(**given))
        return str(caught.value)

    other, locked, empty = tmp_path / "other.key", tmp_path / "locked.key", tmp_path / "empty"
    plain = serialization.NoEncryption()
    form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    other.write_bytes(EC.private_bytes(*form, plain))
    locked.write_bytes(EC.private_bytes(*form, serialization.BestAvailableEncryption(b"secret")))
    empty.write_text("")
    assert "No such file or directory" in refused(certificate=tmp_path / "nothing")
    assert refused(key=other).endswith("key values mismatch")
    assert refused(key=locked).endswith("the key is protected by a passphrase, and nobody is there to type it")
    assert str(empty) in refused(certificate=empty)
    assert str(empty) in refused(client_ca=empty)


def test_a_reload_that_fails_changes_nothing(tmp_path: Path) -> None:
    certificates = Certificates.make(tmp_path)
    tls = Tls(files(certificates))
    before = tls.identity
    certificates.renew_server()
    tls.reload()
    after = tls.identity
    assert after.end_point != before.end_point
    certificates.server_key.write_text("no key")
    with pytest.raises(InvalidParameterValue):
        tls.reload()
    assert tls.identity is after


class Client:
    """The other end, over bytes too."""

    def __init__(self, certificates: Certificates) -> None:
        self.incoming, self.outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        context = ssl.create_default_context(cafile=str(certificates.ca_file))
        self.tls = context.wrap_bio(self.incoming, self.outgoing, server_hostname=HOST)

    def shake_hands(self, server: TlsStream) -> None:
        while True:
            try:
                self.tls.do_handshake()
            except ssl.SSLWantReadError:
                done = False
            else:
                done = True
            assert server.received(self.outgoing.read()) == b""
            self.incoming.write(server.take_output())
            if done:
                return

    def sent(self, data: bytes) -> bytes:
        self.tls.write(data)
        return self.outgoing.read()


def test_bytes_go_both_ways_however_they_are_cut(certificates: Certificates) -> None:
    server, client = TlsStream(load_identity(files(certificates))), Client(certificates)
    client.shake_hands(server)
    assert server.is_established
    encrypted = client.sent(b"hello") + client.sent(b", " + b"x" * 40_000)
    pieces = [server.received(encrypted[at : at + 777]) for at in range(0, len(encrypted), 777)]
    assert b"".join(pieces) == b"hello, " + b"x" * 40_000
    server.send(b"y" * 100_000)
    client.incoming.write(server.take_output())
    answer = b""
    while len(answer) < 100_000:
        answer += client.tls.read(100_000)
    assert answer == b"y" * 100_000


def test_each_side_can_say_the_end(certificates: Certificates) -> None:
    server, client = TlsStream(load_identity(files(certificates))), Client(certificates)
    client.shake_hands(server)
    data = client.sent(b"last words")
    with pytest.raises(ssl.SSLWantReadError):
        client.tls.unwrap()
    assert server.received(data + client.outgoing.read()) == b"last words"
    assert server.is_closed
    server.close()
    client.incoming.write(server.take_output())
    client.tls.unwrap()


def test_nothing_is_sent_before_the_handshake(certificates: Certificates) -> None:
    server = TlsStream(load_identity(files(certificates)))
    server.send(b"an error in the clear")
    server.close()
    assert server.take_output() == b""


@pytest.mark.parametrize("data", [b"\0\0\0\x08\x04\xd2\x16\x2f", b"GET / HTTP/1.1\r\n\r\n", b"\x16\3\1\0\5hello"])
def test_what_is_no_tls_ends_it(certificates: Certificates, data: bytes) -> None:
    with pytest.raises(ssl.SSLError):
        TlsStream(load_identity(files(certificates))).received(data)
