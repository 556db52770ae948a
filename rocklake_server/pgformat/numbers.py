"""Text forms of floats and numerics (PostgreSQL manual, Numeric Types).

Encoders give exactly what PostgreSQL prints with extra_float_digits = 1; decoders accept what its input
functions accept and raise ``InvalidTextRepresentation`` or ``NumericOutOfRange`` with its wording.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Callable
from decimal import MAX_EMAX, MIN_EMIN, ROUND_HALF_UP, Context, Decimal

from rocklake_server.errors import NumericOutOfRange
from rocklake_server.pgformat.integers import SPACES, invalid_syntax

NUMERIC_INTEGER_DIGITS_MAX = 131_072
NUMERIC_SCALE_MAX = 16_383
EXPONENT_MAX = 1 << 28
EXACT = Context(prec=NUMERIC_INTEGER_DIGITS_MAX + NUMERIC_SCALE_MAX + 8, rounding=ROUND_HALF_UP,
                Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])

_DECIMAL = re.compile(r"([+-]?)([0-9]*)(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]+))?").fullmatch
_HEXADECIMAL = re.compile(r"[+-]?0[xX](?:[0-9a-fA-F]++\.?[0-9a-fA-F]*+|\.[0-9a-fA-F]++)(?:[pP][+-]?[0-9]+)?").fullmatch
_SPECIAL_FLOATS = {
    "nan": math.nan, "+nan": math.nan, "-nan": math.nan,
    "inf": math.inf, "+inf": math.inf, "-inf": -math.inf,
    "infinity": math.inf, "+infinity": math.inf, "-infinity": -math.inf,
}
_SPECIAL_NUMERICS = {name: Decimal(value) for name, value in _SPECIAL_FLOATS.items() if name not in ("+nan", "-nan")}
_FLOAT4 = struct.Struct("!f")
_UINT4 = struct.Struct("!I")


def _scientific(digits: str, exponent: int, plain_below: int) -> str:
    """Lay out significant ``digits`` with decimal point after the first, times ten to ``exponent``."""
    digits = digits.rstrip("0") or "0"
    if exponent < -4 or exponent >= plain_below:
        fraction = f".{digits[1:]}" if len(digits) > 1 else ""
        return f"{digits[0]}{fraction}e{'-' if exponent < 0 else '+'}{abs(exponent):02d}"
    if exponent < 0:
        return f"0.{'0' * (-exponent - 1)}{digits}"
    if len(digits) <= exponent + 1:
        return digits + "0" * (exponent + 1 - len(digits))
    return f"{digits[:exponent + 1]}.{digits[exponent + 1:]}"


def _special(value: float) -> str:
    return "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"


def _split(scientific: str) -> tuple[str, int]:
    mantissa, _, exponent = scientific.partition("e")
    return mantissa.replace(".", ""), int(exponent)


def encode_double(value: float) -> str:
    """The shortest text that reads back as ``value``: ``1``, ``0.1``, ``1e+20``, ``-Infinity``."""
    size = abs(value)
    if 1e-4 <= size < 1e15:
        text = repr(value)
        return text[:-2] if text.endswith(".0") else text
    if size == 0:
        return "-0" if math.copysign(1.0, value) < 0 else "0"
    if not math.isfinite(value):
        return _special(value)
    text = f"{Decimal(repr(size)):e}"
    # repr() may pick the exact midpoint between two doubles, which PostgreSQL never prints.
    if 2.0**54 <= size < 1e45 and _is_midpoint(size, int(Decimal(text))):
        for precision in range(len(_split(text)[0]), 17):
            text = f"{size:.{precision}e}"
            if float(text) == size and not _is_midpoint(size, int(Decimal(text))):
                break
    digits, exponent = _split(text)
    return ("-" if value < 0 else "") + _scientific(digits, exponent, 15)


def _is_midpoint(size: float, printed: int) -> bool:
    return 2 * printed in (int(size) + int(math.nextafter(size, math.inf)), int(size) + int(math.nextafter(size, 0.0)))


def _neighbour(value: float, step: int) -> float:
    """The next float4 away from zero (``step`` 1) or towards it (-1); ``value`` is positive and a float4."""
    (bits,) = _UINT4.unpack(_FLOAT4.pack(value))
    if bits + step == 0x7F80_0000:
        return 2.0**128
    (result,) = _FLOAT4.unpack(_UINT4.pack(bits + step))
    return float(result)


def encode_real(value: float) -> str:
    """As ``encode_double`` for a float4; ``value`` is rounded to single precision first."""
    value = round_to_real(value)
    size = abs(value)
    if size == 0:
        return "-0" if math.copysign(1.0, value) < 0 else "0"
    if not math.isfinite(value):
        return _special(value)
    low, high = (size + _neighbour(size, -1)) / 2, (size + _neighbour(size, 1)) / 2
    text = f"{size:.8e}"
    for precision in range(0 if size < 1.2e-38 else 5, 8):
        shorter = f"{size:.{precision}e}"
        if low < float(shorter) < high:
            text = shorter
            break
    digits, exponent = _split(text)
    return ("-" if value < 0 else "") + _scientific(digits, exponent, 6)


def round_to_real(value: float) -> float:
    """The nearest float4. Raises ``OverflowError`` beyond its range."""
    (result,) = _FLOAT4.unpack(_FLOAT4.pack(value))
    return float(result)


def decode_double(text: str) -> float:
    """A float8 from decimal, hexadecimal or special text. Raises 22P02, and 22003 for overflow and underflow."""
    return _decode_float(text, "double precision")


def _decode_float(text: str, type_name: str) -> float:
    stripped = text.strip(SPACES)
    special = _SPECIAL_FLOATS.get(stripped.lower())
    if special is not None:
        return special
    match = _DECIMAL(stripped)
    try:
        if match is not None and (match[2] or match[3]):
            value = float(stripped)
            nonzero = bool((match[2] + (match[3] or "")).strip("0"))
        elif _HEXADECIMAL(stripped):
            value = float.fromhex(stripped)
            nonzero = bool(re.split("[pP]", stripped)[0].lstrip("+-")[2:].strip("0."))
        else:
            raise invalid_syntax(type_name, text)
    except OverflowError:
        value, nonzero = math.inf, True
    if math.isinf(value) or (value == 0 and nonzero):
        raise NumericOutOfRange(f'"{text if type_name == "real" else stripped}" is out of range for type {type_name}')
    return value


def decode_real(text: str) -> float:
    """A float4, rounded once from the decimal text. Raises 22P02 and 22003."""
    value = _decode_float(text, "real")
    if value == 0 or not math.isfinite(value):
        return value
    stripped = text.strip(SPACES)
    try:
        rounded = round_to_real(value)
    except OverflowError:
        rounded = math.inf
    if math.isinf(rounded) or rounded == 0:
        raise NumericOutOfRange(f'"{text}" is out of range for type real')
    size, nearest = abs(value), abs(rounded)
    # Rounding twice goes wrong only where the double is the midpoint of two float4 and the text is not.
    for step in (-1, 1):
        neighbour = _neighbour(nearest, step)
        if size * 2 == nearest + neighbour and _DECIMAL(stripped):
            exact = abs(Decimal(stripped))
            if (exact > Decimal(size)) == (step > 0) and exact != Decimal(size):
                return math.copysign(neighbour, value)
    return rounded


def encode_numeric(value: Decimal) -> str:
    """All stored digits, without an exponent: ``1.50``, ``NaN``, ``-Infinity``."""
    if value.is_finite():
        text = format(value, "f")
        return text[1:] if text[0] == "-" and not value else text
    return _special(float(value))


def decode_numeric(text: str) -> Decimal:
    """A numeric with the scale of its text. Raises 22P02, and 22003 beyond PostgreSQL's digits."""
    stripped = text.strip(SPACES)
    match = _DECIMAL(stripped)
    if match is None or not (match[2] or match[3]):
        special = _SPECIAL_NUMERICS.get(stripped.lower())
        if special is None:
            raise invalid_syntax("numeric", text)
        return special
    exponent = 0
    if match[4]:
        exponent = int(match[4]) if len(match[4]) < 10 else MAX_EMAX
    if abs(exponent) > EXPONENT_MAX:
        raise NumericOutOfRange("value overflows numeric format")
    fraction = match[3] or ""
    significant = (match[2] + fraction).lstrip("0")
    if len(significant) - len(fraction) + exponent > NUMERIC_INTEGER_DIGITS_MAX and significant:
        raise NumericOutOfRange("value overflows numeric format")
    if len(fraction) - exponent > NUMERIC_SCALE_MAX:
        raise NumericOutOfRange("value overflows numeric format")
    value = EXACT.create_decimal(stripped)
    if exponent > len(fraction):
        value = value.quantize(Decimal(1), context=EXACT) if significant else Decimal(0)
    return value if value else value.copy_abs()


def numeric_modifier(typmod: int) -> tuple[int, int]:
    """(precision, scale) of a numeric's typmod; the scale may be negative."""
    return (typmod - 4) >> 16 & 0xFFFF, ((typmod - 4 & 0x7FF) ^ 1024) - 1024


def numeric_coercer(typmod: int) -> Callable[[Decimal], Decimal]:
    """Round half away from zero to the typmod's scale. Raises 22003 "numeric field overflow"."""
    precision, scale = numeric_modifier(typmod)
    quantum, limit = Decimal((0, (1,), -scale)), Decimal((0, (1,), precision - scale))
    shape = f"A field with precision {precision}, scale {scale}"

    def coerce(value: Decimal) -> Decimal:
        if not value.is_finite():
            if value.is_nan():
                return value
            detail = f"{shape} cannot hold an infinite value."
            raise NumericOutOfRange("numeric field overflow", detail=detail)
        rounded = value.quantize(quantum, context=EXACT)
        if rounded.copy_abs() >= limit:
            bound = f"10^{precision - scale}" if precision != scale else "1"
            raise NumericOutOfRange(
                "numeric field overflow", detail=f"{shape} must round to an absolute value less than {bound}."
            )
        if scale < 0:
            rounded = rounded.quantize(Decimal(1), context=EXACT)
        return rounded if rounded else rounded.copy_abs()

    return coerce
