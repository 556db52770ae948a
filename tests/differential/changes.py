"""Statements that change rows, and views and macros over them."""

from __future__ import annotations

from random import Random

from tests.differential.definitions import new_name
from tests.differential.lake import Lake, Table
from tests.differential.recipes import recipe
from tests.differential.statements import FILES
from tests.differential.values import INTEGER

IDS_MAX = 60


def _table(random: Random, lake: Lake) -> Table:
    return lake.tables[random.choice(sorted(lake.tables))]


def condition(random: Random) -> str:
    """A predicate over the first column: of one row, of some, of none, of all."""
    number = random.randrange(IDS_MAX)
    return random.choice((f"id = {number}", f"id < {number}", f"id IN ({number}, {number + 1}, {number + 7})",
                          f"id % 3 = {number % 3}", "id IS NULL", "id >= 0"))  # fmt: skip


def _names(table: Table) -> str:
    return ", ".join(column.name for column in table.columns)


def _row(random: Random, table: Table) -> str:
    values = [str(random.randrange(IDS_MAX)) if column.type is INTEGER and column.name == "id"
              else column.type.literal(random) for column in table.columns]  # fmt: skip
    return f"({', '.join(values)})"


@recipe("insert values", 10, needs="tables")
def insert_values(random: Random, lake: Lake) -> str:
    table = _table(random, lake)
    rows = ", ".join(_row(random, table) for _ in range(random.choice((1, 1, 2, 3, 6))))
    return f"INSERT INTO {table.sql}({_names(table)}) VALUES {rows}"


@recipe("insert some columns", 2, needs="tables")
def insert_some_columns(random: Random, lake: Lake) -> str:
    """The other columns take their defaults."""
    return f"INSERT INTO {_table(random, lake).sql}(id) VALUES ({random.randrange(IDS_MAX)})"


@recipe("insert select", 5, needs="tables")
def insert_select(random: Random, lake: Lake) -> str:
    """More rows than are inlined, mostly."""
    table = _table(random, lake)
    values = ", ".join(f"({column.type.of_row})::{column.type.sql}" for column in table.columns[1:])
    start, count = random.randrange(IDS_MAX), random.choice((5, 12, 40, 200))
    selected = f"i{', ' + values if values else ''}"
    return f"INSERT INTO {table.sql}({_names(table)}) SELECT {selected} FROM range({start}, {start + count}) r(i)"


@recipe("insert from table", 1.2, needs="tables")
def insert_from_table(random: Random, lake: Lake) -> str:
    table = _table(random, lake)
    return f"INSERT INTO {table.sql}(id) SELECT id FROM {_table(random, lake).sql} WHERE {condition(random)}"


@recipe("update", 5, needs="tables")
def update(random: Random, lake: Lake) -> str:
    table = _table(random, lake)
    column = random.choice(table.columns)
    value = "id + 1" if column.name == "id" else column.type.literal(random)
    return f"UPDATE {table.sql} SET {column.name} = {value} WHERE {condition(random)}"


@recipe("delete", 5, needs="tables")
def delete(random: Random, lake: Lake) -> str:
    return f"DELETE FROM {_table(random, lake).sql} WHERE {condition(random)}"


@recipe("change rows by another table", 1.2, needs="tables")
def change_by_other(random: Random, lake: Lake) -> str:
    table, other = _table(random, lake), _table(random, lake)
    if random.random() < 0.4:
        return f"DELETE FROM {table.sql} t USING {other.sql} o WHERE t.id = o.id AND o.{condition(random)}"
    column = random.choice(table.columns)
    value = "t.id + 100" if column.name == "id" else column.type.literal(random)
    source = f"(SELECT DISTINCT id FROM {other.sql}) o"
    return f"UPDATE {table.sql} t SET {column.name} = {value} FROM {source} WHERE t.id = o.id AND o.{condition(random)}"


@recipe("insert by name", 1, needs="tables")
def insert_by_name(random: Random, lake: Lake) -> str:
    table = _table(random, lake)
    chosen = random.sample(table.columns[1:], k=(len(table.columns) - 1) // 2)
    values = "".join(f", {column.type.literal(random)} AS {column.name}" for column in chosen)
    return f"INSERT INTO {table.sql} BY NAME SELECT {random.randrange(IDS_MAX)} AS id{values}"


@recipe("delete all", 1, needs="tables")
def delete_all(random: Random, lake: Lake) -> str:
    return f"{random.choice(('DELETE FROM', 'TRUNCATE'))} {_table(random, lake).sql}"


@recipe("merge into", 2.5, needs="tables")
def merge_into(random: Random, lake: Lake) -> str:
    table = _table(random, lake)
    start, count = random.randrange(IDS_MAX), random.choice((2, 3, 25))
    matched = ["DELETE"]
    if len(table.columns) > 1:
        column = random.choice(table.columns[1:])
        matched += [f"UPDATE SET {column.name} = {column.type.literal(random)}"] * 3
    clauses = [f"WHEN MATCHED THEN {random.choice(matched)}", "WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)"]
    chosen = clauses if random.random() < 0.6 else [random.choice(clauses)]
    return (
        f"MERGE INTO {table.sql} t USING (SELECT i::INTEGER AS id FROM range({start}, {start + count}) r(i)) s "
        f"ON t.id = s.id {' '.join(chosen)}"
    )


@recipe("create view", 1.5, needs="tables")
def create_view(random: Random, lake: Lake) -> str:
    table = _table(random, lake)
    if lake.views and random.random() < 0.3:
        return f"CREATE OR REPLACE VIEW {random.choice(sorted(lake.views))} AS SELECT id FROM {table.sql}"
    name = new_name(lake, "v")
    lake.views[name] = name
    return f"CREATE VIEW {name} AS SELECT id, count(*) AS n FROM {table.sql} WHERE {condition(random)} GROUP BY id"


@recipe("drop or rename view", 1, needs="views")
def change_view(random: Random, lake: Lake) -> str:
    old = lake.views.pop(random.choice(sorted(lake.views)))
    if random.random() < 0.5:
        return f"DROP VIEW {old}"
    name = new_name(lake, "v")
    lake.views[name] = name
    return f"ALTER VIEW {old} RENAME TO {name}"


@recipe("create macro", 1.2, needs="tables")
def create_macro(random: Random, lake: Lake) -> str:
    name = new_name(lake, "m")
    lake.macros[name] = random.choice(("scalar", "table", "overloaded"))
    match lake.macros[name]:
        case "scalar":
            return f"CREATE MACRO {name}(x, y := 'it''s') AS concat(x, y)"
        case "table":
            return f"CREATE MACRO {name}(n) AS TABLE SELECT id FROM {_table(random, lake).sql} WHERE id <= n"
        case _:
            return f"CREATE MACRO {name}(x) AS x + 1, (x, y) AS x || y"


@recipe("drop macro", 0.8, needs="macros")
def drop_macro(random: Random, lake: Lake) -> str:
    name = random.choice(sorted(lake.macros))
    return f"DROP MACRO {'TABLE ' if lake.macros.pop(name) == 'table' else ''}{name}"


@recipe("write a file to add", 1.2, needs="tables", in_transaction=False)
def write_file(random: Random, lake: Lake) -> str:
    """A file that ``add data files`` may then name."""
    columns = random.choice(("i::INTEGER AS id", "i::INTEGER AS id, 'x' AS extra"))
    return f"COPY (SELECT {columns} FROM range(5) r(i)) TO '{FILES}/{random.randrange(2)}.parquet'"
