"""The system's limit on open files, which is what ends a server of many connections first."""

from __future__ import annotations

import logging
import resource

logger = logging.getLogger(__name__)

OTHER_FILES = 256
"""Files that are open besides the connections: listening sockets, the store's files and connections."""


def allow_open_files(connections_max: int) -> None:
    """Raise the soft limit to what ``connections_max`` connections need, as far as the hard one allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = connections_max + OTHER_FILES
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return
    allowed = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
    if allowed < wanted:
        logger.warning(
            "only %d files can be open at the same time, but %d connections may need %d: raise the limit (ulimit -n)",
            allowed, connections_max, wanted,
        )
