"""Rows to enveloped protobuf messages and back; one codec is compiled per relation.

NULL is an absent field. Every row ends with its ctid, so that a value cut anywhere fails to decode. A row in
which a column is absent was written before the column existed and reads the column's default; where a default
is not NULL, a row that holds NULL says so in ``null_columns``. Numbers that the relation lost are skipped.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import compress
from operator import attrgetter, methodcaller, not_
from typing import Any, NoReturn, TypeAlias

from google.protobuf.message import DecodeError

from rocklake_server.encoding.cache import per_relation
from rocklake_server.encoding.descriptors import MessageClass, Shape, shape_class, shape_field, table_class
from rocklake_server.encoding.envelope import HEADER, HEADER_BYTES, refusal
from rocklake_server.encoding.ordered import ID_MAX
from rocklake_server.encoding.scalars import PACK, UNPACK
from rocklake_server.errors import (
    CharacterNotInRepertoire,
    CorruptValue,
    DatatypeMismatch,
    InternalProblem,
    NumericOutOfRange,
)
from rocklake_server.pacing import checkpoint
from rocklake_server.schema.messages import CTID, KIND_OF_FORM, NULL_COLUMNS, Kind
from rocklake_server.schema.model import Relation, RelationColumn
from rocklake_server.schema.types import Form, Value
from rocklake_server.store.base import Entry

Row: TypeAlias = tuple[Value, ...]
"""The values of a relation's columns in order, then the row's ctid (packed int)."""

MIN = -(1 << 63)

GENERATED_WIDTH_MAX = 64
"""Fields up to which a relation's encoder is generated: compiling the source of a wider one takes too long."""

Convert: TypeAlias = Callable[[Any], Value]


@dataclass(frozen=True, slots=True)
class RowCodec:
    """``encode(row)``: the enveloped value. Raises NumericOutOfRange, CharacterNotInRepertoire (surrogates,
    NUL), DatatypeMismatch. ``decode(key, value)``: the row. Raises CorruptValue and FormatVersionUnsupported,
    which name the key. ``decode_columns(entries)``: the values of each column, the ctid's last, of at least one row;
    raises as ``decode``, in half its time."""

    encode: Callable[[Sequence[Value]], bytes]
    decode: Callable[[bytes, bytes], Row]
    decode_columns: Callable[[Sequence[Entry]], Sequence[Sequence[Value]]]


@per_relation
def row_codec(relation: Relation) -> RowCodec:
    """The codec for rows of ``relation``; cached per relation object."""
    message, names = _layout(relation)
    decode = _decoder(relation, message, names)
    is_plain = len(names) <= GENERATED_WIDTH_MAX and not _defaults(relation.columns)
    encoder = _generated_encoder if is_plain else _encoder
    return RowCodec(encoder(relation, message, names), decode, _column_decoder(relation, message, names, decode))


def _layout(relation: Relation) -> tuple[MessageClass, tuple[str, ...]]:
    """The message class, and the field names of a row: one per column, then the ctid's."""
    if relation.table is not None:
        declared = {column.number: column for column in relation.table.columns}
        known = [declared.get(column.number) for column in relation.columns]
        names = [
            column.name
            for column, live in zip(known, relation.columns, strict=True)
            if column is not None and _kind(column.type.form) is _kind(live.type.form)
        ]
        if len(names) == len(relation.columns):
            return table_class(relation.table), (*names, CTID.name)
    shape: Shape = tuple(sorted(
        ((column.number, _kind(column.type.form)) for column in relation.columns), key=lambda field: field[0]
    ))
    return shape_class(shape), (*(shape_field(column.number) for column in relation.columns), CTID.name)


def _kind(form: Form) -> Kind:
    kind = KIND_OF_FORM.get(form)
    if kind is None:
        raise InternalProblem(f"values of form {form.name} cannot be stored")
    return kind


def _conversions(columns: Sequence[RelationColumn], table: dict[Form, Convert]) -> list[tuple[int, Convert]]:
    forms = [column.type.form for column in columns]
    return [(position, table[form]) for position, form in enumerate(forms) if form in table]


def _defaults(columns: Sequence[RelationColumn]) -> list[tuple[int, int, Value]]:
    """Position, field number and default of the columns whose default is not NULL."""
    return [
        (position, column.number, column.default)
        for position, column in enumerate(columns)
        if column.default is not None
    ]


def _encoder(relation: Relation, message: Any, names: tuple[str, ...]) -> Callable[[Sequence[Value]], bytes]:
    conversions = _conversions(relation.columns, PACK)
    defaults = _defaults(relation.columns)
    width = len(names)
    texts = [position for position, column in enumerate(relation.columns) if column.type.form is Form.TEXT]

    def encode(row: Sequence[Any]) -> bytes:
        given = row
        if len(row) != width:
            _refuse(relation, row, None)
        try:
            if conversions:
                row = list(row)
                for position, convert in conversions:
                    if row[position] is not None:
                        row[position] = convert(row[position])
            fields = dict(zip(names, row))  # noqa: B905 - its length is checked; strict costs 0.2 us a row
            if defaults:
                fields[NULL_COLUMNS.name] = tuple(
                    [number for position, number, _ in defaults if row[position] is None]
                )
            payload: bytes = message(**fields).SerializeToString()
        except (ValueError, TypeError, OverflowError, struct.error) as error:
            _refuse(relation, given, error)
        if row[-1] is None:
            _refuse(relation, given, None)
        if 0 in payload:  # a text with a NUL, or far more often a number that is 0
            for position in texts:
                if row[position] and "\0" in row[position]:
                    _refuse(relation, given, None)
        return HEADER + payload

    return encode


def _generated_encoder(relation: Relation, message: Any, names: tuple[str, ...]) -> Callable[[Sequence[Value]], bytes]:
    """As ``_encoder``, in two thirds of its time. The source is built from positions and declared field names."""
    conversions = dict(_conversions(relation.columns, PACK))
    values = [f"v{position}" for position in range(len(names))]
    fields = ", ".join(
        f"{name!r}: {f'None if {value} is None else pack{position}({value})' if position in conversions else value}"
        for position, (name, value) in enumerate(zip(names, values, strict=True))
    )
    texts = [f"({values[at]} and zero in {values[at]})" for at, column in enumerate(relation.columns)
             if column.type.form is Form.TEXT]
    source = f"""
def encode(row):
    try:
        [{", ".join(values)}] = row
        payload = message(**{{{fields}}}).SerializeToString()
    except (ValueError, TypeError, OverflowError, error) as cause:
        refuse(relation, row, cause)
    if {values[-1]} is None or (0 in payload and ({" or ".join(texts) or "False"})):
        refuse(relation, row, None)
    return header + payload
"""
    names_in_source: dict[str, Any] = {
        "message": message, "relation": relation, "refuse": _refuse, "header": HEADER, "error": struct.error,
        "zero": "\0",
        **{f"pack{position}": convert for position, convert in conversions.items()},
    }
    exec(source, names_in_source)
    found: Callable[[Sequence[Value]], bytes] = names_in_source["encode"]
    return found


def _refuse(relation: Relation, row: Sequence[Value], cause: Exception | None) -> NoReturn:
    """Raise the error for a row that cannot be stored, naming the column at fault and not its value."""
    if len(row) != len(relation.columns) + 1 or not isinstance(row[-1], int):
        raise InternalProblem(f'a row of relation "{relation.name}" is too long or too short') from cause
    for column, value in zip(relation.columns, row, strict=False):
        if isinstance(value, str) and column.type.form is Form.TEXT:
            if "\0" in value:
                raise CharacterNotInRepertoire('invalid byte sequence for encoding "UTF8": 0x00') from cause
            if any("\ud800" <= character <= "\udfff" for character in value):
                raise CharacterNotInRepertoire(
                    f'text of column "{column.name}" has no equivalent in encoding "UTF8"'
                ) from cause
        elif _kind(column.type.form) is Kind.INT64 and isinstance(value, int) and not MIN <= value <= ID_MAX:
            raise NumericOutOfRange(f'value of column "{column.name}" is out of range') from cause
    raise DatatypeMismatch(
        f'a row does not fit the columns of relation "{relation.name}"', detail=type(cause).__name__
    ) from cause


def _decoder(relation: Relation, message: Any, names: tuple[str, ...]) -> Callable[[bytes, bytes], Row]:
    parse = message.FromString
    pick = attrgetter(*names)
    single = len(names) == 1
    positions = range(len(names))
    last = len(relation.columns)
    finish = _finisher(relation)

    def decode(key: bytes, value: bytes) -> Row:
        if value[:HEADER_BYTES] != HEADER:
            raise refusal(key, value)
        try:
            parsed = parse(value[HEADER_BYTES:])
        except DecodeError as error:
            raise CorruptValue(f"the value of key {key.hex()} is no row of {relation.name}") from error
        row: list[Value] = [pick(parsed)] if single else list(pick(parsed))
        has = parsed.HasField
        for position in compress(positions, map(not_, row)):
            if not has(names[position]):
                row[position] = None
        if row[last] is None:
            raise CorruptValue(f"the value of key {key.hex()} is cut: it has no ctid")
        if finish is not None:
            finish(key, row, parsed)
        return tuple(row)

    return decode


def _column_decoder(
    relation: Relation, message: Any, names: tuple[str, ...], decode: Callable[[bytes, bytes], Row]
) -> Callable[[Sequence[Entry]], Sequence[Sequence[Value]]]:
    parse = message.FromString
    fields = [(attrgetter(name), methodcaller("HasField", name)) for name in names]
    is_plain = _finisher(relation) is None

    def by_row(entries: Sequence[Entry]) -> Sequence[Sequence[Value]]:
        return list(zip(*[decode(key, value) for key, value in entries], strict=True))

    def decode_columns(entries: Sequence[Entry]) -> Sequence[Sequence[Value]]:
        if not is_plain or any(value[:HEADER_BYTES] != HEADER for _, value in entries):
            return by_row(entries)
        try:
            parsed = [parse(value[HEADER_BYTES:]) for _, value in entries]
        except DecodeError:
            return by_row(entries)  # which tells the key
        columns: list[Sequence[Value]] = []
        for get, has in fields:
            checkpoint()
            values = list(map(get, parsed))
            if not all(values):
                values = [value if value or has(row) else None for value, row in zip(values, parsed, strict=True)]
            columns.append(values)
        return by_row(entries) if None in columns[-1] else columns

    return decode_columns


def _finisher(relation: Relation) -> Callable[[bytes, list[Value], Any], None] | None:
    """What remains to be done to a decoded row, if anything: conversions and defaults."""
    conversions = _conversions(relation.columns, UNPACK)
    defaults = _defaults(relation.columns)
    if not conversions and not defaults:
        return None

    def finish(key: bytes, row: list[Value], parsed: Any) -> None:
        for position, convert in conversions:
            if row[position] is not None:
                try:
                    row[position] = convert(row[position])
                except (ValueError, struct.error) as error:
                    name = relation.columns[position].name
                    raise CorruptValue(f"the value of key {key.hex()} has a broken {name}") from error
        for position, number, default in defaults:
            if row[position] is None and number not in parsed.null_columns:
                row[position] = default

    return finish
