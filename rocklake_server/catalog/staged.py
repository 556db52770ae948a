"""Row changes that a transaction has made and not committed, by relation and key."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import repeat
from typing import NamedTuple, TypeAlias

from rocklake_server.catalog.access import Access, PrimaryKey
from rocklake_server.catalog.image import WHOLE, Changes, Image, Partition
from rocklake_server.catalog.view import Row
from rocklake_server.schema.model import Relation
from rocklake_server.store.base import Key, Prefix


class Entry(NamedTuple):
    """What became of one key: ``base`` is the committed row that the transaction first saw there (``None``: none),
    ``new`` what it put there (``None``: removed). ``retired`` tells that SQL DELETE removed ``base``, even if a new
    row took its key."""

    base: Row | None
    new: Row | None
    retired: bool = False


Changed: TypeAlias = tuple[Mapping[int, Relation], Mapping[int, list[tuple[Key, Entry]]]]
"""What a transaction changes, for who counts: definitions and entries by relation id."""

_VOID = Entry(None, None)
"""A row that was inserted and deleted again."""


def _added(rows: Iterable[Row]) -> Iterator[Entry]:
    """``Entry(None, row)`` of each, without a Python call for any."""
    return map(tuple.__new__, repeat(Entry), zip(repeat(None), rows, repeat(False)))


class Staged:
    """The changes to one relation."""

    __slots__ = ("_has_void", "access", "entries", "primary", "touched")

    def __init__(self, access: Access) -> None:
        self.access = access
        self.entries: dict[Key, Entry] = {}
        self.touched: dict[Partition, list[Key]] = {}
        self.primary: dict[PrimaryKey, Key] = {}
        self._has_void = False

    def put(self, key: Key, entry: Entry) -> Entry | None:
        """Stage ``entry`` and return the one it replaces."""
        before = self.entries.get(key)
        self.entries[key] = entry
        self._has_void = self._has_void or (entry.base is None and entry.new is None)
        row = entry.new if entry.new is not None else entry.base
        if row is None and before is not None:
            row = before.new
        if row is not None:
            self.touched.setdefault(self.access.partition(row), []).append(key)
        return before

    def put_new(self, rows: Mapping[Key, Row]) -> None:
        """Stage rows under keys that are staged nowhere yet, as ``put`` does."""
        self.entries.update(zip(rows, _added(rows.values()), strict=True))
        for partition, part in self.access.by_partition(rows).items():
            self.touched.setdefault(partition, []).extend(part)

    def put_changed(self, rows: Mapping[Key, tuple[Row, Row | None]], *, retired: bool = False) -> None:
        """Stage what becomes of stored rows (old, new) under keys that are staged nowhere yet, as ``put`` does."""
        self.entries.update({key: Entry(old, new, retired) for key, (old, new) in rows.items()})
        if self.access.leading is None:
            self.touched.setdefault(WHOLE, []).extend(rows)
            return
        for key, (old, new) in rows.items():
            self.touched.setdefault(self.access.partition(old if new is None else new), []).append(key)

    def restore(self, key: Key, entry: Entry | None) -> None:
        """Undo one ``put``; ``reindex`` has to follow."""
        if entry is None:
            self.entries.pop(key, None)
        else:
            self.entries[key] = entry
            self._has_void = self._has_void or (entry.base is None and entry.new is None)

    def reindex(self) -> None:
        """Rebuild what is derived from the entries."""
        self.touched.clear()
        self.primary.clear()
        for key, entry in self.entries.items():
            primary = self.access.primary_key(entry.new) if entry.new is not None else None
            if primary is not None:
                self.primary[primary] = key
            row = entry.new if entry.new is not None else entry.base
            if row is not None:
                self.touched.setdefault(self.access.partition(row), []).append(key)

    def transformed(self, access: Access, change: Callable[[Row], Row]) -> Staged:
        """The same changes after ALTER TABLE."""
        found = Staged(access)
        for key, entry in self.entries.items():
            base = change(entry.base) if entry.base is not None else None
            new = change(entry.new) if entry.new is not None else None
            found.entries[key] = entry._replace(base=base, new=new)
        found._has_void = self._has_void
        found.reindex()
        return found

    def holds_primary(self, primary: PrimaryKey) -> bool:
        """Whether a row staged here has that primary key."""
        key = self.primary.get(primary)
        if key is None:
            return False
        entry = self.entries.get(key)
        return entry is not None and entry.new is not None and self.access.primary_key(entry.new) == primary

    @property
    def is_effective(self) -> bool:
        """Whether an entry changes something."""
        for entry in self.entries.values():  # noqa: SIM110  the first one mostly tells, and a generator costs more
            if entry.base is not None or entry.new is not None:
                return True
        return False

    def effective(self) -> list[tuple[Key, Entry]]:
        """The entries that change something."""
        items = list(self.entries.items())
        return [item for item in items if item[1] != _VOID] if self._has_void else items


@dataclass(slots=True)
class Overlay:
    """The image of a partition, or of its rows under ``section``, with the first ``done`` touched keys of a transaction
    applied."""

    base: Image
    image: Image
    section: Prefix
    done: int = 0

    def advance(self, touched: list[Key], entries: dict[Key, Entry]) -> Image:
        """Apply what was touched since."""
        if self.done < len(touched):
            section = self.section
            changes: Changes = {key: entries[key].new for key in touched[self.done :] if key.startswith(section)}
            self.image = self.image.apply(changes, packs=False)
            self.done = len(touched)
        return self.image


@dataclass(slots=True)
class Savepoint:
    """Where ROLLBACK TO goes back to."""

    name: str
    undo_length: int
    keys_held: int
