"""What pg_catalog and information_schema say of a lake, against the rules and against a live PostgreSQL."""

from __future__ import annotations

import gc
import os
import re
import weakref
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

import psycopg
import pytest
from psycopg.rows import TupleRow

from rocklake_server.auth.access import UNRESTRICTED, Access
from rocklake_server.catalog.database_names import DatabaseFacts, known_databases
from rocklake_server.catalog.maintenance.runs import Result, Run
from rocklake_server.errors import InternalProblem
from rocklake_server.plan.model import Context
from rocklake_server.plan.system import relation as system_relation
from rocklake_server.plan.system.default_text import default_text
from rocklake_server.plan.system.identifiers import quote_identifier
from rocklake_server.plan.system_relations import SYSTEM_RELATIONS
from rocklake_server.schema.model import IndexDefinition, IndexKey, Relation, RelationColumn, RelationKind
from rocklake_server.schema.types import ALL_TYPES, BIGINT, BY_NAME, ColumnType, Form, Value, varchar
from rocklake_server.session.settings import Settings
from tests.plan.ducklake_tables import DUCKLAKE_TABLES, EVERY_KIND, create_table, relation

DEFAULTS: dict[str, tuple[str, Value]] = {
    "flag": ("true", True), "tiny": ("3", 3), "small": ("-1", -1), "single": ("1.5", 1.5),
    "twice": ("-2.25", -2.25), "money": ("7.50", Decimal("7.50")), "words": ("'it''s'", "it's"),
    "raw": (r"'\x00ff'", b"\x00\xff"), "id": ("'00000000-0000-0000-0000-000000000001'", bytes(15) + b"\x01"),
    "big": ("3000000000", 3_000_000_000), "short": ("'a'", "a"), "exact": ("1e20", Decimal(10) ** 20),
    "day": ("'2000-01-02'::date", 1), "moment": ("'00:00:01'::time", 1_000_000),
    "stamp": ("'2000-01-01 00:00:00.5'::timestamp", 500_000), "span": ("'1 mon 2 days'::interval", (1, 2, 0)),
}
EVERY_KIND_TABLE = relation("Every Kind", EVERY_KIND, 20_000, key=("big", "tiny"),
                            defaults={name: value for name, (_, value) in DEFAULTS.items()})
TEMPORARY_TABLE = relation("scratch", "value varchar, place varchar", 30_000, kind=RelationKind.TEMPORARY)
LAKE_TABLES = (
    *(relation(name, text, 16_384 + number) for number, (name, text) in enumerate(DUCKLAKE_TABLES.items())),
    EVERY_KIND_TABLE,
)


@dataclass(frozen=True)
class LakeView:
    """A transaction's view as far as catalog rows need one."""

    relation_list: Sequence[Relation] = LAKE_TABLES
    schema_list: Sequence[tuple[int, str]] = ((2200, "public"),)
    database: str = "lake"
    now_us: int = 0
    definitions_version: object = field(default_factory=object)
    access: Access = UNRESTRICTED
    lists_system_relations: bool = False

    def schemas(self) -> Sequence[tuple[int, str]]:
        return self.schema_list

    def relations(self) -> Sequence[Relation]:
        return self.relation_list

    def maintenance_runs(self) -> Sequence[Run]:
        return (Run(1, "gc", "lake", "public", "ada", 5, 0.25, Result.DONE, {"lake": "lake"}, "no error"),)

    def schema_comment(self, name: str) -> str | None:
        return f"schema {name}"

    def database_comment(self) -> str | None:
        return "the lake"

    def known_databases(self) -> Sequence[DatabaseFacts]:
        return known_databases({}, self.database)

    def relations_of(self, schemas: Collection[str]) -> Sequence[Relation]:
        temporary = RelationKind.TEMPORARY
        return [r for r in self.relation_list if ("pg_temp" if r.kind is temporary else r.schema) in schemas]

    def relation_of_oid(self, oid: int) -> Relation | None:
        return next((relation for relation in self.relation_list if relation.oid == oid), None)

    def owner_of_index(self, oid: int) -> Relation | None:
        return next((found for found in self.relation_list if any(index.oid == oid for index in found.indexes)), None)


def rows_of(name: str, view: LakeView, schema: str = "pg_catalog") -> list[dict[str, Value]]:
    found = SYSTEM_RELATIONS[schema, name]
    names = [column.name for column in (*found.columns, *found.hidden)]
    return [dict(zip(names, row, strict=True)) for row in found.rows(view)]


OWN_SCHEMA = "rocklake"
"""What PostgreSQL does not have."""

FORMS: dict[Form, type | tuple[type, ...]] = {
    Form.BOOL: bool, Form.INT: int, Form.FLOAT: float, Form.TEXT: str, Form.ARRAY: tuple, Form.BYTES: bytes,
    Form.TIMESTAMP: int, Form.INTERVAL: tuple,
}


def fits(value: Value, column_type: ColumnType) -> bool:
    if value is None:
        return True
    if isinstance(value, bool) and column_type.form is not Form.BOOL:
        return False
    if column_type.element and isinstance(value, tuple):
        return all(fits(item, column_type.element) for item in value)
    return isinstance(value, FORMS[column_type.form])


def test_what_is_asked_for_by_some_values_has_every_row_with_them():
    index = IndexDefinition(40_000, "by_flag", (IndexKey(1),), oid=40_000)
    view = LakeView((*LAKE_TABLES, TEMPORARY_TABLE, replace(EVERY_KIND_TABLE, name="u", oid=30_001, indexes=(index,))))
    asked = 0
    for found in SYSTEM_RELATIONS.values():
        for column, narrowed in found.narrowed.items():
            rows = found.rows(view)
            values = sorted({row[column] for row in rows})
            for wanted in ({value} for value in (*values, 77, "nothing")):
                some = narrowed(view, wanted)
                assert [row for row in some if row[column] in wanted] == [row for row in rows if row[column] in wanted]
                asked += 1
            assert sorted(map(repr, narrowed(view, set(values)))) == sorted(map(repr, rows))
    assert asked > 100


def test_every_value_has_the_form_of_its_columns_type():
    view = LakeView((*LAKE_TABLES, TEMPORARY_TABLE))
    for key, found in SYSTEM_RELATIONS.items():
        types = [column.type for column in (*found.columns, *found.hidden)]
        for row in found.rows(view):
            assert len(row) == len(types), key
            assert all(map(fits, row, types)), (key, row)


def test_the_lakes_tables_and_their_primary_keys_are_found():
    classes = rows_of("pg_class", LakeView())
    assert [row["relname"] for row in classes if row["relkind"] == "r"] == [made.name for made in LAKE_TABLES]
    indexes = {row["relname"] for row in classes if row["relkind"] == "i"}
    assert indexes == {
        "ducklake_snapshot_pkey", "ducklake_snapshot_changes_pkey", "ducklake_schema_pkey",
        "ducklake_data_file_pkey", "ducklake_delete_file_pkey", "Every Kind_pkey",
    }
    assert {row["relpages"] for row in classes} == {0}


def test_oids_are_distinct_and_stay_the_same():
    classes, constraints = rows_of("pg_class", LakeView()), rows_of("pg_constraint", LakeView())
    defaults = rows_of("pg_attrdef", LakeView())
    found = [row["oid"] for row in (*classes, *constraints, *defaults)]
    assert len(set(found)) == len(found)
    assert all(isinstance(oid, int) and 0 < oid < 1 << 32 for oid in found)
    again = rows_of("pg_class", LakeView(tuple(replace(made) for made in LAKE_TABLES)))
    assert [row["oid"] for row in again] == [row["oid"] for row in classes]


def test_primary_key_columns_are_numbered_by_position_and_keep_the_keys_order():
    (row,) = rows_of("pg_constraint", LakeView((EVERY_KIND_TABLE,)))
    assert row["conkey"] == (4, 2)
    assert (row["conrelid"], row["contype"]) == (EVERY_KIND_TABLE.oid, "p")


def test_columns_are_numbered_by_position_whatever_their_permanent_number():
    moved = replace(TEMPORARY_TABLE, columns=tuple(
        replace(column, number=90 - position) for position, column in enumerate(TEMPORARY_TABLE.columns)))
    assert [row["attnum"] for row in rows_of("pg_attribute", LakeView((moved,)))] == [1, 2]


def test_temporary_tables_have_a_schema_of_their_own():
    view = LakeView((TEMPORARY_TABLE,))
    (row,) = rows_of("pg_class", view)
    names = {row["oid"]: row["nspname"] for row in rows_of("pg_namespace", view)}
    assert (row["relpersistence"], names[row["relnamespace"]]) == ("t", "pg_temp")
    (table,) = rows_of("tables", view, "information_schema")
    assert (table["table_schema"], table["table_type"]) == ("pg_temp", "LOCAL TEMPORARY")
    assert "pg_temp" not in {row["nspname"] for row in rows_of("pg_namespace", LakeView())}


def test_relations_stand_in_their_schemas():
    other = replace(LAKE_TABLES[0], schema="tenant", oid=40_000)
    view = LakeView((LAKE_TABLES[0], other), ((2200, "public"), (16_500, "tenant")))
    assert [row["relnamespace"] for row in rows_of("pg_class", view)] == [2200, 16_500]
    tables = rows_of("tables", view, "information_schema")
    assert [row["table_schema"] for row in tables] == ["public", "tenant"]


def test_a_relation_of_an_unknown_schema_is_an_error():
    with pytest.raises(InternalProblem, match="unknown schema"):
        rows_of("pg_class", LakeView((replace(LAKE_TABLES[0], schema="gone"),)))


@pytest.mark.parametrize("oid", [0, 1 << 30])
def test_an_oid_outside_the_relations_range_is_an_error(oid: int):
    with pytest.raises(InternalProblem, match="outside"):
        rows_of("pg_constraint", LakeView((replace(EVERY_KIND_TABLE, oid=oid),)))


def test_xmin_changes_with_the_definition_only():
    def xmin(made: Relation) -> Value:
        return rows_of("pg_class", LakeView((made,)))[0]["xmin"]

    made = LAKE_TABLES[0]
    first, *others = made.columns
    changed = [
        replace(made, name="renamed"),
        replace(made, oid=made.oid + 1),
        replace(made, primary_key=(0,)),
        replace(made, columns=(first,)),
        *(replace(made, columns=(column, *others)) for column in (
            replace(first, name="renamed"), replace(first, type=BIGINT), replace(first, type=varchar(3)),
            replace(first, nullable=True), replace(first, default="x"),
        )),
    ]
    numbers = [xmin(made), *map(xmin, changed)]
    assert len(set(numbers)) == len(numbers)
    assert xmin(replace(made)) == numbers[0]


def test_system_relations_and_composite_types_are_left_out():
    view = LakeView()
    assert not any(str(row["relname"]).startswith("pg_") for row in rows_of("pg_class", view))
    assert {row["typtype"] for row in rows_of("pg_type", view)} == {"b", "p"}
    assert {row["typrelid"] for row in rows_of("pg_type", view)} == {0}


def test_rows_are_the_same_object_until_the_definitions_change():
    version = ("root", 7)
    found = SYSTEM_RELATIONS["pg_catalog", "pg_attribute"]
    first = found.rows(LakeView(definitions_version=version))
    assert found.rows(LakeView(definitions_version=version)) is first
    fewer = found.rows(LakeView(LAKE_TABLES[:1], definitions_version=("root", 8)))
    assert len(fewer) == 4
    assert fewer[0] is first[0]


def test_rows_of_another_database_or_with_another_schema_are_not_mixed_up():
    version = ("root", 9)
    found = SYSTEM_RELATIONS["information_schema", "schemata"]
    rows = {row[:2] for row in found.rows(LakeView(definitions_version=version, database="one"))}
    assert ("one", "public") in rows
    rows = {row[:2] for row in found.rows(LakeView(definitions_version=version, database="two"))}
    assert ("two", "public") in rows
    more = LakeView(definitions_version=version, database="two", schema_list=((2200, "public"), (3, "x")))
    assert ("two", "x") in {row[:2] for row in found.rows(more)}


def test_views_are_not_kept_alive():
    view = LakeView()
    SYSTEM_RELATIONS["pg_catalog", "pg_class"].rows(view)
    reference = weakref.ref(view)
    del view
    gc.collect()
    assert reference() is None


def test_the_number_of_kept_results_is_bounded(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(system_relation, "CACHED_RESULTS_MAX", 3)
    built: list[object] = []

    def build(view: object) -> system_relation.SystemRows:
        built.append(view)
        return (("row",),)

    made = system_relation.from_view("made_up", "made_up", "name text", build)
    views = [LakeView() for _ in range(4)]
    for view in views:
        made.rows(view)
    made.rows(views[-1])
    assert len(built) == 4
    made.rows(views[0])
    assert len(built) == 5


def test_the_number_of_kept_rows_is_bounded_but_the_newest_result_stays(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(system_relation, "CACHED_ROWS_MAX", 5)
    monkeypatch.setattr(system_relation, "CACHED_RELATIONS_MAX", 2)
    found = SYSTEM_RELATIONS["pg_catalog", "pg_attribute"]
    small, large = LakeView(LAKE_TABLES[:1]), LakeView()
    first = found.rows(small)
    rows = found.rows(large)
    assert found.rows(large) is rows
    assert found.rows(small) is not first
    assert found.rows(small) == first


@pytest.mark.parametrize(("name", "quoted"), [
    ("plain_1", "plain_1"), ("select", '"select"'), ("Mixed", '"Mixed"'), ('a"b', '"a""b"'),
    ("1st", '"1st"'), ("key", "key"), ("", '""'),
])
def test_identifiers_are_quoted_as_quote_ident_does(name: str, quoted: str):
    assert quote_identifier(name) == quoted


@pytest.mark.parametrize(("type_name", "value", "text"), [
    ("float8", float("nan"), "'NaN'::double precision"), ("numeric", Decimal("NaN"), "'NaN'::numeric"),
    ("float8", float("-inf"), "'-Infinity'::double precision"), ("float8", 2.0, "2"),
    ("timestamptz", 0, "'2000-01-01 00:00:00+00'::timestamp with time zone"), ("text", None, None),
])
def test_defaults_print_as_expressions(type_name: str, value: Value, text: str | None):
    assert default_text(RelationColumn("c", BY_NAME[type_name], 1, default=value)) == text


# Against PostgreSQL.

STAND_INS = {
    "pg_node_tree": "text", "anyarray": "text", "pg_lsn": "text", "_aclitem": "_text", "inet": "text",
    "pg_ndistinct": "text", "pg_dependencies": "text", "pg_mcv_list": "text", "_pg_statistic": "_text",
}
VECTORS = frozenset(("indkey", "indcollation", "indclass", "indoption", "proargtypes"))
TYPES_OF_RELATIONS = """
    SELECT nspname, relname, attname, coalesce(base.typname, own.typname)
    FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid JOIN pg_namespace n ON n.oid = relnamespace
    JOIN pg_type own ON own.oid = atttypid LEFT JOIN pg_type base ON base.oid = own.typbasetype
    WHERE attnum > 0 AND nspname IN ('pg_catalog', 'information_schema') ORDER BY attrelid, attnum
"""


@pytest.fixture(scope="module")
def connection(request: pytest.FixtureRequest) -> Iterator[psycopg.Connection[TupleRow]]:
    """A database of its own in the live PostgreSQL, with the tables of LAKE_TABLES."""
    dsn = request.getfixturevalue("postgres_dsn")
    name = f"system_relations_{os.getpid()}"
    with psycopg.connect(dsn, autocommit=True) as outer:
        outer.execute(f"CREATE DATABASE {name}")
        try:
            with psycopg.connect(dsn, autocommit=True, dbname=name) as inner:
                for made in LAKE_TABLES:
                    defaults = {column: sql for column, (sql, _) in DEFAULTS.items()}
                    inner.execute(create_table(made, defaults if made is EVERY_KIND_TABLE else None))
                yield inner
        finally:
            outer.execute(f"DROP DATABASE {name}")


def select(connection: psycopg.Connection[TupleRow], name: str, columns: Sequence[str], condition: str,
           schema: str = "pg_catalog") -> list[TupleRow]:
    """PostgreSQL's rows in this project's value forms: functions as OIDs, vectors and lists as tuples."""
    types = {column.name: column.type.typname for column in SYSTEM_RELATIONS[schema, name].columns}

    def shown(column: str) -> str:
        if column in VECTORS:
            return f"string_to_array({column}::text, ' ')::{'oid' if types[column] == 'oidvector' else 'int2'}[]"
        return f"{column}::oid" if types[column] == "regproc" else column

    query = f"SELECT {', '.join(map(shown, columns))} FROM {schema}.{name} WHERE {condition}"
    return [
        tuple(tuple(value) if isinstance(value, list) else value for value in row)
        for row in connection.execute(query)
    ]


def ours(name: str, columns: Sequence[str], view: LakeView,
         schema: str = "pg_catalog") -> list[tuple[Value, ...]]:
    return [tuple(row[column] for column in columns) for row in rows_of(name, view, schema)]


def columns_but(name: str, *left_out: str, schema: str = "pg_catalog") -> list[str]:
    names = [column.name for column in SYSTEM_RELATIONS[schema, name].columns]
    assert set(left_out) <= set(names)
    return [column for column in names if column not in left_out]


IN_PUBLIC = "(SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'i'))"
COMPARED = {
    "pg_class": (("oid", "reltype", "relfilenode", "reltoastrelid", "relpages", "relfrozenxid", "relminmxid"),
                 f"oid IN {IN_PUBLIC}"),
    "pg_attribute": (("attrelid",), f"attnum > 0 AND attrelid IN {IN_PUBLIC}"),
    "pg_constraint": (("oid", "conrelid", "conindid"), f"conrelid IN {IN_PUBLIC}"),
    "pg_index": (("indexrelid", "indrelid"), f"indexrelid IN {IN_PUBLIC}"),
    "pg_indexes": ((), "schemaname = 'public'"),
    "pg_tables": (("tableowner",), "schemaname = 'public'"),
    "pg_am": ((), "amname IN ('heap', 'btree')"),
    "pg_collation": ((), "collname IN ('default', 'C')"),
    "pg_tablespace": ((), "true"),
    "pg_type": ((), f"oid IN ({', '.join(str(column_type.oid) for column_type in ALL_TYPES)})"),
    "pg_namespace": (("nspowner", "nspacl"), "nspname <> 'pg_toast'"),
}
INFORMATION_SCHEMA_TABLES = ("tables", "columns", "key_column_usage", "constraint_column_usage")


@pytest.mark.postgres
def test_columns_and_types_are_postgresqls(connection: psycopg.Connection[TupleRow]):
    declared: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for schema, name, column, typname in connection.execute(TYPES_OF_RELATIONS):
        declared.setdefault((schema, name), []).append((column, STAND_INS.get(typname, typname)))
    for key, found in SYSTEM_RELATIONS.items():
        if found.schema == OWN_SCHEMA:
            continue
        assert [(column.name, column.type.typname) for column in found.columns] == declared[key], key
        assert [column.number for column in found.columns] == list(range(1, len(found.columns) + 1))


@pytest.mark.postgres
@pytest.mark.parametrize("name", sorted(COMPARED))
def test_rows_of_pg_catalog_are_postgresqls(name: str, connection: psycopg.Connection[TupleRow]):
    left_out, condition = COMPARED[name]
    columns = columns_but(name, *left_out)
    expected = select(connection, name, columns, condition)
    assert expected
    assert sorted(ours(name, columns, LakeView()), key=repr) == sorted(expected, key=repr)


@pytest.mark.postgres
def test_functions_are_postgresqls_but_for_their_language(connection: psycopg.Connection[TupleRow]):
    columns = columns_but("pg_proc", "prolang", "prosrc", "prosqlbody")
    oids = [row["oid"] for row in rows_of("pg_proc", LakeView())]
    expected = select(connection, "pg_proc", columns, f"oid IN ({', '.join(map(str, oids))})")
    assert sorted(ours("pg_proc", columns, LakeView()), key=repr) == sorted(expected, key=repr)


@pytest.mark.postgres
def test_attributes_and_constraints_belong_to_the_same_relations(connection: psycopg.Connection[TupleRow]):
    names = {row["oid"]: row["relname"] for row in rows_of("pg_class", LakeView())}
    for name, relation_column, column, condition in (
        ("pg_attribute", "attrelid", "attname", f"attnum > 0 AND attrelid IN {IN_PUBLIC}"),
        ("pg_constraint", "conrelid", "conname", f"conrelid IN {IN_PUBLIC}"),
        ("pg_constraint", "conindid", "conname", f"conrelid IN {IN_PUBLIC}"),
        ("pg_index", "indexrelid", "indrelid", f"indexrelid IN {IN_PUBLIC}"),
        ("pg_attrdef", "adrelid", "adnum", f"adrelid IN {IN_PUBLIC}"),
    ):
        shown = f"{column}::regclass::text" if column == "indrelid" else column
        expected = connection.execute(
            f"SELECT relname, {shown} FROM {name} JOIN pg_class ON pg_class.oid = {relation_column}"
            f" WHERE {condition}").fetchall()
        found = [
            (names[row[relation_column]],
             quote_identifier(str(names[row[column]])) if column == "indrelid" else row[column])
            for row in rows_of(name, LakeView())
        ]
        assert sorted(found) == sorted(expected), name


@pytest.mark.postgres
@pytest.mark.parametrize("name", INFORMATION_SCHEMA_TABLES)
def test_rows_of_information_schema_are_postgresqls(name: str, connection: psycopg.Connection[TupleRow]):
    view = LakeView(database=connection.info.dbname)
    columns = columns_but(name, schema="information_schema")
    expected = select(connection, name, columns, "table_schema = 'public'", "information_schema")
    assert expected
    found = ours(name, columns, view, "information_schema")
    assert sorted(found, key=repr) == sorted(expected, key=repr)


@pytest.mark.postgres
def test_table_constraints_are_postgresqls_but_for_oids(connection: psycopg.Connection[TupleRow]):
    def without_oids(rows: Sequence[Sequence[Value]]) -> list[list[str]]:
        numbered = re.compile(r"_\d+_(\d+)_not_null")
        return sorted([numbered.sub(r"_\1_not_null", str(value)) for value in row] for row in rows)

    name, schema = "table_constraints", "information_schema"
    columns = columns_but(name, schema=schema)
    expected = select(connection, name, columns, "table_schema = 'public'", schema)
    found = ours(name, columns, LakeView(database=connection.info.dbname), schema)
    assert without_oids(found) == without_oids(expected)


@pytest.mark.postgres
def test_defaults_are_postgresqls_expressions(connection: psycopg.Connection[TupleRow]):
    expected = connection.execute(
        "SELECT adnum, pg_get_expr(adbin, adrelid) FROM pg_attrdef ORDER BY adnum").fetchall()
    rows = rows_of("pg_attrdef", LakeView())
    assert [(row["adnum"], row["adbin"]) for row in rows] == expected


OURS_ALONE = {
    "max_identifier_length", "server_version", "server_version_num", "jit", "lc_messages", "rocklake.system_relations",
}  # fmt: skip


@pytest.mark.postgres
def test_settings_are_postgresqls(connection: psycopg.Connection[TupleRow]):
    """Their facts and values are, but for those that say what this server is and what it fixes."""
    settings = Settings({})
    context = Context(LakeView(), settings=settings)
    relation = SYSTEM_RELATIONS["pg_catalog", "pg_settings"]
    columns = [column.name for column in relation.columns]
    found = [dict(zip(columns, row, strict=True)) for row in relation.content(context)]
    compared = ["name", "setting", "unit", "category", "short_desc", "context", "vartype", "min_val", "max_val"]
    expected = {row[0]: row for row in select(connection, "pg_settings", compared, "true")}
    shown = {str(row["name"]).lower() for row in found}
    assert shown == settings.keys() - {"is_superuser", "session_authorization"}
    for row in found:
        if row["name"] not in OURS_ALONE and row["name"] != "application_name":
            assert tuple(row[column] for column in compared) == expected[row["name"]]


@pytest.mark.postgres
def test_temporary_tables_are_listed_as_postgresql_lists_them(connection: psycopg.Connection[TupleRow]):
    connection.execute(create_table(TEMPORARY_TABLE))
    columns = columns_but("tables", "table_catalog", "table_schema", schema="information_schema")
    expected = select(connection, "tables", columns, "table_name = 'scratch'", "information_schema")
    assert ours("tables", columns, LakeView((TEMPORARY_TABLE,)), "information_schema") == expected
    connection.execute("DROP TABLE scratch")


LOAD = """
    SELECT namespace_id, relname, relpages, attname, type_name, type_modifier, ndim, attnum, "notnull",
        constraint_type, constraint_key::text, type_schema, column_comment, table_comment
    FROM (
        SELECT pg_namespace.oid AS namespace_id, relname, relpages, attname, pg_type.typname type_name,
            atttypmod type_modifier, pg_attribute.attndims ndim, attnum, pg_attribute.attnotnull AS notnull,
            NULL constraint_id, NULL constraint_type, NULL constraint_key, type_ns.nspname AS type_schema,
            col_desc.description AS column_comment, tbl_desc.description AS table_comment
        FROM pg_class JOIN pg_namespace ON relnamespace = pg_namespace.oid
        JOIN pg_attribute ON pg_class.oid=pg_attribute.attrelid
        JOIN pg_type ON atttypid=pg_type.oid
        JOIN pg_namespace type_ns ON pg_type.typnamespace = type_ns.oid
        LEFT JOIN pg_description col_desc
            ON col_desc.objoid=pg_class.oid AND col_desc.objsubid=pg_attribute.attnum
        LEFT JOIN pg_description tbl_desc ON tbl_desc.objoid=pg_class.oid AND tbl_desc.objsubid=0
        WHERE attnum > 0 AND relkind IN ('r', 'v', 'm', 'f', 'p') AND pg_namespace.nspname IN ('public')
        UNION ALL
        SELECT pg_namespace.oid, relname, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
            pg_constraint.oid, contype, conkey, NULL, NULL, NULL
        FROM pg_class JOIN pg_namespace ON relnamespace = pg_namespace.oid
        JOIN pg_constraint ON (pg_class.oid=pg_constraint.conrelid)
        WHERE relkind IN ('r', 'v', 'm', 'f', 'p') AND contype IN ('p', 'u')
            AND pg_namespace.nspname IN ('public')
        ORDER BY namespace_id, relname, attnum, constraint_id) loaded
"""
"""DuckDB's catalog load, restricted to a schema, without the constraints' OIDs."""


@pytest.mark.postgres
def test_duckdbs_catalog_load_reads_the_same_from_these_rows(connection: psycopg.Connection[TupleRow]):
    expected = connection.execute(LOAD).fetchall()
    with connection.transaction(force_rollback=True):
        connection.execute("CREATE SCHEMA copied")
        for part in ("class", "namespace", "attribute", "type", "description", "constraint"):
            name = f"pg_{part}"
            columns = SYSTEM_RELATIONS["pg_catalog", name].columns
            typed = ", ".join(
                f"{column.name} {'bigint' if column.type.typname in ('regproc', 'xid') else column.type.name}"
                for column in columns)
            connection.execute(f"CREATE TABLE copied.{name} ({typed})")
            rows = [
                [list(value) if isinstance(value, tuple) else value for value in row[:len(columns)]]
                for row in SYSTEM_RELATIONS["pg_catalog", name].rows(LakeView())
            ]
            marks = ", ".join(["%s"] * len(columns))
            with connection.cursor() as cursor:
                cursor.executemany(f"INSERT INTO copied.{name} VALUES ({marks})", rows)
        connection.execute("SET LOCAL search_path = copied, pg_catalog")
        found = connection.execute(LOAD).fetchall()
    assert len(found) > 200
    assert found == expected
