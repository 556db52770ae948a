"""Generated code that frames rows: one function per list of columns and set of NULLs among them.

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


def _no_run(row: Any, _rows: Iterator[Any], _append: Callable[[bytes], None]) -> Any:
    return row


class RowFramer:
    """Frames rows, one CopyData message a row.

    ``columns`` says for each type which item of a row it shows; None shows NULL.
    """

    __slots__ = ("_columns", "_encoders", "_runs", "_types")

    def __init__(self, types: tuple[ColumnType, ...], columns: tuple[int | None, ...]) -> None:
        if len(types) != len(columns):
            raise ValueError("a column needs a type")
        self._types = types
        self._columns = columns
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
        current: Run = _no_run
        previous: Run = _no_run
        while row is not None:
            # Rows often alternate between two patterns, so the one before is tried before looking one up.
            current, previous = previous, current
            unfit = current(row, iterator, append)
            if unfit is row:
                current = self._run_for(tuple([c is None or row[c] is None for c in self._columns]))
                unfit = current(row, iterator, append)
            if unfit is row:
                append(self._plain(row))
                unfit = next(iterator, None)
            row = unfit
        return b"".join(out)

    def _run_for(self, nulls: tuple[bool, ...]) -> Run:
        run = self._runs.get(nulls)
        if run is None:
            if len(self._runs) >= PATTERNS_MAX:
                return _no_run
            run = self._runs[nulls] = _compile(self._types, self._columns, nulls)
        return run

    def _plain(self, row: Sequence[Any]) -> bytes:
        parts = [struct.pack("!h", len(self._types))]
        for encode, column in zip(self._encoders, self._columns, strict=True):
            value = None if column is None else row[column]
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


def _compile(
    types: tuple[ColumnType, ...], columns: tuple[int | None, ...], nulls: tuple[bool, ...]
) -> Run:
    """The run function of one pattern. The source is built from column numbers and format codes only."""
    segments = _Segments()
    segments.constant(b"d")
    segments.argument("i", "size")
    segments.constant(len(types).to_bytes(2, "big"))
    prepare: list[str] = []
    checks: list[str] = []
    lengths: list[str] = []
    for number, (column_type, column, null) in enumerate(zip(types, columns, nulls, strict=True)):
        value = f"v{number}"
        code = STRUCT_CODES.get(column_type.typname)
        if null:
            if column is not None:
                checks.append(f"row[{column}] is not None")
            segments.constant(_NULL)
            continue
        prepare.append(f"{value} = row[{column}]")
        if code is not None:
            if code == "?":  # struct would pack None as false
                prepare.append(f"if {value} is None: return row")
            segments.constant(struct.calcsize("!" + code).to_bytes(4, "big"))
            segments.argument(code, value)
        elif column_type.form is Form.UUID:
            prepare.append(f"if len({value}) != 16: return row")
            segments.constant((16).to_bytes(4, "big"))
            segments.argument("16s", value)
        else:
            _variable(segments, column_type, number, prepare)
            lengths.append(f"n{number}")
    segments.end()
    body = [*([f"if {' or '.join(checks)}: return row"] if checks else []), *prepare]
    return _define(segments, body, lengths)


def _define(segments: _Segments, body: list[str], lengths: list[str]) -> Run:
    pieces = segments.pieces
    lines = [
        "def run(row, rows, append):", " try:", "  while row is not None:",
        *[f"   {line}" for line in body],
        f"   size = {' + '.join([str(segments.fixed_bytes - 1), *lengths])}",
        f"   append({pieces[0] if len(pieces) == 1 else f'join(({chr(44).join(pieces)}))'})",
        "   row = next(rows, None)", " except unfit:", "  return row",
    ]
    namespace: dict[str, Any] = {**segments.names, "join": b"".join, "unfit": _UNFIT}
    exec("\n".join(lines), namespace)
    run: Run = namespace["run"]
    return run


def _variable(
    segments: _Segments, column_type: ColumnType, number: int, prepare: list[str]
) -> None:
    """A payload whose length is known at run time only."""
    value, data, length = f"v{number}", f"p{number}", f"n{number}"
    if column_type.form in _RAW:
        data = value
    elif column_type.form is Form.TEXT and column_type.typname not in ("char", "void", "jsonb"):
        prepare.append(f"{data} = {value}.encode()")
    else:
        prepare.append(f"if {value} is None: return row")
        encoder = f"encode_{number}"
        segments.names[encoder] = binary_encoder(column_type)
        prepare.append(f"{data} = {encoder}({value})")
    prepare.append(f"{length} = len({data})")
    segments.argument("i", length)
    segments.payload(data)
