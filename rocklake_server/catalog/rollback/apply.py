"""Makes a planned rollback: the files first, then one commit."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager

from rocklake_server.catalog.database_transaction import DatabaseTransaction, Modes
from rocklake_server.catalog.databases import Databases
from rocklake_server.catalog.lake_reader import ListedLake
from rocklake_server.catalog.maintenance.audit import Note
from rocklake_server.catalog.rollback.plan import FileToCopy, RollbackPlan
from rocklake_server.catalog.rollback.records import Changes, Record
from rocklake_server.catalog.snapshot_turn import Losses
from rocklake_server.catalog.temporary import TemporaryTables
from rocklake_server.catalog.view import IsolationLevel
from rocklake_server.errors import CatalogError, CorruptValue, ObjectNotInPrerequisiteState
from rocklake_server.schema.model import Relation
from rocklake_server.schema.types import Value
from rocklake_server.store.data_files import DataFiles


async def require_files(copies: Sequence[FileToCopy], files: DataFiles) -> None:
    """Raises ObjectNotInPrerequisiteState when a file that has to return was cleaned up, CorruptValue when it is
    another one, StoreUnavailable and Unsupported when that cannot be looked at."""
    sizes = await files.sizes([file.path for file in copies])
    for file, size in zip(copies, sizes, strict=True):
        if size is None:
            raise ObjectNotInPrerequisiteState(f'file "{file.path}" is needed and was cleaned up')
        if file.size_bytes is not None and size != file.size_bytes:
            raise CorruptValue(f'file "{file.path}" has {size} bytes, not the {file.size_bytes} that the catalog says')


async def apply_rollback(plan: RollbackPlan, files: DataFiles, commit: Callable[[], Awaitable[None]]) -> None:
    """``commit`` commits the plan's changes if the lake is still what the plan was made of. On an error the lake is as
    it was, and the copies of files are removed. Raises as ``require_files``, and what ``commit`` raises."""
    await require_files(plan.copies, files)
    made: list[FileToCopy] = []
    try:
        for file in plan.copies:
            made.append(file)
            await files.copy(file.path, file.new_path)
        await commit()
    except BaseException:
        await _remove(made, files)
        raise


async def _remove(made: Sequence[FileToCopy], files: DataFiles) -> None:
    for file in made:
        try:
            await files.remove(file.new_path)
        except (CatalogError, OSError):
            continue  # an unnamed file beside the lake's own: it does no harm, and the first error is told


@asynccontextmanager
async def open_transaction(
    databases: Databases, lake: ListedLake, losses: Losses | None = None
) -> AsyncIterator[DatabaseTransaction]:
    """One that has taken its roots, and is rolled back at the end unless it was committed. ``losses`` are those of the
    attempts before."""
    modes = Modes(IsolationLevel.REPEATABLE_READ, False, block=True, lock_timeout_s=None)
    transaction = DatabaseTransaction(databases, lake.database, modes, TemporaryTables(databases.clock), losses)
    try:
        await transaction.begin_statement()
        yield transaction
    except CatalogError as error:
        await transaction.fail(error)
        raise
    finally:
        await transaction.rollback()


async def commit_changes(lake: ListedLake, changes: Changes, databases: Databases, note: Note) -> None:
    """All of it in one commit, with its audit record. This process owns the store. Raises what a commit raises."""
    async with open_transaction(databases, lake) as transaction:
        await commit_in(transaction, lake, changes, note)


async def commit_in(transaction: DatabaseTransaction, lake: ListedLake, changes: Changes, note: Note) -> None:
    """As ``commit_changes``, in a transaction whose root the changes were planned on."""
    for name, columns in changes.created.items():
        await transaction.create_relation(lake.schema, name, columns, if_not_exists=True)
    for name, replaced in changes.replaced.items():
        relation = transaction.resolve(lake.schema, name)
        await transaction.update(relation, [(match, _values(relation, new)) for match, new in replaced])
    for name, rows in changes.inserted.items():
        relation = transaction.resolve(lake.schema, name)
        await transaction.insert(relation, [_values(relation, row) for row in rows])
    transaction.parts[lake.schema].beside.append(note)
    await transaction.commit()


def _values(relation: Relation, row: Record) -> list[Value]:
    return [row.get(column.name) for column in relation.columns]
