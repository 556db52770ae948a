"""Roles and what they hold on each database, as one immutable table. Every change makes a new one."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import IntEnum
from types import MappingProxyType

from rocklake_server.auth.membership import roles_of
from rocklake_server.auth.verifier import ScramVerifier
from rocklake_server.errors import (
    CorruptValue,
    DuplicateObject,
    InvalidGrantOperation,
    InvalidParameterValue,
    ObjectNotInPrerequisiteState,
    ReservedName,
    UndefinedObject,
)

FIRST_ROLE_OID = 16_384
OWNER_OID = 10
OWNER_NAME = "rocklake"
"""The role that everything belongs to; it is listed whether it was created or not."""

PUBLIC = "public"
"""Whom GRANT means by it: every role that there is, and that comes later."""

_RESERVED_NAMES = (PUBLIC, "none", "current_user", "session_user", "current_role")


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

Grants = Mapping[str, frozenset[Privilege]]
"""What is held, by database."""

_NO_GRANTS: Grants = MappingProxyType({})


def grants_as_words(grants: Grants) -> dict[str, list[str]]:
    """As the store keeps them."""
    return {name: sorted(held.name.lower() for held in holds) for name, holds in grants.items()}


def grants_of_words(words: Mapping[str, Iterable[str]]) -> Grants:
    """Raises KeyError, AttributeError for what are none."""
    return {str(name): frozenset(Privilege[held.upper()] for held in holds) for name, holds in words.items()}


@dataclass(frozen=True, slots=True)
class Role:
    """``valid_until_us`` ends its password, in microseconds since 2000. ``grants`` are its own; it also holds those of
    the roles that it is a ``member_of``."""

    name: str
    oid: int
    login: bool = True
    superuser: bool = False
    verifier: ScramVerifier | None = None
    valid_until_us: int | None = None
    grants: Grants = field(default_factory=lambda: _NO_GRANTS)
    member_of: frozenset[str] = frozenset()

    def encode(self) -> bytes:
        """JSON. The name is its key's."""
        facts = {
            "oid": self.oid,
            "login": self.login,
            "superuser": self.superuser,
            "verifier": None if self.verifier is None else str(self.verifier),
            "valid_until_us": self.valid_until_us,
            "grants": grants_as_words(self.grants),
            "member_of": sorted(self.member_of),
        }
        return json.dumps(facts, ensure_ascii=False, sort_keys=True).encode()

    @classmethod
    def decode(cls, name: str, data: bytes) -> Role:
        """Raises CorruptValue, which shows nothing of ``data``."""
        try:
            facts = json.loads(data)
            grants = grants_of_words(facts["grants"])
            member_of = frozenset(map(str, facts.get("member_of", ())))
            verifier = None if facts["verifier"] is None else ScramVerifier.parse(facts["verifier"])
            until_us = facts["valid_until_us"]
            return cls(
                name, int(facts["oid"]), bool(facts["login"]), bool(facts["superuser"]), verifier,
                None if until_us is None else int(until_us), grants, member_of,
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
    """``mock_secret`` makes the verifiers of users that do not exist; it comes with the first role, and stays.
    ``public`` is what every role holds."""

    roles: Mapping[str, Role] = field(default_factory=dict)
    next_oid: int = FIRST_ROLE_OID
    mock_secret: bytes = field(default=b"", repr=False)
    public: Grants = field(default_factory=lambda: _NO_GRANTS)

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
        """The highest that a user holds in a database: itself, as a member of other roles, or as everybody does. While
        there is no role, all hold everything. To be a SUPERUSER is nothing that members of one hold."""
        if not self.roles:
            return Privilege.SUPERUSER
        role = self.roles.get(user)
        if role is None:
            return Privilege.NOTHING
        if role.superuser:
            return Privilege.SUPERUSER
        holders = [self.public, *(self.roles[name].grants for name in roles_of(self.roles, user))]
        return max((held for grants in holders for held in grants.get(database, ())), default=Privilege.NOTHING)

    def public_privilege(self, database: str) -> Privilege:
        """The highest that every role holds."""
        return max(self.public.get(database, ()), default=Privilege.NOTHING)

    def grants_of(self, name: str) -> Grants:
        """A role's own, or PUBLIC's. Raises UndefinedObject."""
        return self.public if name == PUBLIC else self.role(name).grants

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
            self.public,
        )
        return self._checked(table)

    def altered(self, name: str, change: RoleChange) -> RoleTable:
        """Raises UndefinedObject, ObjectNotInPrerequisiteState."""
        return self._checked(self._with(change.applied(self.role(name))))

    def renamed(self, name: str, new_name: str) -> RoleTable:
        """Raises UndefinedObject, DuplicateObject, ReservedName. SCRAM's verifiers do not hold the name."""
        role = self.role(name)
        made = self.created(new_name, RoleChange(), self.mock_secret)
        kept = {found.name: _member(found, name, new_name) for found in self.roles.values() if found.name != name}
        return replace(made, roles={**kept, new_name: replace(role, name=new_name, oid=made.roles[new_name].oid)})

    def dropped(self, name: str) -> RoleTable:
        """What it holds, and what its members held by it, goes with it. Raises UndefinedObject,
        ObjectNotInPrerequisiteState."""
        self.role(name)
        kept = {found.name: _member(found, name, None) for found in self.roles.values() if found.name != name}
        return self._checked(replace(self, roles=kept))

    def granted(self, name: str, database: str, privileges: frozenset[Privilege]) -> RoleTable:
        """To a role or PUBLIC. Raises UndefinedObject, ObjectNotInPrerequisiteState."""
        if not self.roles:
            raise ObjectNotInPrerequisiteState("there is no role yet: everybody may do everything")
        grants = self.grants_of(name)
        return self._granting(name, {**grants, database: grants.get(database, frozenset()) | privileges})

    def revoked(self, name: str, database: str, privileges: frozenset[Privilege]) -> RoleTable:
        """From a role or PUBLIC. Without CONNECT nothing else is left. Raises UndefinedObject."""
        grants = self.grants_of(name)
        left = frozenset() if Privilege.CONNECT in privileges else grants.get(database, frozenset()) - privileges
        others = {found: held for found, held in grants.items() if found != database}
        return self._granting(name, {**others, database: left} if left else others)

    def with_member(self, name: str, member: str) -> RoleTable:
        """``member`` holds what ``name`` holds. Raises UndefinedObject, InvalidGrantOperation."""
        self.role(name)
        role = self.role(member)
        if member in roles_of(self.roles, name):
            raise InvalidGrantOperation(f'role "{name}" is a member of role "{member}"')
        return self._with(replace(role, member_of=role.member_of | {name}))

    def without_member(self, name: str, member: str) -> RoleTable:
        """Raises UndefinedObject."""
        self.role(name)
        role = self.role(member)
        return self._with(replace(role, member_of=role.member_of - {name}))

    def without_database(self, database: str) -> RoleTable:
        """After a database was dropped: one that gets its name later is another one."""
        table = self
        for name in (PUBLIC, *self.roles):
            if database in self.grants_of(name):
                table = table.revoked(name, database, frozenset((Privilege.CONNECT,)))
        return table

    def with_renamed_database(self, database: str, new_name: str) -> RoleTable:
        """What roles hold on it goes along, in place of what was granted ahead on the new name."""
        table = self.without_database(new_name)
        for name in (PUBLIC, *table.roles):
            grants = table.grants_of(name)
            if database in grants:
                others = {found: holds for found, holds in grants.items() if found != database}
                table = table._granting(name, {**others, new_name: grants[database]})
        return table

    def _granting(self, name: str, grants: Grants) -> RoleTable:
        if name == PUBLIC:
            return replace(self, public=grants)
        return self._with(replace(self.role(name), grants=grants))

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


def _member(role: Role, of: str, instead: str | None) -> Role:
    """``role`` as a member of another role than ``of``, or of none in its place."""
    if of not in role.member_of:
        return role
    return replace(role, member_of=role.member_of - {of} | ({instead} if instead is not None else frozenset()))


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
