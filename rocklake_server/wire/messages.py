"""The tagged messages, one class each, in the order of the PostgreSQL manual's "Message Formats".

The session reads ``FrontendMessage`` and writes ``BackendMessage``; CopyData and CopyDone are both.
"""

from __future__ import annotations

from dataclasses import field
from typing import Annotated, Literal

from rocklake_server.errors import CatalogError
from rocklake_server.wire.fields import (
    Array,
    CString,
    ErrorFields,
    Int16,
    Int32,
    Letter,
    LongArray,
    NullableBytes,
    Oid,
    Rest,
    Secret,
    UInt8,
)
from rocklake_server.wire.layout import BackendMessage, FrontendMessage, Structure, message, structure

TransactionStatus = Annotated[Literal["I", "T", "E"], Letter("ITE", "invalid transaction status")]
DescribeKind = Annotated[Literal["S", "P"], Letter("SP", "invalid DESCRIBE message subtype")]
CloseKind = Annotated[Literal["S", "P"], Letter("SP", "invalid CLOSE message subtype")]


# Frontend


@message(b"B", large=True)
class Bind(FrontendMessage):
    """Makes a portal of a prepared statement; a parameter is None for NULL."""

    portal: CString
    statement: CString
    parameter_formats: Array[Int16]
    parameters: Array[NullableBytes]
    result_formats: Array[Int16]


@message(b"C")
class Close(FrontendMessage):
    """Forgets a statement (S) or portal (P)."""

    kind: CloseKind
    name: CString


@message(b"f")
class CopyFail(FrontendMessage):
    """The client gives up its COPY FROM STDIN."""

    reason: CString


@message(b"D")
class Describe(FrontendMessage):
    """Asks for the shape of a statement (S) or portal (P)."""

    kind: DescribeKind
    name: CString


@message(b"E")
class Execute(FrontendMessage):
    """Runs a portal; ``rows_max`` 0 is no limit."""

    portal: CString
    rows_max: Int32


@message(b"H")
class Flush(FrontendMessage):
    """Asks for the replies so far."""


@message(b"F", large=True)
class FunctionCall(FrontendMessage):
    """The old call by function OID."""

    function: Oid
    argument_formats: Array[Int16]
    arguments: Array[NullableBytes]
    result_format: Int16


@message(b"P", large=True)
class Parse(FrontendMessage):
    """Prepares a statement; a parameter type of 0 is left to the server."""

    statement: CString
    query: CString
    parameter_types: Array[Oid]


@message(b"p")
class PasswordMessage(FrontendMessage):
    """The answer to an authentication request, raw: a password and a zero byte, or a SASL message."""

    data: Secret = field(repr=False)


@message(b"Q", large=True)
class Query(FrontendMessage):
    """The simple protocol: any number of statements in one text."""

    query: CString


@message(b"S")
class Sync(FrontendMessage):
    """Ends a pipeline of extended-protocol messages."""


@message(b"X")
class Terminate(FrontendMessage):
    """The client leaves."""


# Both directions


@message(b"d", large=True)
class CopyData(FrontendMessage, BackendMessage):
    """A piece of a COPY stream."""

    data: Rest


@message(b"c")
class CopyDone(FrontendMessage, BackendMessage):
    """The end of a COPY stream."""


# Backend


@message(b"R", lead=0)
class AuthenticationOk(BackendMessage):
    """The client is who it says."""


@message(b"R", lead=3)
class AuthenticationCleartextPassword(BackendMessage):
    """Asks for the password."""


@message(b"R", lead=10)
class AuthenticationSASL(BackendMessage):
    """Offers SASL mechanisms, best first, then an empty name: build it with ``offering``."""

    mechanisms: Rest

    @classmethod
    def offering(cls, *names: str) -> AuthenticationSASL:
        return cls(b"".join(name.encode("ascii") + b"\0" for name in names) + b"\0")


@message(b"R", lead=11)
class AuthenticationSASLContinue(BackendMessage):
    """The server's next SASL challenge."""

    data: Secret = field(repr=False)


@message(b"R", lead=12)
class AuthenticationSASLFinal(BackendMessage):
    """The outcome of SASL."""

    data: Secret = field(repr=False)


@message(b"K")
class BackendKeyData(BackendMessage):
    """What a CancelRequest for this session has to show."""

    process_id: Int32
    secret_key: Int32 = field(repr=False)


@message(b"2")
class BindComplete(BackendMessage):
    """Bind succeeded."""


@message(b"3")
class CloseComplete(BackendMessage):
    """Close succeeded."""


@message(b"C")
class CommandComplete(BackendMessage):
    """A statement ended, with its command tag: ``INSERT 0 1``."""

    command_tag: CString


@message(b"G")
class CopyInResponse(BackendMessage):
    """COPY FROM STDIN may begin; format 0 is text, 1 binary, for the stream and for each column."""

    format: UInt8
    column_formats: Array[Int16]


@message(b"H")
class CopyOutResponse(BackendMessage):
    """COPY TO STDOUT begins; formats as in CopyInResponse."""

    format: UInt8
    column_formats: Array[Int16]


@message(b"D", large=True)
class DataRow(BackendMessage):
    """A result row; None is NULL."""

    values: Array[NullableBytes]


@message(b"I")
class EmptyQueryResponse(BackendMessage):
    """Stands for CommandComplete when the text holds no statement."""


class _Report(BackendMessage):
    __slots__ = ()
    fields: ErrorFields

    @property
    def fatal(self) -> bool:
        """Whether the session ends with this report."""
        return self.fields.get("V", self.fields.get("S")) in ("FATAL", "PANIC")


@message(b"E", large=True)
class ErrorResponse(_Report):
    """A statement, or with severity FATAL the session, failed. Field type to text: manual, "Error and Notice
    Message Fields"."""

    fields: ErrorFields

    @classmethod
    def of(cls, error: CatalogError, *, severity: str | None = None) -> ErrorResponse:
        """The reply for ``error``; ``severity`` replaces the class's own."""
        shown = severity or error.severity
        optional = {"D": error.detail, "H": error.hint}
        found = {"S": shown, "V": shown, "C": error.sqlstate, "M": str(error)}
        found |= {code: text for code, text in optional.items() if text is not None}
        if error.position is not None:
            found["P"] = str(error.position)
        return cls(found)


@message(b"N", large=True)
class NoticeResponse(_Report):
    """Tells the client something; fields as in ErrorResponse."""

    fields: ErrorFields

    @classmethod
    def of(cls, text: str, *, severity: str, sqlstate: str) -> NoticeResponse:
        """``severity`` is WARNING, NOTICE, INFO, LOG or DEBUG."""
        return cls({"S": severity, "V": severity, "C": sqlstate, "M": text})


@message(b"v")
class NegotiateProtocolVersion(BackendMessage):
    """The newest protocol version that the server speaks (as the startup message writes it) and the options
    of the startup message that it does not know."""

    newest: Int32
    unknown_options: LongArray[CString]


@message(b"n")
class NoData(BackendMessage):
    """The described statement returns no rows."""


@message(b"A")
class NotificationResponse(BackendMessage):
    """A NOTIFY of another session."""

    process_id: Int32
    channel: CString
    payload: CString


@message(b"t", large=True)
class ParameterDescription(BackendMessage):
    """The described statement's parameter types."""

    types: Array[Oid]


@message(b"S")
class ParameterStatus(BackendMessage):
    """A setting's value, at the start and when it changes."""

    name: CString
    value: CString


@message(b"1")
class ParseComplete(BackendMessage):
    """Parse succeeded."""


@message(b"s")
class PortalSuspended(BackendMessage):
    """Execute stopped at its row limit."""


@message(b"Z")
class ReadyForQuery(BackendMessage):
    """The server waits: idle (I), in a transaction block (T) or in a failed one (E)."""

    status: TransactionStatus


@structure
class FieldDescription(Structure):
    """A result column; table OID and attribute number are 0 for an expression, size is negative when it
    varies, format is 0 for text and 1 for binary."""

    name: CString
    table_oid: Oid
    attribute_number: Int16
    type_oid: Oid
    type_size: Int16
    type_modifier: Int32
    format: Int16


@message(b"T", large=True)
class RowDescription(BackendMessage):
    """The columns of the rows that follow."""

    fields: Array[FieldDescription]
