"""A set of numbers that takes a bit for each when they lie close together, as ids do."""

from __future__ import annotations

_PAGE_BITS = 10
_PAGE_MASK = (1 << _PAGE_BITS) - 1


class IdSet:
    """Integers of any size; those far apart cost some 200 bytes each."""

    __slots__ = ("_pages",)

    def __init__(self) -> None:
        self._pages: dict[int, bytearray] = {}

    def add(self, number: int) -> bool:
        """Whether it is new."""
        page = self._pages.get(number >> _PAGE_BITS)
        if page is None:
            page = self._pages[number >> _PAGE_BITS] = bytearray(1 << (_PAGE_BITS - 3))
        at = number & _PAGE_MASK
        bit = 1 << (at & 7)
        is_new = not page[at >> 3] & bit
        page[at >> 3] |= bit
        return is_new

    def __contains__(self, number: int) -> bool:
        page = self._pages.get(number >> _PAGE_BITS)
        at = number & _PAGE_MASK
        return page is not None and bool(page[at >> 3] & (1 << (at & 7)))
