"""Lakes made at random, as statements that PostgreSQL and this server both run: DuckLake's relations, tables of inlined
rows, tables of users, comments and indexes."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

from tests.plan.ducklake_tables import EVERY_KIND

ROOT = Path(__file__).parents[2]
SEEDS = (3, 14, 159)
_TYPES = [item.strip().split()[-1].rstrip("!*") for item in EVERY_KIND.replace("(15,2)", "(15;2)").split(",")]
_DEFAULTS = {
    "bool": "true", "int4": "7", "int8": "-3", "varchar": "'it''s'", "text": "''", "numeric(15,2)": "1.50",
    "date": "'2024-02-03'", "float8": "2.5",
}
_WORDS = ("plain", "Mixed Case", "select", "ümlaut", "with\"quote", "a.b", "percent", "tab\\t")


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _text(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


class Lake:
    """The statements of one lake, and the names of its tables."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.database = f"lake_{seed}"
        self.tables: list[str] = []
        self.columns: dict[str, list[str]] = {}
        self.indexes: list[str] = []
        self.statements = list(self._statements())

    def describing(self) -> Iterator[str]:
        """psql's commands that describe single tables and indexes."""
        some = ("ducklake_data_file", "ducklake_schema", "ducklake_metadata")
        tables = [name for name in self.tables if name in some or "inlined" in name or not name.startswith("ducklake")]
        for number, name in enumerate((*tables, *self.indexes, "ducklake_snapshot_pkey")):
            for command in ("d", "d+"):
                yield f"\\echo # {command} of {number}"
                yield f"\\{command} {_quoted(name)}"

    def _statements(self) -> Iterator[str]:
        yield from self._ducklake()
        for number in range(self.random.randint(1, 4)):
            yield self._table(f"ducklake_inlined_data_{number + 1}_{self.random.randint(1, 3)}", inlined=True)
        for name in self.random.sample(_WORDS, 3):
            yield self._table(name, inlined=False)
        for _ in range(self.random.randint(3, 6)):
            yield self._index()
        for _ in range(self.random.randint(6, 12)):
            yield self._comment()
        if self.random.random() < 0.5:
            yield "COMMENT ON SCHEMA public IS NULL"
        yield f"COMMENT ON DATABASE {self.database} IS {_text(self.random.choice(_WORDS))}"

    def _ducklake(self) -> Iterator[str]:
        """DuckLake's own relations, as ``sql/schema.sql`` has them."""
        script = "\n".join(
            line for line in (ROOT / "sql" / "schema.sql").read_text().splitlines() if not line.startswith("--"))
        for statement in script.split(";"):
            if "CREATE TABLE" in statement:
                name = statement.split("CREATE TABLE", 1)[1].split("(", 1)[0].strip()
                self.tables.append(name)
                body = statement.split("(", 1)[1]
                self.columns[name] = [
                    line.split()[0] for line in body.splitlines()
                    if line.startswith("    ") and "PRIMARY KEY (" not in line
                ]
                yield statement.strip()

    def _table(self, name: str, *, inlined: bool) -> str:
        columns = ["row_id bigint", "begin_snapshot bigint", "end_snapshot bigint"] if inlined else []
        names = [column.split()[0] for column in columns]
        kinds = [self.random.choice(_TYPES).replace(";", ",") for _ in range(self.random.randint(1, 6))]
        for number, kind in enumerate(kinds):
            column = self.random.choice(_WORDS) + str(number)
            names.append(column)
            spelled = f"{_quoted(column)} {kind}"
            if kind in _DEFAULTS and self.random.random() < 0.5:
                spelled += f" DEFAULT {_DEFAULTS[kind]}"
            if self.random.random() < 0.3:
                spelled += " NOT NULL"
            columns.append(spelled)
        if not inlined and self.random.random() < 0.7:
            columns.append(f"PRIMARY KEY ({', '.join(map(_quoted, self.random.sample(names, min(2, len(names)))))})")
        self.tables.append(name)
        self.columns[name] = names
        return f"CREATE TABLE {_quoted(name)} ({', '.join(columns)})"

    def _index(self) -> str:
        table = self.random.choice(self.tables)
        columns = self.random.sample(self.columns[table], min(len(self.columns[table]), self.random.randint(1, 3)))
        order = ("", "", " DESC", " NULLS FIRST", " DESC NULLS LAST")
        keys = ", ".join(_quoted(column) + self.random.choice(order) for column in columns)
        number = len(self.indexes)
        name = f"index {number}" if self.random.random() < 0.5 else f"by_{columns[0].lower()}_{number}"
        self.indexes.append(name)
        exists = self.random.choice(("", "IF NOT EXISTS "))
        return f"CREATE INDEX {exists}{_quoted(name)} ON {_quoted(table)} ({keys})"

    def _comment(self) -> str:
        text = _text(" ".join(self.random.sample(_WORDS, 2)) + "'s")
        kind = self.random.choice(("TABLE", "COLUMN", "COLUMN", "INDEX"))
        table = self.random.choice(self.tables)
        if kind == "TABLE":
            return f"COMMENT ON TABLE {_quoted(table)} IS {text}"
        if kind == "INDEX":
            return f"COMMENT ON INDEX {_quoted(self.random.choice(self.indexes))} IS {text}"
        return f"COMMENT ON COLUMN {_quoted(table)}.{_quoted(self.random.choice(self.columns[table]))} IS {text}"
