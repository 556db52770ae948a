"""Who may send what, when: every phase with every message, against a table written down independently."""

from __future__ import annotations

import pytest

from rocklake_server import errors
from rocklake_server.wire import messages as m
from rocklake_server.wire import startup as s
from rocklake_server.wire.layout import BACKEND, FRONTEND, BackendMessage, FrontendMessage, Message, encode
from rocklake_server.wire.phases import DISCARDED, RECEIVED, SENT, Phase, after_received
from tests.wire.cases import BACKEND_CASES, FRONTEND_CASES, STARTUP_CASES
from tests.wire.conversation import ERROR, FATAL, READY, STARTUP, Received, connection_in, play

SAMPLES: dict[type[Message], Message] = {type(value): value for value, _ in FRONTEND_CASES + STARTUP_CASES}
REPLIES: dict[type[object], BackendMessage | s.EncryptionReply] = {
    **{type(value): value for value, _ in BACKEND_CASES},
    s.EncryptionAccepted: s.EncryptionAccepted(),
    s.EncryptionRefused: s.EncryptionRefused(),
}

# One column per message tag. A letter is the phase that follows, "." is dropped, "x" an error after which the
# connection goes on, "!" an error that ends it, "-" a message that waits until it is the client's turn again.
LETTERS = {
    "r": Phase.READY, "q": Phase.QUERYING, "f": Phase.FINISHING, "p": Phase.PIPELINE, "s": Phase.SKIP_TO_SYNC,
    "c": Phase.COPY_IN, "C": Phase.COPY_IN_PIPELINE, "a": Phase.AUTHENTICATING, "Z": Phase.CLOSED,
}  # fmt: skip
TAGGED = """
                   Q F P B D E C H S X d c f p
AWAITING_PASSWORD  ! ! ! ! ! ! ! ! ! Z ! ! ! a
READY              q q p p p p p p f Z . . . !
PIPELINE           q q p p p p p p f Z . . . !
SKIP_TO_SYNC       . . . . . . . . f Z . . . !
COPY_IN            x x x x x x x . . Z c q q x
COPY_IN_PIPELINE   x x x x x x x . . Z C p p x
AUTHENTICATING     - - - - - - - - - - - - - -
INITIALIZING       - - - - - - - - - - - - - -
QUERYING           - - - - - - - - - - - - - -
FINISHING          - - - - - - - - - - - - - -
COPY_OUT           - - - - - - - - - - - - - -
COPY_OUT_PIPELINE  - - - - - - - - - - - - - -
TLS_ASKED          - - - - - - - - - - - - - -
GSS_ASKED          - - - - - - - - - - - - - -
BROKEN             - - - - - - - - - - - - - -
CLOSED             - - - - - - - - - - - - - -
STARTING           ! ! ! ! ! ! ! ! ! ! ! ! ! !
STARTING_ENCRYPTED ! ! ! ! ! ! ! ! ! ! ! ! ! !
"""


def grid(text: str) -> list[tuple[Phase, bytes, str]]:
    head, *rows = text.split("\n")[1:-1]
    return [
        (Phase[name], tag.encode(), outcome)
        for name, *outcomes in map(str.split, rows)
        for tag, outcome in zip(head.split(), outcomes, strict=True)
    ]


GRID = grid(TAGGED)


def test_the_grid_is_complete() -> None:
    assert {(phase, tag) for phase, tag, _ in GRID} == {(phase, tag) for phase in Phase for tag in FRONTEND}


@pytest.mark.parametrize(("phase", "tag", "outcome"), GRID, ids=lambda value: getattr(value, "name", value))
def test_each_message_in_each_phase(phase: Phase, tag: bytes, outcome: str) -> None:
    connection = connection_in(phase)
    sample = SAMPLES[FRONTEND[tag]]
    connection.receive_data(encode(sample))
    if outcome == "!":
        with pytest.raises(errors.ProtocolViolation):
            connection.next_message()
        assert connection.phase is Phase.BROKEN
    elif outcome == "x":
        with pytest.raises(errors.ProtocolViolation, match=f"unexpected message type 0x{tag[0]:02X} during COPY"):
            connection.next_message()
        assert (connection.phase, connection.buffered_bytes) == (phase, 0)
    elif outcome == ".":
        assert connection.next_message() is None
        assert (connection.phase, connection.buffered_bytes) == (phase, 0)
    elif outcome == "-":
        assert connection.next_message() is None
        assert connection.phase is phase
        gone = phase in (Phase.BROKEN, Phase.CLOSED)
        assert connection.buffered_bytes == (0 if gone else len(encode(sample)))
    else:
        assert connection.next_message() == sample
        assert connection.phase is LETTERS[outcome]


@pytest.mark.parametrize("phase", Phase, ids=lambda phase: phase.name)
@pytest.mark.parametrize("kind", [s.SSLRequest, s.GSSENCRequest, s.CancelRequest, s.StartupMessage])
def test_untagged_messages_open_a_connection_only(phase: Phase, kind: type[FrontendMessage]) -> None:
    allowed = {
        Phase.STARTING: {
            s.SSLRequest: Phase.TLS_ASKED,
            s.GSSENCRequest: Phase.GSS_ASKED,
            s.CancelRequest: Phase.CLOSED,
            s.StartupMessage: Phase.AUTHENTICATING,
        },
        Phase.STARTING_ENCRYPTED: {s.CancelRequest: Phase.CLOSED, s.StartupMessage: Phase.AUTHENTICATING},
    }
    if (target := allowed.get(phase, {}).get(kind)) is not None:
        assert after_received(phase, kind) is target
    else:
        with pytest.raises(errors.ProtocolViolation, match=kind.__name__):
            after_received(phase, kind)


# Columns are the server's messages by name; the letters are as above, "!" may not be sent.
RESULT_NAMES = ("RowDescription", "DataRow", "CommandComplete", "EmptyQueryResponse")
EXTENDED_NAMES = (
    "ParseComplete", "BindComplete", "CloseComplete", "NoData", "ParameterDescription", "PortalSuspended",
)  # fmt: skip
NEWS_NAMES = ("NoticeResponse", "ParameterStatus", "NotificationResponse")


def stays(phase: Phase, *names: str) -> dict[str, Phase]:
    return dict.fromkeys(names, phase)


MAY_SEND: dict[Phase, dict[str, Phase]] = {
    Phase.STARTING: {},
    Phase.TLS_ASKED: {"EncryptionRefused": Phase.STARTING, "EncryptionAccepted": Phase.STARTING_ENCRYPTED},
    Phase.GSS_ASKED: {"EncryptionRefused": Phase.STARTING},
    Phase.STARTING_ENCRYPTED: {},
    Phase.AUTHENTICATING: {
        **stays(Phase.AUTHENTICATING, "NegotiateProtocolVersion", "NoticeResponse", "AuthenticationSASLFinal"),
        **stays(Phase.AWAITING_PASSWORD, "AuthenticationCleartextPassword", "AuthenticationSASL"),
        **stays(Phase.AWAITING_PASSWORD, "AuthenticationSASLContinue"),
        "AuthenticationOk": Phase.INITIALIZING,
    },
    Phase.AWAITING_PASSWORD: {},
    Phase.INITIALIZING: {
        **stays(Phase.INITIALIZING, "ParameterStatus", "BackendKeyData", "NoticeResponse"),
        "ReadyForQuery": Phase.READY,
    },
    Phase.READY: stays(Phase.READY, *NEWS_NAMES),
    Phase.QUERYING: {
        **stays(Phase.QUERYING, *NEWS_NAMES, *RESULT_NAMES),
        "CopyInResponse": Phase.COPY_IN,
        "CopyOutResponse": Phase.COPY_OUT,
        "ReadyForQuery": Phase.READY,
    },
    Phase.FINISHING: {**stays(Phase.FINISHING, *NEWS_NAMES), "ReadyForQuery": Phase.READY},
    Phase.PIPELINE: {
        **stays(Phase.PIPELINE, *NEWS_NAMES, *RESULT_NAMES, *EXTENDED_NAMES),
        "CopyInResponse": Phase.COPY_IN_PIPELINE,
        "CopyOutResponse": Phase.COPY_OUT_PIPELINE,
    },
    Phase.SKIP_TO_SYNC: stays(Phase.SKIP_TO_SYNC, *NEWS_NAMES),
    Phase.COPY_IN: stays(Phase.COPY_IN, *NEWS_NAMES),
    Phase.COPY_IN_PIPELINE: stays(Phase.COPY_IN_PIPELINE, *NEWS_NAMES),
    Phase.COPY_OUT: {**stays(Phase.COPY_OUT, *NEWS_NAMES, "CopyData"), "CopyDone": Phase.QUERYING},
    Phase.COPY_OUT_PIPELINE: {
        **stays(Phase.COPY_OUT_PIPELINE, *NEWS_NAMES, "CopyData"),
        "CopyDone": Phase.PIPELINE,
    },
    Phase.BROKEN: {},
    Phase.CLOSED: {},
}
AFTER_AN_ERROR = {
    **dict.fromkeys((Phase.QUERYING, Phase.FINISHING, Phase.COPY_IN, Phase.COPY_OUT), Phase.FINISHING),
    **dict.fromkeys((Phase.PIPELINE, Phase.COPY_IN_PIPELINE, Phase.COPY_OUT_PIPELINE), Phase.SKIP_TO_SYNC),
    **dict.fromkeys((Phase.STARTING, Phase.STARTING_ENCRYPTED, Phase.TLS_ASKED, Phase.GSS_ASKED), Phase.CLOSED),
    **dict.fromkeys((Phase.AUTHENTICATING, Phase.AWAITING_PASSWORD, Phase.INITIALIZING), Phase.CLOSED),
    Phase.BROKEN: Phase.CLOSED,
}


@pytest.mark.parametrize("phase", Phase, ids=lambda phase: phase.name)
@pytest.mark.parametrize("kind", REPLIES, ids=lambda kind: kind.__name__)
def test_each_reply_in_each_phase(phase: Phase, kind: type[object]) -> None:
    if kind is m.ErrorResponse:
        target, reply = AFTER_AN_ERROR.get(phase), ERROR
    else:
        target, reply = MAY_SEND[phase].get(kind.__name__), REPLIES[kind]
    connection = connection_in(phase)
    if target is None:
        with pytest.raises(errors.ProtocolViolation, match=f"{kind.__name__} message cannot be sent"):
            connection.send(reply)
        assert connection.phase is phase
    else:
        assert connection.send(reply)
        assert connection.phase is target


def test_every_reply_was_tried() -> None:
    assert set(BACKEND.values()) < set(REPLIES)


@pytest.mark.parametrize("phase", [phase for phase in Phase if phase is not Phase.CLOSED], ids=lambda p: p.name)
def test_a_fatal_error_ends_every_phase(phase: Phase) -> None:
    connection = connection_in(phase)
    assert connection.send(FATAL)
    assert connection.phase is Phase.CLOSED
    connection.receive_data(encode(m.Query("SELECT 1")))
    assert connection.next_message() is None


def test_nothing_is_served_without_authentication() -> None:
    edges: dict[Phase, set[Phase]] = {phase: set() for phase in Phase}
    for table in (RECEIVED, SENT):
        for phase, row in table.items():
            edges[phase] |= {target for kind, target in row.items() if kind is not m.AuthenticationOk}
    reached, frontier = {Phase.STARTING}, [Phase.STARTING]
    while frontier:
        found = edges[frontier.pop()] - reached
        reached |= found
        frontier += found
    assert reached == {
        Phase.STARTING, Phase.TLS_ASKED, Phase.GSS_ASKED, Phase.STARTING_ENCRYPTED, Phase.AUTHENTICATING,
        Phase.AWAITING_PASSWORD, Phase.CLOSED,
    }  # fmt: skip


def test_a_message_is_accepted_or_dropped_never_both() -> None:
    for phase, dropped in DISCARDED.items():
        assert not dropped & set(RECEIVED[phase])


def test_a_client_that_was_refused_and_keeps_talking_gets_nothing() -> None:
    connection = connection_in(Phase.AWAITING_PASSWORD)
    connection.receive_data(encode(m.PasswordMessage(b"wrong\0")) + encode(m.Query("SELECT 1")))
    assert connection.next_message() == m.PasswordMessage(b"wrong\0")
    assert connection.next_message() is None
    connection.send(ERROR)
    assert connection.next_message() is None
    assert connection.phase is Phase.CLOSED


def test_a_second_password_waits_for_a_second_question() -> None:
    connection = connection_in(Phase.AWAITING_PASSWORD)
    connection.receive_data(encode(m.PasswordMessage(b"a\0")) + encode(m.PasswordMessage(b"b\0")))
    assert connection.next_message() == m.PasswordMessage(b"a\0")
    assert connection.next_message() is None
    connection.send(m.AuthenticationSASLContinue(b"x"))
    assert connection.next_message() == m.PasswordMessage(b"b\0")


def test_after_an_error_messages_are_dropped_until_sync() -> None:
    connection = connection_in(Phase.PIPELINE)
    rest = (m.Bind("", "", (), (), ()), m.Execute("", 0), m.Query("SELECT 1"), m.CopyDone(), m.Sync(), m.Sync())
    connection.receive_data(b"".join(map(encode, rest)))
    connection.send(ERROR)
    assert connection.next_message() == m.Sync()
    assert connection.next_message() is None
    connection.send(READY)
    assert connection.next_message() == m.Sync()


def test_a_message_that_is_dropped_is_not_decoded() -> None:
    connection = connection_in(Phase.SKIP_TO_SYNC)
    connection.receive_data(b"B\0\0\0\x05\xff" + encode(m.Sync()))
    assert connection.next_message() == m.Sync()


@pytest.mark.parametrize("rest", [(m.CopyDone(),), (m.CopyFail("stop"),)])
def test_what_is_left_of_a_failed_copy_is_dropped(rest: tuple[FrontendMessage, ...]) -> None:
    connection = connection_in(Phase.COPY_IN)
    sent = (m.CopyData(b"bad"), m.CopyData(b"more"), *rest, m.Query("SELECT 2"))
    connection.receive_data(b"".join(map(encode, sent)))
    assert connection.next_message() == m.CopyData(b"bad")
    connection.send(ERROR)
    assert connection.next_message() is None
    connection.send(READY)
    assert connection.next_message() == m.Query("SELECT 2")


def test_what_is_left_of_a_failed_copy_in_a_pipeline_is_dropped() -> None:
    connection = connection_in(Phase.COPY_IN_PIPELINE)
    connection.receive_data(b"".join(map(encode, (m.CopyData(b"bad"), m.CopyData(b"more"), m.CopyDone(), m.Sync()))))
    assert connection.next_message() == m.CopyData(b"bad")
    connection.send(ERROR)
    assert connection.next_message() == m.Sync()


def test_a_query_inside_copy_ends_the_copy_and_is_not_run() -> None:
    connection = connection_in(Phase.COPY_IN)
    connection.receive_data(encode(m.Query("SELECT 1")) + encode(m.Query("SELECT 2")))
    with pytest.raises(errors.ProtocolViolation, match="unexpected message type 0x51 during COPY from stdin") as caught:
        connection.next_message()
    connection.send(m.ErrorResponse.of(caught.value))
    assert connection.phase is Phase.FINISHING
    connection.send(READY)
    assert connection.next_message() == m.Query("SELECT 2")


@pytest.mark.parametrize(
    ("start", "data", "after_error"),
    [
        (Phase.READY, b"Q\0\0\0\x06\xff\0", Phase.FINISHING),
        (Phase.READY, b"P\0\0\0\5\0", Phase.SKIP_TO_SYNC),
        (Phase.PIPELINE, b"B\0\0\0\5\0", Phase.SKIP_TO_SYNC),
        (Phase.READY, b"S\0\0\0\5\0", Phase.FINISHING),
        (Phase.COPY_IN, b"f\0\0\0\6\xff\0", Phase.FINISHING),
        (Phase.COPY_IN_PIPELINE, b"c\0\0\0\5\0", Phase.SKIP_TO_SYNC),
        (Phase.READY, b"X\0\0\0\5\0", Phase.CLOSED),
    ],
)
def test_the_error_of_a_malformed_message_is_answered_like_any_other(
    start: Phase, data: bytes, after_error: Phase
) -> None:
    connection = connection_in(start)
    connection.receive_data(data + encode(m.Sync()))
    with pytest.raises(errors.CatalogError) as caught:
        connection.next_message()
    connection.send(m.ErrorResponse.of(caught.value))
    assert connection.phase is after_error
    if after_error is Phase.FINISHING:
        connection.send(READY)
    assert connection.next_message() == (None if after_error is Phase.CLOSED else m.Sync())


def test_the_unnamed_statement_is_described_after_its_sync() -> None:
    connection = connection_in(Phase.READY)
    shape = m.RowDescription(())
    lines = play(
        connection,
        (
            Received(m.Parse("", "SELECT 1", ())), m.ParseComplete(), Received(m.Sync()), READY,
            Received(m.Describe("S", "")), m.ParameterDescription(()), shape, Received(m.Sync()), READY,
        ),
    )  # fmt: skip
    assert len(lines) == 9
    assert connection.phase is Phase.READY


def test_the_startup_ends_in_ready() -> None:
    connection = connection_in(Phase.STARTING)
    greeting = (m.AuthenticationOk(), m.ParameterStatus("a", "b"), m.BackendKeyData(1, 2), READY)
    play(connection, (Received(STARTUP), *greeting))
    assert connection.phase is Phase.READY
