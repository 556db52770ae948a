"""Generated code that frames rows: one function per list of types and set of NULL columns.

Consecutive rows mostly have their NULLs in the same columns. A function built for such a pattern packs everything
between two variable-length values with one ``struct`` call; lengths and NULL marks of a pattern are constants in
it. A row that does not fit ends the function's run and is looked up again.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from rocklake_server.pgformat.binary import STRUCT_CODES, binary_encoder
from rocklake_server.schema.types import ColumnType, Form

PATTERNS_MAX = 256
"""Generated functions kept per list of types; rows of further patterns go through the plain encoder."""

_NULL = b"\xff\xff\xff\xff"
_RAW = (Form.BYTES, Form.UUID)
_UNFIT = (struct.error, TypeError, AttributeError, ValueError, OverflowError)

Run = Callable[[Any, Iterator[Any], Callable[[bytes], None]], Any]
"""(first row, further rows, append) -> the row that did not fit, or None at the end."""


class RowFramer:
    """Frames rows of one list of types, one CopyData message a row."""

    __slots__ = ("_encoders", "_runs", "_types")

    def __init__(self, types: tuple[ColumnType, ...]) -> None:
        self._types = types
        self._encoders = [binary_encoder(column_type) for column_type in types]
        self._runs: dict[tuple[bool, ...], Run] = {}

    def frame(self, rows: Sequence[Sequence[Any]]) -> bytes:
        """Concatenated messages. Raises what a payload encoder raises for a value that does not fit."""
        if not self._types:
            return struct.pack("!cih", b"d", 6, 0) * len(rows)
        out: list[bytes] = []
        append = out.append
        iterator = iter(rows)
        row = next(iterator, None)
        while row is not None:
            run = self._run_for(tuple([value is None for value in row]))
            unfit = run(row, iterator, append) if run is not None else row
            if unfit is row:
                append(self._plain(row))
                unfit = next(iterator, None)
            row = unfit
        return b"".join(out)

    def _run_for(self, nulls: tuple[bool, ...]) -> Run | None:
        run = self._runs.get(nulls)
        if run is None and len(self._runs) < PATTERNS_MAX and len(nulls) == len(self._types):
            run = self._runs[nulls] = _compile(self._types, nulls)
        return run

    def _plain(self, row: Sequence[Any]) -> bytes:
        parts = [struct.pack("!h", len(self._types))]
        for encode, value in zip(self._encoders, row, strict=True):
            if value is None:
                parts.append(_NULL)
            else:
                payload = encode(value)
                parts += (len(payload).to_bytes(4, "big"), payload)
        body = b"".join(parts)
        return b"d" + (len(body) + 4).to_bytes(4, "big") + body


class _Segments:
    """Builds the ``struct`` calls of a pattern; neighbouring constants become one argument."""

    def __init__(self) -> None:
        self.names: dict[str, Any] = {}
        self.pieces: list[str] = []
        self.fixed_bytes = 0
        self._format = "!"
        self._arguments: list[str] = []
        self._constant = b""

    def constant(self, data: bytes) -> None:
        self._constant += data

    def argument(self, code: str, expression: str) -> None:
        self._flush_constant()
        self._format += code
        self._arguments.append(expression)

    def payload(self, expression: str) -> None:
        """A variable-length payload ends the segment."""
        self.end()
        self.pieces.append(expression)

    def end(self) -> None:
        if not self._arguments:
            if self._constant:
                self.pieces.append(self._name("c", self._constant))
                self.fixed_bytes += len(self._constant)
        else:
            self._flush_constant()
            layout = struct.Struct(self._format)
            self.fixed_bytes += layout.size
            self.pieces.append(f"{self._name('pack', layout.pack)}({', '.join(self._arguments)})")
        self._format, self._arguments, self._constant = "!", [], b""

    def _flush_constant(self) -> None:
        if self._constant:
            self._format += f"{len(self._constant)}s"
            self._arguments.append(self._name("c", self._constant))
            self._constant = b""

    def _name(self, prefix: str, value: Any) -> str:
        name = f"{prefix}_{len(self.names)}"
        self.names[name] = value
        return name


def _compile(types: tuple[ColumnType, ...], nulls: tuple[bool, ...]) -> Run:
    """The run function of one pattern. The source is built from column numbers and format codes only."""
    segments = _Segments()
    segments.constant(b"d")
    segments.argument("i", "size")
    segments.constant(len(types).to_bytes(2, "big"))
    prepare: list[str] = []
    checks: list[str] = []
    lengths: list[str] = []
    for number, (column_type, null) in enumerate(zip(types, nulls, strict=True)):
        value = f"v{number}"
        code = STRUCT_CODES.get(column_type.typname)
        if null:
            checks.append(f"{value} is not None")
            segments.constant(_NULL)
        elif code is not None:
            if code == "?":  # struct would pack None as false
                checks.append(f"{value} is None")
            segments.constant(struct.calcsize("!" + code).to_bytes(4, "big"))
            segments.argument(code, value)
        elif column_type.form is Form.UUID:
            prepare.append(f"if len({value}) != 16: return row")
            segments.constant((16).to_bytes(4, "big"))
            segments.argument("16s", value)
        else:
            _variable(segments, column_type, number, prepare, checks)
            lengths.append(f"n{number}")
    segments.end()
    size = " + ".join([str(segments.fixed_bytes - 1), *lengths])
    names = ", ".join(f"v{number}" for number in range(len(types)))
    joined = segments.pieces[0] if len(segments.pieces) == 1 else f"join(({', '.join(segments.pieces)}))"
    body = [
        f"{names}, = row",
        *([f"if {' or '.join(checks)}: return row"] if checks else []),
        *prepare,
        f"size = {size}",
        f"append({joined})",
    ]
    lines = ["def run(row, rows, append):", " try:", "  while row is not None:", *[f"   {line}" for line in body],
             "   row = next(rows, None)", " except unfit:", "  return row"]
    namespace: dict[str, Any] = {**segments.names, "join": b"".join, "unfit": _UNFIT, "utf8": str.encode}
    exec("\n".join(lines), namespace)
    run: Run = namespace["run"]
    return run


def _variable(
    segments: _Segments, column_type: ColumnType, number: int, prepare: list[str], checks: list[str]
) -> None:
    """A payload whose length is known at run time only."""
    value, data, length = f"v{number}", f"p{number}", f"n{number}"
    if column_type.form in _RAW:
        data = value
    elif column_type.form is Form.TEXT and column_type.typname not in ("char", "void"):
        prepare.append(f"{data} = {value}.encode()")
    else:
        checks.append(f"{value} is None")
        encoder = f"encode_{number}"
        segments.names[encoder] = binary_encoder(column_type)
        prepare.append(f"{data} = {encoder}({value})")
    prepare.append(f"{length} = len({data})")
    segments.argument("i", length)
    segments.payload(data)
