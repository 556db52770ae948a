"""What one session may do, looked up again whenever a role changes."""

from __future__ import annotations

from rocklake_server.auth.roles import OWNER_NAME, CurrentRoles, Privilege
from rocklake_server.errors import InsufficientPrivilege

_HELD = {
    Privilege.NOTHING: "has no rights on it",
    Privilege.CONNECT: "may only connect to it",
    Privilege.READER: "is a reader of it",
    Privilege.WRITER: "is a writer of it",
    Privilege.ADMIN: "is an admin of it",
}


class Access:
    """Of ``user`` in ``database``, who connects from ``address``. Everything that a session does asks here; see
    ``require``."""

    __slots__ = ("_privilege", "_roles", "_table", "address", "database", "user")

    def __init__(self, roles: CurrentRoles, user: str, database: str, address: str | None = None) -> None:
        self._roles = roles
        self._table = roles.table
        self._privilege = self._table.privilege(user, database)
        self.user = user
        self.database = database
        self.address = address

    @property
    def roles(self) -> CurrentRoles:
        """Those of the server."""
        return self._roles

    @property
    def privilege(self) -> Privilege:
        """The highest that the session holds at this moment."""
        table = self._roles.table
        if table is not self._table:
            self._table = table
            self._privilege = table.privilege(self.user, self.database)
        return self._privilege

    def require(self, needed: Privilege, command: str) -> None:
        """Raises InsufficientPrivilege (42501), which names the lake, unless the session holds ``needed``. ``command``
        is what was asked for, as in ``INSERT``."""
        held = self.privilege
        if held >= needed:
            return
        if needed is Privilege.SUPERUSER:
            raise InsufficientPrivilege(
                f"permission denied for {command}", detail=f'Role "{self.user}" is no SUPERUSER.'
            )
        wanted = needed.name.lower()
        raise InsufficientPrivilege(
            f'permission denied for lake "{self.database}"',
            detail=f'Role "{self.user}" {_HELD[held]}; {command} needs {wanted}.',
            hint=f'An admin of the lake can GRANT {wanted} ON DATABASE "{self.database}" TO "{self.user}".',
        )


UNRESTRICTED = Access(CurrentRoles(), OWNER_NAME, "")
"""Of those who are no client: commands that own the store, and tests."""
