"""From a startup message to a user who is let in, or an error that tells as little as possible.

The first rule that fits decides how the client proves who it is. Without a file of rules: while no role has a password,
connections of this machine are trusted and all others refused; from then on everybody is asked for a password.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rocklake_server.auth.audit import audit
from rocklake_server.auth.backoff import LoginBackoff
from rocklake_server.auth.roles import CurrentRoles, Privilege, Role
from rocklake_server.auth.rules import (
    ClientCertificate,
    Connection,
    Method,
    Rule,
    Transport,
    matching_rule,
    parse_rules,
    plain_address,
)
from rocklake_server.auth.scram import ScramServer
from rocklake_server.auth.verifier import ScramVerifier
from rocklake_server.clock import Clock
from rocklake_server.errors import (
    CatalogError,
    InsufficientPrivilege,
    InvalidAuthorization,
    InvalidParameterValue,
    InvalidPassword,
    ProtocolViolation,
)
from rocklake_server.server.socket_channel import SocketChannel
from rocklake_server.wire.authentication import cleartext_password, initial_response
from rocklake_server.wire.messages import (
    AuthenticationCleartextPassword,
    AuthenticationSASL,
    AuthenticationSASLContinue,
    AuthenticationSASLFinal,
    PasswordMessage,
)
from rocklake_server.wire.startup import StartupMessage

HBA_FILE_BYTES_MAX = 1024 * 1024
CHECKED_AT_ONCE_MAX = 2
"""Cleartext passwords: each takes a thread for some milliseconds."""


class ClientLeft(Exception):
    """The client went away in the middle of its login, as psql does to ask for a password: nothing was tried."""


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
                text = file.read(HBA_FILE_BYTES_MAX)
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
            raise InvalidParameterValue(f"cannot read {self}: {reason}") from None
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
        address = plain_address(connection.address)
        if self.trust_all or (address is not None and address.is_loopback):
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


class Doorkeeper:
    """Lets clients in, of one server."""

    def __init__(self, roles: CurrentRoles, policy: Policy, clock: Clock, backoff: LoginBackoff) -> None:
        self._roles = roles
        self._policy = policy
        self._clock = clock
        self._backoff = backoff
        self._checks = asyncio.Semaphore(CHECKED_AT_ONCE_MAX)

    async def admit(self, channel: SocketChannel, startup: StartupMessage) -> None:
        """Returns when the client is who it says and may connect to its database. Every outcome is in the audit log.
        Raises InvalidPassword, InvalidAuthorization, InsufficientPrivilege, ProtocolViolation; ClientLeft."""
        method: Method | None = None
        outcome: str | None = "refused"
        reason: str | None = None
        try:
            connection = _connection(channel, startup)
            rule = self._policy.rule(connection, self._roles)
            method = rule.method
            await self._authenticate(channel, connection, rule)
            self._authorize(connection)
            outcome = "accepted"
        except ClientLeft:
            outcome = None
            raise
        except CatalogError as error:
            reason = f"{error.sqlstate} {error}"
            raise
        finally:
            if outcome is not None:
                stream = channel.stream
                audit(
                    "login", outcome=outcome, user=startup.user, database=startup.database, address=channel.peer,
                    method=method.value if method is not None else None,
                    tls=stream.protocol if stream is not None else None, reason=reason,
                )  # fmt: skip

    # -- who it is ----------------------------------------------------------------------------------------------------

    async def _authenticate(self, channel: SocketChannel, connection: Connection, rule: Rule) -> None:
        if rule.needs_certificate:
            self._check_certificate(channel, connection, rule)
        match rule.method:
            case Method.SCRAM:
                await self._scram(channel, connection)
            case Method.PASSWORD:
                await self._password(channel, connection)
            case Method.TRUST | Method.CERTIFICATE | Method.REJECT:
                pass

    def _check_certificate(self, channel: SocketChannel, connection: Connection, rule: Rule) -> None:
        stream = channel.stream
        if stream is None or not stream.has_client_certificate:
            raise InvalidAuthorization("connection requires a valid client certificate")
        by_name = rule.method is Method.CERTIFICATE or rule.certificate is ClientCertificate.VERIFY_FULL
        if by_name and stream.client_name != connection.user:
            raise InvalidAuthorization(f'certificate authentication failed for user "{connection.user}"')

    async def _scram(self, channel: SocketChannel, connection: Connection) -> None:
        self._check_wait(connection)
        verifier, is_genuine = self._verifier(connection.user)
        end_point = channel.stream.identity.end_point if channel.stream is not None else None
        scram = ScramServer(verifier, is_genuine=is_genuine, end_point=end_point)
        channel.send(AuthenticationSASL.offering(*scram.mechanisms))
        response = initial_response(await _answer(channel))
        if response.data is None:
            raise ProtocolViolation("a SASL mechanism was chosen without its first message")
        channel.send(AuthenticationSASLContinue(scram.first(response.mechanism, response.data)))
        proof = bytes((await _answer(channel)).data)
        self._check_wait(connection)
        signature = scram.final(proof)
        if signature is None:
            raise self._failed(connection)
        self._backoff.succeeded(connection.address, connection.user)
        channel.send(AuthenticationSASLFinal(signature))

    async def _password(self, channel: SocketChannel, connection: Connection) -> None:
        """Only within TLS: rules that allow it elsewhere are refused when they are read."""
        self._check_wait(connection)
        channel.send(AuthenticationCleartextPassword())
        password = cleartext_password(await _answer(channel))
        async with self._checks:
            self._check_wait(connection)
            verifier, is_genuine = self._verifier(connection.user)
            is_right = await asyncio.to_thread(verifier.matches, password)
        if not (is_right and is_genuine):
            raise self._failed(connection)
        self._backoff.succeeded(connection.address, connection.user)

    def _verifier(self, user: str) -> tuple[ScramVerifier, bool]:
        """(verifier, whether it is the user's): a user without a valid password is asked for one all the same."""
        table = self._roles.table
        role = table.roles.get(user)
        if role is None or role.verifier is None or self._has_expired(role):
            return ScramVerifier.mock(user, table.mock_secret), False
        return role.verifier, True

    def _has_expired(self, role: Role) -> bool:
        return role.valid_until_us is not None and role.valid_until_us <= self._clock.now_us()

    def _failed(self, connection: Connection) -> InvalidPassword:
        self._backoff.failed(connection.address, connection.user)
        return InvalidPassword(f'password authentication failed for user "{connection.user}"')

    def _check_wait(self, connection: Connection) -> None:
        """Raises InvalidAuthorization after too many failures."""
        wait_s = self._backoff.wait_s(connection.address, connection.user)
        if wait_s > 0:
            raise InvalidAuthorization(f"too many failed logins; try again in {max(1, round(wait_s))} s")

    # -- what it may --------------------------------------------------------------------------------------------------

    def _authorize(self, connection: Connection) -> None:
        """As PostgreSQL, after the client has proved who it is. Raises InvalidAuthorization, InsufficientPrivilege."""
        table, user = self._roles.table, connection.user
        if table.roles:
            role = table.roles.get(user)
            if role is None:
                raise InvalidAuthorization(f'role "{user}" does not exist')
            if not role.login:
                raise InvalidAuthorization(f'role "{user}" is not permitted to log in')
        if table.privilege(user, connection.database) < Privilege.CONNECT:
            raise InsufficientPrivilege(
                f'permission denied for database "{connection.database}"',
                detail="User does not have CONNECT privilege.",
            )


def _connection(channel: SocketChannel, startup: StartupMessage) -> Connection:
    return Connection(
        is_encrypted=channel.stream is not None,
        database=startup.database,
        user=startup.user,
        address=channel.peer or "",
        server_address=channel.local_address or "",
    )


async def _answer(channel: SocketChannel) -> PasswordMessage:
    """Raises ClientLeft, ProtocolViolation."""
    message = await channel.receive()
    if not isinstance(message, PasswordMessage):
        raise ClientLeft
    return message
