"""Real libpq against our bytes: it understands them, and its own trace of the conversation is the one we
write."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from psycopg import pq

from rocklake_server.wire import messages as m
from rocklake_server.wire import startup as s
from rocklake_server.wire.connection import Encoded, Raw, ServerConnection
from rocklake_server.wire.layout import BackendMessage, FrontendMessage, decode_backend, encode
from rocklake_server.wire.phases import Phase
from rocklake_server.wire.trace import trace
from tests.wire.conversation import ERROR, READY

Reply = BackendMessage | s.EncryptionRefused | Raw
ID = m.FieldDescription("id", 16384, 1, 20, 8, -1, 0)
ROW = m.CopyData(b"1\t\\N\n")
GREETING: tuple[Reply, ...] = (
    m.AuthenticationOk(),
    m.ParameterStatus("client_encoding", "UTF8"),
    m.ParameterStatus("standard_conforming_strings", "on"),
    m.BackendKeyData(7, 9),
    READY,
)
ANSWERS: dict[str, tuple[Reply, ...]] = {
    "SELECT id": (
        m.RowDescription((ID,)), m.DataRow((b"1",)), m.DataRow((None,)), m.CommandComplete("SELECT 2"), READY,
    ),
    "SELECT 1/0": (ERROR, READY),
    "": (m.EmptyQueryResponse(), READY),
    "COPY t TO STDOUT": (
        m.CopyOutResponse(0, (0, 0)), Raw(m.CopyData, encode(ROW) * 3), m.CopyDone(),
        m.CommandComplete("COPY 3"), READY,
    ),
    "COPY t FROM STDIN": (m.CopyInResponse(0, (0, 0)),),
    "NOTIFY": (
        m.NotificationResponse(7, "c", "p"), m.NoticeResponse.of("hm", severity="NOTICE", sqlstate="00000"),
        m.CommandComplete("NOTIFY"), READY,
    ),
}  # fmt: skip
EXTENDED: dict[type[FrontendMessage], tuple[Reply, ...]] = {
    m.Parse: (m.ParseComplete(),),
    m.Bind: (m.BindComplete(),),
    m.Describe: (m.ParameterDescription((20,)), m.RowDescription((ID,))),
    m.Execute: (m.DataRow((b"5",)), m.CommandComplete("SELECT 1")),
    m.Close: (m.CloseComplete(),),
    m.Sync: (READY,),
}


class Server:
    """Answers on a socket when told to, and writes the trace of what went over it once libpq traces too."""

    def __init__(self) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.listener.setblocking(False)
        self.port: int = self.listener.getsockname()[1]
        self.peer: socket.socket | None = None
        self.connection = ServerConnection()
        self.lines: list[str] = []

    def pump(self) -> None:
        """Serves what has arrived."""
        try:
            if self.peer is None:
                self.peer = self.listener.accept()[0]
                self.peer.setblocking(False)
            self.connection.receive_data(self.peer.recv(65536))
        except BlockingIOError:
            time.sleep(0.0005)
        while (message := self.connection.next_message()) is not None:
            self.lines.append(trace(message, "F"))
            for reply in self.answer(message):
                data = self.connection.send(reply)
                self.note(data, reply)
                assert self.peer is not None
                self.peer.sendall(data)

    def answer(self, message: FrontendMessage) -> tuple[Reply, ...]:
        if isinstance(message, s.SSLRequest | s.GSSENCRequest):
            return (s.EncryptionRefused(),)
        if isinstance(message, s.StartupMessage):
            negotiation = message.negotiation()
            return GREETING if negotiation is None else (negotiation, *GREETING)
        if isinstance(message, m.Query):
            return ANSWERS[message.query]
        if isinstance(message, m.CopyDone):
            return (m.CommandComplete("COPY 2"), READY)
        return EXTENDED.get(type(message), ())

    def note(self, data: Encoded, reply: Reply) -> None:
        if isinstance(reply, s.EncryptionRefused):
            self.lines.append(trace(reply))
        else:
            self.lines += [trace(message, "B") for message in decode_backend(bytes(data))]

    def close(self) -> None:
        self.listener.close()
        if self.peer is not None:
            self.peer.close()


class Client:
    """libpq, driven in steps so that no thread is needed, with its trace."""

    def __init__(self, server: Server, trace_path: Path, options: str = "") -> None:
        self.server = server
        address = f"host=127.0.0.1 port={server.port} user=ada dbname=lake gssencmode=disable {options}"
        self.libpq = pq.PGconn.connect_start(address.encode())
        self.path = trace_path
        self.file = os.open(trace_path, os.O_CREAT | os.O_WRONLY)
        self.libpq.trace(self.file)
        self.libpq.set_trace_flags(pq.Trace.SUPPRESS_TIMESTAMPS)
        self.until(lambda: self.libpq.connect_poll() in (pq.PollingStatus.OK, pq.PollingStatus.FAILED))
        assert self.libpq.status == pq.ConnStatus.OK, self.libpq.error_message

    def until(self, done: Callable[[], bool]) -> None:
        deadline = time.monotonic() + 10
        while not done():
            assert time.monotonic() < deadline, "libpq waits for something that does not come"
            self.server.pump()

    def _arrived(self) -> bool:
        self.libpq.flush()
        self.libpq.consume_input()
        return not self.libpq.is_busy()

    def result(self) -> pq.abc.PGresult | None:
        self.until(self._arrived)
        return self.libpq.get_result()

    def statuses(self) -> list[int]:
        found: list[int] = []
        while (result := self.result()) is not None:
            found.append(result.status)
        return found

    def traced(self) -> list[str]:
        self.libpq.untrace()
        os.close(self.file)
        return self.path.read_text().splitlines()


def assert_same(theirs: list[str], ours: list[str]) -> None:
    """Each direction in its own order: how they interleave depends on who notes first what is on its way."""
    for direction in "FB":
        assert compared(theirs, direction) == compared(ours, direction)


def compared(lines: list[str], direction: str) -> list[str]:
    """The lines of one direction, without what libpq leaves out (authentication) or shows in two ways (the key)."""
    names = ("Authentication", "BackendKeyData")
    return [line for line in lines if line[0] == direction and not line.split("\t")[2].startswith(names)]


@pytest.fixture
def server() -> Iterator[Server]:
    running = Server()
    yield running
    running.close()


@pytest.fixture
def client(server: Server, tmp_path: Path) -> Iterator[Client]:
    connected = Client(server, tmp_path / "trace")
    yield connected
    connected.libpq.finish()


def test_libpq_and_we_trace_the_same_conversation(server: Server, client: Client) -> None:
    libpq = client.libpq
    for query in ("SELECT id", "SELECT 1/0", "", "NOTIFY"):
        libpq.send_query(query.encode())
        client.statuses()
    libpq.send_prepare(b"s", b"SELECT $1", [20])
    client.statuses()
    libpq.send_describe_prepared(b"s")
    client.statuses()
    libpq.send_query_prepared(b"s", [b"5"], param_formats=[1], result_format=1)
    client.statuses()
    libpq.send_query_params(b"SELECT $1", [None], param_types=[20])
    client.statuses()
    assert_same(client.traced(), server.lines)
    assert len(server.lines) > 40


def test_libpq_and_we_trace_the_same_copies(server: Server, client: Client) -> None:
    libpq = client.libpq
    libpq.send_query(b"COPY t TO STDOUT")
    result = client.result()
    assert result is not None
    assert result.status == pq.ExecStatus.COPY_OUT
    rows: list[bytes] = []

    def drained() -> bool:
        libpq.consume_input()
        while (got := libpq.get_copy_data(1))[0] > 0:
            rows.append(bytes(got[1]))
        return got[0] == -1

    client.until(drained)
    assert rows == [ROW.data] * 3
    assert client.statuses() == [pq.ExecStatus.COMMAND_OK]
    libpq.send_query(b"COPY t FROM STDIN")
    result = client.result()
    assert result is not None
    assert result.status == pq.ExecStatus.COPY_IN
    libpq.put_copy_data(b"1\t2\n")
    libpq.put_copy_data(b"\x00\xff'")
    libpq.put_copy_end()
    assert client.statuses() == [pq.ExecStatus.COMMAND_OK]
    assert_same(client.traced(), server.lines)


def test_libpq_reads_the_error_fields(client: Client) -> None:
    client.libpq.send_query(b"SELECT 1/0")
    result = client.result()
    assert result is not None
    assert result.error_field(pq.DiagnosticField.SQLSTATE) == b"22012"
    assert result.error_field(pq.DiagnosticField.MESSAGE_PRIMARY) == b"division by zero"
    assert client.libpq.transaction_status == pq.TransactionStatus.IDLE or client.result() is None


def test_libpq_goes_on_without_encryption_when_it_is_refused(server: Server, tmp_path: Path) -> None:
    client = Client(server, tmp_path / "trace", "sslmode=prefer")
    assert server.connection.phase is Phase.READY
    client.libpq.finish()


@pytest.mark.skipif(pq.version() < 180000, reason="older libpq asks for protocol 3.0 only")
def test_libpq_accepts_that_only_protocol_3_0_is_spoken(server: Server, tmp_path: Path) -> None:
    client = Client(server, tmp_path / "trace", "min_protocol_version=3.0 max_protocol_version=latest")
    assert server.connection.phase is Phase.READY
    client.libpq.finish()
    server.pump()
    assert server.connection.phase is Phase.CLOSED
    assert_same(client.path.read_text().splitlines(), server.lines)
