"""The vocabulary of message bodies: a bounds-checked reader and one codec per field type.

A field is annotated with one of the aliases at the end (``CString``, ``Array[Int16]``, ...): the type checker
sees the Python type, ``layout`` finds the codec in the annotation. Source: PostgreSQL manual, "Message Data
Types".
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from struct import Struct
from typing import Annotated, Generic, NoReturn, TypeVar

from rocklake_server.errors import CharacterNotInRepertoire, ProtocolViolation

T = TypeVar("T")

_UTF8_SEQUENCE_BYTES = ((0x80, 1), (0xC0, 1), (0xE0, 2), (0xF0, 3), (0xF8, 4))
"""(exclusive upper bound of the first byte, length of the sequence that it announces)."""


def _refuse_text(data: bytes | bytearray, start: int) -> NoReturn:
    """Raises for the malformed sequence at ``start``, showing its bytes as PostgreSQL does."""
    size = next((size for bound, size in _UTF8_SEQUENCE_BYTES if data[start] < bound), 1)
    shown = " ".join(f"0x{byte:02x}" for byte in data[start : start + size])
    raise CharacterNotInRepertoire(f'invalid byte sequence for encoding "UTF8": {shown}')


class Reader:
    """Reads ``data[start:end]`` front to back. Nothing is read outside these bounds, whatever a length field
    says."""

    __slots__ = ("_data", "_end", "_position")

    def __init__(self, data: bytes | bytearray, start: int = 0, end: int | None = None) -> None:
        self._data = data
        self._position = start
        self._end = len(data) if end is None else end

    def integer(self, layout: Struct) -> int:
        """The number that ``layout``, a single-number struct, finds here."""
        start = self._position
        stop = start + layout.size
        if stop > self._end:
            raise ProtocolViolation("insufficient data left in message")
        self._position = stop
        value: int = layout.unpack_from(self._data, start)[0]
        return value

    def take(self, size: int) -> bytes:
        """The next ``size`` bytes. A negative size is a violation, like one past the end."""
        start = self._position
        if size < 0 or size > self._end - start:
            raise ProtocolViolation("insufficient data left in message")
        self._position = start + size
        data = self._data
        if isinstance(data, bytes):
            return data[start : start + size]
        return bytes(memoryview(data)[start : start + size])

    def rest(self) -> bytes:
        """All bytes that are left."""
        return self.take(self._end - self._position)

    def cstring(self) -> str:
        """The text before the next zero byte, which is passed over."""
        start = self._position
        stop = self._data.find(0, start, self._end)
        if stop < 0:
            raise ProtocolViolation("invalid string in message")
        self._position = stop + 1
        text = self._data[start:stop]
        try:
            return text.decode()
        except UnicodeDecodeError as error:
            _refuse_text(text, error.start)

    def finish(self) -> None:
        """Raises when something is left over."""
        if self._position != self._end:
            raise ProtocolViolation("invalid message format")


class Codec(ABC, Generic[T]):
    """How one field is read, written and shown in a trace (libpq's format: every item after a blank)."""

    __slots__ = ()

    @abstractmethod
    def read(self, reader: Reader) -> T:
        """Raises ProtocolViolation, or CharacterNotInRepertoire for text that is not UTF-8."""

    def decode(self, data: bytes | bytearray, start: int, end: int) -> T:
        """The value that ``data[start:end]`` holds, all of it. Raises what ``read`` raises."""
        reader = Reader(data, start, end)
        value = self.read(reader)
        reader.finish()
        return value

    @abstractmethod
    def write(self, value: T, out: bytearray) -> None:
        """Appends the field; ``struct.error`` when a number does not fit."""

    @abstractmethod
    def trace(self, value: T) -> str:
        """The field as libpq's PQtrace shows it."""

    def write_all(self, values: Iterable[T], out: bytearray) -> None:
        for value in values:
            self.write(value, out)


class Integer(Codec[int]):
    """A big-endian number."""

    __slots__ = ("layout",)

    def __init__(self, code: str) -> None:
        self.layout = Struct(f"!{code}")

    def read(self, reader: Reader) -> int:
        return reader.integer(self.layout)

    def write(self, value: int, out: bytearray) -> None:
        out += self.layout.pack(value)

    def trace(self, value: int) -> str:
        return f" {value}"


class Byte(Integer):
    """A one-byte number, which libpq traces as a character."""

    __slots__ = ()

    def trace(self, value: int) -> str:
        return f" {_shown(value)}"


def _shown(byte: int) -> str:
    return chr(byte) if 0x20 <= byte < 0x7F else f"\\x{byte:02x}"


UINT8, INT16, UINT16, INT32, UINT32 = Byte("B"), Integer("h"), Integer("H"), Integer("i"), Integer("I")


class Letter(Codec[str]):
    """One byte out of a fixed set of ASCII letters; ``complaint`` names the field when it is another."""

    __slots__ = ("complaint", "letters")

    def __init__(self, letters: str, complaint: str) -> None:
        self.letters = letters
        self.complaint = complaint

    def read(self, reader: Reader) -> str:
        code = UINT8.read(reader)
        if chr(code) not in self.letters:
            raise ProtocolViolation(f"{self.complaint} {code}")
        return chr(code)

    def write(self, value: str, out: bytearray) -> None:
        if len(value) != 1 or value not in self.letters:
            raise ProtocolViolation(f"{self.complaint} {value!r}")
        out += value.encode("ascii")

    def trace(self, value: str) -> str:
        return f" {value}"


class NulTerminated(Codec[str]):
    """UTF-8 text and a zero byte. Text with a zero inside cannot be written, so it can never cut a message
    short."""

    __slots__ = ()

    def read(self, reader: Reader) -> str:
        return reader.cstring()

    def decode(self, data: bytes | bytearray, start: int, end: int) -> str:
        if start >= end or data.find(0, start, end) != end - 1:
            return super().decode(data, start, end)
        try:
            return data[start : end - 1].decode()
        except UnicodeDecodeError as error:
            _refuse_text(data[start : end - 1], error.start)

    def write(self, value: str, out: bytearray) -> None:
        if "\0" in value:
            raise CharacterNotInRepertoire('invalid byte sequence for encoding "UTF8": 0x00')
        try:
            out += value.encode()
        except UnicodeEncodeError as error:
            _refuse_text(value.encode("utf-8", "surrogatepass"), len(value[: error.start].encode()))
        out.append(0)

    def trace(self, value: str) -> str:
        return f' "{value}"'


class LengthPrefixed(Codec["bytes | None"]):
    """An int32 length and that many bytes; length -1 is NULL, and no other negative is anything."""

    __slots__ = ()

    def read(self, reader: Reader) -> bytes | None:
        length = reader.integer(INT32.layout)
        return None if length == -1 else reader.take(length)

    def write(self, value: bytes | None, out: bytearray) -> None:
        self.write_all((value,), out)

    def write_all(self, values: Iterable[bytes | None], out: bytearray) -> None:
        pack = INT32.layout.pack
        for value in values:
            if value is None:
                out += b"\xff\xff\xff\xff"
            else:
                out += pack(len(value))
                out += value

    def trace(self, value: bytes | None) -> str:
        return " -1" if value is None else f" {len(value)}{REMAINDER.trace(value)}"


class Remainder(Codec[bytes]):
    """Everything up to the end of the message."""

    __slots__ = ()

    def read(self, reader: Reader) -> bytes:
        return reader.rest()

    def write(self, value: bytes, out: bytearray) -> None:
        out += value

    def trace(self, value: bytes) -> str:
        return f" '{''.join(map(_shown, value))}'"


class SecretRemainder(Remainder):
    """A remainder whose bytes never appear in a trace."""

    __slots__ = ()

    def trace(self, value: bytes) -> str:
        return f" ({len(value)} bytes)"


REMAINDER = Remainder()


class Pairs(Codec[Mapping[str, str]]):
    """Names and values up to a zero byte; ``name`` reads and writes the first of each pair, ``end`` is how
    libpq traces the zero byte."""

    __slots__ = ("end", "name")

    def __init__(self, name: Codec[str], *, end: str) -> None:
        self.name = name
        self.end = end

    def read(self, reader: Reader) -> Mapping[str, str]:
        pairs: dict[str, str] = {}
        while name := self.name.read(reader):
            pairs[name] = reader.cstring()
        return pairs

    def write(self, value: Mapping[str, str], out: bytearray) -> None:
        for name, text in value.items():
            if not name:
                raise ProtocolViolation("invalid message format")
            self.name.write(name, out)
            CSTRING.write(text, out)
        out.append(0)

    def trace(self, value: Mapping[str, str]) -> str:
        shown = "".join(self.name.trace(name) + CSTRING.trace(text) for name, text in value.items())
        return shown + self.end


class FieldCode(Codec[str]):
    """The one-byte type of an error field; a zero byte, which ends the list, is the empty text."""

    __slots__ = ()

    def read(self, reader: Reader) -> str:
        code = UINT8.read(reader)
        if code > 0x7F:
            raise ProtocolViolation(f"invalid error field type {code}")
        return chr(code) if code else ""

    def write(self, value: str, out: bytearray) -> None:
        if len(value) != 1 or not "\0" < value < "\x80":
            raise ProtocolViolation(f"invalid error field type {value!r}")
        out += value.encode("ascii")

    def trace(self, value: str) -> str:
        return f" {value}"


class Counted:
    """Marks an array: a count, then that many items of the annotated type."""

    __slots__ = ("count",)

    def __init__(self, count: Integer) -> None:
        self.count = count


class ArrayCodec(Codec[tuple[T, ...]]):
    """A count and the items. The count alone reserves nothing: each item has to be there."""

    __slots__ = ("count", "item")

    def __init__(self, count: Integer, item: Codec[T]) -> None:
        self.count = count
        self.item = item

    def read(self, reader: Reader) -> tuple[T, ...]:
        count = self.count.read(reader)
        read = self.item.read
        return tuple([read(reader) for _ in range(count)])

    def write(self, value: tuple[T, ...], out: bytearray) -> None:
        self.count.write(len(value), out)
        self.item.write_all(value, out)

    def trace(self, value: tuple[T, ...]) -> str:
        return self.count.trace(len(value)) + "".join([self.item.trace(item) for item in value])


CSTRING = NulTerminated()

UInt8 = Annotated[int, UINT8]
Int16 = Annotated[int, INT16]
UInt16 = Annotated[int, UINT16]
Int32 = Annotated[int, INT32]
Oid = Annotated[int, UINT32]
CString = Annotated[str, CSTRING]
NullableBytes = Annotated[bytes | None, LengthPrefixed()]
Rest = Annotated[bytes, REMAINDER]
Secret = Annotated[bytes, SecretRemainder()]
ErrorFields = Annotated[Mapping[str, str], Pairs(FieldCode(), end=" \\x00")]
Parameters = Annotated[Mapping[str, str], Pairs(CSTRING, end="")]
Array = Annotated[tuple[T, ...], Counted(UINT16)]
"""The manual's int16 count; PostgreSQL reads it without a sign, so up to 65,535 items."""
LongArray = Annotated[tuple[T, ...], Counted(UINT32)]
"""The manual's int32 count."""
