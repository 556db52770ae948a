"""The same messages said to PostgreSQL and to the server, and their replies as they can be compared.

A dialogue is a list of turns; a turn is sent at once, and its replies are read up to as many ReadyForQuery messages as
it asks for.
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Sequence

import psycopg

from rocklake_server.wire import messages as m
from rocklake_server.wire.layout import BackendMessage, FrontendMessage, decode_backend, encode
from rocklake_server.wire.startup import StartupMessage

Turn = Sequence[FrontendMessage]
Dialogue = Sequence[Turn]

SECONDS_MAX = 20.0
_HEADER = struct.Struct("!ci")

SYNC, FLUSH = m.Sync(), m.Flush()
FIRST_USER_OID = 16_384
COMPARED_FIELDS = ("S", "V", "C", "M", "D", "H")
"""Of errors and notices; the others name PostgreSQL's source, or objects."""


def parse(text: str, *oids: int, name: str = "") -> m.Parse:
    return m.Parse(name, text, oids)


def bind(
    *values: bytes | None,
    portal: str = "",
    statement: str = "",
    formats: Sequence[int] = (),
    results: Sequence[int] = (),
) -> m.Bind:
    return m.Bind(portal, statement, tuple(formats), values, tuple(results))


def execute(portal: str = "", rows: int = 0) -> m.Execute:
    return m.Execute(portal, rows)


def statement(name: str = "") -> m.Describe:
    return m.Describe("S", name)


def portal(name: str = "") -> m.Describe:
    return m.Describe("P", name)


def query(text: str) -> list[FrontendMessage]:
    return [m.Query(text)]


def whole(text: str, *values: bytes | None, rows: int = 0) -> list[FrontendMessage]:
    """Parse to Sync, as drivers send it."""
    return [parse(text), bind(*values), portal(), execute(rows=rows), SYNC]


class Side:
    """A session with one of the two servers. Raises EOFError when the server closes it."""

    def __init__(self, dsn: str) -> None:
        known = psycopg.conninfo.conninfo_to_dict(dsn)
        self._socket = socket.create_connection(("127.0.0.1", int(str(known["port"]))), SECONDS_MAX)
        self._names = {"user": str(known["user"]), "database": str(known["dbname"])}
        self.send(StartupMessage(3, 0, self._names))
        self.read(1)

    def send(self, *messages: FrontendMessage) -> None:
        self._socket.sendall(b"".join(encode(message) for message in messages))

    def read(self, readies: int) -> list[BackendMessage]:
        """Replies up to so many ReadyForQuery messages."""
        found: list[BackendMessage] = []
        while readies:
            found.append(self.message())
            readies -= isinstance(found[-1], m.ReadyForQuery)
        return found

    def message(self) -> BackendMessage:
        header = self._exactly(5)
        (found,) = decode_backend(header + self._exactly(_HEADER.unpack(header)[1] - 4))
        return found

    def say(self, dialogue: Dialogue) -> list[str]:
        """The replies to all turns, one line each; the notices of a turn come last."""
        lines: list[str] = []
        for turn in dialogue:
            self.send(*turn)
            asked = sum(isinstance(message, m.Query | m.Sync) for message in turn)
            replies = self.read(asked)
            notices = [reply for reply in replies if isinstance(reply, m.NoticeResponse)]
            others = [reply for reply in replies if not isinstance(reply, m.NoticeResponse)]
            lines += [line for reply in (*others, *notices) if (line := shown(reply))]
        return lines

    def close(self) -> None:
        self._socket.close()

    def _exactly(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            piece = self._socket.recv(count - len(data))
            if not piece:
                raise EOFError
            data += piece
        return data


def shown(message: BackendMessage) -> str:
    """Everything that both servers must say alike; empty for what they need not."""
    match message:
        case m.ParameterStatus():
            return ""
        case m.ErrorResponse() | m.NoticeResponse():
            fields = " ".join(f"{key}={message.fields[key]}" for key in COMPARED_FIELDS if key in message.fields)
            return f"{type(message).__name__} {fields}"
        case m.RowDescription():
            return "RowDescription " + " ".join(
                f"{f.name}:{f.type_oid}:{f.type_size}:{f.type_modifier}:{f.format}"
                f"{f':column {f.attribute_number}' if f.table_oid >= FIRST_USER_OID else ''}"
                for f in message.fields
            )
        case m.DataRow():
            return "DataRow " + "|".join("NULL" if v is None else repr(bytes(v))[1:] for v in message.values)
        case m.NotificationResponse():
            return f"NotificationResponse {message.channel} {message.payload}"
        case _:
            return repr(message)
