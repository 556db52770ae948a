"""A session whose client is the test: messages in, short lines out. The stores are in memory, the protocol's phases
are the real ones.

A reply reads ``columns a:23 b:25``, ``row 1|NULL``, ``INSERT 0 1``, ``ready I``, ``ERROR 42P01``, ``WARNING 25001``.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager

from rocklake_server.catalog.databases import Databases
from rocklake_server.clock import ManualClock
from rocklake_server.operations.procedures import PROCEDURES
from rocklake_server.plan.cache import PlanCache
from rocklake_server.session.backends import Backends
from rocklake_server.session.session import Session
from rocklake_server.session.statement_meter import StatementMeter
from rocklake_server.store.base import Store
from rocklake_server.store.memory import MemoryStore
from rocklake_server.wire import messages as m
from rocklake_server.wire.connection import Encoded, Raw, ServerConnection
from rocklake_server.wire.layout import BackendMessage, FrontendMessage, decode_backend, encode
from rocklake_server.wire.phases import Phase
from rocklake_server.wire.startup import StartupMessage

DATABASE = "lake"
REPLY_SECONDS_MAX = 10.0

_WORDS: dict[type[BackendMessage], str] = {
    m.ParseComplete: "parsed",
    m.BindComplete: "bound",
    m.CloseComplete: "closed",
    m.NoData: "no data",
    m.PortalSuspended: "suspended",
    m.EmptyQueryResponse: "empty",
    m.CopyDone: "copy done",
}


class ListChannel:
    """Implements ``session.channel.Channel``; what the session sends stays here until it is read."""

    def __init__(self) -> None:
        self.connection = ServerConnection()
        self.idle = asyncio.Event()
        self._readable = asyncio.Event()
        self.sent = bytearray()
        self._gone = False

    @property
    def phase(self) -> Phase:
        return self.connection.phase

    @property
    def buffered_bytes(self) -> int:
        return 0

    async def receive(self) -> FrontendMessage | None:
        while True:
            message = self.connection.next_message()
            if message is not None:
                return message
            if self._gone or self.phase is Phase.CLOSED:
                return None
            self.idle.set()
            self._readable.clear()
            await self._readable.wait()

    def send(self, message: BackendMessage | Raw) -> None:
        data: Encoded = self.connection.send(message)
        self.sent += data

    @property
    def unsent_bytes(self) -> int:
        return len(self.sent)

    def flush(self) -> None:
        """Nothing holds up what was sent."""

    async def drain(self) -> None:
        await asyncio.sleep(0)

    def feed(self, data: bytes) -> None:
        self.idle.clear()
        self.connection.receive_data(data)
        self._readable.set()

    def hang_up(self) -> None:
        self._gone = True
        self._readable.set()

    def taken(self) -> list[BackendMessage]:
        """What the session sent since the last call."""
        data, self.sent = bytes(self.sent), bytearray()
        return list(decode_backend(data))


class Conversation:
    """One client."""

    def __init__(
        self, databases: Databases, plans: PlanCache, process_id: int, startup: dict[str, str],
        meter: StatementMeter | None = None, backends: Backends | None = None,
    ) -> None:  # fmt: skip
        self.channel = ListChannel()
        database, user = startup.pop("database", DATABASE), startup.pop("user", "ada")
        self.channel.connection.receive_data(encode(StartupMessage(3, 0, {"user": user, "database": database})))
        assert self.channel.connection.next_message() is not None
        self.session = Session(
            databases,
            self.channel,
            user=user,
            database=database,
            process_id=process_id,
            startup=startup,
            client_address=None,
            plans=plans,
            meter=meter,
            procedures=PROCEDURES,
            backends=backends,
        )
        self.channel.send(m.AuthenticationOk())
        self.session.start()
        self.session.ready()
        self.greeting = self.channel.taken()
        self.task = asyncio.create_task(self.session.run())

    async def exchange(self, *messages: FrontendMessage) -> list[BackendMessage]:
        """Send ``messages`` at once; the replies until the session waits for the client again or ends."""
        return await self.exchange_bytes(b"".join(encode(message) for message in messages))

    async def exchange_bytes(self, data: bytes) -> list[BackendMessage]:
        self.channel.feed(data)
        waiting = asyncio.create_task(self.channel.idle.wait())
        done, _ = await asyncio.wait(
            {waiting, self.task}, timeout=REPLY_SECONDS_MAX, return_when=asyncio.FIRST_COMPLETED
        )
        waiting.cancel()
        assert done, "the session neither answered nor ended"
        return self.channel.taken()

    async def say(self, *messages: FrontendMessage) -> list[str]:
        return [line(reply) for reply in await self.exchange(*messages)]

    async def query(self, text: str) -> list[str]:
        """A simple Query's replies."""
        return await self.say(m.Query(text))

    async def rows(self, text: str) -> list[str]:
        """The rows of a query that must succeed, without ``row ``."""
        replies = await self.query(text)
        assert not [reply for reply in replies if reply.startswith(("ERROR", "FATAL"))], replies
        return [reply.removeprefix("row ") for reply in replies if reply.startswith("row ")]

    async def run(self, *texts: str) -> None:
        """Simple queries that must succeed."""
        for text in texts:
            replies = await self.query(text)
            assert not [reply for reply in replies if reply.startswith(("ERROR", "FATAL"))], (text, replies)

    async def leave(self) -> None:
        self.channel.hang_up()
        await asyncio.wait_for(self.task, REPLY_SECONDS_MAX)


class Place:
    """A server's databases, and the clients that talk to them. Those that come once ``meter`` is set are counted."""

    def __init__(self, databases: Databases) -> None:
        self.databases = databases
        self.meter: StatementMeter | None = None
        self.plans: dict[str, PlanCache] = {}
        self._shared_plans = PlanCache().shared
        self._backends = Backends()
        self._clients: list[Conversation] = []

    async def client(self, **startup: str) -> Conversation:
        plans = self.plans.setdefault(startup.get("database", DATABASE), PlanCache(self._shared_plans))
        client = Conversation(
            self.databases, plans, len(self._clients) + 1, startup, self.meter, self._backends)
        self._clients.append(client)
        await client.channel.idle.wait()
        return client

    async def close(self) -> None:
        for client in self._clients:
            if not client.task.done():
                await client.leave()
        await self.databases.close()


@asynccontextmanager
async def place() -> AsyncIterator[Place]:
    stores: dict[str, MemoryStore] = {}

    async def open_store(directory: str) -> Store:
        known = stores.get(directory)
        stores[directory] = MemoryStore() if known is None else known.reopened()
        return stores[directory]

    opened = Place(await Databases.open(open_store, ManualClock(1_700_000_000_000_000)))
    try:
        yield opened
    finally:
        await opened.close()


def line(message: BackendMessage) -> str:
    """A message as the tests write it."""
    match message:
        case m.RowDescription():
            return " ".join(["columns", *(f"{f.name}:{f.type_oid}" for f in message.fields)])
        case m.DataRow():
            return "row " + "|".join(
                "NULL" if v is None else bytes(v).decode(errors="replace") for v in message.values
            )
        case m.CommandComplete():
            return message.command_tag
        case m.ReadyForQuery():
            return f"ready {message.status}"
        case m.ErrorResponse() | m.NoticeResponse():
            return f"{message.fields['S']} {message.fields['C']}"
        case m.ParameterStatus():
            return f"setting {message.name}={message.value}"
        case m.ParameterDescription():
            return " ".join(["parameters", *map(str, message.types)])
        case m.CopyInResponse() | m.CopyOutResponse():
            direction = "in" if isinstance(message, m.CopyInResponse) else "out"
            return f"copy {direction} {('text', 'binary')[message.format]} {len(message.column_formats)}"
        case m.NotificationResponse():
            return f"told {message.process_id} {message.channel} {message.payload}"
        case m.CopyData():
            return f"data {bytes(message.data)!r}"
        case _:
            return _WORDS[type(message)]


def text_of(messages: Iterable[BackendMessage]) -> str:
    """The message field of the only error or notice."""
    (found,) = [
        message.fields["M"] for message in messages if isinstance(message, m.ErrorResponse | m.NoticeResponse)
    ]
    return found
