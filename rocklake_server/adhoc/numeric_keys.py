"""Texts that order as the numerics they stand for, whatever their scales: equal texts are equal numbers."""

from __future__ import annotations

from decimal import Decimal

_EXPONENT_OFFSET = 500_000
_EXPONENT_DIGITS = 7
_COMPLEMENT = str.maketrans("0123456789", "9876543210")


def numeric_key(value: Decimal) -> str:
    """Sign, exponent and digits; a negative number has the complement of its digits, and an end above them."""
    if value.is_nan():
        return "5"
    if value.is_infinite():
        return "0" if value < 0 else "4"
    if value == 0:
        return "2"
    exponent = f"{value.adjusted() + _EXPONENT_OFFSET:0{_EXPONENT_DIGITS}}"
    digits = "".join(map(str, value.as_tuple().digits)).lstrip("0").rstrip("0")
    if value > 0:
        return f"3{exponent}{digits}"
    return f"1{(exponent + digits).translate(_COMPLEMENT)}~"
