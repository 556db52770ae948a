"""A column's constant default as SQL text, in the spelling of PostgreSQL's pg_get_expr()."""

from __future__ import annotations

from decimal import Decimal

from rocklake_server.pgformat.text import text_encoder
from rocklake_server.schema.model import RelationColumn
from rocklake_server.schema.types import BIGINT, INTEGER, NUMERIC, Form

_INT4 = range(-(1 << 31), 1 << 31)
_INT8_MAX = (1 << 63) - 1
_NUMBERS = frozenset((Form.INT, Form.FLOAT, Form.NUMERIC))


def default_text(column: RelationColumn) -> str | None:
    """The default as an expression, times in ISO style and UTC; ``None`` without one."""
    value, form = column.default, column.type.form
    if value is None:
        return None
    if form is Form.BOOL:
        return "true" if value else "false"
    text = text_encoder(column.type)(value)
    if form in _NUMBERS:
        number = Decimal(text)
        if number.is_finite():
            return _number(number)
    quoted = text.replace("'", "''")
    return f"'{quoted}'::{column.type.name}"


def _number(number: Decimal) -> str:
    """A number as its literal is typed: whole as int4 or int8, others as numeric. A sign needs quotes."""
    text = f"{number:f}"
    if number != number.to_integral_value() or abs(number) > _INT8_MAX:
        return text if "." in text and not number.is_signed() else f"'{text}'::{NUMERIC.name}"
    whole = int(number)
    if whole in _INT4:
        return str(whole) if whole >= 0 else f"'{whole}'::{INTEGER.name}"
    return f"'{whole}'::{BIGINT.name}"
