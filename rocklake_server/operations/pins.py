"""``CALL rocklake.pin_add`` and ``rocklake.pin_remove``: snapshots that gc keeps."""

from __future__ import annotations

from rocklake_server.catalog.databases import Databases
from rocklake_server.catalog.retention.pins import add_pin, find_pin, remove_pin
from rocklake_server.operations.working import LAKE_SCHEMA, number, required_number, working
from rocklake_server.schema.types import BIGINT, TEXT
from rocklake_server.session.procedures import Argument, Arguments, Caller, Column, Facts, Procedure

SNAPSHOT = Argument("snapshot", BIGINT, "The snapshot; the newest when left out.", "SNAPSHOT", 0)
REASON = Argument("reason", TEXT, "Why, for those who find the pin later.", "TEXT", default="")
PIN = Argument("pin", BIGINT, "The pin's number, as rocklake pin list shows it.", "PIN", 0, required=True)

_COLUMNS = (
    Column("pin", BIGINT), Column("snapshot", BIGINT), Column("reason", TEXT), Column("who", TEXT), Column("when", TEXT)
)  # fmt: skip


async def _add(databases: Databases, caller: Caller, arguments: Arguments) -> Facts:
    async with working(databases, caller, arguments, "pin add") as work:
        reason = str(arguments[REASON.name] or "")
        return (await add_pin(work.reader, work.commits, number(arguments[SNAPSHOT.name]), reason)).facts


async def _remove(databases: Databases, caller: Caller, arguments: Arguments) -> Facts:
    async with working(databases, caller, arguments, "pin remove") as work:
        found = await find_pin(work.reader, required_number(arguments[PIN.name]))
        await remove_pin(work.commits, found)
        return found.facts


PIN_ADD = Procedure(
    "pin_add", "Keep a snapshot, and all after it, from gc until the pin is removed.", (SNAPSHOT, REASON, LAKE_SCHEMA),
    _COLUMNS, _add,
)  # fmt: skip
PIN_REMOVE = Procedure(
    "pin_remove", "Remove a pin: the next gc may expire the snapshot.", (PIN, LAKE_SCHEMA), _COLUMNS, _remove
)
