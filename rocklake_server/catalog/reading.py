"""Reading at a root with a transaction's own changes laid over it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TypeAlias, cast

from rocklake_server.catalog.access import access_of
from rocklake_server.catalog.chunk import RowChunk, insertion_order
from rocklake_server.catalog.image import EMPTY, WHOLE, Image, Partition, RelationImage, Wanted
from rocklake_server.catalog.indexes import keys_of_primary, keys_registered_at
from rocklake_server.catalog.lake import Lake
from rocklake_server.catalog.loader import chunks_of, load_keys
from rocklake_server.catalog.relations import Relations, row_transform
from rocklake_server.catalog.root import NO_IMAGE, Root
from rocklake_server.catalog.staged import Overlay, Staged
from rocklake_server.catalog.view import EVERYTHING, Bounds, Row
from rocklake_server.encoding.keys import key_prefix
from rocklake_server.encoding.ordered import ID_MAX
from rocklake_server.pacing import in_slices, slices
from rocklake_server.schema.model import Relation
from rocklake_server.store.base import Key, Prefix

ZONE_ROWS_MIN = 64
"""Chunks shorter than this are not worth a zone check."""

PREFIX_ROWS_MIN = 16
"""Chunks shorter than this are not worth the search for a key prefix."""

CHUNKS_PER_CHECK = 1
"""Chunks that are compared with the bounds of a scan between two looks at the clock: their zones are measured then."""

ORDERED_ROWS_MAX = 2048
"""Rows up to which a result is put into insertion order."""

PREFIXES_MAX = 64
"""Key prefixes that one scan narrows to before it reads whole partitions."""

NOT_ENDED = (1 << 63) - 2
"""``live_after`` for rows that have not ended at all."""

Place: TypeAlias = tuple[int, Partition, Prefix | None]
"""Relation id, partition, and its section or all of it."""

Span: TypeAlias = tuple[bytes, bytes | None]
"""The keys from the first one on, up to the second one or to the end."""


class ReadView:
    """A root, the relations as the transaction has them, and its staged changes."""

    def __init__(self, lake: Lake, root: Root) -> None:
        self.lake = lake
        self.root = root
        self.relations: Relations = root.relations
        self.staged: dict[int, Staged] = {}
        self.overlays: dict[Place, Overlay] = {}
        self.read: set[int] = set()
        self._transformed: dict[Place, tuple[Relation, Image, Image]] = {}

    async def chunks(self, relation: Relation, bounds: Bounds = EVERYTHING) -> Sequence[RowChunk]:
        """The chunks with rows of ``relation`` that may lie within ``bounds``: a small result in the order in which
        its rows were inserted or last updated, as PostgreSQL's heap would give them, a large one in key order."""
        self.read.add(relation.relation_id)
        found = self._at_hand(relation, bounds)
        if found is None:
            found = await self._by_index(relation, bounds)
        if found is None:
            found = await self._by_partition(relation, bounds)
        if len(found) == 1:
            return [found[0].in_insertion_order()]
        if found and sum(len(chunk.rows) for chunk in found) <= ORDERED_ROWS_MAX:
            return [insertion_order(found)]
        return found

    def _at_hand(self, relation: Relation, bounds: Bounds) -> list[RowChunk] | None:
        """From the chunk of a partition that is loaded and that this transaction did not change; ``None`` when it is
        not as simple."""
        relation_id = relation.relation_id
        if relation_id in self.staged or self.root.relations.by_id.get(relation_id) is not relation:
            return None
        partition: Partition = WHOLE
        if (leading := access_of(relation).leading) is not None:
            wanted = bounds.values.get(leading, ())
            if len(wanted) != 1:
                return None
            (partition,) = cast("frozenset[int]", wanted)
        least = _wanted(relation, partition, bounds)
        part = self.lake.at_hand(self.root, relation, partition, least)
        if part is None:
            return None
        image = part.image_of(least)
        if len(image.chunks) > 1:
            return None
        few = not image.chunks or len(image.chunks[0].keys) < PREFIX_ROWS_MIN
        return image.chunks if few else _narrowed(relation, image, bounds)

    async def _by_partition(self, relation: Relation, bounds: Bounds) -> list[RowChunk]:
        found: list[RowChunk] = []
        for image in await self.images(relation, bounds):
            narrow = partial(_narrowed, relation, image, bounds)
            found += narrow() if len(image.chunks) <= 1 else await in_slices(narrow)
        return found

    async def images(self, relation: Relation, bounds: Bounds = EVERYTHING) -> list[Image]:
        """The partitions that may hold rows within ``bounds``, in key order, as this transaction sees them."""
        leading = access_of(relation).leading
        loaded = NO_IMAGE
        if leading is None:
            partitions: list[Partition] = [WHOLE]
        elif (named := bounds.values.get(leading)) is not None:
            partitions = _key_order(cast("set[Partition]", set(named)))
        else:
            loaded = await self._complete(relation)  # held here: what must make room meanwhile is not loaded twice
            staged = self.staged.get(relation.relation_id)
            partitions = _key_order({*loaded.parts, *(staged.touched if staged else ())})
        return [
            await self._image(relation, partition, _wanted(relation, partition, bounds), loaded)
            for partition in partitions
        ]

    async def _complete(self, relation: Relation) -> RelationImage:
        base = self.root.relations.by_id.get(relation.relation_id)
        return NO_IMAGE if base is None else await self.lake.complete(self.root, base)

    async def _image(self, relation: Relation, partition: Partition, wanted: Wanted, loaded: RelationImage) -> Image:
        base = await self._base_image(relation, partition, wanted, loaded)
        staged = self.staged.get(relation.relation_id)
        touched = staged.touched.get(partition) if staged else None
        if staged is None or not touched:
            return base
        place = relation.relation_id, partition, wanted.section
        overlay = self.overlays.get(place)
        if overlay is None or overlay.base is not base:
            overlay = self.overlays[place] = Overlay(base, base, wanted.section or Prefix(b""))
        return await in_slices(partial(overlay.advance, touched, staged.entries))

    async def _base_image(
        self, relation: Relation, partition: Partition, wanted: Wanted, loaded: RelationImage
    ) -> Image:
        base = self.root.relations.by_id.get(relation.relation_id)
        if base is None:
            return EMPTY
        part = loaded.part(partition, wanted) or await self.lake.part(self.root, base, partition, wanted)
        image = part.image_of(wanted)
        if base is relation or base.columns == relation.columns:
            return image
        place = relation.relation_id, partition, wanted.section
        known = self._transformed.get(place)
        if known is None or known[0] is not relation or known[1] is not image:
            known = relation, image, image.transform(row_transform(base, relation))
            self._transformed[place] = known
        return known[2]

    async def _indexed_keys(self, relation: Relation, bounds: Bounds) -> list[tuple[Key, int | None]] | None:
        """(key, table id) of the files that a scan by file id or by first snapshot is about, ``None`` for another."""
        ids = bounds.values.get(relation.primary_key[0])
        if ids is not None:
            return await keys_of_primary(self.root.snapshot, relation, sorted(cast("frozenset[int]", ids)))
        began = bounds.values.get(relation.index.get("begin_snapshot", -1))
        if began is not None and not self.root.image(relation.relation_id).complete:
            return await keys_registered_at(self.root.snapshot, relation, sorted(cast("frozenset[int]", began)))
        return None

    async def _by_index(self, relation: Relation, bounds: Bounds) -> list[RowChunk] | None:
        """Rows of a file relation through an index: only those files' keys are read. ``None`` when the scan is of
        another kind."""
        if not relation.partition or len(relation.primary_key) != 1:
            return None
        base = self.root.relations.by_id.get(relation.relation_id)
        if base is not relation or access_of(relation).leading in bounds.values:
            return None
        keys = await self._indexed_keys(relation, bounds)
        if keys is None:
            return None
        loaded = self.root.image(relation.relation_id)
        rows: dict[Key, Row | None] = {}
        missing: list[Key] = []
        for key, table_id in keys:
            part = loaded.parts.get(table_id)
            rows[key] = part.image.get(key) if part is not None else None
            if rows[key] is None:
                missing.append(key)
        rows.update(zip(*await load_keys(self.root.snapshot, relation, missing), strict=True))
        staged = self.staged.get(relation.relation_id)
        if staged is not None:
            rows.update({key: entry.new for key, entry in staged.entries.items()})
        present = sorted((key, row) for key, row in rows.items() if row is not None)
        return chunks_of([key for key, _ in present], [row for _, row in present])


def _wanted(relation: Relation, partition: Partition, bounds: Bounds) -> Wanted:
    """The least that has to be loaded of a partition."""
    end = relation.index.get("end_snapshot")
    if end is not None and end in bounds.nulls:
        return Wanted(NOT_ENDED)
    return Wanted(bounds.live_after, access_of(relation).section(partition, bounds))


def _key_order(partitions: set[Partition]) -> list[Partition]:
    """As the keys order them: ids from 0, then NULL, then negative numbers."""
    numbers = sorted(p for p in partitions if isinstance(p, int) and p >= 0)
    negative = sorted(p for p in partitions if isinstance(p, int) and p < 0)
    return [*numbers, *([None] if None in partitions else []), *negative]


def _narrowed(relation: Relation, image: Image, bounds: Bounds) -> list[RowChunk]:
    chunks = image.chunks
    if len(chunks) > 1 or (chunks and len(chunks[0].keys) >= PREFIX_ROWS_MIN):
        spans = _spans(relation, bounds)
        if spans is not None:
            chunks = _within(image, spans)
    return [
        chunk
        for part in slices(chunks, CHUNKS_PER_CHECK)
        for chunk in part
        if len(chunk.rows) < ZONE_ROWS_MIN or chunk.may_match(bounds)
    ]


def _within(image: Image, spans: list[Span]) -> list[RowChunk]:
    """The chunks with keys in ``spans``; of the outermost ones of a single span only the rows that are."""
    if len(spans) != 1:
        return list({id(chunk): chunk for span in spans for chunk in image.overlapping(*span)}.values())
    (span,) = spans
    chunks = image.overlapping(*span)
    outermost = (chunks[:1], chunks[1:][-1:])
    first, last = ([part for chunk in end if (part := chunk.between(*span)) is not None] for end in outermost)
    return [*first, *chunks[1:-1], *last]


def _spans(relation: Relation, bounds: Bounds) -> list[Span] | None:
    """Ranges of keys, in order, that cover every row within ``bounds``; ``None`` when the leading field is free."""
    fields: list[tuple[int | str | None, ...]] = [()]
    for index in relation.key_columns:
        wanted = bounds.values.get(index) if index is not None else None
        if wanted is None or len(fields) * len(wanted) > PREFIXES_MAX:
            break
        fields = [(*leading, cast("int | str", value)) for leading in fields for value in wanted]
    if fields == [()]:
        return None
    if len(fields) == 1 and (span := _ranged(relation, fields[0], bounds)) is not None:
        return [span]
    return [(prefix, _after(prefix)) for prefix in sorted(key_prefix(relation, *leading) for leading in fields)]


def _ranged(relation: Relation, leading: tuple[int | str | None, ...], bounds: Bounds) -> Span | None:
    """The range of keys for a range of the field after ``leading``, if there is one of ids: keys order ids from 0."""
    following = relation.key_columns[len(leading) : len(leading) + 1]
    interval = bounds.ranges.get(following[0]) if following and following[0] is not None else None
    if interval is None or type(interval.least) is not int or not 0 <= interval.least <= ID_MAX:
        return None
    greatest = interval.greatest if type(interval.greatest) is int else ID_MAX
    if greatest < interval.least:
        return None
    least, last = (key_prefix(relation, *leading, end) for end in (interval.least, min(greatest, ID_MAX)))
    return least, _after(last)


def _after(prefix: bytes) -> bytes | None:
    """The first key that is after every key with ``prefix``."""
    stripped = prefix.rstrip(b"\xff")
    return stripped[:-1] + bytes([stripped[-1] + 1]) if stripped else None
