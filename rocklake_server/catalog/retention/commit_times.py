"""When rows were deleted: notes of which commit was the newest at a time, made now and then, give retired rows an age.

A row that was retired by the noted commit, or an earlier one, was retired by then. What no note covers yet is younger
than every note, and is kept longer.
"""

from __future__ import annotations

from collections.abc import Mapping

from rocklake_server.catalog.lake_reader import LakeReader
from rocklake_server.catalog.retention.audited_commits import AuditedCommits
from rocklake_server.encoding.definitions import decode_number, encode_number
from rocklake_server.encoding.keys import system_key, system_prefix
from rocklake_server.encoding.ordered import decode_int, encode_int
from rocklake_server.schema.system_subspaces import RETIRED_ROWS, SYSTEM_COMMIT_TIME
from rocklake_server.store.base import Prefix


async def commit_times(lake: LakeReader) -> dict[int, int]:
    """Noted commits in their order, each with its time as of a Clock. Raises CorruptValue."""
    prefix, found = system_prefix(SYSTEM_COMMIT_TIME), dict[int, int]()
    async for entries in lake.snapshot.scan(prefix):
        found.update((decode_int(key, len(prefix))[0] or 0, decode_number(key, value)) for key, value in entries)
    return found


def newest_by(times: Mapping[int, int], by_us: int) -> int | None:
    """The newest noted commit that was there at ``by_us``; ``None`` when there is none."""
    return max((sequence for sequence, time_us in times.items() if time_us <= by_us), default=None)


async def note_commit_time(lake: LakeReader, times: Mapping[int, int], commits: AuditedCommits) -> None:
    """In one commit, if rows were retired that no note covers. ``times`` are the notes of ``lake``, which ``commits``
    follow. Raises what reading and writing raise."""
    retired, noted = Prefix(bytes([RETIRED_ROWS])), max(times, default=-1)
    async for _ in lake.snapshot.scan(retired, start=encode_int(noted + 1)):
        commits.put_system(system_key(SYSTEM_COMMIT_TIME, lake.state.sequence), encode_number(commits.now_us))
        await commits.finish()
        return


def forget_commit_times(times: Mapping[int, int], by: int, commits: AuditedCommits) -> None:
    """Of commit ``by`` and earlier ones, none of whose retired rows is left: with the commit that is gathered."""
    for sequence in times:
        if sequence <= by and commits.has_gathered:
            commits.put_system(system_key(SYSTEM_COMMIT_TIME, sequence), None)
