"""Turns declarations into codecs: ``@message(b"Q")`` compiles a class's annotations once, when it is
imported."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from operator import attrgetter
from struct import Struct
from typing import (
    Annotated,
    Any,
    ClassVar,
    TypeVar,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
)

from rocklake_server import limits
from rocklake_server.errors import InternalProblem, ProtocolViolation
from rocklake_server.wire.fields import ArrayCodec, Codec, Counted, Reader

LENGTH = Struct("!I")
"""A message's length word: it counts itself and the body, not the tag."""

SMALL_MESSAGE_BYTES_MAX = 64 * 1024
"""Longest message of the kinds that carry only names, numbers or a password."""


class Structure:
    """A class whose fields are laid out one after the other."""

    __slots__ = ()
    layout: ClassVar[Layout]


S = TypeVar("S", bound=Structure)


class Layout(Codec[Any]):
    """The fields of one class in wire order."""

    __slots__ = ("_constant", "_fields", "_made", "_only", "_reads", "_writes")

    def __init__(self, made: type[Any]) -> None:
        hints = get_type_hints(made, include_extras=True)
        names = [each.name for each in fields(made)]
        self._made = made
        self._fields = {name: codec_of(hints[name]) for name in names}
        self._reads = tuple(codec.read for codec in self._fields.values())
        self._writes = tuple((codec.write, attrgetter(name)) for name, codec in self._fields.items())
        self._constant = None if names else made()
        self._only = self._fields[names[0]] if len(names) == 1 else None

    @property
    def decoded_type(self) -> type[Any]:
        """The class whose layout this is."""
        return self._made

    @property
    def fields(self) -> dict[str, Codec[Any]]:
        """Field name to codec, in wire order."""
        return self._fields

    def read(self, reader: Reader) -> Any:
        return self._made(*[read(reader) for read in self._reads])

    def write(self, value: Any, out: bytearray) -> None:
        for write, get in self._writes:
            write(get(value), out)

    def trace(self, value: Any) -> str:
        return "".join([codec.trace(getattr(value, name)) for name, codec in self._fields.items()])

    def decode(self, data: bytes | bytearray, start: int, end: int) -> Any:
        """The value that ``data[start:end]`` holds, all of it. Raises ProtocolViolation or
        CharacterNotInRepertoire."""
        if self._constant is not None:
            if start != end:
                raise ProtocolViolation("invalid message format")
            return self._constant
        if self._only is not None:
            return self._made(self._only.decode(data, start, end))
        return super().decode(data, start, end)


def codec_of(hint: Any) -> Codec[Any]:
    """The codec of an annotation: a Structure, an Annotated codec or an Annotated array of either."""
    if isinstance(hint, type) and issubclass(hint, Structure):
        return hint.layout
    if get_origin(hint) is Annotated:
        base, mark = get_args(hint)[:2]
        if isinstance(mark, Counted):
            return ArrayCodec(mark.count, codec_of(get_args(base)[0]))
        if isinstance(mark, Codec):
            return mark
    raise TypeError(f"{hint!r} has no wire layout")


class Message(Structure):
    """A tag (none for the messages before the startup is over), a length, a fixed ``lead`` and the fields."""

    __slots__ = ()
    tag: ClassVar[bytes] = b""
    lead: ClassVar[bytes] = b""
    bytes_max: ClassVar[int]
    prefix: ClassVar[bytes]
    """Tag, room for the length, lead."""


class FrontendMessage(Message):
    """What a client sends."""

    __slots__ = ()


class BackendMessage(Message):
    """What the server sends."""

    __slots__ = ()


M = TypeVar("M", bound=Message)

FRONTEND: dict[bytes, type[FrontendMessage]] = {}
"""Tag to message."""

BACKEND: dict[bytes, type[BackendMessage]] = {}
"""Tag, or tag and lead for the authentication messages that share a tag, to message."""


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def structure(cls: type[S]) -> type[S]:
    """Makes a frozen, slotted dataclass with a layout."""
    made = dataclass(frozen=True, slots=True)(cls)
    made.layout = Layout(made)
    return made


def _frame(made: type[M], tag: bytes, lead: int | None, bytes_max: int) -> type[M]:
    made.tag = tag
    made.lead = b"" if lead is None else LENGTH.pack(lead)
    made.bytes_max = bytes_max
    made.prefix = tag + bytes(LENGTH.size) + made.lead
    return made


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def untagged(lead: int | None, *, bytes_max: int) -> Callable[[type[M]], type[M]]:
    """Declares a message without a tag; ``lead`` is the request code that takes the version's place."""

    def declare(cls: type[M]) -> type[M]:
        return _frame(structure(cls), b"", lead, bytes_max)

    return declare


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def message(tag: bytes, *, lead: int | None = None, large: bool = False) -> Callable[[type[M]], type[M]]:
    """Declares a message. ``large`` ones may be as long as PostgreSQL allows, others 64 KiB. A second message
    with the same tag, and lead, in the same direction is a TypeError."""

    def declare(cls: type[M]) -> type[M]:
        bytes_max = limits.MESSAGE_BYTES_MAX if large else SMALL_MESSAGE_BYTES_MAX
        made = _frame(structure(cls), tag, lead, bytes_max)
        key = tag + made.lead
        if issubclass(made, FrontendMessage) and FRONTEND.setdefault(key, made) is not made:
            raise TypeError(f"frontend message {key!r} is declared twice")
        if issubclass(made, BackendMessage) and BACKEND.setdefault(key, made) is not made:
            raise TypeError(f"backend message {key!r} is declared twice")
        return made

    return declare


def encode(value: Message) -> bytes:
    """The framed message. Raises CharacterNotInRepertoire for text that cannot be sent, InternalProblem for a
    number that does not fit its field."""
    out = bytearray(value.prefix)
    try:
        value.layout.write(value, out)
    except struct.error as error:
        raise InternalProblem(f"{type(value).__name__} holds a number outside its field's range") from error
    tag_bytes = len(value.tag)
    LENGTH.pack_into(out, tag_bytes, len(out) - tag_bytes)
    return bytes(out)


def decode_backend(data: bytes) -> tuple[BackendMessage, ...]:
    """The whole messages that ``data`` consists of, as a client reads them. Raises ProtocolViolation."""
    found: list[BackendMessage] = []
    start = 0
    while start < len(data):
        reader = Reader(data, start)
        tag = reader.take(1)
        end = start + 1 + reader.integer(LENGTH)
        if end < start + 5 or end > len(data):
            raise ProtocolViolation("invalid message length")
        kind = BACKEND.get(tag) or BACKEND.get(tag + data[start + 5 : min(start + 9, end)])
        if kind is None:
            raise ProtocolViolation(f"invalid backend message type {tag[0]}")
        found.append(kind.layout.decode(data, start + 5 + len(kind.lead), end))
        start = end
    return tuple(found)
