"""Values as DuckDB writes and reads them in text, for catalogs that hold a value in another type than a lake does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from rocklake_server.errors import CatalogError, CharacterNotInRepertoire, CorruptValue
from rocklake_server.pgformat.text import text_decoder, text_encoder
from rocklake_server.schema.types import BIGINT, Form
from rocklake_server.transfer.relations import CatalogColumn, CatalogRelation, Row

Convert = Callable[[Any], Any]

NATIVE = frozenset({Form.BOOL, Form.INT, Form.TEXT})
"""Forms whose Python values every driver takes and gives as they are."""


def _interval_text(value: tuple[int, int, int]) -> str:
    """As DuckLake writes intervals: PostgreSQL's own text has signs that DuckDB does not read."""
    months, days, micros = value
    return f"{months} months {days} days {micros} microseconds"


def _reader(column: CatalogColumn) -> Convert:
    """From what a driver gives, text where the type is not native there, to the form in a lake."""
    form = column.type.form
    decode = text_decoder(column.type)

    def value(given: Any) -> Any:
        if isinstance(given, str):
            return given.encode() if form is Form.BYTES else decode(given)
        match form:
            case Form.BOOL:
                return bool(given)
            case Form.FLOAT:
                return decode(repr(float(given)))
            case Form.BYTES:
                return bytes(given)
            case Form.INT if isinstance(given, int):
                return decode(str(given))
            case _:
                raise ValueError(f"{type(given).__name__} is not expected")

    return value


@cache
def text_writer(column: CatalogColumn) -> Convert | None:
    """From the form in a lake to text that DuckDB reads as the column's type; ``None`` when the value stays as it
    is. Texts that a lake holds as bytes are text again."""
    form = column.type.form
    if form in NATIVE or column.duckdb_type == "BLOB":
        return None
    if form is Form.BYTES:
        return _text_of_bytes
    return _interval_text if form is Form.INTERVAL else text_encoder(column.type)


def _text_of_bytes(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        raise CharacterNotInRepertoire("an inlined text is not valid UTF-8") from None


_PLAIN: dict[Form, type] = {Form.BOOL: bool, Form.TEXT: str}
"""Values of these forms that have this type already stay as they are."""


def lake_rows(relation: CatalogRelation, given: Sequence[tuple[Any, ...]]) -> list[Row]:
    """Rows in the forms of a lake. Raises CorruptValue, naming the column, for a value that does not fit."""
    columns = list(zip(*given, strict=True)) or [() for _ in relation.columns]
    for position, column in enumerate(relation.columns):
        plain = _PLAIN.get(column.type.form)
        if plain is None or any(value is not None and type(value) is not plain for value in columns[position]):
            columns[position] = _converted(relation, column, columns[position])
    return list(zip(*columns, strict=True))


def _converted(relation: CatalogRelation, column: CatalogColumn, values: Sequence[Any]) -> tuple[Any, ...]:
    if column.type == BIGINT and all(value is None or type(value) is int for value in values):
        return tuple(values)
    read = _reader(column)
    try:
        return tuple([None if value is None else read(value) for value in values])
    except (CatalogError, ValueError) as problem:
        text = f'column "{column.name}" of relation "{relation.name}" holds a value that is no {column.type.sql}'
        raise CorruptValue(text, detail=type(problem).__name__) from None
