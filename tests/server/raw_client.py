"""A client that can do what drivers do not: send any bytes, stop reading, vanish."""

from __future__ import annotations

import socket
import struct
from types import TracebackType

from rocklake_server.wire import messages as m
from rocklake_server.wire.layout import BackendMessage, FrontendMessage, decode_backend, encode
from rocklake_server.wire.startup import StartupMessage

SECONDS_MAX = 30.0
STARTUP = StartupMessage(3, 0, {"user": "ada", "database": "lake"})
_HEADER = struct.Struct("!ci")


class RawClient:
    """A socket to a server on this machine."""

    def __init__(self, port: int, *, receive_buffer_bytes: int | None = None) -> None:
        self.socket = socket.socket()
        if receive_buffer_bytes is not None:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer_bytes)
        self.socket.settimeout(SECONDS_MAX)
        self.socket.connect(("127.0.0.1", port))

    def __enter__(self) -> RawClient:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.socket.close()

    def login(self) -> RawClient:
        self.send(STARTUP)
        self.until(m.ReadyForQuery)
        return self

    def send(self, *messages: FrontendMessage) -> None:
        self.socket.sendall(b"".join(encode(message) for message in messages))

    def message(self) -> BackendMessage:
        """The next message. Raises EOFError when the server closed the connection."""
        header = self._exactly(5)
        _, length = _HEADER.unpack(header)
        (found,) = decode_backend(header + self._exactly(length - 4))
        return found

    def until(self, kind: type[BackendMessage] | tuple[type[BackendMessage], ...]) -> list[BackendMessage]:
        """Messages up to the first of ``kind``, which may be several."""
        found = [self.message()]
        while not isinstance(found[-1], kind):
            found.append(self.message())
        return found

    def rest(self) -> bytes:
        """All bytes until the server closes the connection."""
        data = b""
        while True:
            try:
                piece = self.socket.recv(65536)
            except ConnectionResetError:
                return data
            if not piece:
                return data
            data += piece

    def reset(self) -> None:
        """Vanish as a crashed host does: with a reset, not a goodbye."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()

    def _exactly(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            piece = self.socket.recv(count - len(data))
            if not piece:
                raise EOFError
            data += piece
        return data
