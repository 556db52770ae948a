"""The superuser that a start makes in a store without roles, so that a container can be asked for a password from its
first moment on."""

from __future__ import annotations

import logging

from rocklake_server.auth.access import UNRESTRICTED
from rocklake_server.catalog.databases import Databases
from rocklake_server.config import LoginSettings
from rocklake_server.session.role_commands import RoleCommands
from rocklake_server.sql.roles import CreateRole, RoleOptions

logger = logging.getLogger(__name__)


async def make_initial_role(databases: Databases, login: LoginSettings) -> None:
    """Nothing happens without a password, or when there is a role. Raises what CREATE ROLE raises."""
    if login.initial_password is None or databases.directory.roles.table.roles:
        return
    options = RoleOptions(login=True, superuser=True, password=login.initial_password)
    commands = RoleCommands(databases.directory, UNRESTRICTED, logger.info, logger.warning)
    await commands.run(CreateRole(login.initial_user, options))
    logger.info('made superuser "%s"', login.initial_user)
