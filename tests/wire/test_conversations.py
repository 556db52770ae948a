"""Whole conversations as readable text, in libpq's trace format: what each side decodes from the other's
bytes.

A line of ``conversations/*.trace`` is direction, length, message, fields, with tabs between them. What the
server drops, or leaves unread because it is its turn, has no line.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from rocklake_server.wire import messages as m
from rocklake_server.wire import startup as s
from rocklake_server.wire.connection import ServerConnection
from rocklake_server.wire.phases import Phase
from rocklake_server.wire.trace import trace
from tests.wire.conversation import ERROR, READY, SCRIPTS, STARTUP, Received, Step, play

FOLDER = Path(__file__).parent / "conversations"
OPEN = SCRIPTS[Phase.READY]
ID = m.FieldDescription("id", 16384, 1, 20, 8, -1, 0)
BIND = m.Bind("", "", (), (b"7", None), (1,))

CONVERSATIONS: dict[str, tuple[Step, ...]] = {
    "startup_with_password": (
        Received(s.SSLRequest()),
        s.EncryptionRefused(),
        Received(STARTUP),
        m.AuthenticationCleartextPassword(),
        Received(m.PasswordMessage(b"secret\0")),
        m.AuthenticationOk(),
        m.ParameterStatus("server_version", "15.0"),
        m.BackendKeyData(7, 9),
        READY,
        Received(m.Terminate()),
    ),
    "startup_negotiated": (
        Received(s.StartupMessage(3, 2, {"user": "ada", "_pq_.x": "1"})),
        m.NegotiateProtocolVersion(3 << 16, ("_pq_.x",)),
        m.AuthenticationSASL.offering("SCRAM-SHA-256"),
        Received(m.PasswordMessage(b"SCRAM-SHA-256\0\0\0\0\1n")),
        m.AuthenticationSASLContinue(b"r=1"),
        Received(m.PasswordMessage(b"c=biws")),
        m.AuthenticationSASLFinal(b"v=1"),
        m.AuthenticationOk(),
        READY,
    ),
    "simple_query": (
        *OPEN,
        Received(m.Query("BEGIN; SELECT id FROM t; SELECT 1/0"), m.Query("SELECT 2")),
        m.CommandComplete("BEGIN"),
        m.RowDescription((ID,)),
        m.DataRow((b"1",)),
        m.DataRow((None,)),
        m.CommandComplete("SELECT 2"),
        ERROR,
        m.ReadyForQuery("E"),
    ),
    "prepare_and_describe": (
        *OPEN,
        Received(m.Parse("", "SELECT max(snapshot_id) FROM ducklake_snapshot", ())),
        m.ParseComplete(),
        Received(m.Sync()),
        READY,
        Received(m.Describe("S", "")),
        m.ParameterDescription(()),
        m.RowDescription((ID,)),
        Received(m.Sync()),
        READY,
    ),
    "pipeline_with_an_error": (
        *OPEN,
        Received(m.Parse("", "SELECT $1, $2", (20, 0))),
        m.ParseComplete(),
        Received(BIND),
        m.BindComplete(),
        Received(m.Execute("", 10)),
        ERROR,
        Received(BIND, m.Execute("", 0), m.Flush(), m.Close("P", ""), m.Sync()),
        READY,
        Received(m.Close("S", "")),
        m.CloseComplete(),
        Received(m.Sync()),
        READY,
    ),
    "copy_out": (
        *OPEN,
        Received(m.Query('COPY (SELECT "id" FROM t) TO STDOUT (FORMAT "binary");')),
        m.CopyOutResponse(1, (1,)),
        m.CopyData(b"PGCOPY\n\xff\r\n\0" + b"\0" * 8 + b"\0\1\0\0\0\x08\0\0\0\0\0\0\0\x2a"),
        m.CopyData(b"\xff\xff"),
        m.CopyDone(),
        m.CommandComplete("COPY 1"),
        READY,
    ),
    "copy_in_that_fails": (
        *OPEN,
        Received(m.Query("COPY t FROM STDIN")),
        m.CopyInResponse(0, (0, 0)),
        Received(m.CopyData(b"1\tx\n"), m.Flush(), m.Sync(), m.CopyData(b"bad\n")),
        ERROR,
        Received(m.CopyData(b"2\ty\n"), m.CopyDone()),
        READY,
        Received(m.Query("SELECT 1")),
        m.EmptyQueryResponse(),
        READY,
    ),
    "copy_in_given_up": (
        *OPEN,
        Received(m.Query("COPY t FROM STDIN")),
        m.CopyInResponse(0, (0,)),
        Received(m.CopyData(b"1\n"), m.CopyFail("stop")),
        ERROR,
        READY,
    ),
    "copy_in_by_execute": (
        *OPEN,
        Received(m.Parse("", "COPY t FROM STDIN", ())),
        m.ParseComplete(),
        Received(m.Bind("", "", (), (), ())),
        m.BindComplete(),
        Received(m.Execute("", 0)),
        m.CopyInResponse(0, (0,)),
        Received(m.Sync(), m.CopyData(b"1\n"), m.CopyDone()),
        m.CommandComplete("COPY 1"),
        Received(m.Sync()),
        READY,
    ),
}


@pytest.mark.parametrize("name", CONVERSATIONS)
def test_a_conversation_reads_as_recorded(name: str) -> None:
    lines = play(ServerConnection(), CONVERSATIONS[name])
    assert lines == (FOLDER / f"{name}.trace").read_text().splitlines()


def test_every_recorded_conversation_is_played() -> None:
    assert {path.stem for path in FOLDER.glob("*.trace")} == set(CONVERSATIONS)


def test_a_cancel_request_is_traced_with_its_request_code() -> None:
    assert trace(s.CancelRequest(7, 9)) == "F\t16\tCancelRequest\t 1234 5678 7 9"
    assert trace(s.GSSENCRequest()) == "F\t8\tGSSENCRequest\t 1234 5680"


def test_a_message_of_both_directions_is_traced_as_told() -> None:
    assert trace(m.CopyDone()) == "F\t4\tCopyDone"
    assert trace(m.CopyData(b"a\n"), "B") == "B\t6\tCopyData\t 'a\\x0a'"


def test_secrets_are_not_traced() -> None:
    for secret in (m.PasswordMessage(b"hunter2\0"), m.AuthenticationSASLFinal(b"hunter2")):
        assert "hunter2" not in trace(secret)
