"""The table of roles: what each holds, what can be changed, and what the store keeps."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rocklake_server.auth.access import Access
from rocklake_server.auth.roles import (
    FIRST_ROLE_OID,
    OWNER_OID,
    CurrentRoles,
    Privilege,
    Role,
    RoleChange,
    RoleTable,
)
from rocklake_server.auth.verifier import ScramVerifier
from rocklake_server.catalog.stored_roles import put_changes, read_roles
from rocklake_server.errors import (
    CatalogError,
    CorruptValue,
    DuplicateObject,
    InsufficientPrivilege,
    InvalidGrantOperation,
    ObjectNotInPrerequisiteState,
    ReservedName,
    UndefinedObject,
)
from rocklake_server.store.base import WriteBatch
from rocklake_server.store.memory import MemoryStore

VERIFIER = ScramVerifier.of("secret", iterations=1)
ADMIN = RoleChange(superuser=True, password=(VERIFIER,))
SECRET = b"s" * 32
READS = frozenset((Privilege.READER,))


def table(*names: str) -> RoleTable:
    """A superuser ``ada``, and others with passwords."""
    made = RoleTable().created("ada", ADMIN, SECRET)
    for name in names:
        made = made.created(name, RoleChange(password=(VERIFIER,)), b"")
    return made


def holding(*privileges: Privilege) -> RoleTable:
    return table("bob").granted("bob", "lake", frozenset(privileges))


def test_without_roles_everybody_may_do_everything() -> None:
    assert RoleTable().privilege("anybody", "lake") is Privilege.SUPERUSER


def test_from_the_first_role_on_nobody_else_may_anything() -> None:
    assert table().privilege("anybody", "lake") is Privilege.NOTHING
    assert table().privilege("ada", "lake") is Privilege.SUPERUSER
    assert table("bob").privilege("bob", "lake") is Privilege.NOTHING


@pytest.mark.parametrize("privilege", [Privilege.CONNECT, Privilege.READER, Privilege.WRITER, Privilege.ADMIN])
def test_a_privilege_is_of_one_database(privilege: Privilege) -> None:
    found = holding(privilege)
    assert found.privilege("bob", "lake") is privilege
    assert found.privilege("bob", "other") is Privilege.NOTHING


def test_the_highest_counts_and_each_can_be_taken_back() -> None:
    found = holding(Privilege.READER, Privilege.ADMIN)
    assert found.privilege("bob", "lake") is Privilege.ADMIN
    found = found.revoked("bob", "lake", frozenset((Privilege.ADMIN,)))
    assert found.privilege("bob", "lake") is Privilege.READER
    found = found.revoked("bob", "lake", frozenset((Privilege.WRITER,)))
    assert found.privilege("bob", "lake") is Privilege.READER


def test_without_connect_nothing_is_left() -> None:
    found = holding(Privilege.READER, Privilege.WRITER).revoked("bob", "lake", frozenset((Privilege.CONNECT,)))
    assert found.privilege("bob", "lake") is Privilege.NOTHING
    assert dict(found.roles["bob"].grants) == {}


def test_a_dropped_database_takes_its_grants_along() -> None:
    found = holding(Privilege.READER).granted("bob", "other", frozenset((Privilege.WRITER,)))
    found = found.without_database("lake")
    assert found.privilege("bob", "lake") is Privilege.NOTHING
    assert found.privilege("bob", "other") is Privilege.WRITER


def test_somebody_can_always_undo_it() -> None:
    for refused in (
        lambda: RoleTable().created("bob", RoleChange(), SECRET),
        lambda: RoleTable().created("bob", RoleChange(login=False, superuser=True), SECRET),
        lambda: table().dropped("ada"),
        lambda: table("bob").dropped("ada"),
        lambda: table().altered("ada", RoleChange(login=False)),
        lambda: table().altered("ada", RoleChange(superuser=False)),
        lambda: table("bob").altered("ada", RoleChange(password=(None,))),
        lambda: RoleTable().created("ada", RoleChange(superuser=True), SECRET).created("bob", ADMIN, b"").altered(
            "bob", RoleChange(superuser=False)
        ),
    ):
        with pytest.raises(ObjectNotInPrerequisiteState, match="SUPERUSER that can log in"):
            refused()
    assert set(table("bob").altered("bob", ADMIN).dropped("ada").roles) == {"bob"}


def test_names_are_given_once() -> None:
    with pytest.raises(DuplicateObject):
        table().created("ada", ADMIN, b"")
    for name in ("public", "none", "pg_monitor", "current_user"):
        with pytest.raises(ReservedName):
            table().created(name, RoleChange(), b"")
    with pytest.raises(UndefinedObject):
        table().dropped("bob")


def test_oids_are_never_given_again() -> None:
    found = table("bob").dropped("bob").created("carl", RoleChange(), b"")
    assert [role.oid for role in found.roles.values()] == [FIRST_ROLE_OID, FIRST_ROLE_OID + 2]
    assert found.created("rocklake", RoleChange(), b"").roles["rocklake"].oid == OWNER_OID
    assert (found.name_of(FIRST_ROLE_OID), found.name_of(OWNER_OID), found.name_of(1)) == ("ada", "rocklake", None)


def test_a_renamed_role_keeps_what_it_holds() -> None:
    found = holding(Privilege.WRITER).renamed("bob", "robert")
    assert "bob" not in found.roles
    assert found.privilege("robert", "lake") is Privilege.WRITER
    assert found.roles["robert"].verifier == VERIFIER
    with pytest.raises(DuplicateObject):
        found.renamed("robert", "ada")


def test_what_public_holds_every_role_holds_and_nobody_else() -> None:
    found = table("bob").granted("public", "lake", frozenset((Privilege.READER,)))
    assert found.privilege("bob", "lake") is Privilege.READER
    assert found.created("carl", RoleChange(), b"").privilege("carl", "lake") is Privilege.READER
    assert found.privilege("bob", "other") is Privilege.NOTHING
    assert found.privilege("nobody", "lake") is Privilege.NOTHING
    assert found.privilege("public", "lake") is Privilege.NOTHING
    assert found.public_privilege("lake") is Privilege.READER
    found = found.granted("bob", "lake", frozenset((Privilege.CONNECT,)))
    taken = found.revoked("public", "lake", frozenset((Privilege.CONNECT,)))
    assert taken.privilege("bob", "lake") is Privilege.CONNECT
    assert found.without_database("lake").privilege("bob", "lake") is Privilege.NOTHING
    assert found.with_renamed_database("lake", "sea").privilege("bob", "sea") is Privilege.READER
    with pytest.raises(ObjectNotInPrerequisiteState, match="no role yet"):
        RoleTable().granted("public", "lake", frozenset((Privilege.READER,)))


def test_members_hold_what_their_roles_hold_also_through_others() -> None:
    found = table("bob", "team", "firm").granted("firm", "lake", frozenset((Privilege.WRITER,)))
    found = found.with_member("team", "bob")
    assert found.privilege("bob", "lake") is Privilege.NOTHING
    found = found.with_member("firm", "team")
    assert found.privilege("bob", "lake") is Privilege.WRITER
    assert found.privilege("firm", "lake") is Privilege.WRITER
    found = found.granted("bob", "lake", frozenset((Privilege.READER,)))
    assert found.renamed("team", "crew").privilege("bob", "lake") is Privilege.WRITER
    assert found.without_member("team", "bob").privilege("bob", "lake") is Privilege.READER
    assert found.without_member("team", "firm") == found
    gone = found.dropped("team")
    assert gone.privilege("bob", "lake") is Privilege.READER
    again = gone.created("team", RoleChange(), b"").with_member("firm", "team")
    assert again.privilege("bob", "lake") is Privilege.READER


def test_to_be_a_superuser_is_not_held_by_members() -> None:
    found = table("bob").granted("ada", "lake", frozenset((Privilege.READER,))).with_member("ada", "bob")
    assert found.privilege("bob", "lake") is Privilege.READER
    with pytest.raises(ObjectNotInPrerequisiteState):
        found.dropped("ada")


def test_no_role_is_a_member_of_itself() -> None:
    found = table("bob", "team", "firm").with_member("team", "bob").with_member("firm", "team")
    for name, member in (("bob", "bob"), ("bob", "team"), ("bob", "firm"), ("team", "firm")):
        with pytest.raises(InvalidGrantOperation, match=f'role "{name}" is a member of role "{member}"'):
            found.with_member(name, member)
    for name, member in (("nobody", "bob"), ("bob", "nobody"), ("public", "bob"), ("bob", "public")):
        with pytest.raises(UndefinedObject):
            found.with_member(name, member)


# -- what a session may do --------------------------------------------------------------------------------------------


def test_access_follows_the_roles() -> None:
    roles = CurrentRoles(holding(Privilege.WRITER))
    access = Access(roles, "bob", "lake")
    access.require(Privilege.WRITER, "INSERT")
    told: list[Privilege] = []
    roles.observers.append(lambda: told.append(access.privilege))
    roles.replace(holding(Privilege.READER))
    assert told == [Privilege.READER]
    with pytest.raises(InsufficientPrivilege) as caught:
        access.require(Privilege.WRITER, "INSERT")
    assert str(caught.value) == 'permission denied for lake "lake"'
    assert caught.value.detail == 'Role "bob" is a reader of it; INSERT needs writer.'
    roles.replace(table())
    with pytest.raises(InsufficientPrivilege):
        access.require(Privilege.CONNECT, "SELECT")


def test_nobody_is_told_of_nothing() -> None:
    roles = CurrentRoles(table())
    roles.observers.append(lambda: pytest.fail("nothing changed"))
    roles.replace(table())


def test_what_only_a_superuser_may_says_so() -> None:
    with pytest.raises(InsufficientPrivilege, match="permission denied for CREATE DATABASE"):
        Access(CurrentRoles(holding(Privilege.ADMIN)), "bob", "lake").require(Privilege.SUPERUSER, "CREATE DATABASE")


# -- the store --------------------------------------------------------------------------------------------------------

NAMES = st.text(min_size=1, max_size=8)
ROLES = st.builds(
    Role,
    name=NAMES,
    oid=st.integers(1, 2**31),
    login=st.booleans(),
    superuser=st.booleans(),
    verifier=st.none() | st.just(VERIFIER),
    valid_until_us=st.none() | st.integers(-(2**60), 2**60),
    grants=st.dictionaries(NAMES, st.frozensets(st.sampled_from(list(Privilege)[1:5]), min_size=1), max_size=3),
    member_of=st.frozensets(NAMES, max_size=3),
)


def test_a_role_of_before_there_were_members_has_none() -> None:
    role = Role("bob", 7)
    data = role.encode().replace(b'"member_of": [], ', b"")
    assert b"member_of" not in data
    assert Role.decode("bob", data) == role


@given(ROLES)
def test_a_role_is_read_back_as_it_was(role: Role) -> None:
    assert Role.decode(role.name, role.encode()) == role


@given(st.binary(max_size=60))
def test_damage_is_found_and_not_shown(data: bytes) -> None:
    with pytest.raises(CorruptValue) as caught:
        Role.decode("ada", data)
    assert str(caught.value) == 'the record of role "ada" in the system store is damaged'


@given(st.lists(st.dictionaries(NAMES, ROLES, max_size=3), max_size=4))
@settings(deadline=None, max_examples=50)
def test_the_store_follows_the_table(steps: list[dict[str, Role]]) -> None:
    async def check() -> None:
        store = MemoryStore()
        before = RoleTable()
        for number, roles in enumerate(steps, 1):
            named = {
                name: Role(name, role.oid, role.login, grants=role.grants, member_of=role.member_of)
                for name, role in roles.items()
            }
            public = {name: role.grants.get(name, READS) for name, role in list(roles.items())[:number]}
            after = RoleTable(named, number, SECRET, public)
            batch = WriteBatch()
            put_changes(batch, before, after)
            await store.write(batch)
            assert await read_roles(await store.snapshot()) == after
            before = after

    asyncio.run(check())


def test_an_error_is_one_that_clients_know() -> None:
    assert issubclass(InsufficientPrivilege, CatalogError)
    assert InsufficientPrivilege.sqlstate == "42501"
