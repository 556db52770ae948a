"""Audit records: what commands of the operator changed in a lake. One for each such commit, in the same batch."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from functools import partial

from rocklake_server.catalog.lake_reader import LakeReader
from rocklake_server.encoding.definitions import decode_system_text, encode_system_text
from rocklake_server.encoding.keys import system_key, system_prefix
from rocklake_server.encoding.ordered import decode_int
from rocklake_server.errors import CorruptValue
from rocklake_server.pgformat.text import text_encoder
from rocklake_server.schema.system_subspaces import SYSTEM_AUDIT
from rocklake_server.schema.types import TIMESTAMPTZ
from rocklake_server.store.base import WriteBatch


def audit_time(now_us: int) -> str:
    """``now_us`` as of a Clock, as records show it."""
    return text_encoder(TIMESTAMPTZ)(now_us)


def write_audit(
    batch: WriteBatch, sequence: int, *, command: str, who: str, now_us: int, actions: Sequence[Mapping[str, object]]
) -> None:
    """Add the record of commit ``sequence`` to its batch. ``now_us`` as of a Clock; ``actions`` as JSON has them."""
    record = {"command": command, "who": who, "when": audit_time(now_us), "actions": list(actions)}
    batch.put(system_key(SYSTEM_AUDIT, sequence), encode_system_text(json.dumps(record, ensure_ascii=False)))


Note = Callable[[WriteBatch, int], None]
"""Adds a record to the batch of the commit of that number."""


def audit_note(*, command: str, who: str, now_us: int, actions: Sequence[Mapping[str, object]]) -> Note:
    """Of a transaction, whose commit's number is not known yet. As ``write_audit``."""
    return partial(write_audit, command=command, who=who, now_us=now_us, actions=actions)


async def audit_records(reader: LakeReader) -> AsyncIterator[dict[str, object]]:
    """Oldest first, each with the number of its commit. Raises CorruptValue."""
    prefix = system_prefix(SYSTEM_AUDIT)
    async for entries in reader.snapshot.scan(prefix):
        for key, value in entries:
            try:
                record = json.loads(decode_system_text(key, value))
            except ValueError:
                raise CorruptValue(f"the value of key {key.hex()} is no audit record") from None
            yield {"sequence": decode_int(key, len(prefix))[0], **record}
