"""Exit code 0 when the server answers PostgreSQL clients: asks for TLS as libpq does and expects a reply 'S' or 'N'.
Nobody logs in, so there is no password to know and no line in the audit log.

Usage: healthcheck.py [HOST:PORT]. Without an argument the address is the one in ROCKLAKE_LISTEN.
Source of the message: PostgreSQL manual, "Message Formats" (SSLRequest).
"""

from __future__ import annotations

import os
import socket
import struct
import sys

TIMEOUT_S = 3.0
SSL_REQUEST = struct.pack(">ii", 8, 80877103)
ANY_ADDRESS = {"0.0.0.0": "127.0.0.1", "::": "::1"}


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
        if reply not in (b"N", b"S"):
            raise ConnectionError(f"the answer to SSLRequest is {reply!r}")


def main() -> None:
    listen = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("ROCKLAKE_LISTEN", "127.0.0.1:5432")
    try:
        check(*address(listen))
    except (OSError, ValueError) as error:
        sys.exit(f"no healthy server at {listen}: {error}")


if __name__ == "__main__":
    main()
