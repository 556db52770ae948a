"""Roles and what they hold on each database, as one immutable table. Every change makes a new one."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import IntEnum
from types import MappingProxyType

from rocklake_server.auth.verifier import ScramVerifier
from rocklake_server.errors import (
    CorruptValue,
    DuplicateObject,
    InvalidParameterValue,
    ObjectNotInPrerequisiteState,
    ReservedName,
    UndefinedObject,
)

FIRST_ROLE_OID = 16_384
OWNER_OID = 10
OWNER_NAME = "rocklake"
"""The role that everything belongs to; it is listed whether it was created or not."""

_RESERVED_NAMES = ("public", "none", "current_user", "session_user", "current_role")


class Privilege(IntEnum):
    """What may be done in one database; each includes those before it."""

    NOTHING = 0
    CONNECT = 1
    """Connect, and look at what there is, but at no rows."""
    READER = 2
    """Read every table, those included that are created later."""
    WRITER = 3
    """Also write, create and drop tables, and create schemas."""
    ADMIN = 4
    """Also drop schemas, maintain the lake, and grant these privileges."""
    SUPERUSER = 5
    """Everything in every database; roles and databases."""


GRANTED = (Privilege.CONNECT, Privilege.READER, Privilege.WRITER, Privilege.ADMIN)
"""Those that GRANT gives."""

_NO_GRANTS: Mapping[str, frozenset[Privilege]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Role:
    """``valid_until_us`` ends its password, in microseconds since 2000; ``grants`` are by database."""

    name: str
    oid: int
    login: bool = True
    superuser: bool = False
    verifier: ScramVerifier | None = None
    valid_until_us: int | None = None
    grants: Mapping[str, frozenset[Privilege]] = field(default_factory=lambda: _NO_GRANTS)

    def privilege(self, database: str) -> Privilege:
        """The highest that it holds."""
        return Privilege.SUPERUSER if self.superuser else max(self.grants.get(database, ()), default=Privilege.NOTHING)

    def encode(self) -> bytes:
        """JSON. The name is its key's."""
        facts = {
            "oid": self.oid,
            "login": self.login,
            "superuser": self.superuser,
            "verifier": None if self.verifier is None else str(self.verifier),
            "valid_until_us": self.valid_until_us,
            "grants": {name: sorted(held.name.lower() for held in holds) for name, holds in self.grants.items()},
        }
        return json.dumps(facts, ensure_ascii=False, sort_keys=True).encode()

    @classmethod
    def decode(cls, name: str, data: bytes) -> Role:
        """Raises CorruptValue, which shows nothing of ``data``."""
        try:
            facts = json.loads(data)
            grants = {
                str(database): frozenset(Privilege[held.upper()] for held in holds)
                for database, holds in facts["grants"].items()
            }
            verifier = None if facts["verifier"] is None else ScramVerifier.parse(facts["verifier"])
            until_us = facts["valid_until_us"]
            return cls(
                name, int(facts["oid"]), bool(facts["login"]), bool(facts["superuser"]), verifier,
                None if until_us is None else int(until_us), grants,
            )  # fmt: skip
        except (ValueError, KeyError, TypeError, AttributeError, InvalidParameterValue):
            raise CorruptValue(f'the record of role "{name}" in the system store is damaged') from None


@dataclass(frozen=True, slots=True)
class RoleChange:
    """What CREATE and ALTER ROLE say; ``None`` is "not said". ``password`` may hold ``None``: there is none any more.
    ``valid_until`` likewise."""

    login: bool | None = None
    superuser: bool | None = None
    password: tuple[ScramVerifier | None] | None = None
    valid_until_us: tuple[int | None] | None = None

    def applied(self, role: Role) -> Role:
        return replace(
            role,
            login=role.login if self.login is None else self.login,
            superuser=role.superuser if self.superuser is None else self.superuser,
            verifier=role.verifier if self.password is None else self.password[0],
            valid_until_us=role.valid_until_us if self.valid_until_us is None else self.valid_until_us[0],
        )


@dataclass(frozen=True, slots=True)
class RoleTable:
    """``mock_secret`` makes the verifiers of users that do not exist; it comes with the first role, and stays."""

    roles: Mapping[str, Role] = field(default_factory=dict)
    next_oid: int = FIRST_ROLE_OID
    mock_secret: bytes = field(default=b"", repr=False)

    @property
    def has_passwords(self) -> bool:
        """Whether a role has a password: then everybody is asked for one, unless rules say otherwise."""
        return any(role.verifier is not None for role in self.roles.values())

    def role(self, name: str) -> Role:
        """Raises UndefinedObject."""
        found = self.roles.get(name)
        if found is None:
            raise UndefinedObject(f'role "{name}" does not exist')
        return found

    def privilege(self, user: str, database: str) -> Privilege:
        """What a user holds in a database. While there is no role, all hold everything."""
        if not self.roles:
            return Privilege.SUPERUSER
        role = self.roles.get(user)
        return Privilege.NOTHING if role is None else role.privilege(database)

    def name_of(self, oid: int) -> str | None:
        """The role with an OID; the owner's is known without a role of that name."""
        if oid == OWNER_OID:
            return OWNER_NAME
        return next((role.name for role in self.roles.values() if role.oid == oid), None)

    # -- changes ------------------------------------------------------------------------------------------------------

    def created(self, name: str, change: RoleChange, mock_secret: bytes) -> RoleTable:
        """``mock_secret`` is kept when there is none yet. Raises DuplicateObject, ReservedName,
        ObjectNotInPrerequisiteState."""
        if name in self.roles:
            raise DuplicateObject(f'role "{name}" already exists')
        if name in _RESERVED_NAMES or name.startswith("pg_"):
            raise ReservedName(f'role name "{name}" is reserved')
        if not name:
            raise InvalidParameterValue("a role's name has at least one character")
        role = change.applied(Role(name, OWNER_OID if name == OWNER_NAME else self.next_oid))
        table = RoleTable(
            {**self.roles, name: role},
            self.next_oid + (role.oid == self.next_oid),
            self.mock_secret or mock_secret,
        )
        return self._checked(table)

    def altered(self, name: str, change: RoleChange) -> RoleTable:
        """Raises UndefinedObject, ObjectNotInPrerequisiteState."""
        return self._checked(self._with(change.applied(self.role(name))))

    def renamed(self, name: str, new_name: str) -> RoleTable:
        """Raises UndefinedObject, DuplicateObject, ReservedName. SCRAM's verifiers do not hold the name."""
        role = self.role(name)
        made = self.created(new_name, RoleChange(), self.mock_secret)
        kept = {found.name: found for found in self.roles.values() if found.name != name}
        return replace(made, roles={**kept, new_name: replace(role, name=new_name, oid=made.roles[new_name].oid)})

    def dropped(self, name: str) -> RoleTable:
        """What it holds goes with it. Raises UndefinedObject, ObjectNotInPrerequisiteState."""
        self.role(name)
        kept = {found.name: found for found in self.roles.values() if found.name != name}
        return self._checked(replace(self, roles=kept))

    def granted(self, name: str, database: str, privileges: frozenset[Privilege]) -> RoleTable:
        """Raises UndefinedObject."""
        role = self.role(name)
        held = role.grants.get(database, frozenset()) | privileges
        return self._with(replace(role, grants={**role.grants, database: held}))

    def revoked(self, name: str, database: str, privileges: frozenset[Privilege]) -> RoleTable:
        """Without CONNECT nothing else is left. Raises UndefinedObject."""
        role = self.role(name)
        left = frozenset() if Privilege.CONNECT in privileges else role.grants.get(database, frozenset()) - privileges
        grants = {found: held for found, held in role.grants.items() if found != database}
        return self._with(replace(role, grants={**grants, database: left} if left else grants))

    def without_database(self, database: str) -> RoleTable:
        """After a database was dropped: one that gets its name later is another one."""
        table = self
        for role in self.roles.values():
            if database in role.grants:
                table = table.revoked(role.name, database, frozenset((Privilege.CONNECT,)))
        return table

    def with_renamed_database(self, database: str, new_name: str) -> RoleTable:
        """What roles hold on it goes along, in place of what was granted ahead on the new name."""
        table = self.without_database(new_name)
        for role in table.roles.values():
            if (held := role.grants.get(database)) is not None:
                grants = {found: holds for found, holds in role.grants.items() if found != database}
                table = table._with(replace(role, grants={**grants, new_name: held}))
        return table

    def _with(self, role: Role) -> RoleTable:
        return replace(self, roles={**self.roles, role.name: role})

    def _checked(self, after: RoleTable) -> RoleTable:
        """``after``, if somebody can undo it: raises ObjectNotInPrerequisiteState when no superuser could log in. Once
        there was a password, one with a password has to be left: without any, this machine would be trusted again."""
        wants_password = self.has_passwords or after.has_passwords
        for role in after.roles.values():
            if role.superuser and role.login and (role.verifier is not None or not wants_password):
                return after
        asked = " with a password" if wants_password else ""
        raise ObjectNotInPrerequisiteState(
            f"at least one role has to be a SUPERUSER that can log in{asked}",
            hint="Begin with CREATE USER name SUPERUSER PASSWORD '...'.",
        )


class CurrentRoles:
    """The table of a server as it is now. ``version`` counts its changes; those who observe are told after each."""

    def __init__(self, table: RoleTable | None = None) -> None:
        self.table = table if table is not None else RoleTable()
        self.version = 0
        self.observers: list[Callable[[], None]] = []

    def replace(self, table: RoleTable) -> None:
        if table != self.table:
            self.table = table
            self.version += 1
            for tell in self.observers:
                tell()
