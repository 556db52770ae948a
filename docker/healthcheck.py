"""Exit code 0 when a PostgreSQL client would be let in: opens a connection as libpq does and expects a reply 'R'.

Usage: healthcheck.py [HOST:PORT]. Without an argument the address is the one in ROCKLAKE_LISTEN.
Source of the messages: PostgreSQL manual, "Message Formats" (SSLRequest, StartupMessage, Authentication, Terminate).
"""

from __future__ import annotations

import os
import socket
import struct
import sys

TIMEOUT_S = 3.0
SSL_REQUEST = struct.pack(">ii", 8, 80877103)
TERMINATE = b"X" + struct.pack(">i", 4)
PROTOCOL_3_0 = 3 << 16
ANY_ADDRESS = {"0.0.0.0": "127.0.0.1", "::": "::1"}


def startup_message(user: str, database: str) -> bytes:
    parameters = b"".join(text.encode() + b"\0" for text in ("user", user, "database", database)) + b"\0"
    return struct.pack(">ii", 8 + len(parameters), PROTOCOL_3_0) + parameters


def address(listen: str) -> tuple[str, int]:
    """Where a server that listens on ``listen`` is reached from its own machine."""
    host, _, port = listen.rpartition(":")
    host = host.strip("[]")
    return ANY_ADDRESS.get(host, host), int(port)


def check(host: str, port: int) -> None:
    """Raises OSError when the server cannot be reached or answers something else."""
    with socket.create_connection((host, port), TIMEOUT_S) as connection:
        connection.sendall(SSL_REQUEST)
        reply = connection.recv(1)
        if reply != b"N":
            raise ConnectionError(f"the answer to SSLRequest is {reply!r}")
        connection.sendall(startup_message("healthcheck", "healthcheck"))
        reply = connection.recv(1)
        if reply != b"R":
            raise ConnectionError(f"the answer to the startup message is {reply!r}")
        connection.sendall(TERMINATE)


def main() -> None:
    listen = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("ROCKLAKE_LISTEN", "127.0.0.1:5432")
    try:
        check(*address(listen))
    except (OSError, ValueError) as error:
        sys.exit(f"no healthy server at {listen}: {error}")


if __name__ == "__main__":
    main()
