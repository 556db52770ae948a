"""CREATE, ALTER and DROP DATABASE, and ALTER SCHEMA: PostgreSQL's grammar, refused where it would not be true."""

from __future__ import annotations

import pytest

from rocklake_server.errors import CatalogError
from rocklake_server.sql.parse import parse_statement
from rocklake_server.sql.statements import CreateDatabase, DropDatabase, Query, RenameDatabase, RenameSchema


@pytest.mark.parametrize(
    "text",
    [
        "CREATE DATABASE a",
        "create database A",
        "CREATE DATABASE a WITH",
        "CREATE DATABASE a TEMPLATE template0 ENCODING 'UTF8'",
        "CREATE DATABASE a WITH OWNER = DEFAULT ENCODING = 'utf-8' LC_COLLATE = 'C' LC_CTYPE 'POSIX'",
        "CREATE DATABASE a ENCODING 6 CONNECTION LIMIT -1 ALLOW_CONNECTIONS true IS_TEMPLATE = false",
        "CREATE DATABASE a LOCALE 'C.UTF-8' TABLESPACE pg_default STRATEGY wal_log TEMPLATE DEFAULT",
    ],
)
def test_options_that_say_what_is_true_are_taken(text: str) -> None:
    assert parse_statement(text) == CreateDatabase("a")


def test_an_owner_is_kept() -> None:
    assert parse_statement('CREATE DATABASE "A b" OWNER "Ada"') == CreateDatabase("A b", "Ada")


@pytest.mark.parametrize(
    ("text", "sqlstate"),
    [
        ("CREATE DATABASE", "42601"),
        ("CREATE DATABASE IF NOT EXISTS a", "42601"),
        ("CREATE DATABASE a ENCODING 'LATIN1'", "0A000"),
        ("CREATE DATABASE a LC_COLLATE 'de_DE.UTF-8'", "0A000"),
        ("CREATE DATABASE a TEMPLATE b", "0A000"),
        ("CREATE DATABASE a CONNECTION LIMIT 3", "0A000"),
        ("CREATE DATABASE a ICU_LOCALE 'en'", "0A000"),
        ("CREATE DATABASE a IS_TEMPLATE true", "0A000"),
        ("CREATE DATABASE a OWNER b OWNER c", "42601"),
        ("DROP DATABASE a, b", "42601"),
        ("DROP DATABASE a WITH (SOFT)", "42601"),
        ("ALTER DATABASE a OWNER TO b", "0A000"),
        ("ALTER DATABASE a SET search_path TO x", "0A000"),
        ("ALTER SCHEMA a OWNER TO b", "0A000"),
    ],
)
def test_the_rest_is_refused(text: str, sqlstate: str) -> None:
    with pytest.raises(CatalogError) as caught:
        parse_statement(text)
    assert caught.value.sqlstate == sqlstate


def test_the_others_are_read() -> None:
    assert parse_statement("DROP DATABASE IF EXISTS a WITH (FORCE)") == DropDatabase("a", if_exists=True, force=True)
    assert parse_statement("DROP DATABASE a (force)") == DropDatabase("a", force=True)
    assert parse_statement("DROP DATABASE a") == DropDatabase("a")
    assert parse_statement("ALTER DATABASE a RENAME TO b") == RenameDatabase("a", "b")
    assert parse_statement("ALTER SCHEMA a RENAME TO b") == RenameSchema("a", "b")
    assert isinstance(parse_statement("CREATE SCHEMA a"), Query)
