"""Texts that look like dates, times, intervals, numbers and arrays, right and wrong ones mixed."""

from __future__ import annotations

from hypothesis import strategies as st

from rocklake_server.schema import types
from rocklake_server.schema.types import array_of, numeric

number = st.integers(0, 70).map(str)
small = st.one_of(number, number.map(lambda text: text.zfill(2)))
fraction = st.one_of(st.just(""), st.integers(0, 99_999_999).map(lambda digits: f".{digits}"))
edges = st.sampled_from([100, 4714, 9999, 10_000, 294_276, 294_277, 5_874_897])
year = st.one_of(st.integers(1000, 3000), edges).map(str)
separator = st.sampled_from(["-", "-", "-", "/"])
day = st.builds(lambda y, m, d, s: f"{y}{s}{m}{s}{d}", year, st.integers(0, 13), st.integers(0, 32), separator)
clock = st.builds(
    lambda h, m, s, f: f"{h}:{m}{s}{f if s else ''}", st.integers(0, 25), small,
    st.one_of(st.just(""), small.map(lambda text: ":" + text)), fraction,
)
zone = st.one_of(
    st.sampled_from(["", "", "Z", " UTC", " z", "+00", "-0330", "+05:30", "+5", "+14:00:30", "+1600", "-15:59"]),
    st.builds(lambda sign, hours: f"{sign}{hours}", st.sampled_from(["+", "-", " +"]), st.integers(0, 20)),
)
era = st.sampled_from(["", "", "", " BC", " AD", "bc"])
stamp = st.builds(
    "{}{}{}{}{}".format, day, st.sampled_from([" ", " ", "T", "  ", "t", ""]), clock | st.just(""), zone, era
)
sign = st.sampled_from(["", "", "", "-", "+"])
unit = st.sampled_from(["year", "years", "mon", "months", "day", "days", "hour", "hrs", "min", "minutes", "sec", "s",
                        "ms", "us", "microseconds", "week", "decade", "century", "y", "d", "h", "m", "", "x"])
amount = st.builds("{}{}{}".format, sign, number, st.sampled_from(["", "", "", ".5", ".25", ".1", ".333", "."]))
interval_part = st.one_of(
    st.builds("{} {}".format, amount, unit), st.builds("{}{}".format, amount, unit),
    st.builds("{}{}".format, sign, clock), st.builds("{}{}-{}".format, sign, number, number),
)
iso_part = st.builds("{}{}".format, amount, st.sampled_from("YMWDTHMS"))
iso_interval = st.lists(iso_part, max_size=4).map(lambda parts: "P" + "".join(parts))
interval = st.one_of(
    st.builds(lambda parts, end: " ".join(parts) + end, st.lists(interval_part, max_size=4),
              st.sampled_from(["", "", "", " ago"])),
    iso_interval,
)
decimal = st.from_regex(r"[ ]?[-+]?[0-9]{0,8}(\.[0-9]{0,8})?([eE][-+]?[0-9]{1,2})?[ ]?", fullmatch=True)
array = st.from_regex(r'[ ]?\{([ ]?("[ab,\\" ]{0,3}"|[ab\\ N]{0,3}|NULL)[ ]?,?){0,3}\}?[ ]?', fullmatch=True)
TEXTS = [
    (types.TIMESTAMP, stamp), (types.TIMESTAMPTZ, stamp), (types.DATE, stamp | day), (types.INTERVAL, interval),
    (types.TIME, st.builds("{}{}".format, clock, zone)), (types.TIMETZ, st.builds("{}{}".format, clock, zone)),
    (types.NUMERIC, decimal), (numeric(9, 3), decimal), (types.DOUBLE, decimal), (types.REAL, decimal),
    (types.BIGINT, decimal), (array_of(types.TEXT), array), (types.BYTEA, st.from_regex(r"\A(\\x)?[0-9a-g\\ ]{0,6}\Z")),
    (types.TID, st.from_regex(r"\A'?[(]?[0-9-]{0,3},[ ]?[0-9]{0,6}[)]?'?\Z")),
]
