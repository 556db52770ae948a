"""Statements about roles: what they mean, what is refused, and that passwords stay nowhere."""

from __future__ import annotations

import gc
import os
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocklake_server.auth.roles import GRANTED, Privilege
from rocklake_server.errors import CatalogError, SyntaxProblem, Unsupported
from rocklake_server.sql.parse import parse_statement, parse_statements
from rocklake_server.sql.roles import (
    GRANT_HINT,
    AlterRole,
    CreateRole,
    DropRole,
    Grant,
    GrantMembership,
    RenameRole,
    Revoke,
    RevokeMembership,
    RoleOptions,
    RoleStatement,
    role_text,
)


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        ("CREATE ROLE ada", CreateRole("ada", RoleOptions(login=False))),
        ("create user Ada", CreateRole("ada", RoleOptions(login=True))),
        ('CREATE USER "Ada" WITH NOLOGIN', CreateRole("Ada", RoleOptions(login=False))),
        (
            "CREATE ROLE ada SUPERUSER LOGIN ENCRYPTED PASSWORD 'it''s' VALID UNTIL '2030-01-01'",
            CreateRole("ada", RoleOptions(True, True, "it's", "2030-01-01")),
        ),
        (
            "CREATE ROLE ada NOSUPERUSER NOCREATEDB NOCREATEROLE INHERIT NOREPLICATION NOBYPASSRLS CONNECTION LIMIT -1",
            CreateRole("ada", RoleOptions(login=False, superuser=False)),
        ),
        ("ALTER USER ada PASSWORD $$x$$", AlterRole("ada", RoleOptions(password="x"))),
        ("ALTER ROLE ada WITH PASSWORD NULL", AlterRole("ada", RoleOptions(password=""))),
        ("ALTER ROLE current_user PASSWORD E'a\\nb'", AlterRole(None, RoleOptions(password="a\nb"))),
        ("ALTER ROLE ada RENAME TO lovelace", RenameRole("ada", "lovelace")),
        ("DROP ROLE IF EXISTS ada, bob", DropRole(("ada", "bob"), if_exists=True)),
        ("DROP USER ada", DropRole(("ada",))),
        ("GRANT reader ON DATABASE lake TO ada", Grant(frozenset((Privilege.READER,)), ("lake",), ("ada",))),
        (
            'GRANT connect, WRITER ON DATABASE lake, "Other" TO ada, bob',
            Grant(frozenset((Privilege.CONNECT, Privilege.WRITER)), ("lake", "Other"), ("ada", "bob")),
        ),
        ("REVOKE admin ON DATABASE lake FROM ada", Revoke(frozenset((Privilege.ADMIN,)), ("lake",), ("ada",))),
        ("GRANT reader ON DATABASE lake TO PUBLIC, GROUP ada",
         Grant(frozenset((Privilege.READER,)), ("lake",), ("public", "ada"))),
        ("REVOKE connect ON DATABASE lake FROM Public",
         Revoke(frozenset((Privilege.CONNECT,)), ("lake",), ("public",))),
        ("GRANT bob TO ada", GrantMembership(("bob",), ("ada",))),
        ('GRANT reader, "Bob" TO GROUP ada, carl', GrantMembership(("reader", "Bob"), ("ada", "carl"))),
        ("REVOKE bob, select FROM ada RESTRICT", RevokeMembership(("bob", "select"), ("ada",))),
        ("REVOKE ALL PRIVILEGES ON DATABASE lake FROM ada CASCADE", Revoke(frozenset(GRANTED), ("lake",), ("ada",))),
    ],
)
def test_what_statements_mean(text: str, statement: RoleStatement) -> None:
    assert parse_statement(text) == statement


@pytest.mark.parametrize(
    "text",
    [
        "GRANT SELECT ON TABLE t TO ada",
        "GRANT SELECT ON ALL TABLES IN SCHEMA public TO ada",
        "GRANT reader ON SCHEMA public TO ada",
        "GRANT ALL ON DATABASE lake TO ada",
        "GRANT CREATE ON DATABASE lake TO ada",
        "GRANT USAGE ON SCHEMA public TO ada",
        "REVOKE SELECT ON t FROM ada",
    ],
)
def test_grants_that_mean_something_else_say_what_to_use(text: str) -> None:
    with pytest.raises(Unsupported) as caught:
        parse_statement(text)
    assert caught.value.hint == GRANT_HINT


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("GRANT reader ON DATABASE lake TO CURRENT_USER", "CURRENT_USER"),
        ("GRANT bob TO ada WITH ADMIN OPTION", "WITH"),
        ("GRANT bob TO ada GRANTED BY carl", "GRANTED"),
        ("REVOKE ADMIN OPTION FOR bob FROM ada", "ADMIN OPTION FOR"),
        ("DROP ROLE PUBLIC", "PUBLIC"),
        ("GRANT reader ON DATABASE lake TO ada WITH GRANT OPTION", "WITH"),
        ("REVOKE GRANT OPTION FOR reader ON DATABASE lake FROM ada", "GRANT OPTION FOR"),
        ("CREATE ROLE ada CREATEDB", "CREATEDB"),
        ("CREATE ROLE ada REPLICATION", "REPLICATION"),
        ("CREATE ROLE ada IN ROLE bob", "IN"),
        ("CREATE ROLE ada CONNECTION LIMIT 5", "CONNECTION"),
        ("CREATE GROUP ada", "GROUP"),
        ("CREATE USER MAPPING FOR ada SERVER s", "USER MAPPING"),
        ("ALTER ROLE ada SET search_path TO x", "settings"),
        ("ALTER ROLE ALL PASSWORD 'x'", "ALL"),
    ],
)
def test_what_is_not_supported_is_named(text: str, named: str) -> None:
    with pytest.raises(Unsupported, match=named):
        parse_statement(text)


@pytest.mark.parametrize(
    "text",
    [
        "ALTER USER ada PASSWORD 'hunter2' 'hunter2'",
        "ALTER USER ada PASSWORD hunter2",
        "ALTER USER ada PASSWORD 'hunter2",
        "ALTER USER ada PASSWORD \"hunter2\"",
        "CREATE USER ada PASSWORD = 'hunter2'",
        "CREATE USER ada PASSWORD 'x' hunter2",
        "CREATE USER ada PASSWORD 'hunter2' CREATEDB",
    ],
)
def test_no_error_quotes_a_password(text: str) -> None:
    with pytest.raises(CatalogError) as caught:
        parse_statements(text)
    error = caught.value
    assert isinstance(error, SyntaxProblem | Unsupported)
    assert "hunter2" not in f"{error} {error.detail} {error.hint}"


@pytest.mark.parametrize(
    "text",
    [
        "ALTER USER ada PASSWORD 'correct horse {}'",
        "CREATE USER ada PASSWORD $${}$$; SELECT 1",
        "CREATE USER ada PASSWORD '" + "x" * 5000 + "{}'",
    ],
)
def test_no_cache_keeps_a_password(text: str) -> None:
    """Nothing that the garbage collector knows holds the text, or a part of it, once the statement is forgotten."""
    secret = f"battery staple {os.getpid()}"
    for _ in range(3):
        statements = parse_statements(text.format(secret))
        assert isinstance(statements[0], CreateRole | AlterRole)
        assert statements[0].options.password is not None
        assert secret in statements[0].options.password
        assert secret not in repr(statements)
    assert holders(secret) != [], "as long as it is there, it is found"
    del statements
    assert holders(secret) == []


def holders(secret: str) -> list[str]:
    """The types of containers that hold ``secret`` within a string or a statement."""
    found = []
    for each in gc.get_objects():
        if isinstance(each, tuple | list | set | dict):
            values = [*each, *each.values()] if isinstance(each, dict) else each
            if any(_holds(value, secret) for value in values):
                found.append(type(each).__name__)
    return found


def _holds(value: object, secret: str) -> bool:
    if isinstance(value, CreateRole | AlterRole):
        return secret in str(value.options.password)
    return isinstance(value, str) and secret in value


NAMES = st.text(min_size=1, max_size=8).filter(lambda name: "\0" not in name)
TEXTS = st.text(max_size=8).filter(lambda text: "\0" not in text)
OPTIONS = st.builds(
    RoleOptions, st.none() | st.booleans(), st.none() | st.booleans(), st.none() | TEXTS, st.none() | TEXTS
)
SOME = st.lists(NAMES, min_size=1, max_size=3).map(tuple)
PRIVILEGES = st.frozensets(st.sampled_from(GRANTED), min_size=1)
STATEMENTS = st.one_of(
    st.builds(CreateRole, NAMES, OPTIONS.filter(lambda options: options.login is not None)),
    st.builds(AlterRole, st.none() | NAMES, OPTIONS),
    st.builds(RenameRole, NAMES, NAMES),
    st.builds(DropRole, SOME, st.booleans()),
    st.builds(Grant, PRIVILEGES, SOME, SOME),
    st.builds(Revoke, PRIVILEGES, SOME, SOME),
    st.builds(GrantMembership, SOME, SOME),
    st.builds(RevokeMembership, SOME, SOME),
)


@given(STATEMENTS)
def test_a_statement_as_text_is_the_same_statement(statement: RoleStatement) -> None:
    assert parse_statement(role_text(statement)) == statement


def test_every_statement_is_made_up_here() -> None:
    assert {kind.__name__ for kind in get_args(RoleStatement)} == {
        "CreateRole", "AlterRole", "RenameRole", "DropRole", "Grant", "Revoke", "GrantMembership",
        "RevokeMembership",
    }  # fmt: skip
