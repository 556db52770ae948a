"""SCRAM-SHA-256 against the RFCs' own vectors, and against a client that is written from them."""

from __future__ import annotations

import base64
import hashlib
import hmac

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocklake_server.auth.scram import SCRAM, SCRAM_PLUS, ScramServer
from rocklake_server.auth.verifier import ScramVerifier
from rocklake_server.errors import CatalogError, InvalidAuthorization, ProtocolViolation, Unsupported

END_POINT = hashlib.sha256(b"a certificate").digest()
PENCIL = ScramVerifier.of("pencil", salt=base64.b64decode("W22ZaJ0SNY7soEsUEjb6gQ=="), iterations=4096)


class Client:
    """RFC 5802, section 3."""

    def __init__(self, password: str, header: str = "n,,", binding: bytes = b"", nonce: str = "fyko") -> None:
        self.password, self.header, self.binding, self.nonce = password, header, binding, nonce
        self.bare = f"n=,r={nonce}"

    def first(self) -> bytes:
        return (self.header + self.bare).encode()

    def final(self, server_first: bytes, nonce: str | None = None) -> bytes:
        parts = dict(part.split("=", 1) for part in server_first.decode().split(","))
        bound = base64.b64encode(self.header.encode() + self.binding).decode()
        without_proof = f"c={bound},r={nonce or parts['r']}"
        salt, iterations = base64.b64decode(parts["s"]), int(parts["i"])
        salted = hashlib.pbkdf2_hmac("sha256", self.password.encode(), salt, iterations)
        client_key = hmac.digest(salted, b"Client Key", "sha256")
        exchange = f"{self.bare},{server_first.decode()},{without_proof}".encode()
        signature = hmac.digest(hashlib.sha256(client_key).digest(), exchange, "sha256")
        proof = bytes(a ^ b for a, b in zip(client_key, signature, strict=True))
        self.expected = hmac.digest(hmac.digest(salted, b"Server Key", "sha256"), exchange, "sha256")
        return f"{without_proof},p={base64.b64encode(proof).decode()}".encode()


def test_the_exchange_of_rfc_7677() -> None:
    server = ScramServer(PENCIL, is_genuine=True, nonce="%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0")
    first = server.first(SCRAM, b"n,,n=user,r=rOprNGfwEbeRWgbNEkqO")
    assert first == b"r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096"
    final = server.final(
        b"c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,"
        b"p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ="
    )
    assert final == b"v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="


def run(server: ScramServer, client: Client, mechanism: str = SCRAM) -> bytes | None:
    return server.final(client.final(server.first(mechanism, client.first())))


def test_the_right_password_is_proved_by_both() -> None:
    client = Client("pencil")
    signature = run(ScramServer(PENCIL, is_genuine=True), client)
    assert signature == b"v=" + base64.b64encode(client.expected)


def test_a_wrong_password_is_not() -> None:
    assert run(ScramServer(PENCIL, is_genuine=True), Client("pencils")) is None


def test_a_stand_in_fails_even_for_the_right_password() -> None:
    assert run(ScramServer(PENCIL, is_genuine=False), Client("pencil")) is None


def test_channel_binding_names_the_certificate() -> None:
    header = "p=tls-server-end-point,,"
    server = ScramServer(PENCIL, is_genuine=True, end_point=END_POINT)
    assert server.mechanisms == (SCRAM_PLUS, SCRAM)
    assert run(server, Client("pencil", header, END_POINT), SCRAM_PLUS) is not None
    other = hashlib.sha256(b"the certificate of somebody in between").digest()
    with pytest.raises(InvalidAuthorization, match="channel binding check failed"):
        run(ScramServer(PENCIL, is_genuine=True, end_point=END_POINT), Client("pencil", header, other), SCRAM_PLUS)


def test_a_client_may_go_without_channel_binding() -> None:
    assert run(ScramServer(PENCIL, is_genuine=True, end_point=END_POINT), Client("pencil")) is not None


def test_a_client_that_was_told_there_is_no_channel_binding_is_warned_by_failing() -> None:
    with pytest.raises(InvalidAuthorization, match="negotiation error"):
        ScramServer(PENCIL, is_genuine=True, end_point=END_POINT).first(SCRAM, b"y,,n=,r=abc")
    assert run(ScramServer(PENCIL, is_genuine=True), Client("pencil", "y,,")) is not None


def test_a_nonce_of_another_exchange_is_refused() -> None:
    server, client = ScramServer(PENCIL, is_genuine=True), Client("pencil")
    server_first = server.first(SCRAM, client.first())
    with pytest.raises(ProtocolViolation, match="invalid SCRAM response"):
        server.final(client.final(server_first, nonce="fykoSomethingElse"))


@pytest.mark.parametrize(
    ("mechanism", "message", "error"),
    [
        ("PLAIN", b"n,,n=,r=abc", ProtocolViolation),
        (SCRAM_PLUS, b"p=tls-server-end-point,,n=,r=abc", ProtocolViolation),
        (SCRAM, b"p=tls-server-end-point,,n=,r=abc", ProtocolViolation),
        (SCRAM, b"n,a=root,n=,r=abc", Unsupported),
        (SCRAM, b"n,,m=1,n=,r=abc", Unsupported),
        (SCRAM, b"n,,n=,r=", ProtocolViolation),
        (SCRAM, b"n,,n=", ProtocolViolation),
        (SCRAM, b"n", ProtocolViolation),
        (SCRAM, b"", ProtocolViolation),
        (SCRAM, b"x,,n=,r=abc", ProtocolViolation),
        (SCRAM, b"n,,n=,r=a\x07c", ProtocolViolation),
        (SCRAM, b"n,,n=,r=\xff", ProtocolViolation),
        (SCRAM, b"n,,n=,r=abc\0", ProtocolViolation),
        (SCRAM, b"n,,n=,r=" + b"a" * 5000, ProtocolViolation),
    ],
)
def test_first_messages_that_are_refused(mechanism: str, message: bytes, error: type[CatalogError]) -> None:
    with pytest.raises(error):
        ScramServer(PENCIL, is_genuine=True).first(mechanism, message)


def test_another_kind_of_channel_binding_is_refused() -> None:
    server = ScramServer(PENCIL, is_genuine=True, end_point=END_POINT)
    with pytest.raises(Unsupported, match="channel-binding type"):
        server.first(SCRAM_PLUS, b"p=tls-unique,,n=,r=abc")


@given(st.binary(max_size=80))
def test_final_messages_of_rubbish_are_refused(message: bytes) -> None:
    server = ScramServer(PENCIL, is_genuine=True)
    server.first(SCRAM, b"n,,n=,r=abc")
    with pytest.raises(ProtocolViolation):
        server.final(message)


@given(st.binary(max_size=80))
def test_first_messages_of_rubbish_are_refused_or_answered(message: bytes) -> None:
    try:
        answer = ScramServer(PENCIL, is_genuine=True).first(SCRAM, message)
    except CatalogError:
        return
    assert answer.startswith(b"r=")
