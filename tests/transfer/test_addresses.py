from __future__ import annotations

from pathlib import Path

import pytest

from rocklake_server.errors import InvalidParameterValue
from rocklake_server.transfer.addresses import Address, parse_address


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("duckdb:/a/b.duckdb", Address("duckdb", "/a/b.duckdb")),
        ("sqlite:c d.sqlite", Address("sqlite", "c d.sqlite")),
        ("postgres:host=h dbname=d", Address("postgres", "host=h dbname=d")),
        ("postgres:postgresql://u:p@h/d", Address("postgres", "postgresql://u:p@h/d")),
        ("postgres://u:p@h/d", Address("postgres", "postgresql://u:p@h/d")),
        ("postgresql://u:p@h/d", Address("postgres", "postgresql://u:p@h/d")),
    ],
)
def test_addresses_are_read(text: str, expected: Address) -> None:
    assert parse_address(text) == expected


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("oracle:x", '"oracle" is no kind of catalog; write one of duckdb:FILE, sqlite:FILE, postgres:DSN'),
        ("lake.duckdb", "is no kind of catalog"),
        ("", "is no kind of catalog"),
        ("duckdb:", 'names no catalog; write duckdb:FILE'),
        ("/a/b:c", "is no kind of catalog"),
    ],
)
def test_other_texts_are_refused_with_what_to_write(text: str, said: str) -> None:
    with pytest.raises(InvalidParameterValue, match=said):
        parse_address(text)


def test_a_schema_is_refused_where_there_are_none() -> None:
    assert parse_address("duckdb:f", "meta").schema == "meta"
    with pytest.raises(InvalidParameterValue, match="has no schemas"):
        parse_address("sqlite:f", "meta")


def test_passwords_are_not_shown() -> None:
    assert "secret" not in str(parse_address("postgres:host=h password=secret"))


def test_only_a_duckdb_file_is_frozen(tmp_path: Path) -> None:
    with pytest.raises(InvalidParameterValue, match="a frozen catalog is a DuckDB file"):
        parse_address(f"sqlite:{tmp_path}/f").target(frozen=True)
