"""One table of messages and their bytes, written out by hand from the manual; readers and writers are both
held to it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from rocklake_server.wire import messages as m
from rocklake_server.wire import startup as s
from rocklake_server.wire.layout import BackendMessage, FrontendMessage

FRONTEND_CASES: tuple[tuple[FrontendMessage, bytes], ...] = (
    (
        m.Bind("p", "s", (0, 1), (b"7", None, b""), (1,)),
        b"B\0\0\0\x21p\0s\0" b"\0\2\0\0\0\1" b"\0\3\0\0\0\x017\xff\xff\xff\xff\0\0\0\0" b"\0\1\0\1",
    ),
    (m.Bind("", "", (), (), ()), b"B\0\0\0\x0c\0\0\0\0\0\0\0\0"),
    (m.Close("S", "s1"), b"C\0\0\0\x08Ss1\0"),
    (m.Close("P", ""), b"C\0\0\0\x06P\0"),
    (m.CopyFail("stop"), b"f\0\0\0\x09stop\0"),
    (m.Describe("S", ""), b"D\0\0\0\x06S\0"),
    (m.Describe("P", "p1"), b"D\0\0\0\x08Pp1\0"),
    (m.Execute("", 0), b"E\0\0\0\x09\0\0\0\0\0"),
    (m.Execute("p", 258), b"E\0\0\0\x0ap\0\0\0\1\2"),
    (m.Flush(), b"H\0\0\0\4"),
    (
        m.FunctionCall(4_000_000_000, (1,), (b"ab", None), 1),
        b"F\0\0\0\x1a\xee\x6b\x28\x00\0\1\0\1\0\2\0\0\0\2ab\xff\xff\xff\xff\0\1",
    ),
    (m.Parse("s", "SELECT $1", (23, 0)), b"P\0\0\0\x1as\0SELECT $1\0\0\2\0\0\0\x17\0\0\0\0"),
    (m.PasswordMessage(b"secret\0"), b"p\0\0\0\x0bsecret\0"),
    (m.Query(""), b"Q\0\0\0\5\0"),
    (m.Query("SELECT 'é€😀'"), b"Q\0\0\0\x17SELECT '\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80'\0"),
    (m.Sync(), b"S\0\0\0\4"),
    (m.Terminate(), b"X\0\0\0\4"),
    (m.CopyData(b"\0\xff"), b"d\0\0\0\6\0\xff"),
    (m.CopyData(b""), b"d\0\0\0\4"),
    (m.CopyDone(), b"c\0\0\0\4"),
)

STARTUP_CASES: tuple[tuple[FrontendMessage, bytes], ...] = (
    (s.SSLRequest(), b"\0\0\0\x08\x04\xd2\x16\x2f"),
    (s.GSSENCRequest(), b"\0\0\0\x08\x04\xd2\x16\x30"),
    (s.CancelRequest(42, -2), b"\0\0\0\x10\x04\xd2\x16\x2e\0\0\0\x2a\xff\xff\xff\xfe"),
    (s.StartupMessage(3, 0, {"user": "ada"}), b"\0\0\0\x12\0\3\0\0user\0ada\0\0"),
    (
        s.StartupMessage(3, 2, {"user": "ada", "database": "lake", "_pq_.x": "1"}),
        b"\0\0\0\x29\0\3\0\2user\0ada\0database\0lake\0_pq_.x\x001\0\0",
    ),
)

BACKEND_CASES: tuple[tuple[BackendMessage, bytes], ...] = (
    (m.AuthenticationOk(), b"R\0\0\0\x08\0\0\0\0"),
    (m.AuthenticationCleartextPassword(), b"R\0\0\0\x08\0\0\0\3"),
    (m.AuthenticationSASL.offering("SCRAM-SHA-256"), b"R\0\0\0\x17\0\0\0\x0aSCRAM-SHA-256\0\0"),
    (m.AuthenticationSASLContinue(b"r=1"), b"R\0\0\0\x0b\0\0\0\x0br=1"),
    (m.AuthenticationSASLFinal(b"v=2"), b"R\0\0\0\x0b\0\0\0\x0cv=2"),
    (m.BackendKeyData(42, -2), b"K\0\0\0\x0c\0\0\0\x2a\xff\xff\xff\xfe"),
    (m.BindComplete(), b"2\0\0\0\4"),
    (m.CloseComplete(), b"3\0\0\0\4"),
    (m.CommandComplete("INSERT 0 1"), b"C\0\0\0\x0fINSERT 0 1\0"),
    (m.CopyInResponse(1, (1, 1)), b"G\0\0\0\x0b\1\0\2\0\1\0\1"),
    (m.CopyOutResponse(0, (0,)), b"H\0\0\0\x09\0\0\1\0\0"),
    (m.CopyData(b"row\n"), b"d\0\0\0\x08row\n"),
    (m.CopyDone(), b"c\0\0\0\4"),
    (m.DataRow((b"1", None, b"")), b"D\0\0\0\x13\0\3\0\0\0\x011\xff\xff\xff\xff\0\0\0\0"),
    (m.EmptyQueryResponse(), b"I\0\0\0\4"),
    (m.ErrorResponse({"S": "ERROR", "M": "no"}), b"E\0\0\0\x10SERROR\0Mno\0\0"),
    (m.NoticeResponse({"M": "hm"}), b"N\0\0\0\x09Mhm\0\0"),
    (m.NegotiateProtocolVersion(196608, ("_pq_.x",)), b"v\0\0\0\x13\0\3\0\0\0\0\0\1_pq_.x\0"),
    (m.NoData(), b"n\0\0\0\4"),
    (m.NotificationResponse(7, "c", "p"), b"A\0\0\0\x0c\0\0\0\7c\0p\0"),
    (m.ParameterDescription((20,)), b"t\0\0\0\x0a\0\1\0\0\0\x14"),
    (m.ParameterStatus("a", "b"), b"S\0\0\0\x08a\0b\0"),
    (m.ParseComplete(), b"1\0\0\0\4"),
    (m.PortalSuspended(), b"s\0\0\0\4"),
    (m.ReadyForQuery("T"), b"Z\0\0\0\5T"),
    (
        m.RowDescription((m.FieldDescription("id", 16384, 1, 20, 8, -1, 1),)),
        b"T\0\0\0\x1b\0\1id\0\0\0\x40\0\0\1\0\0\0\x14\0\x08\xff\xff\xff\xff\0\1",
    ),
)


def named(cases: Iterable[tuple[object, bytes]]) -> list[Any]:
    """The cases as parameters, called by their message's name."""
    return [pytest.param(value, data, id=type(value).__name__) for value, data in cases]
