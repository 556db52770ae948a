"""Copies a catalog, relation by relation, and compares what was kept with what was read before anybody sees it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rocklake_server.errors import CorruptValue, InvalidParameterValue
from rocklake_server.transfer.catalogs import Source, Target
from rocklake_server.transfer.checksums import Checksum
from rocklake_server.transfer.relations import CatalogContents, CatalogRelation, Row

SNAPSHOTS = "ducklake_snapshot"

Change = Callable[[CatalogRelation, Sequence[Row]], Sequence[Row]]
"""What happens to rows on their way."""
Progress = Callable[[str, int], None]
"""Is told a relation's name and how many more of its rows were written, or, after that, compared."""


def unchanged(_: CatalogRelation, rows: Sequence[Row]) -> Sequence[Row]:
    return rows


def silent(_: str, __: int) -> None:
    return


@dataclass(frozen=True, slots=True)
class CopiedRelation:
    """A relation whose copy has as many rows and the same checksum."""

    name: str
    checksum: Checksum


@dataclass(frozen=True, slots=True)
class Copied:
    """What a copy holds, and what stayed behind: the names of relations that are none of DuckLake's, and comments and
    indexes that the target does not hold."""

    relations: tuple[CopiedRelation, ...]
    left_out: tuple[str, ...]
    notes_left_out: tuple[str, ...] = ()

    @property
    def rows(self) -> int:
        return sum(relation.checksum.rows for relation in self.relations)


async def copy_catalog(
    source: Source, target: Target, *, change: Change = unchanged, progress: Progress = silent
) -> Copied:
    """Copy everything and publish it; on an error nothing of the copy is left. Raises InvalidParameterValue when
    ``source`` is no DuckLake catalog, CorruptValue when the copy does not hold what was read, and what the two
    catalogs raise."""
    try:
        contents = _complete(await source.contents())
        written = [await _written(source, target, relation, change, progress) for relation in contents.relations]
        for relation, checksum in zip(contents.relations, written, strict=True):
            await _compare(target, relation, checksum, progress)
        notes_left_out = await target.annotate(contents.notes)
        await target.publish()
    except BaseException:
        await target.abandon()
        raise
    copied = [CopiedRelation(r.name, checksum) for r, checksum in zip(contents.relations, written, strict=True)]
    return Copied(tuple(copied), contents.left_out, (*contents.notes.unreadable, *notes_left_out))


def _complete(contents: CatalogContents) -> CatalogContents:
    if SNAPSHOTS not in {relation.name for relation in contents.relations}:
        raise InvalidParameterValue(f'there is no DuckLake catalog: relation "{SNAPSHOTS}" is missing')
    return contents


async def _written(
    source: Source, target: Target, relation: CatalogRelation, change: Change, progress: Progress
) -> Checksum:
    await target.create(relation)
    checksum = Checksum()
    async for batch in source.rows(relation):
        rows = change(relation, batch)
        await target.write(relation, rows)
        checksum = checksum.with_rows(relation, await target.as_kept(relation, rows))
        progress(relation.name, len(rows))
    return checksum


async def _compare(target: Target, relation: CatalogRelation, written: Checksum, progress: Progress) -> None:
    kept = Checksum()
    async for rows in target.rows_kept(relation):
        kept = kept.with_rows(relation, rows)
        progress(relation.name, len(rows))
    if kept != written:
        raise CorruptValue(
            f'the copy of relation "{relation.name}" is not the same: {written.rows} rows with checksum {written} were '
            f"written, {kept.rows} rows with checksum {kept} were read back; nothing of the copy is kept"
        )
