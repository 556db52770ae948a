"""Which rule is for a connection: one of the hba file, or without a file one that follows from the roles there are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rocklake_server.auth.roles import CurrentRoles
from rocklake_server.auth.rules import Connection, Method, Rule, Transport, is_own_machine, matching_rule, parse_rules
from rocklake_server.errors import InvalidAuthorization, InvalidParameterValue

HBA_FILE_CHARACTERS_MAX = 1024 * 1024


class HbaFile:
    """The rules of a file, which ``reload`` replaces for connections from then on."""

    def __init__(self, path: Path, *, has_tls: bool, has_client_ca: bool) -> None:
        """Raises InvalidParameterValue."""
        self.path = path
        self._has_tls = has_tls
        self._has_client_ca = has_client_ca
        self.rules = self._read()

    def __str__(self) -> str:
        return f'hba file "{self.path}"'

    def reload(self) -> None:
        """Raises InvalidParameterValue; the rules stay what they were then."""
        self.rules = self._read()

    def _read(self) -> tuple[Rule, ...]:
        try:
            with self.path.open(encoding="utf-8") as file:
                text = file.read(HBA_FILE_CHARACTERS_MAX + 1)
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
            raise InvalidParameterValue(f"cannot read {self}: {reason}") from None
        if len(text) > HBA_FILE_CHARACTERS_MAX:
            raise InvalidParameterValue(f"{self} has more than {HBA_FILE_CHARACTERS_MAX} characters")
        rules = parse_rules(text, str(self))
        for rule in rules:
            if rule.transport is Transport.TLS and not self._has_tls:
                raise InvalidParameterValue(f"{rule.place}: type hostssl needs --tls-cert and --tls-key")
            if rule.needs_certificate and not self._has_client_ca:
                raise InvalidParameterValue(f"{rule.place}: client certificates need --tls-client-ca")
        return rules


@dataclass(frozen=True, slots=True)
class Policy:
    """What the server was told about logins. ``hba`` is ``None`` without a file; ``trust_all`` is then for connections
    from beyond this machine, too."""

    hba: HbaFile | None = None
    trust_all: bool = False

    def rule(self, connection: Connection, roles: CurrentRoles) -> Rule:
        """Raises InvalidAuthorization when nothing lets the connection in."""
        if self.hba is not None:
            return _found(self.hba.rules, connection)
        if roles.table.has_passwords:
            return _rule(Method.SCRAM)
        if self.trust_all or is_own_machine(connection.address):
            return _rule(Method.TRUST)
        raise InvalidAuthorization(
            "no role has a password yet, so only connections from the server's own machine are let in",
            hint="Create one there: rocklake user add NAME --superuser, or set ROCKLAKE_PASSWORD at the first start.",
        )


def _found(rules: Sequence[Rule], connection: Connection) -> Rule:
    rule = matching_rule(rules, connection)
    encryption = "TLS" if connection.is_encrypted else "no encryption"
    who = f'host "{connection.address}", user "{connection.user}", database "{connection.database}", {encryption}'
    if rule is None:
        raise InvalidAuthorization(f"no hba file entry for {who}")
    if rule.method is Method.REJECT:
        raise InvalidAuthorization(f"hba file rejects connection for {who}")
    return rule


def _rule(method: Method) -> Rule:
    return Rule(Transport.ANY, None, None, None, method)
