"""Which rule is for a connection: without a file, with one, and with one that cannot be used. And the first user."""

from __future__ import annotations

from pathlib import Path

import pytest

from rocklake_server.auth.roles import CurrentRoles, RoleChange, RoleTable
from rocklake_server.auth.rules import Connection, Method
from rocklake_server.auth.verifier import ScramVerifier
from rocklake_server.config import LoginSettings, given_password, server_settings
from rocklake_server.errors import InvalidAuthorization, InvalidParameterValue
from rocklake_server.server import login_policy
from rocklake_server.server.initial_role import make_initial_role
from rocklake_server.server.login_policy import HbaFile, Policy
from tests.session.conversation import place

VERIFIER = ScramVerifier.of("x", iterations=1)
NOBODY = CurrentRoles()
BY_CERTIFICATE = CurrentRoles(RoleTable().created("ada", RoleChange(superuser=True), b"s"))
BY_PASSWORD = CurrentRoles(RoleTable().created("ada", RoleChange(superuser=True, password=(VERIFIER,)), b"s"))


def method(policy: Policy, roles: CurrentRoles, address: str) -> Method | None:
    """``None`` when the connection is refused."""
    try:
        return policy.rule(Connection(False, "lake", "ada", address, "198.51.100.1"), roles).method
    except InvalidAuthorization:
        return None


@pytest.mark.parametrize("roles", [NOBODY, BY_CERTIFICATE], ids=["no role", "no password"])
def test_without_a_password_only_this_machine_is_trusted(roles: CurrentRoles) -> None:
    for address in ("127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1"):
        assert method(Policy(), roles, address) is Method.TRUST
    for address in ("10.0.0.1", "198.51.100.1", "fe80::1%eth0", "::ffff:10.0.0.1", ""):
        assert method(Policy(), roles, address) is None
        assert method(Policy(trust_all=True), roles, address) is Method.TRUST


def test_who_is_refused_is_told_what_to_do() -> None:
    with pytest.raises(InvalidAuthorization, match="no role has a password yet") as caught:
        Policy().rule(Connection(False, "lake", "ada", "10.0.0.1", ""), NOBODY)
    assert "rocklake user add" in str(caught.value.hint)


@pytest.mark.parametrize("trust_all", [False, True])
def test_with_a_password_everybody_is_asked(trust_all: bool) -> None:
    for address in ("127.0.0.1", "10.0.0.1"):
        assert method(Policy(trust_all=trust_all), BY_PASSWORD, address) is Method.SCRAM


def test_a_file_decides_alone(tmp_path: Path) -> None:
    file = tmp_path / "hba.conf"
    file.write_text("host all all 10.0.0.0/8 trust\n")
    hba = HbaFile(file, has_tls=False, has_client_ca=False)
    assert method(Policy(hba), BY_PASSWORD, "10.0.0.1") is Method.TRUST
    assert method(Policy(hba, trust_all=True), NOBODY, "127.0.0.1") is None
    file.write_text("host all all all reject\n")
    hba.reload()
    assert method(Policy(hba), BY_PASSWORD, "10.0.0.1") is None


def test_files_that_cannot_be_used_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "hba.conf"

    def refused(*, has_tls: bool = True) -> str:
        with pytest.raises(InvalidParameterValue) as caught:
            HbaFile(file, has_tls=has_tls, has_client_ca=False)
        return str(caught.value)

    assert refused() == f'cannot read hba file "{file}": No such file or directory'
    file.write_bytes(b"host all \xff all trust")
    assert refused().endswith("it is not UTF-8")
    file.write_text("hostssl all all all scram-sha-256\n")
    assert "type hostssl needs --tls-cert and --tls-key" in refused(has_tls=False)
    file.write_text("hostssl all all all cert\n")
    assert "line 1: client certificates need --tls-client-ca" in refused()
    monkeypatch.setattr(login_policy, "HBA_FILE_CHARACTERS_MAX", 100)
    file.write_text("host all all all trust\n" + "# " + "x" * 100)
    assert refused().endswith("has more than 100 characters"), "what is not read could be what refuses"


# -- settings and the first user --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("login", "said"),
    [
        (LoginSettings(tls_certificate=Path("a")), "given together"),
        (LoginSettings(tls_key=Path("a")), "given together"),
        (LoginSettings(tls_client_ca=Path("a")), "needs --tls-cert"),
    ],
)
def test_tls_files_come_together(login: LoginSettings, said: str) -> None:
    with pytest.raises(InvalidParameterValue, match=said):
        server_settings(
            store="memory:///", listen="127.0.0.1:0", log_level="info", insecure_trust=False, variables={}, login=login
        )


def test_a_password_shows_in_no_repr() -> None:
    assert "secret" not in repr(LoginSettings(initial_password="secret"))


def test_the_first_line_of_a_file_is_a_password(tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_bytes("pässword \r\nmore\r\n".encode())
    assert given_password({}, file) == "pässword "
    assert given_password({"ROCKLAKE_PASSWORD": "given"}, None) == "given"
    assert given_password({}, None) is None
    with pytest.raises(InvalidParameterValue, match="is empty"):
        given_password({"ROCKLAKE_PASSWORD": ""}, None)


async def test_the_first_start_makes_a_superuser_and_later_ones_do_not() -> None:
    async with place() as opened:
        roles = opened.databases.directory.roles
        await make_initial_role(opened.databases, LoginSettings())
        assert not roles.table.roles
        await make_initial_role(opened.databases, LoginSettings(initial_user="ada", initial_password="one"))
        await make_initial_role(opened.databases, LoginSettings(initial_user="eve", initial_password="two"))
        (role,) = roles.table.roles.values()
        assert (role.name, role.superuser, role.login) == ("ada", True, True)
        assert role.verifier is not None
        assert role.verifier.matches("one")
