"""Settings of the server: defaults, then ROCKLAKE_* variables, then flags."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from rocklake_server.errors import InvalidParameterValue
from rocklake_server.limits import (
    BUSY_POLL_US_DEFAULT,
    CONNECTIONS_MAX_DEFAULT,
    IMAGE_MEMORY_MIB_DEFAULT,
    LEASE_TIME_S_DEFAULT,
    LEASE_TIME_S_MIN,
    OPEN_LAKES_DEFAULT,
)
from rocklake_server.telemetry import FORMATS, LEVELS

DEFAULT_PORT = 5432
ADMIN_PORT = 8432
_LOOPBACK_OF_ANY = {"0.0.0.0": "127.0.0.1", "::": "::1"}
ENVIRONMENT_PREFIX = "ROCKLAKE_"
PASSWORD_VARIABLE = f"{ENVIRONMENT_PREFIX}PASSWORD"
"""Holds a password where a command needs one. No option does: others on the machine see the command line."""

PASSWORD_FILE_BYTES_MAX = 8 * 1024


class CreateDatabases(StrEnum):
    """How a database comes to be: by its first table, or only by CREATE DATABASE."""

    AUTO = "auto"
    ADMIN = "admin"


@dataclass(frozen=True, slots=True)
class Listen:
    """Where the server listens; port 0 lets the system choose one."""

    host: str
    port: int

    @property
    def is_loopback(self) -> bool:
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def client_host(self) -> str:
        """The host that a client on this machine connects to."""
        return _LOOPBACK_OF_ANY.get(self.host, self.host)

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class LoginSettings:
    """Who is let in: files of TLS and of rules, and the role that the first start makes, if it has a password."""

    tls_certificate: Path | None = None
    tls_key: Path | None = None
    tls_client_ca: Path | None = None
    hba_file: Path | None = None
    initial_user: str = "rocklake"
    initial_password: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """Everything ``rocklake serve`` can be told. ``maintenance`` is the path of a file; ``variables`` are the
    environment's, for the object store's keys."""

    store: str
    listen: Listen
    log_level: str
    insecure_trust: bool
    max_connections: int
    drain_timeout_s: float
    lease_time_s: float
    takeover: bool
    busy_poll_us: int
    image_memory_mib: int
    admin: Listen | None
    slow_statement_ms: float | None
    maintenance: str | None
    log_format: str
    otlp_endpoint: str | None
    create_databases: CreateDatabases
    rekey: bool
    max_open_lakes: int
    variables: Mapping[str, str]
    login: LoginSettings = LoginSettings()


def given_password(variables: Mapping[str, str], file: Path | None) -> str | None:
    """The first line of ``file``, or what ROCKLAKE_PASSWORD holds; ``None`` without either. Raises
    InvalidParameterValue for both, for an empty one, and for a file that cannot be read."""
    written = variables.get(PASSWORD_VARIABLE)
    if file is None:
        if written == "":
            raise InvalidParameterValue(f"{PASSWORD_VARIABLE} is empty")
        return written
    if written is not None:
        raise InvalidParameterValue(f"{PASSWORD_VARIABLE} and a password file are given; one of them is wanted")
    try:
        with file.open(encoding="utf-8") as opened:
            password = opened.read(PASSWORD_FILE_BYTES_MAX).partition("\n")[0].removesuffix("\r")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise InvalidParameterValue(f'cannot read password file "{file}": {reason}') from None
    if not password:
        raise InvalidParameterValue(f'the first line of password file "{file}" is empty')
    return password


def parse_listen(text: str, default_port: int = DEFAULT_PORT) -> Listen:
    """``host:port``, ``[v6]:port`` or ``host``. Raises InvalidParameterValue."""
    host, separator, port = text.rpartition(":")
    if not separator or text.endswith("]"):
        host, port = text, str(default_port)
    host = host.strip("[]")
    if not host or not port.isdecimal() or int(port) > 65_535:
        example = f"127.0.0.1:{default_port}"
        raise InvalidParameterValue(f'"{text}" is not an address to listen on; write host:port, as {example}')
    return Listen(host, int(port))


def server_settings(
    *,
    store: str,
    listen: str,
    log_level: str,
    insecure_trust: bool,
    variables: Mapping[str, str],
    max_connections: int = CONNECTIONS_MAX_DEFAULT,
    drain_timeout_s: float = 30.0,
    lease_time_s: float = LEASE_TIME_S_DEFAULT,
    takeover: bool = False,
    busy_poll_us: int = BUSY_POLL_US_DEFAULT,
    image_memory_mib: int = IMAGE_MEMORY_MIB_DEFAULT,
    admin: str | None = None,
    slow_statement_ms: float | None = None,
    create_databases: CreateDatabases = CreateDatabases.AUTO,
    rekey: bool = False,
    max_open_lakes: int = OPEN_LAKES_DEFAULT,
    insecure_admin: bool = False,
    login: LoginSettings | None = None,
    maintenance: str | None = None,
    log_format: str = FORMATS[0],
    otlp_endpoint: str | None = None,
) -> ServerSettings:
    """Raises InvalidParameterValue: for a bad address, an unknown log level or format, a lease that is too short, a
    certificate without its key, or an admin port that is open beyond this machine."""
    where = parse_listen(listen)
    if log_level.lower() not in LEVELS:
        raise InvalidParameterValue(f'"{log_level}" is not a log level; choose one of {", ".join(LEVELS)}')
    if log_format.lower() not in FORMATS:
        raise InvalidParameterValue(f'"{log_format}" is not a log format; choose one of {", ".join(FORMATS)}')
    if otlp_endpoint is not None and not otlp_endpoint.startswith(("http://", "https://")):
        raise InvalidParameterValue(f'"{otlp_endpoint}" is no place for traces; write a URL, as http://127.0.0.1:4318')
    watched = parse_listen(admin, ADMIN_PORT) if admin else None
    if watched is not None and not watched.is_loopback and not (insecure_admin or insecure_trust):
        raise InvalidParameterValue(
            f"the admin port on {watched} would tell anyone on the network about the lakes: it asks for no password; "
            "listen on a loopback address, or pass --insecure-admin if the network is private"
        )
    login = login or LoginSettings()
    if (login.tls_certificate is None) != (login.tls_key is None):
        raise InvalidParameterValue("--tls-cert and --tls-key are given together or not at all")
    if login.tls_client_ca is not None and login.tls_certificate is None:
        raise InvalidParameterValue("--tls-client-ca needs --tls-cert and --tls-key")
    if not lease_time_s >= LEASE_TIME_S_MIN:
        raise InvalidParameterValue(f"a lease of {lease_time_s:g} s is too short; {LEASE_TIME_S_MIN:g} s is the least")
    return ServerSettings(
        store,
        where,
        log_level.lower(),
        insecure_trust,
        max_connections,
        drain_timeout_s,
        lease_time_s,
        takeover,
        busy_poll_us,
        image_memory_mib,
        watched,
        slow_statement_ms,
        maintenance,
        log_format.lower(),
        otlp_endpoint,
        create_databases,
        rekey,
        max_open_lakes,
        variables,
        login,
    )
