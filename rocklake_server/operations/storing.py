"""``CALL rocklake.checkpoint`` and ``rocklake.flush``: what is done with a lake's store, not with its rows."""

from __future__ import annotations

from datetime import UTC, datetime

from rocklake_server.catalog.databases import Databases
from rocklake_server.catalog.lake_checkpoints import LakeCheckpoint, describe
from rocklake_server.catalog.maintenance.online import OnlineWork
from rocklake_server.clock import POSTGRES_EPOCH_UNIX_S
from rocklake_server.errors import CorruptValue, Unsupported
from rocklake_server.operations.working import LAKE_SCHEMA, number, text, working
from rocklake_server.schema.types import BIGINT, TEXT
from rocklake_server.session.procedures import Argument, Arguments, Caller, Column, Facts, Procedure
from rocklake_server.store.checkpoints import Checkpoints
from rocklake_server.store.layer import layer_of
from rocklake_server.store.slate import SlateStore

DAY_MS = 24 * 3600 * 1000

NAME = Argument("name", TEXT, "Its name; without one it is called after the time.", "NAME")
KEEP_DAYS = Argument("keep_days", BIGINT, "Days that it is kept; else until it is deleted.", "DAYS", 1)


def checkpoint_facts(found: LakeCheckpoint) -> dict[str, object]:
    """What is told, by column."""
    checkpoint = found.checkpoint
    return {
        "name": checkpoint.name,
        "id": checkpoint.id,
        "created": utc_time(checkpoint.created_s),
        "expires": utc_time(checkpoint.expires_s) if checkpoint.expires_s is not None else None,
        "commit_sequence": found.commit_sequence,
    }


def utc_time(unix_s: int) -> str:
    return datetime.fromtimestamp(unix_s, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def name_of_time(now_us: int) -> str:
    """What a checkpoint without a name is called. ``now_us`` as of a Clock."""
    return utc_time(now_us // 1_000_000 + POSTGRES_EPOCH_UNIX_S)


async def _checkpoint(databases: Databases, caller: Caller, arguments: Arguments) -> Facts:
    """Raises CorruptValue when the newest commit is not in it, DuplicateObject, Unsupported for a store in memory."""
    async with working(databases, caller, arguments, "checkpoint") as work:
        days = number(arguments[KEEP_DAYS.name])
        name = text(arguments[NAME.name]) or name_of_time(databases.clock.now_us())
        checkpoints = Checkpoints(_store(work).location)
        made = await checkpoints.create(name, lifetime_ms=None if days is None else days * DAY_MS)
        found = await describe(checkpoints, made)
        if found.commit_sequence < work.reader.state.sequence:
            await checkpoints.delete(made)
            raise CorruptValue(f'the checkpoint of lake "{work.listed}" ends at commit {found.commit_sequence}, and '
                               f"commit {work.reader.state.sequence} was there before; it is deleted again")
        return checkpoint_facts(found)


async def _flush(databases: Databases, caller: Caller, arguments: Arguments) -> Facts:
    async with working(databases, caller, arguments, "flush") as work:
        await _store(work).flush()
        return {"lake": str(work.listed), "commit_sequence": work.reader.state.sequence}


def _store(work: OnlineWork) -> SlateStore:
    """Raises Unsupported."""
    store = layer_of(work.opened.lake.store, SlateStore)
    if store is None:
        raise Unsupported(f'the store of lake "{work.listed}" is kept nowhere')
    return store


CHECKPOINT = Procedure(
    "checkpoint", "Keep a lake as it is now, to clone or export it later: every commit that was acknowledged.",
    (NAME, KEEP_DAYS, LAKE_SCHEMA),
    (Column("name", TEXT), Column("id", TEXT), Column("created", TEXT), Column("expires", TEXT),
     Column("commit_sequence", BIGINT)),
    _checkpoint,
)  # fmt: skip
FLUSH = Procedure(
    "flush", "Move what only the log has to tables, so that the next start reads less.", (LAKE_SCHEMA,),
    (Column("lake", TEXT), Column("commit_sequence", BIGINT)), _flush,
)  # fmt: skip
