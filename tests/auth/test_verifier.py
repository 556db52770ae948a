"""What is stored of a password: PostgreSQL's text form, and nothing that shows it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rocklake_server.auth.saslprep import prepared_password, saslprep
from rocklake_server.auth.verifier import ITERATIONS, ITERATIONS_MAX, ScramVerifier, verifier_of
from rocklake_server.errors import InvalidParameterValue, Unsupported

KNOWN = (
    "SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY="
    ":wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU="
)
"""Of RFC 7677's password and salt."""


def test_the_form_is_postgresqls() -> None:
    verifier = ScramVerifier.parse(KNOWN)
    assert str(verifier) == KNOWN
    assert verifier == ScramVerifier.of("pencil", salt=verifier.salt)
    assert verifier.matches("pencil")
    assert not verifier.matches("Pencil")


def test_a_verifier_shows_nothing_of_itself() -> None:
    assert repr(ScramVerifier.parse(KNOWN)) == "ScramVerifier(iterations=4096)"


def test_the_same_password_is_never_stored_alike() -> None:
    first, second = verifier_of("secret"), verifier_of("secret")
    assert str(first) != str(second)
    assert first.iterations == ITERATIONS
    assert first.matches("secret")
    assert second.matches("secret")


def test_a_verifier_made_by_the_client_is_kept_as_it_is() -> None:
    assert str(verifier_of(KNOWN)) == KNOWN


@pytest.mark.parametrize(
    "text",
    [
        "SCRAM-SHA-256$",
        KNOWN.replace("4096", "0"),
        KNOWN.replace("4096", str(ITERATIONS_MAX + 1)),
        KNOWN.replace("4096", "-1"),
        KNOWN + "A",
        KNOWN.replace("W22ZaJ0SNY7soEsUEjb6gQ==", "W22"),
        KNOWN.replace(":wfPL", ":"),
    ],
)
def test_broken_verifiers_are_refused_without_showing_them(text: str) -> None:
    with pytest.raises(InvalidParameterValue) as caught:
        verifier_of(text)
    assert "WG5d" not in str(caught.value)


def test_md5_is_refused_by_name() -> None:
    with pytest.raises(Unsupported, match="MD5"):
        verifier_of("md5" + "0123456789abcdef" * 2)


@pytest.mark.parametrize("password", ["", "x" * 1025])
def test_passwords_have_a_length(password: str) -> None:
    with pytest.raises(InvalidParameterValue, match="1 to 1024 characters"):
        verifier_of(password)


def test_a_stand_in_asks_with_the_same_salt_each_time() -> None:
    first, second = (ScramVerifier.mock("eve", b"server") for _ in range(2))
    assert (first.salt, first.iterations) == (second.salt, ITERATIONS)
    assert first.salt != ScramVerifier.mock("eva", b"server").salt != ScramVerifier.mock("eva", b"another").salt


@given(st.text(min_size=1, max_size=20))
@settings(max_examples=25)
def test_any_password_fits_itself(password: str) -> None:
    verifier = ScramVerifier.of(password, iterations=1)
    assert ScramVerifier.parse(str(verifier)).matches(password)


@pytest.mark.parametrize(
    ("text", "prepared"),
    [("I\u00adX", "IX"), ("user", "user"), ("USER", "USER"), ("\u00aa", "a"), ("\u2168", "IX"), ("a\u00a0b", "a b")],
)
def test_the_examples_of_rfc_4013(text: str, prepared: str) -> None:
    assert saslprep(text) == prepared


@pytest.mark.parametrize("text", ["\u0007", "\u0627\u0031", "\u00ad", "", "\u0221", "\u0627a\u0627"])
def test_what_rfc_4013_prohibits_is_taken_as_it_is(text: str) -> None:
    with pytest.raises(ValueError, match=r"\w+"):
        saslprep(text)
    assert prepared_password(text) == text.encode()


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=1))
def test_ascii_stays_as_it_is(text: str) -> None:
    assert saslprep(text) == text
    assert prepared_password(text) == text.encode()
