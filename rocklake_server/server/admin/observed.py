"""What the admin port reads: the running server, as it is at that moment."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from rocklake_server.catalog.databases import Databases
from rocklake_server.catalog.lake import Lake
from rocklake_server.catalog.survey import Survey
from rocklake_server.clock import elapsed_s
from rocklake_server.pacing import checked
from rocklake_server.server.admin.surveyor import Surveyor
from rocklake_server.session.session import Session


@dataclass(frozen=True, slots=True)
class Observed:
    """A server that accepts connections. ``store`` is the store's URL, without keys."""

    databases: Databases
    store: str
    sessions: Callable[[], Sequence[Session]]
    sessions_max: int
    surveyor: Surveyor
    began_s: float = field(default_factory=elapsed_s)

    @property
    def uptime_s(self) -> float:
        return elapsed_s() - self.began_s

    def open_lakes(self) -> Iterator[tuple[str, str, Lake]]:
        """(database, schema, lake) of those that are open and on the list."""
        for opened in checked(self.databases.open_lakes()):
            if self.databases.lists(opened.database, opened.lake.schema, opened):
                yield opened.database, opened.lake.schema, opened.lake


def survey_of(lake: Lake) -> Survey | None:
    """What was counted of it; ``None`` while that is not done."""
    survey = lake.survey
    return survey if survey is not None and survey.is_complete and not survey.is_stale else None


def newest_snapshot(lake: Lake) -> int | None:
    """The newest snapshot id that was ever committed; ``None`` before the first."""
    following = lake.newest.counters.get("next_snapshot_id")
    return None if following is None else following - 1
