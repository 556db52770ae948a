"""Makes a planned rollback: the files first, then one commit."""

from __future__ import annotations

from collections.abc import Sequence

from rocklake_server.catalog.database_transaction import DatabaseTransaction, Modes
from rocklake_server.catalog.databases import Databases
from rocklake_server.catalog.lake_reader import ListedLake
from rocklake_server.catalog.rollback.plan import FileToCopy, RollbackPlan
from rocklake_server.catalog.rollback.records import Changes, Record
from rocklake_server.catalog.temporary import TemporaryTables
from rocklake_server.catalog.view import ColumnDefinition, IsolationLevel
from rocklake_server.errors import CatalogError, CorruptValue, ObjectNotInPrerequisiteState
from rocklake_server.schema.model import Relation
from rocklake_server.schema.types import BIGINT, Value
from rocklake_server.store.data_files import DataFiles

INLINED_DELETE = "ducklake_inlined_delete_"
_DELETE_COLUMNS = [ColumnDefinition(name, BIGINT) for name in ("file_id", "row_id", "begin_snapshot")]


async def require_files(copies: Sequence[FileToCopy], files: DataFiles) -> None:
    """Raises ObjectNotInPrerequisiteState when a file that has to return was cleaned up, CorruptValue when it is
    another one, StoreUnavailable and Unsupported when that cannot be looked at."""
    sizes = await files.sizes([file.path for file in copies])
    for file, size in zip(copies, sizes, strict=True):
        if size is None:
            raise ObjectNotInPrerequisiteState(f'file "{file.path}" is needed and was cleaned up')
        if file.size_bytes is not None and size != file.size_bytes:
            raise CorruptValue(f'file "{file.path}" has {size} bytes, not the {file.size_bytes} that the catalog says')


async def apply_rollback(plan: RollbackPlan, databases: Databases, files: DataFiles) -> None:
    """``plan`` was made of the lake as it is: this process owns the store. On an error the lake is as it was, and the
    copies of files are removed. Raises as ``require_files``, and what a commit raises."""
    await require_files(plan.copies, files)
    made: list[FileToCopy] = []
    try:
        for file in plan.copies:
            made.append(file)
            await files.copy(file.path, file.new_path)
        await commit_changes(plan.lake, plan.changes, databases)
    except BaseException:
        await _remove(made, files)
        raise


async def _remove(made: Sequence[FileToCopy], files: DataFiles) -> None:
    for file in made:
        try:
            await files.remove(file.new_path)
        except (CatalogError, OSError):
            continue  # an unnamed file beside the lake's own: it does no harm, and the first error is told


async def commit_changes(lake: ListedLake, changes: Changes, databases: Databases) -> None:
    """All of it in one commit. Raises what a commit raises."""
    modes = Modes(IsolationLevel.REPEATABLE_READ, False, block=True, lock_timeout_s=None)
    transaction = DatabaseTransaction(databases, lake.database, modes, TemporaryTables(databases.clock))
    try:
        await transaction.begin_statement()
        for name, replaced in changes.replaced.items():
            relation = transaction.resolve(lake.schema, name)
            await transaction.update(relation, [(match, _values(relation, new)) for match, new in replaced])
        for name, rows in changes.inserted.items():
            if name.startswith(INLINED_DELETE):
                await transaction.create_relation(lake.schema, name, _DELETE_COLUMNS, if_not_exists=True)
            relation = transaction.resolve(lake.schema, name)
            await transaction.insert(relation, [_values(relation, row) for row in rows])
        await transaction.commit()
    finally:
        await transaction.rollback()


def _values(relation: Relation, row: Record) -> list[Value]:
    return [row.get(column.name) for column in relation.columns]
