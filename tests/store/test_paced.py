"""A paced snapshot shows what the one below shows, in small batches, and gives the event loop its turn between them."""

from __future__ import annotations

import asyncio
import time

from rocklake_server.store.base import Key, Prefix, WriteBatch
from rocklake_server.store.memory import MemoryStore
from rocklake_server.store.paced import ROWS_AT_ONCE, PacedSnapshot


async def test_entries_come_in_small_batches_with_turns_between() -> None:
    store, batch = MemoryStore(), WriteBatch()
    for number in range(2000):
        batch.put(Key(b"k" + number.to_bytes(2, "big")), str(number).encode())
    await store.write(batch)
    snapshot = await store.snapshot()
    paced, turns = PacedSnapshot(snapshot), 0

    async def count_turns() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    counting = asyncio.create_task(count_turns())
    batches = []
    async for entries in paced.scan(Prefix(b"k"), start=(5).to_bytes(2, "big"), stop=(1995).to_bytes(2, "big")):
        batches.append(entries)
        time.sleep(0.002)  # as long as a slice of work takes
    counting.cancel()
    whole = [entry async for entries in snapshot.scan(Prefix(b"k")) for entry in entries]
    assert [entry for entries in batches for entry in entries] == whole[5:1995]
    assert max(map(len, batches)) == ROWS_AT_ONCE
    assert turns >= len(batches) - 1
    assert await paced.get(whole[7][0]) == b"7"
