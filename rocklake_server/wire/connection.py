"""``ServerConnection``: one connection's bytes and phase, without I/O.

    connection.receive_data(data)
    while (message := connection.next_message()) is not None:
        ...  # answer it with transport.write(connection.send(reply)), any number of times

The next message is asked for when the one before has been answered. While it is the server's turn (a simple
Query is being answered, say) ``next_message`` is None and the client's bytes wait; ``buffered_bytes`` tells
the owner of the socket when to stop reading.

An error from ``next_message`` is answered with an ErrorResponse like any other. If the phase is BROKEN then,
that is a FATAL one and the last message; if it is FINISHING afterwards, ReadyForQuery is due.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from struct import Struct
from typing import NamedTuple

from rocklake_server.errors import CatalogError, ProtocolViolation
from rocklake_server.wire.layout import FRONTEND, LENGTH, BackendMessage, FrontendMessage, encode
from rocklake_server.wire.messages import ErrorResponse
from rocklake_server.wire.phases import DISCARDED, RECEIVED, SENT, Phase, after_received, after_sent, refusal
from rocklake_server.wire.startup import EncryptionAccepted, EncryptionReply, check_length, decode_startup

UNAUTHENTICATED_BYTES_MAX = 512 * 1024
"""Bytes that may wait before the first ReadyForQuery: more than a read of the socket brings at once."""

_HEADER = Struct("!BI")
_UNTAGGED = frozenset({Phase.STARTING, Phase.STARTING_ENCRYPTED})
_UNAUTHENTICATED = _UNTAGGED | {
    Phase.TLS_ASKED,
    Phase.GSS_ASKED,
    Phase.AUTHENTICATING,
    Phase.AWAITING_PASSWORD,
    Phase.INITIALIZING,
}
_OVER = frozenset({Phase.BROKEN, Phase.CLOSED})
_COPYING_IN = frozenset({Phase.COPY_IN, Phase.COPY_IN_PIPELINE})

Encoded = bytes | bytearray | memoryview


class Raw(NamedTuple):
    """Whole messages of type ``kind``, framed already and sent as they are: many rows in one write, or a message that
    comes again and again (see ``framed``). ``kind`` is never ErrorResponse."""

    kind: type[BackendMessage]
    data: Encoded


def framed(message: BackendMessage) -> Raw:
    """``message`` encoded once for many sends. Raises what ``encode`` raises."""
    if isinstance(message, ErrorResponse):
        raise TypeError("what an error does to the connection depends on its fields")
    return Raw(type(message), encode(message))


@dataclass(frozen=True, slots=True)
class _Rule:
    """What happens to one tag in one phase: decoded if ``decode`` is set, dropped otherwise (``refused``:
    with an error that leaves the connection usable)."""

    bytes_max: int
    target: Phase
    decode: Callable[[bytes | bytearray, int, int], FrontendMessage] | None
    refused: bool = False


def _rules(phase: Phase) -> dict[int, _Rule]:
    rules: dict[int, _Rule] = {}
    for tag, kind in FRONTEND.items():
        if (target := RECEIVED[phase].get(kind)) is not None:
            rules[tag[0]] = _Rule(kind.bytes_max, target, kind.layout.decode)
        elif kind in DISCARDED.get(phase, ()):
            rules[tag[0]] = _Rule(kind.bytes_max, phase, None)
        elif phase in _COPYING_IN:
            rules[tag[0]] = _Rule(kind.bytes_max, phase, None, refused=True)
    return rules


_RULES = {phase: _rules(phase) for phase in RECEIVED if phase not in _UNTAGGED}


class ServerConnection:
    """Reads what the client sends, writes what the server says, and refuses what the phase does not allow."""

    __slots__ = ("_data", "_phase", "_skip", "_start")

    def __init__(self) -> None:
        self._data: bytes | bytearray = b""
        self._start = 0
        self._skip = 0
        self._phase = Phase.STARTING

    @property
    def phase(self) -> Phase:
        return self._phase

    @property
    def buffered_bytes(self) -> int:
        """Received bytes that no message was made of yet."""
        return len(self._data) - self._start

    def receive_data(self, data: bytes) -> None:
        """Stores what the socket brought. Raises ProtocolViolation when a client that is not authenticated
        sends too much at once; the phase is BROKEN then."""
        if self._phase in _OVER:
            return
        if self._skip:
            skipped = min(self._skip, len(data))
            self._skip -= skipped
            data = data[skipped:]
        waiting = len(self._data) - self._start
        if self._phase in _UNAUTHENTICATED and waiting + len(data) > UNAUTHENTICATED_BYTES_MAX:
            self._break()
            raise ProtocolViolation("too much data before authentication")
        if not waiting:
            self._data, self._start = data, 0
            return
        if isinstance(self._data, bytes):
            self._data = bytearray(memoryview(self._data)[self._start :])
        elif self._start:
            del self._data[: self._start]
        self._start = 0
        self._data += data

    def next_message(self) -> FrontendMessage | None:
        """The next message, or None when more bytes are needed or it is the server's turn.

        Raises ProtocolViolation, and for the contents what ``fields`` and ``startup`` raise. A message whose
        contents are malformed counts as received: the phase is the one in which its error is answered.
        """
        rules = _RULES.get(self._phase)
        if rules is None:
            return self._next_untagged() if self._phase in _UNTAGGED else None
        while True:
            data, start = self._data, self._start
            if len(data) - start < 5:
                return None
            tag, length = _HEADER.unpack_from(data, start)
            rule = rules.get(tag)
            if rule is None or not 4 <= length <= rule.bytes_max:
                raise self._lost(tag, known=rule is not None)
            end = start + 1 + length
            if rule.decode is None:
                self._drop(end)
                if rule.refused:
                    raise refusal(self._phase, tag)
                continue
            if end > len(data):
                return None
            self._consume(end)
            self._phase = rule.target
            try:
                return rule.decode(data, start + 5, end)
            except CatalogError:
                if rule.target is Phase.CLOSED or rule.target in _UNAUTHENTICATED:
                    self._break()
                raise

    def send(self, message: BackendMessage | EncryptionReply | Raw) -> Encoded:
        """The bytes of ``message``. Raises ProtocolViolation when the phase does not allow it, and what
        ``encode`` raises; the phase is unchanged then."""
        if isinstance(message, Raw):
            kind, data = message
            self._phase = SENT[self._phase].get(kind) or after_sent(self._phase, kind)
            return data
        return self._send(message)

    def _send(self, message: BackendMessage | EncryptionReply) -> Encoded:
        fatal = isinstance(message, ErrorResponse) and message.fatal
        target = after_sent(self._phase, type(message), fatal=fatal)
        if isinstance(message, EncryptionAccepted) and self.buffered_bytes:
            # whoever put bytes between the request and TLS must not have them taken for the client's
            self._break()
            raise ProtocolViolation("received unencrypted data after SSL request")
        data = encode(message) if isinstance(message, BackendMessage) else message.encode()
        self._phase = target
        if target is Phase.CLOSED:
            self.close()
        return data

    def begin_encrypted(self) -> None:
        """The client's first bytes are TLS's own, without an SSLRequest before. Raises ProtocolViolation when anything
        was said already."""
        if self._phase is not Phase.STARTING or self.buffered_bytes:
            raise ProtocolViolation("encryption can only begin where nothing was said")
        self._phase = Phase.STARTING_ENCRYPTED

    def give_up(self) -> None:
        """Reads nothing any more: a FATAL error is the last message."""
        if self._phase not in _OVER:
            self._break()

    def close(self) -> None:
        """Ends the conversation from the server's side: the socket is gone or about to be."""
        self._break()
        self._phase = Phase.CLOSED

    def _next_untagged(self) -> FrontendMessage | None:
        data, start = self._data, self._start
        if len(data) - start < 4:
            return None
        length: int = LENGTH.unpack_from(data, start)[0]
        end = start + length
        try:
            check_length(length)
            if end > len(data):
                return None
            message = decode_startup(data, start + 4, end)
            self._phase = after_received(self._phase, type(message))
        except CatalogError:
            self._break()
            raise
        self._consume(end)
        return message

    def _consume(self, end: int) -> None:
        if end == len(self._data):
            self._data, self._start = b"", 0
        else:
            self._start = end

    def _drop(self, end: int) -> None:
        """Passes over everything before ``end``, also what has not come yet."""
        self._skip = max(0, end - len(self._data))
        self._consume(min(end, len(self._data)))

    def _lost(self, tag: int, *, known: bool) -> ProtocolViolation:
        phase = self._phase
        self._break()
        return ProtocolViolation("invalid message length") if known else refusal(phase, tag)

    def _break(self) -> None:
        """The place of the next message is unknown, or nobody will ask for it."""
        self._phase = Phase.BROKEN
        self._data, self._start, self._skip = b"", 0, 0
