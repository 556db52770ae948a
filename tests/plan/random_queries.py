"""Queries made at random, from a fixed seed, over the tables of ``setup.sql``."""

from __future__ import annotations

import random

COLUMNS = {
    "a": ["1", "'2'", "-4", "5.0", "NULL", "i", "2.5"],
    "b": ["'one'", "''", "('Two' COLLATE \"C\")", "NULL", "l", "upper(b)"],
    "d": ["1.5", "'NaN'", "'-2.25'", "a", "k", "e", "NULL"],
    "e": ["10.25", "'-0.01'", "a", "d", "0", "NULL"],
    "f": ["'2024-01-02 03:04:05.678+00'", "'infinity'", "g", "NULL"],
    "g": ["'2024-01-02'", "'1999-12-31'", "f", "NULL"],
    "h": ["'00000000-0000-0000-0000-000000000000'", "NULL", "h"],
    "i": ["7", "-7", "'7'", "j", "a", "NULL"],
    "m": ["'\\x'", "'\\x0102'::bytea", "NULL"],
}
OPERATORS = ["=", "<>", "<", "<=", ">", ">="]


class Maker:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def pick(self, *choices: str) -> str:
        return self.random.choice(choices)

    def comparison(self) -> str:
        column = self.pick(*COLUMNS)
        value, other = (self.random.choice(COLUMNS[column]) for _ in range(2))
        form = self.random.randrange(9)
        if form < 4:
            return f"{column} {self.pick(*OPERATORS)} {value}"
        if form == 4:
            return f"{column} {self.pick('IN', 'NOT IN')} ({value}, {other})"
        if form == 5:
            return f"{column} {self.pick('BETWEEN', 'NOT BETWEEN')} {value} AND {other}"
        if form == 6:
            return f"{column} IS {self.pick('', 'NOT ')}DISTINCT FROM {value}"
        if form == 7:
            return f"{column} IS {self.pick('', 'NOT ')}NULL"
        return f"{value} {self.pick(*OPERATORS)} {column}"

    def condition(self, depth: int = 3) -> str:
        form = self.random.randrange(8) if depth else 7
        if form < 3:
            return f"({self.condition(depth - 1)} AND {self.condition(depth - 1)})"
        if form < 5:
            return f"({self.condition(depth - 1)} OR {self.condition(depth - 1)})"
        if form == 5:
            return f"NOT {self.condition(depth - 1)}"
        if form == 6:
            return f"({self.condition(depth - 1)}) IS {self.pick('TRUE', 'NOT TRUE', 'FALSE', 'UNKNOWN', 'NOT FALSE')}"
        return self.pick("c", "NOT c") if self.random.random() < 0.1 else self.comparison()

    def query(self) -> str:
        form = self.random.randrange(6)
        where = self.condition()
        if form < 3:
            return f"SELECT a FROM t WHERE {where} ORDER BY a"
        if form == 3:
            return f"SELECT {where} AS x, {self.condition(2)} AS y FROM t ORDER BY t.a"
        if form == 4:
            group = self.pick(*COLUMNS, "c")
            return f"SELECT {group}, count(*), max(a) FROM t WHERE {where} GROUP BY {group} ORDER BY 1, 2, 3"
        kind = self.pick("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN")
        on = "v.a = t.a" if kind == "FULL JOIN" else f"v.a = t.a AND {self.pick('v.id > 1', 'v.flag', 'true', 't.c')}"
        return f"SELECT v.id, t.a FROM (SELECT id, a, flag FROM u) v {kind} t ON {on} ORDER BY 1, 2"


def random_queries(count: int, seed: int = 7) -> list[str]:
    maker = Maker(seed)
    return [maker.query() for _ in range(count)]
