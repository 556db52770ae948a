"""``rocklake serve``: run the catalog server."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
import uvloop

from rocklake_server.config import (
    ENVIRONMENT_PREFIX,
    PASSWORD_VARIABLE,
    CreateDatabases,
    Listen,
    LoginSettings,
    given_password,
    server_settings,
)
from rocklake_server.limits import (
    BUSY_POLL_US_DEFAULT,
    BUSY_POLL_US_MAX,
    CONNECTIONS_MAX_DEFAULT,
    IMAGE_MEMORY_MIB_DEFAULT,
    LEASE_TIME_S_DEFAULT,
    LEASE_TIME_S_MIN,
    OPEN_LAKES_DEFAULT,
)
from rocklake_server.server.admin.port import PATHS
from rocklake_server.server.serve import serve
from rocklake_server.store.keyring import FILE_VARIABLE
from rocklake_server.telemetry import FORMATS, LEVELS, configure_logging

StoreToServe = Annotated[
    str,
    typer.Option(
        envvar=f"{ENVIRONMENT_PREFIX}STORE",
        help="Where the catalog lives: file:///folder, s3://bucket/prefix, gs://…, az://…, memory:///.",
    ),
]
ListenOn = Annotated[
    str, typer.Option(envvar=f"{ENVIRONMENT_PREFIX}LISTEN", help="Address as host:port; port 0 chooses a free one.")
]
LogLevel = Annotated[str, typer.Option(envvar=f"{ENVIRONMENT_PREFIX}LOG_LEVEL", help=f"One of {', '.join(LEVELS)}.")]
InsecureTrust = Annotated[
    bool,
    typer.Option(
        "--insecure-trust",
        envvar=f"{ENVIRONMENT_PREFIX}INSECURE_TRUST",
        help="Trust every user, also beyond this machine, while no role has a password.",
    ),
]
MaxConnections = Annotated[
    int, typer.Option(envvar=f"{ENVIRONMENT_PREFIX}MAX_CONNECTIONS", min=1, help="Sessions served at once.")
]
DrainTimeout = Annotated[
    float,
    typer.Option(
        envvar=f"{ENVIRONMENT_PREFIX}DRAIN_TIMEOUT", min=0, help="Seconds that statements may finish in at a stop."
    ),
]
LeaseTime = Annotated[
    float,
    typer.Option(
        envvar=f"{ENVIRONMENT_PREFIX}LEASE_TIME",
        min=LEASE_TIME_S_MIN,
        help="Seconds after which another server may take a bucket over from one that died.",
    ),
]
Takeover = Annotated[
    bool,
    typer.Option(
        "--takeover",
        help="Take a bucket over from the server that holds it; that one answers nothing from then on.",
    ),
]
BusyPoll = Annotated[
    int,
    typer.Option(
        envvar=f"{ENVIRONMENT_PREFIX}BUSY_POLL",
        min=0,
        max=BUSY_POLL_US_MAX,
        help="Microseconds to look for a lone local client's next message before sleeping; 0 saves the processor.",
    ),
]
ImageMemory = Annotated[
    int,
    typer.Option(
        envvar=f"{ENVIRONMENT_PREFIX}IMAGE_MEMORY",
        min=1,
        help="MiB of rows to keep loaded, all lakes together; others are read from the store again.",
    ),
]
Admin = Annotated[
    str | None,
    typer.Option(
        envvar=f"{ENVIRONMENT_PREFIX}ADMIN",
        help="Address as host:port for a console page, /metrics, /live, /ready, /status over HTTP; off unless given.",
    ),
]
SlowStatement = Annotated[
    float | None,
    typer.Option(
        envvar=f"{ENVIRONMENT_PREFIX}SLOW_STATEMENT",
        min=0,
        help="Milliseconds from which on a statement is logged, without its values; off unless given.",
    ),
]
TlsCert = Annotated[
    Path | None,
    typer.Option(
        envvar=f"{ENVIRONMENT_PREFIX}TLS_CERT",
        help="PEM file with the server's certificate and, after it, those of its issuers: TLS 1.2 and 1.3 are offered.",
    ),
]
TlsKey = Annotated[
    Path | None, typer.Option(envvar=f"{ENVIRONMENT_PREFIX}TLS_KEY", help="PEM file with the certificate's key.")
]
TlsClientCa = Annotated[
    Path | None,
    typer.Option(
        envvar=f"{ENVIRONMENT_PREFIX}TLS_CLIENT_CA", help="PEM file with the issuers of clients' certificates."
    ),
]
HbaFile = Annotated[
    Path | None,
    typer.Option(
        envvar=f"{ENVIRONMENT_PREFIX}HBA_FILE",
        help="Rules of who may connect from where, as in pg_hba.conf; read again, like the TLS files, on SIGHUP.",
    ),
]
InitialUser = Annotated[
    str,
    typer.Option(
        envvar=f"{ENVIRONMENT_PREFIX}USER", help="The superuser that a start makes when it is given a password."
    ),
]
InitialPasswordFile = Annotated[
    Path | None,
    typer.Option(
        envvar=f"{ENVIRONMENT_PREFIX}PASSWORD_FILE",
        help="File whose first line is that user's password; ignored once there is a role. The password may also be "
        f"in {PASSWORD_VARIABLE}.",
    ),
]
InsecureAdmin = Annotated[
    bool,
    typer.Option(
        "--insecure-admin",
        envvar=f"{ENVIRONMENT_PREFIX}INSECURE_ADMIN",
        help="Let the admin port listen beyond this machine although it asks for no password.",
    ),
]

MaxOpenLakes = Annotated[
    int,
    typer.Option(
        envvar=f"{ENVIRONMENT_PREFIX}MAX_OPEN_LAKES",
        min=1,
        help="Lakes open at once; one that nobody uses closes for another, those in use stay.",
    ),
]
CreateDatabasesOption = Annotated[
    CreateDatabases,
    typer.Option(
        "--create-databases",
        envvar=f"{ENVIRONMENT_PREFIX}CREATE_DATABASES",
        metavar="auto|admin",
        help="auto: the first table creates the database that a client has connected to. "
        "admin: only CREATE DATABASE does, and other names are refused.",
    ),
]
KeyFile = Annotated[
    str | None,
    typer.Option(
        "--encryption-key-file",
        envvar=FILE_VARIABLE,
        metavar="FILE",
        help="Keys that stored values are encrypted with, one id:base64 on a line; the first one writes.",
    ),
]
Rekey = Annotated[
    bool,
    typer.Option(
        "--rekey",
        envvar=f"{ENVIRONMENT_PREFIX}REKEY",
        help="Encrypt what an earlier key, or none, has written with the first key, in the background.",
    ),
]


Maintenance = Annotated[
    str | None,
    typer.Option(
        envvar=f"{ENVIRONMENT_PREFIX}MAINTENANCE", metavar="FILE",
        help="TOML file that says which maintenance runs by itself (docs/maintenance.md). Without one only rows that "
        "were deleted 7 days ago go for good.",
    ),
]  # fmt: skip
LogFormat = Annotated[
    str, typer.Option(envvar=f"{ENVIRONMENT_PREFIX}LOG_FORMAT", help=f"How log lines look: {' or '.join(FORMATS)}.")
]
OtlpEndpoint = Annotated[
    str | None,
    typer.Option(
        envvar=f"{ENVIRONMENT_PREFIX}OTLP_ENDPOINT",
        help="URL of an OpenTelemetry collector (OTLP over HTTP) that traces are sent to; needs rocklake-server[otel].",
    ),
]


def register(app: typer.Typer) -> None:
    app.command("serve")(command)


def command(
    store: StoreToServe,
    listen: ListenOn = "127.0.0.1:5432",
    log_level: LogLevel = "info",
    insecure_trust: InsecureTrust = False,
    max_connections: MaxConnections = CONNECTIONS_MAX_DEFAULT,
    drain_timeout: DrainTimeout = 30.0,
    lease_time: LeaseTime = LEASE_TIME_S_DEFAULT,
    takeover: Takeover = False,
    busy_poll: BusyPoll = BUSY_POLL_US_DEFAULT,
    image_memory: ImageMemory = IMAGE_MEMORY_MIB_DEFAULT,
    admin: Admin = None,
    slow_statement: SlowStatement = None,
    create_databases: CreateDatabasesOption = CreateDatabases.AUTO,
    encryption_key_file: KeyFile = None,
    rekey: Rekey = False,
    max_open_lakes: MaxOpenLakes = OPEN_LAKES_DEFAULT,
    tls_cert: TlsCert = None,
    tls_key: TlsKey = None,
    tls_client_ca: TlsClientCa = None,
    hba_file: HbaFile = None,
    initial_user: InitialUser = "rocklake",
    initial_password_file: InitialPasswordFile = None,
    insecure_admin: InsecureAdmin = False,
    maintenance: Maintenance = None,
    log_format: LogFormat = FORMATS[0],
    otlp_endpoint: OtlpEndpoint = None,
) -> None:
    """Serve DuckLake catalogs over PostgreSQL's wire protocol.

    Examples:

    \b
    rocklake serve --store file:///var/lib/rocklake
    rocklake serve --store s3://bucket/prefix --listen 127.0.0.1:5433 --admin 127.0.0.1:8432
    rocklake serve --store s3://bucket/prefix --listen 0.0.0.0:5432 --tls-cert server.crt --tls-key server.key
    ROCKLAKE_STORE=memory:/// rocklake serve --log-level debug
    """
    settings = server_settings(
        store=store,
        listen=listen,
        log_level=log_level,
        insecure_trust=insecure_trust,
        variables=os.environ if encryption_key_file is None else {**os.environ, FILE_VARIABLE: encryption_key_file},
        max_connections=max_connections,
        drain_timeout_s=drain_timeout,
        lease_time_s=lease_time,
        takeover=takeover,
        busy_poll_us=busy_poll,
        image_memory_mib=image_memory,
        admin=admin,
        slow_statement_ms=slow_statement,
        create_databases=create_databases,
        rekey=rekey,
        max_open_lakes=max_open_lakes,
        insecure_admin=insecure_admin,
        login=LoginSettings(
            tls_cert, tls_key, tls_client_ca, hba_file, initial_user, given_password(os.environ, initial_password_file)
        ),
        maintenance=maintenance,
        log_format=log_format,
        otlp_endpoint=otlp_endpoint,
    )
    configure_logging(settings.log_level, settings.log_format)

    uvloop.run(serve(settings, partial(_announce, store)))


def _announce(store: str, where: Listen, watched: Listen | None) -> None:
    print(f"RockLake is listening on {where}, store {store}", flush=True)
    print(
        f"ATTACH 'ducklake:postgres:host={where.client_host} port={where.port} dbname=lake user=rocklake' "
        "AS lake (DATA_PATH 's3://bucket/or/a/folder/');",
        flush=True,
    )
    if watched is not None:
        print(f"The console, metrics and health are at http://{watched}: {', '.join(PATHS)}", flush=True)
