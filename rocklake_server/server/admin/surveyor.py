"""Keeps surveys of the open lakes, and looks for their checkpoints, for a server that is watched.

Lakes are counted one after another, at a fifth of the processor. What was counted stays while a lake is closed, and
holds again if nothing was committed when it opens. Nothing keeps a lake open but counting it.
"""

from __future__ import annotations

import asyncio
import logging

from rocklake_server.catalog.databases import Databases
from rocklake_server.catalog.lake import Lake
from rocklake_server.catalog.survey import REST, Survey
from rocklake_server.clock import elapsed_s
from rocklake_server.errors import CatalogError, Unsupported
from rocklake_server.pacing import Turns, checked, in_slices
from rocklake_server.server.admin.minutes import Minutes
from rocklake_server.store.checkpoints import Checkpoints
from rocklake_server.store.object_stores import StoreLocation

logger = logging.getLogger(__name__)

LOOK_S = 1.0
"""Between two looks."""

CHECKPOINTS_LOOK_S = 60.0
"""Between two looks for the checkpoints of a lake, which cost a request or two."""

SURVEYS_MAX = 10_000
"""Lakes whose surveys are kept while they are closed."""


class Surveyor:
    """Of one server. ``location`` is the store's root; ``None`` for stores that nobody else can open."""

    def __init__(self, databases: Databases, location: StoreLocation | None, rest: float = REST) -> None:
        self.minutes = Minutes(databases.activity, databases.clock)
        self._databases = databases
        self._location = location
        self._rest = rest
        self._known: dict[int, Survey] = {}
        self._looked_s: dict[int, float] = {}
        self._counting: asyncio.Task[None] | None = None

    async def run(self) -> None:
        """Until cancelled."""
        try:
            while True:
                await self.look()
                await asyncio.sleep(LOOK_S)
        finally:
            if self._counting is not None:
                self._counting.cancel()
                await asyncio.gather(self._counting, return_exceptions=True)

    async def look(self) -> None:
        """Bring everything up to date but what has to be counted first, which begins."""
        self.minutes.look()
        turns = Turns()
        for number, lake in await in_slices(self._lakes):
            await turns.take()
            survey = self._survey_of(number, lake)
            if survey is not None and survey.is_complete:
                await survey.settle()
            elif self._counting is None or self._counting.done():
                self._counting = asyncio.create_task(self._count(number, lake))
            if survey is not None and self._location is not None:
                await self._look_for_checkpoints(number, survey, self._location)

    async def settled(self) -> None:
        """As ``look``, and until every open lake is counted."""
        await self.look()
        while self._counting is not None and not self._counting.done():
            await asyncio.wait([self._counting])
            await self.look()

    def _lakes(self) -> list[tuple[int, Lake]]:
        """The open ones that are on the list, by the numbers of their directories."""
        schemas = self._databases.directory.schemas
        return [
            (place.number, opened.lake)
            for opened in checked(self._databases.open_lakes())
            if self._databases.lists(opened.database, opened.lake.schema, opened)
            and (place := schemas(opened.database).get(opened.lake.schema)) is not None
            and not opened.lake.taken_over
        ]

    def _survey_of(self, number: int, lake: Lake) -> Survey | None:
        """The one that the lake has, or had when it was open before and that still holds."""
        survey = lake.survey
        if survey is None:
            survey = self._known.get(number)
            if survey is not None and survey.sequence == lake.newest.sequence:
                lake.survey = survey
            else:
                survey = None
        return None if survey is None or survey.is_stale else survey

    async def _count(self, number: int, lake: Lake) -> None:
        """From the newest root on. Logs when the store fails; the next look begins again."""
        root = lake.newest
        survey = lake.survey = Survey(root.sequence)
        try:
            lake.hold(root)
        except CatalogError:  # another server's from now on
            return
        try:
            await survey.count(root, self._rest)
            self._keep(number, survey)
        except CatalogError as error:
            survey.is_stale = True
            logger.warning("%s cannot be surveyed: %s", lake.label, type(error).__name__)
            await asyncio.sleep(CHECKPOINTS_LOOK_S)
        finally:
            lake.release(root)

    def _keep(self, number: int, survey: Survey) -> None:
        self._known.pop(number, None)
        self._known[number] = survey
        if len(self._known) > SURVEYS_MAX:
            del self._known[next(iter(self._known))]

    async def _look_for_checkpoints(self, number: int, survey: Survey, location: StoreLocation) -> None:
        now_s = elapsed_s()
        if now_s - self._looked_s.get(number, -CHECKPOINTS_LOOK_S) < CHECKPOINTS_LOOK_S:
            return
        self._looked_s[number] = now_s
        try:
            found = await Checkpoints(location.child(f"lakes/{number}")).list()
        except Unsupported:
            self._location = None
        except CatalogError as error:
            logger.debug("checkpoints of lake %d cannot be listed: %s", number, type(error).__name__)
        else:
            survey.checkpoint_s = max((checkpoint.created_s for checkpoint in found), default=None)
