"""Encryption keys from a file or a variable: the first writes, and what is wrong is told without the key."""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path

import pytest

from rocklake_server.errors import InvalidParameterValue
from rocklake_server.store.keyring import FILE_VARIABLE, KEYS_VARIABLE, read_keyring
from rocklake_server.store.object_stores import parse_store_url

ONE, TWO = (b64encode(bytes([number]) * 32).decode() for number in (1, 2))


def test_nothing_given_is_no_keyring() -> None:
    assert read_keyring({}) is None
    assert read_keyring({KEYS_VARIABLE: "", FILE_VARIABLE: ""}) is None


def test_keys_of_a_variable_come_before_those_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "keys"
    file.write_text(f"# the old key\n\nold:{ONE}\n")
    found = read_keyring({KEYS_VARIABLE: f"new:{TWO}", FILE_VARIABLE: str(file)})
    assert found is not None
    assert (found.writing, list(found.ciphers)) == ("new", ["new", "old"])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nothing", "place 1"),
        (f"a b:{ONE}", "place 1"),
        (f"a:{ONE},a:{TWO}", '"a" is given twice'),
        (f"a:{ONE[:-8]}", '"a" has 27 bytes, and needs 32'),
        (f"a:{ONE[:-1]}!", '"a" is not base64'),
        (f"{'x' * 33}:{ONE}", "place 1"),
    ],
)
def test_a_key_that_cannot_be_one_is_refused_without_repeating_it(text: str, said: str) -> None:
    with pytest.raises(InvalidParameterValue, match=said) as caught:
        read_keyring({KEYS_VARIABLE: text})
    assert ONE[:10] not in str(caught.value)


def test_a_file_that_is_missing_or_empty_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidParameterValue, match="cannot be read: No such file"):
        read_keyring({FILE_VARIABLE: str(tmp_path / "none")})
    (tmp_path / "empty").write_text("# nothing\n")
    with pytest.raises(InvalidParameterValue, match="holds no key"):
        read_keyring({FILE_VARIABLE: str(tmp_path / "empty")})


def test_a_location_keeps_its_keys_and_prints_none_of_them() -> None:
    location = parse_store_url("memory:///x", {KEYS_VARIABLE: f"a:{ONE}"}).child("lakes/7")
    assert location.keyring is not None
    assert location.directory == "lakes/7"
    assert ONE not in repr(location) + str(location) + repr(location.keyring)
