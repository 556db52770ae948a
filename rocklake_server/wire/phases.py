"""Who may send what, when: a phase of the connection and three tables over it. No other module decides it.

    STARTING -> AUTHENTICATING -> INITIALIZING -> READY -> QUERYING | PIPELINE | ... -> FINISHING -> READY

READY is reached through AuthenticationOk only. In the phases that no entry of RECEIVED or DISCARDED names it
is the server's turn: what the client sends meanwhile waits, undecoded. Source: PostgreSQL manual, "Message
Flow".
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto

from rocklake_server.errors import ProtocolViolation
from rocklake_server.wire import messages as m
from rocklake_server.wire import startup as s
from rocklake_server.wire.layout import BackendMessage, FrontendMessage


class Phase(Enum):
    STARTING = auto()
    """Nothing was agreed: the client sends an untagged message."""
    TLS_ASKED = auto()
    """The client waits for EncryptionAccepted or EncryptionRefused."""
    GSS_ASKED = auto()
    """The client waits for EncryptionRefused: GSSAPI encryption is never accepted."""
    STARTING_ENCRYPTED = auto()
    """TLS is agreed: the client sends its StartupMessage or CancelRequest."""
    AUTHENTICATING = auto()
    """The server decides: it asks for a password, sends AuthenticationOk or refuses."""
    AWAITING_PASSWORD = auto()
    """The client owes one PasswordMessage."""
    INITIALIZING = auto()
    """The client is authenticated and waits for settings, its key and ReadyForQuery."""
    READY = auto()
    """Idle."""
    QUERYING = auto()
    """A simple Query or FunctionCall is being answered."""
    FINISHING = auto()
    """A Sync came, or an error was sent: only ReadyForQuery is still due."""
    PIPELINE = auto()
    """Extended-protocol messages are answered one by one until Sync."""
    SKIP_TO_SYNC = auto()
    """A message of the pipeline failed: everything up to Sync is dropped."""
    COPY_IN = auto()
    """The client sends a COPY stream for a simple Query."""
    COPY_IN_PIPELINE = auto()
    """The client sends a COPY stream for an Execute."""
    COPY_OUT = auto()
    """The server sends a COPY stream for a simple Query."""
    COPY_OUT_PIPELINE = auto()
    """The server sends a COPY stream for an Execute."""
    BROKEN = auto()
    """The byte stream cannot be followed any more: only a final ErrorResponse may be sent."""
    CLOSED = auto()
    """Over: received bytes are dropped, nothing may be sent."""

    __hash__ = object.__hash__  # members are singletons; Enum's own hash is a Python call per table look-up


FrontendKind = type[FrontendMessage]
BackendKind = type[BackendMessage] | type[s.EncryptionAccepted] | type[s.EncryptionRefused]

_EXTENDED: tuple[FrontendKind, ...] = (m.Parse, m.Bind, m.Describe, m.Execute, m.Close, m.Flush)
_COPY: tuple[FrontendKind, ...] = (m.CopyData, m.CopyDone, m.CopyFail)

_COMMANDS: dict[FrontendKind, Phase] = {
    m.Query: Phase.QUERYING,
    m.FunctionCall: Phase.QUERYING,
    **dict.fromkeys(_EXTENDED, Phase.PIPELINE),
    m.Sync: Phase.FINISHING,
    m.Terminate: Phase.CLOSED,
}

RECEIVED: Mapping[Phase, Mapping[FrontendKind, Phase]] = {
    Phase.STARTING: {
        s.SSLRequest: Phase.TLS_ASKED,
        s.GSSENCRequest: Phase.GSS_ASKED,
        s.CancelRequest: Phase.CLOSED,
        s.StartupMessage: Phase.AUTHENTICATING,
    },
    Phase.STARTING_ENCRYPTED: {s.CancelRequest: Phase.CLOSED, s.StartupMessage: Phase.AUTHENTICATING},
    Phase.AWAITING_PASSWORD: {m.PasswordMessage: Phase.AUTHENTICATING, m.Terminate: Phase.CLOSED},
    Phase.READY: _COMMANDS,
    Phase.PIPELINE: _COMMANDS,
    Phase.SKIP_TO_SYNC: {m.Sync: Phase.FINISHING, m.Terminate: Phase.CLOSED},
    Phase.COPY_IN: {
        m.CopyData: Phase.COPY_IN,
        m.CopyDone: Phase.QUERYING,
        m.CopyFail: Phase.QUERYING,
        m.Terminate: Phase.CLOSED,
    },
    Phase.COPY_IN_PIPELINE: {
        m.CopyData: Phase.COPY_IN_PIPELINE,
        m.CopyDone: Phase.PIPELINE,
        m.CopyFail: Phase.PIPELINE,
        m.Terminate: Phase.CLOSED,
    },
}
"""What a client's message leads to."""

DISCARDED: Mapping[Phase, frozenset[FrontendKind]] = {
    Phase.READY: frozenset(_COPY),  # what is left of a COPY that the server ended with an error
    Phase.PIPELINE: frozenset(_COPY),
    Phase.SKIP_TO_SYNC: frozenset((m.Query, m.FunctionCall, *_EXTENDED, *_COPY)),
    Phase.COPY_IN: frozenset((m.Flush, m.Sync)),  # sent by clients that do not know the command was a COPY
    Phase.COPY_IN_PIPELINE: frozenset((m.Flush, m.Sync)),
}
"""What is dropped without being decoded."""

_ANY_TIME: tuple[BackendKind, ...] = (m.NoticeResponse, m.ParameterStatus, m.NotificationResponse)
_RESULTS: tuple[BackendKind, ...] = (m.RowDescription, m.DataRow, m.CommandComplete, m.EmptyQueryResponse)
_EXTENDED_RESULTS: tuple[BackendKind, ...] = (
    m.ParseComplete,
    m.BindComplete,
    m.CloseComplete,
    m.NoData,
    m.ParameterDescription,
    m.PortalSuspended,
)


def _edges(
    phase: Phase, stay: tuple[BackendKind, ...], move: Mapping[BackendKind, Phase]
) -> dict[BackendKind, Phase]:
    """Edges of ``phase``: those that ``stay`` in it, and those that ``move``."""
    return dict.fromkeys(stay, phase) | dict(move)


SENT: Mapping[Phase, Mapping[BackendKind, Phase]] = {
    Phase.STARTING: {m.ErrorResponse: Phase.CLOSED},
    Phase.TLS_ASKED: {
        s.EncryptionAccepted: Phase.STARTING_ENCRYPTED,
        s.EncryptionRefused: Phase.STARTING,
        m.ErrorResponse: Phase.CLOSED,
    },
    Phase.GSS_ASKED: {s.EncryptionRefused: Phase.STARTING, m.ErrorResponse: Phase.CLOSED},
    Phase.STARTING_ENCRYPTED: {m.ErrorResponse: Phase.CLOSED},
    Phase.AUTHENTICATING: _edges(
        Phase.AUTHENTICATING,
        (m.NegotiateProtocolVersion, m.NoticeResponse, m.AuthenticationSASLFinal),
        {
            m.AuthenticationCleartextPassword: Phase.AWAITING_PASSWORD,
            m.AuthenticationSASL: Phase.AWAITING_PASSWORD,
            m.AuthenticationSASLContinue: Phase.AWAITING_PASSWORD,
            m.AuthenticationOk: Phase.INITIALIZING,
            m.ErrorResponse: Phase.CLOSED,
        },
    ),
    Phase.AWAITING_PASSWORD: {m.ErrorResponse: Phase.CLOSED},
    Phase.INITIALIZING: _edges(
        Phase.INITIALIZING,
        (m.ParameterStatus, m.BackendKeyData, m.NoticeResponse),
        {m.ReadyForQuery: Phase.READY, m.ErrorResponse: Phase.CLOSED},
    ),
    Phase.READY: _edges(Phase.READY, _ANY_TIME, {}),
    Phase.QUERYING: _edges(
        Phase.QUERYING,
        _ANY_TIME + _RESULTS,
        {
            m.CopyInResponse: Phase.COPY_IN,
            m.CopyOutResponse: Phase.COPY_OUT,
            m.ErrorResponse: Phase.FINISHING,
            m.ReadyForQuery: Phase.READY,
        },
    ),
    Phase.FINISHING: _edges(Phase.FINISHING, (*_ANY_TIME, m.ErrorResponse), {m.ReadyForQuery: Phase.READY}),
    Phase.PIPELINE: _edges(
        Phase.PIPELINE,
        _ANY_TIME + _RESULTS + _EXTENDED_RESULTS,
        {
            m.CopyInResponse: Phase.COPY_IN_PIPELINE,
            m.CopyOutResponse: Phase.COPY_OUT_PIPELINE,
            m.ErrorResponse: Phase.SKIP_TO_SYNC,
        },
    ),
    Phase.SKIP_TO_SYNC: _edges(Phase.SKIP_TO_SYNC, _ANY_TIME, {}),
    Phase.COPY_IN: _edges(Phase.COPY_IN, _ANY_TIME, {m.ErrorResponse: Phase.FINISHING}),
    Phase.COPY_IN_PIPELINE: _edges(Phase.COPY_IN_PIPELINE, _ANY_TIME, {m.ErrorResponse: Phase.SKIP_TO_SYNC}),
    Phase.COPY_OUT: _edges(
        Phase.COPY_OUT,
        (*_ANY_TIME, m.CopyData),
        {m.CopyDone: Phase.QUERYING, m.ErrorResponse: Phase.FINISHING},
    ),
    Phase.COPY_OUT_PIPELINE: _edges(
        Phase.COPY_OUT_PIPELINE,
        (*_ANY_TIME, m.CopyData),
        {m.CopyDone: Phase.PIPELINE, m.ErrorResponse: Phase.SKIP_TO_SYNC},
    ),
    Phase.BROKEN: {m.ErrorResponse: Phase.CLOSED},
    Phase.CLOSED: {},
}
"""What a server's message leads to. The one case that depends on more than its type is in ``after_sent``."""


def after_received(phase: Phase, kind: FrontendKind) -> Phase:
    """The phase after ``kind`` came in ``phase``. Raises ProtocolViolation when it may not come."""
    target = RECEIVED.get(phase, {}).get(kind)
    if target is None:
        raise ProtocolViolation(f"unexpected {kind.__name__} message in phase {phase.name}")
    return target


def after_sent(phase: Phase, kind: BackendKind, *, fatal: bool = False) -> Phase:
    """The phase after ``kind`` was sent in ``phase``. Raises ProtocolViolation when it may not be sent.

    ``fatal``: an ErrorResponse that ends the session, which may be sent in any phase but CLOSED.
    """
    if fatal and kind is m.ErrorResponse and phase is not Phase.CLOSED:
        return Phase.CLOSED
    target = SENT[phase].get(kind)
    if target is None:
        raise ProtocolViolation(f"{kind.__name__} message cannot be sent in phase {phase.name}")
    return target


def refusal(phase: Phase, tag: int) -> ProtocolViolation:
    """The error, in PostgreSQL's words, for a message type that ``phase`` has no entry for."""
    if phase is Phase.AWAITING_PASSWORD:
        return ProtocolViolation(f"expected password response, got message type {tag}")
    if phase in (Phase.COPY_IN, Phase.COPY_IN_PIPELINE):
        return ProtocolViolation(f"unexpected message type 0x{tag:02X} during COPY from stdin")
    return ProtocolViolation(f"invalid frontend message type {tag}")
