"""Every procedure by name: what ``CALL rocklake.<name>`` runs, and ``--server`` of the command line calls."""

from __future__ import annotations

from types import MappingProxyType

from rocklake_server.operations.copies import BACKUP_LAKES, CLONE, RESTORE
from rocklake_server.operations.dropped import DROPPED_AUDIT, DROPPED_EXCISE, DROPPED_LIST, DROPPED_RESTORE
from rocklake_server.operations.excise import EXCISE
from rocklake_server.operations.gc import GC
from rocklake_server.operations.pins import PIN_ADD, PIN_REMOVE
from rocklake_server.operations.relocate import RELOCATE
from rocklake_server.operations.repair import REPAIR
from rocklake_server.operations.rollback import ROLLBACK
from rocklake_server.operations.storing import CHECKPOINT, FLUSH
from rocklake_server.operations.undelete import UNDELETE
from rocklake_server.session.procedures import Procedures

PROCEDURES: Procedures = MappingProxyType({
    procedure.name: procedure
    for procedure in (
        GC, EXCISE, UNDELETE, ROLLBACK, REPAIR, RELOCATE, PIN_ADD, PIN_REMOVE, CHECKPOINT, FLUSH,
        CLONE, RESTORE, BACKUP_LAKES, DROPPED_LIST, DROPPED_AUDIT, DROPPED_RESTORE, DROPPED_EXCISE,
    )
})  # fmt: skip
