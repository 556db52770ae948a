"""A client and a server that exchange bytes without sockets, and a server led into any phase by real
messages."""

from __future__ import annotations

from collections.abc import Iterable

from rocklake_server.errors import ProtocolViolation
from rocklake_server.wire import messages as m
from rocklake_server.wire import startup as s
from rocklake_server.wire.connection import ServerConnection
from rocklake_server.wire.layout import BackendMessage, FrontendMessage, decode_backend, encode
from rocklake_server.wire.phases import Phase
from rocklake_server.wire.trace import trace

STARTUP = s.StartupMessage(3, 0, {"user": "ada", "database": "lake"})
ERROR = m.ErrorResponse({"S": "ERROR", "V": "ERROR", "C": "22012", "M": "division by zero"})
FATAL = m.ErrorResponse({"S": "FATAL", "V": "FATAL", "C": "57P01", "M": "the server is stopping"})
READY = m.ReadyForQuery("I")


class Received:
    """Marks a message of the client in a script; everything else is the server's."""

    def __init__(self, *messages: FrontendMessage) -> None:
        self.messages = messages


Step = Received | BackendMessage | s.EncryptionAccepted | s.EncryptionRefused

_READY: tuple[Step, ...] = (Received(STARTUP), m.AuthenticationOk(), READY)
_PIPELINE = (*_READY, Received(m.Parse("", "COPY t FROM STDIN", ())), m.ParseComplete())

SCRIPTS: dict[Phase, tuple[Step, ...]] = {
    Phase.STARTING: (),
    Phase.TLS_ASKED: (Received(s.SSLRequest()),),
    Phase.GSS_ASKED: (Received(s.GSSENCRequest()),),
    Phase.STARTING_ENCRYPTED: (Received(s.SSLRequest()), s.EncryptionAccepted()),
    Phase.AUTHENTICATING: (Received(STARTUP),),
    Phase.AWAITING_PASSWORD: (Received(STARTUP), m.AuthenticationCleartextPassword()),
    Phase.INITIALIZING: (Received(STARTUP), m.AuthenticationOk()),
    Phase.READY: _READY,
    Phase.QUERYING: (*_READY, Received(m.Query("SELECT 1"))),
    Phase.FINISHING: (*_READY, Received(m.Sync())),
    Phase.PIPELINE: _PIPELINE,
    Phase.SKIP_TO_SYNC: (*_PIPELINE, ERROR),
    Phase.COPY_IN: (*_READY, Received(m.Query("COPY t FROM STDIN")), m.CopyInResponse(0, ())),
    Phase.COPY_IN_PIPELINE: (*_PIPELINE, m.CopyInResponse(0, ())),
    Phase.COPY_OUT: (*_READY, Received(m.Query("COPY t TO STDOUT")), m.CopyOutResponse(0, ())),
    Phase.COPY_OUT_PIPELINE: (*_PIPELINE, m.CopyOutResponse(0, ())),
    Phase.CLOSED: (*_READY, Received(m.Terminate())),
}
"""How a conversation comes to each phase but BROKEN."""


def play(connection: ServerConnection, script: Iterable[Step]) -> list[str]:
    """Runs ``script`` and returns the trace of what each side decoded from the other's bytes."""
    lines: list[str] = []
    for step in script:
        if isinstance(step, Received):
            for sent in step.messages:
                connection.receive_data(encode(sent))
                arrived = connection.next_message()
                if arrived is not None:
                    lines.append(trace(arrived, "F"))
        elif isinstance(step, BackendMessage):
            lines += [trace(arrived, "B") for arrived in decode_backend(bytes(connection.send(step)))]
        else:
            assert connection.send(step) == step.encode()
            lines.append(trace(step))
    return lines


def connection_in(phase: Phase) -> ServerConnection:
    """A connection that real messages led into ``phase``."""
    connection = ServerConnection()
    if phase is Phase.BROKEN:
        connection = connection_in(Phase.READY)
        connection.receive_data(b"!\0\0\0\4")
        try:
            connection.next_message()
        except ProtocolViolation:
            pass
    else:
        play(connection, SCRIPTS[phase])
    assert connection.phase is phase
    return connection
