"""Statements that define: schemas, tables, columns, views, macros, comments, layouts and options."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from tests.differential.lake import Column, Lake, Table, literal
from tests.differential.recipes import recipe
from tests.differential.values import INTEGER, TYPES, VARCHAR, Type, column_type

COLUMNS_MAX = 5
HOSTILE_EVERY = 11
OPTIONS = (
    ("parquet_compression", ("'zstd'", "'gzip'", "'snappy'", "'uncompressed'")),
    ("parquet_version", ("1", "2")),
    ("parquet_compression_level", ("1", "3")),
    ("parquet_row_group_size", ("64", "2048")),
    ("target_file_size", ("'1KB'", "'10MB'")),
    ("data_inlining_row_limit", ("0", "1", "3", "1000")),
    ("rewrite_delete_threshold", ("0", "0.5")),
    ("hive_file_pattern", ("true", "false")),
    ("auto_compact", ("true", "false")),
    ("expire_older_than", ("'1 day'", "''")),
    ("delete_older_than", ("'1 day'",)),
    ("no_such_option", ("1",)),
)
TEXTS = ("'plain'", "'it''s'", "''", "NULL", "'Ünï ''{}'' % \\ \"q\" $1 $$'", "'two;statements'")


def new_name(lake: Lake, prefix: str) -> str:
    """A name that was never used in the workload; one in eleven has to be quoted."""
    lake.names += 1
    if lake.names % HOSTILE_EVERY:
        return f"{prefix}{lake.names}"
    return f'"{prefix}{lake.names} It\'s ""Größe"" 100%; --"'


def _columns(random: Random, lake: Lake) -> tuple[Column, ...]:
    drawn = [Column(new_name(lake, "c"), column_type(random)) for _ in range(random.randrange(COLUMNS_MAX))]
    return (Column("id", INTEGER), *drawn)


def _constraint(random: Random, kind: Type) -> str:
    drawn = random.random()
    if drawn < 0.02 or (drawn < 0.15 and kind.has_default):
        return f" DEFAULT {random.choice(kind.literals)}"
    return " NOT NULL" if drawn < 0.2 else ""


def _declared(random: Random, columns: tuple[Column, ...]) -> str:
    return ", ".join(f"{column.name} {column.type.sql}{_constraint(random, column.type)}" for column in columns)


@recipe("create table", 6)
def create_table(random: Random, lake: Lake) -> str:
    table = Table(random.choice(sorted(lake.schemas)), new_name(lake, "t"), _columns(random, lake))
    lake.tables[table.sql] = table
    return f"CREATE TABLE {table.sql}({_declared(random, table.columns)})"


@recipe("create table as", 2)
def create_table_as(random: Random, lake: Lake) -> str:
    table = Table(random.choice(sorted(lake.schemas)), new_name(lake, "t"), _columns(random, lake))
    lake.tables[table.sql] = table
    values = ", ".join(f"({column.type.of_row})::{column.type.sql} AS {column.name}" for column in table.columns)
    return f"CREATE TABLE {table.sql} AS SELECT {values} FROM range({random.choice((0, 3, 10, 40))}) r(i)"


@recipe("create or replace table", 1.2, needs="tables")
def replace_table(random: Random, lake: Lake) -> str:
    table = replace(lake.tables[random.choice(sorted(lake.tables))], columns=_columns(random, lake))
    lake.tables[table.sql] = table
    return f"CREATE OR REPLACE TABLE {table.sql}({_declared(random, table.columns)})"


@recipe("create existing table", 0.6, needs="tables")
def create_existing(random: Random, lake: Lake) -> str:
    clause = random.choice(("", "IF NOT EXISTS "))
    return f"CREATE TABLE {clause}{random.choice(sorted(lake.tables))}(id INTEGER)"


@recipe("drop table", 1, needs="tables")
def drop_table(random: Random, lake: Lake) -> str:
    return f"DROP TABLE {lake.tables.pop(random.choice(sorted(lake.tables))).sql}"


@recipe("rename table", 1, needs="tables")
def rename_table(random: Random, lake: Lake) -> str:
    old = lake.tables.pop(random.choice(sorted(lake.tables)))
    new = replace(old, name=new_name(lake, "t"))
    lake.tables[new.sql] = new
    return f"ALTER TABLE {old.sql} RENAME TO {new.name}"


@recipe("create schema", 1)
def create_schema(random: Random, lake: Lake) -> str:
    name = new_name(lake, "s")
    lake.schemas[name] = name
    return f"CREATE SCHEMA {name}"


@recipe("drop schema", 0.6)
def drop_schema(random: Random, lake: Lake) -> str:
    """Often one that is not empty, and without CASCADE then refused."""
    names = sorted(lake.schemas.keys() - {"main"})
    if not names:
        return "DROP SCHEMA IF EXISTS none_such"
    name, cascade = random.choice(names), random.random() < 0.6
    held = [table for table in lake.tables.values() if table.schema == name]
    if cascade or not held:
        del lake.schemas[name]
        for table in held:
            del lake.tables[table.sql]
    return f"DROP SCHEMA {name}{' CASCADE' if cascade else ''}"


@recipe("add column", 2, needs="tables")
def add_column(random: Random, lake: Lake) -> str:
    table = lake.tables[random.choice(sorted(lake.tables))]
    column = Column(new_name(lake, "c"), column_type(random))
    lake.tables[table.sql] = replace(table, columns=(*table.columns, column))
    with_default = column.type.has_default and random.random() < 0.4
    default = f" DEFAULT {random.choice(column.type.literals)}" if with_default else ""
    return f"ALTER TABLE {table.sql} ADD COLUMN {column.name} {column.type.sql}{default}"


@recipe("change column", 4, needs="tables")
def change_column(random: Random, lake: Lake) -> str:
    """Drop, rename, widen, default, nullability: of any column but the first."""
    table = lake.tables[random.choice(sorted(lake.tables))]
    if len(table.columns) == 1:
        return add_column(random, lake)
    position = random.randrange(1, len(table.columns))
    column, alter = table.columns[position], f"ALTER TABLE {table.sql}"
    match random.randrange(6):
        case 0:
            lake.tables[table.sql] = table.changed(position)
            return f"{alter} DROP COLUMN {column.name}"
        case 1:
            renamed = replace(column, name=new_name(lake, "c"))
            lake.tables[table.sql] = table.changed(position, renamed)
            return f"{alter} RENAME COLUMN {column.name} TO {renamed.name}"
        case 2:
            wider = column.type.wider or "BIGINT"
            if column.type.wider:
                lake.tables[table.sql] = table.changed(position, replace(column, type=TYPES[wider]))
            return f"{alter} ALTER COLUMN {column.name} SET DATA TYPE {wider}"
        case 3:
            return f"{alter} ALTER COLUMN {column.name} SET DEFAULT {random.choice(column.type.literals)}"
        case 4:
            return f"{alter} ALTER COLUMN {column.name} DROP DEFAULT"
        case _:
            return f"{alter} ALTER COLUMN {column.name} {random.choice(('SET', 'DROP'))} NOT NULL"


@recipe("change nested column", 1.5, needs="tables")
def change_nested(random: Random, lake: Lake) -> str:
    """Fields of structs; the model forgets the column afterwards, so inserts leave it to its default."""
    found = [(t, p) for t in lake.tables.values() for p, c in enumerate(t.columns) if c.type.sql.startswith("STRUCT(f")]
    if not found:
        return add_column(random, lake)
    table, position = random.choice(found)
    column = table.columns[position]
    lake.tables[table.sql] = table.changed(position)
    field = f"{column.name}.{random.choice('fg')}"
    action = random.choice((f"ADD COLUMN {column.name}.h {random.choice((VARCHAR, INTEGER)).sql}",
                            f"DROP COLUMN {field}", f"RENAME COLUMN {field} TO z"))  # fmt: skip
    return f"ALTER TABLE {table.sql} {action}"


@recipe("comment", 1.5, needs="tables")
def comment(random: Random, lake: Lake) -> str:
    table = lake.tables[random.choice(sorted(lake.tables))]
    targets = [f"TABLE {table.sql}", f"COLUMN {table.sql}.{random.choice(table.columns).name}"]
    targets += [f"VIEW {view}" for view in lake.views]
    return f"COMMENT ON {random.choice(targets)} IS {random.choice(TEXTS)}"


@recipe("set option", 1.5)
def set_option(random: Random, lake: Lake) -> str:
    name, values = random.choice(OPTIONS)
    scopes = ["", f", schema => {literal(random.choice(sorted(lake.schemas)))}"]
    for table in lake.tables.values():
        schema, name_of_table = table.literals
        scopes.append(f", schema => {schema}, table_name => {name_of_table}")
    return f"CALL lake.set_option('{name}', {random.choice(values)}{random.choice(scopes)})"


@recipe("partitioning", 2, needs="tables")
def partitioning(random: Random, lake: Lake) -> str:
    table = lake.tables[random.choice(sorted(lake.tables))]
    terms = ["id", "bucket(4, id)"]
    for column in table.columns[1:]:
        match column.type.family:
            case "DATE" | "TIMESTAMP":
                terms += [f"{part}({column.name})" for part in ("year", "month", "day")]
            case "VARCHAR":
                terms += [column.name, f"bucket(3, {column.name})"]
            case "BOOLEAN" | "TINYINT":
                terms.append(column.name)
            case _:
                pass  # partitions by it would be one file a row
    if random.random() < 0.3:
        return f"ALTER TABLE {table.sql} RESET PARTITIONED BY"
    keys = random.sample(terms[1:], k=1 if len(terms) == 2 or random.random() < 0.7 else 2)
    return f"ALTER TABLE {table.sql} SET PARTITIONED BY ({', '.join(keys)})"


@recipe("sorting", 1.5, needs="tables")
def sorting(random: Random, lake: Lake) -> str:
    table = lake.tables[random.choice(sorted(lake.tables))]
    if random.random() < 0.3:
        return f"ALTER TABLE {table.sql} RESET SORTED BY"
    orders = ("ASC", "DESC", "ASC NULLS FIRST", "DESC NULLS LAST")
    chosen = random.sample(table.columns, k=random.randint(1, min(2, len(table.columns))))
    return f"ALTER TABLE {table.sql} SET SORTED BY ({', '.join(f'{c.name} {random.choice(orders)}' for c in chosen)})"
