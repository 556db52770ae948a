"""Checkpoints of lakes: made beside a running server, and looked at before they are said to be there."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from rocklake_server.catalog.lake_reader import CatalogReader, ListedLake
from rocklake_server.catalog.system_keys import read_newest_commit
from rocklake_server.errors import CorruptValue
from rocklake_server.store.base import StoreSnapshot
from rocklake_server.store.checkpoints import Checkpoint, Checkpoints


@dataclass(frozen=True, slots=True)
class LakeCheckpoint:
    """A checkpoint and the commit that is the newest in it."""

    checkpoint: Checkpoint
    commit_sequence: int


def checkpoints_of(catalog: CatalogReader, lake: ListedLake) -> Checkpoints:
    """Raises Unsupported for a store in memory."""
    return Checkpoints(catalog.location.child(lake.directory))


async def create_checkpoint(
    catalog: CatalogReader, lake: ListedLake, name: str, *, lifetime_ms: int | None
) -> LakeCheckpoint:
    """Of every commit that was acknowledged before the call. Raises CorruptValue when the newest of them is not in it,
    and what ``Checkpoints.create`` raises."""
    newest = await read_newest_commit(await catalog.snapshot(lake))
    checkpoints = checkpoints_of(catalog, lake)
    made = await checkpoints.create(name, lifetime_ms=lifetime_ms)
    found = await describe(checkpoints, made)
    if found.commit_sequence < newest.sequence:
        await checkpoints.delete(made)
        raise CorruptValue(f'the checkpoint of lake "{lake}" ends at commit {found.commit_sequence}, and commit '
                           f"{newest.sequence} was there before; it is deleted again")
    return found


async def describe(checkpoints: Checkpoints, checkpoint: Checkpoint) -> LakeCheckpoint:
    """Raises UndefinedObject, CorruptValue, StoreUnavailable."""
    async with await checkpoints.open(checkpoint) as reader:
        return LakeCheckpoint(checkpoint, (await read_newest_commit(reader.snapshot)).sequence)


@asynccontextmanager
async def snapshot_at(catalog: CatalogReader, lake: ListedLake, checkpoint: str | None) -> AsyncIterator[StoreSnapshot]:
    """The lake as it was at the checkpoint of that name or id, or as it is now. Raises UndefinedObject."""
    if checkpoint is None:
        yield await catalog.snapshot(lake)
        return
    async with checkpointed(checkpoints_of(catalog, lake), checkpoint) as snapshot:
        yield snapshot


@asynccontextmanager
async def checkpointed(checkpoints: Checkpoints, name: str) -> AsyncIterator[StoreSnapshot]:
    """What a lake's checkpoint of that name or id keeps. Raises UndefinedObject, CorruptValue, StoreUnavailable."""
    async with await checkpoints.open(await checkpoints.find(name)) as reader:
        yield reader.snapshot
