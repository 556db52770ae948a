"""Addresses of MySQL databases, as DuckDB writes them and as URLs."""

from __future__ import annotations

from typing import Any

import pytest

from rocklake_server.errors import InvalidParameterValue
from rocklake_server.transfer.addresses import parse_address
from rocklake_server.transfer.mysql_address import MySQLAddress


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("database=lake", {"database": "lake"}),
        ("host=db user=me passwd=x db=lake port=3307", {"host": "db", "user": "me", "password": "x", "database": "lake",
                                                        "port": 3307}),
        ('  HOST = db password="a \\"b\\" \\\\ c=d"  database=lake ', {"host": "db", "password": 'a "b" \\ c=d',
                                                                     "database": "lake"}),
        ("socket=/run/mysqld.sock user= database=lake", {"unix_socket": "/run/mysqld.sock", "database": "lake"}),
        ("database=lake ssl_mode=DISABLED", {"database": "lake", "ssl_disabled": True}),
        ("database=lake ssl_mode=verify_ca ssl_ca=/ca", {"database": "lake", "ssl_ca": "/ca", "ssl_verify_cert": True}),
        ("//me:a%40b@db:3307/lake", {"host": "db", "user": "me", "password": "a@b", "database": "lake", "port": 3307}),
    ],
)  # fmt: skip
def test_the_driver_is_told_what_the_address_says(text: str, expected: dict[str, Any]) -> None:
    assert MySQLAddress.parse(text).arguments() == expected
    assert parse_address(f"mysql:{text}").place == text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("host=db user=me", "names no database; add database=NAME"),
        ("//db", "names no database"),
        ("lake", "is written as host="),
        ('database="lake', "is written as host="),
        ("database=lake compress=1", '"compress" is no part of a MySQL address'),
        ("database=a db=b", "more than one database"),
        ("database=lake port=x", "the port of the MySQL address is no number"),
        ("database=lake ssl_mode=maybe", "ssl_mode of the MySQL address is none of disabled"),
        ("//db:x/lake", "the MySQL address is no URL"),
        ("//db/lake?ssl=1", "a MySQL URL has no options"),
    ],
)
def test_what_is_no_address_is_refused(text: str, said: str) -> None:
    with pytest.raises(InvalidParameterValue, match=said):
        MySQLAddress.parse(text)


def test_no_password_is_printed() -> None:
    assert "secret" not in repr(MySQLAddress.parse("password=secret database=lake"))
    assert str(parse_address("mysql:password=secret database=lake")) == "mysql"
    with pytest.raises(InvalidParameterValue, match="a mysql catalog has no schemas"):
        parse_address("mysql:database=lake", "second")
