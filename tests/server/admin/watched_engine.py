"""A server without sockets that is watched: clients, faults and a lease as the test says, and scrapes of it."""

from __future__ import annotations

from prometheus_client.parser import text_string_to_metric_families

from rocklake_server.activity import Activity
from rocklake_server.catalog.databases import Databases
from rocklake_server.plan.cache import PlanCache
from rocklake_server.server.admin.exposition import exposition
from rocklake_server.server.admin.observed import Observed
from rocklake_server.server.admin.surveyor import Surveyor
from rocklake_server.session.session import Session
from rocklake_server.session.statement_meter import StatementMeter
from rocklake_server.store.base import Store
from rocklake_server.store.measured import MeasuredStore
from tests.catalog.kept_store import KeptStore
from tests.catalog.owning import SetLease
from tests.catalog.test_group_commit import FaultyEngine, LosingStore
from tests.server.admin.watched_server import Scrape
from tests.session.conversation import Conversation

SESSIONS_MAX = 7


class WatchedEngine(FaultyEngine):
    """Its one lake is in a store that can be lost, and all stores are under one lease."""

    def __init__(self) -> None:
        super().__init__()
        self.store = LosingStore(KeptStore())
        self.ownership = self.lease = SetLease()
        self.activity = Activity()
        self.clients: list[Conversation] = []

    async def open_store(self, directory: str) -> Store:
        return MeasuredStore(await super().open_store(directory), self.activity.store_times)

    async def start(self) -> None:
        self.databases = await Databases.open(
            self.open_store, self.clock, self.ownership, self.residency, self.activity)
        self.plans = PlanCache()
        self.meter = StatementMeter(self.activity, slow_s=None, sample_texts=1)
        self.surveyor = Surveyor(self.databases, None, rest=0.0)
        self.observed = Observed(self.databases, "memory:///", self.sessions, SESSIONS_MAX, self.surveyor)

    def sessions(self) -> list[Session]:
        return [client.session for client in self.clients if not client.task.done()]

    async def client(self) -> Conversation:
        client = Conversation(self.databases, self.plans, len(self.clients) + 1, {}, self.meter)
        self.clients.append(client)
        self.databases.activity.sessions_begun += 1
        await client.channel.idle.wait()
        return client

    async def text(self) -> str:
        body, _ = await exposition(self.observed, "")
        return body.decode()

    async def scrape(self) -> Scrape:
        """After what is counted beside the statements is up to date."""
        await self.surveyor.settled()
        return {
            (sample.name, tuple(sorted(sample.labels.items()))): sample.value
            for family in text_string_to_metric_families(await self.text())
            for sample in family.samples
        }

    async def stop(self) -> None:
        for client in self.clients:
            if not client.task.done():
                await client.leave()
        await self.databases.close()
