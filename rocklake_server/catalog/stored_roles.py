"""Roles in the system store: a key for each, and one for what goes with all of them."""

from __future__ import annotations

import json

from rocklake_server.auth.roles import Role, RoleTable, grants_as_words, grants_of_words
from rocklake_server.encoding.ordered import decode_text, encode_text
from rocklake_server.errors import CorruptValue
from rocklake_server.store.base import Key, Prefix, StoreSnapshot, WriteBatch

_ROLES = Prefix(b"\x10")
_SHARED = Key(b"\x11")


async def read_roles(snapshot: StoreSnapshot) -> RoleTable:
    """The roles of a system store; none for one that never had any. Raises CorruptValue, StoreUnavailable."""
    roles: dict[str, Role] = {}
    async for entries in snapshot.scan(_ROLES):
        for key, value in entries:
            name = _decode_name(key)
            roles[name] = Role.decode(name, value)
    shared = await snapshot.get(_SHARED)
    if shared is None:
        if roles:
            raise CorruptValue(f"system store key {_SHARED.hex()} is missing")
        return RoleTable()
    try:
        facts = json.loads(shared)
        public = grants_of_words(facts.get("public", {}))
        return RoleTable(roles, int(facts["next_oid"]), bytes.fromhex(facts["mock_secret"]), public)
    except (ValueError, KeyError, TypeError, AttributeError):
        raise CorruptValue(f"system store key {_SHARED.hex()} is damaged") from None


def put_changes(batch: WriteBatch, before: RoleTable, after: RoleTable) -> None:
    """Add to ``batch`` what makes the stored roles ``after``, when they are ``before``. Raises nothing."""
    for name in before.roles.keys() - after.roles.keys():
        batch.delete(_role_key(name))
    for name, role in after.roles.items():
        if before.roles.get(name) != role:
            batch.put(_role_key(name), role.encode())
    shared = (after.next_oid, after.mock_secret, after.public)
    if (before.next_oid, before.mock_secret, before.public) != shared:
        facts = {
            "next_oid": after.next_oid, "mock_secret": after.mock_secret.hex(), "public": grants_as_words(after.public),
        }  # fmt: skip
        batch.put(_SHARED, json.dumps(facts).encode())


def _role_key(name: str) -> Key:
    return Key(_ROLES + encode_text(name))


def _decode_name(key: Key) -> str:
    name, end = decode_text(key, len(_ROLES))
    if name is None or end != len(key):
        raise CorruptValue(f"system store key {key.hex()} names no role")
    return name
