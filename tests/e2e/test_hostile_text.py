"""Text that looks like SQL, escapes or markers, in every place where a user's text reaches the catalog."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest

from tests.duckdb_client import LakeClient, connect
from tests.e2e.conftest import OpenLake

HOSTILE = {
    "quotes": "it's \"quoted\" '' \"\"",
    "backslashes": "back\\slash \\' \\n \\x41 \\",
    "newlines": "two\nlines\r\n\tand a tab",
    "statements": "x'); DROP TABLE ducklake_table; --",
    "dollars": "$$ $tag$ $1 {} {0} $",
    "comments": "a /* b */ -- c /* d",
    "unicode": "Größe 日本 🦆 \u202e e\u0301 \ufeff",
    "patterns": "%s %d ? :x 100% _ . */",
    "words": 'created_table:"main"."x",null NULL select',
    "spaces": "  ",
}


def _name(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


@pytest.mark.parametrize("kind", sorted(HOSTILE))
def test_hostile_text_everywhere(kind: str, lake: LakeClient, open_lake: OpenLake) -> None:
    text = HOSTILE[kind]
    name, literal = _name(text), _literal(text)
    # DuckLake cannot read an inlined struct with one of these in a field's name, on any catalog
    inner = text.translate(str.maketrans("'\"\\", "```"))
    struct = f"STRUCT({_name(inner)} INTEGER)"
    schema, table, view, macro = (_name(text + what) for what in ("schema", "table", "view", "macro"))
    lake.run(
        f"CREATE SCHEMA {schema}",
        f"CREATE TABLE {schema}.{table}({name} VARCHAR DEFAULT {literal}, id INTEGER, s {struct})",
        f"INSERT INTO {schema}.{table} VALUES ({literal}, 1, {{{_literal(inner)}: 1}})",
        f"INSERT INTO {schema}.{table}(id) VALUES (2)",
        f"CREATE VIEW {schema}.{view} AS SELECT {name} AS {_name('v' + text)}, {literal} AS l FROM {schema}.{table}",
        f"CREATE MACRO {schema}.{macro}(a := {literal}) AS a || {literal}",
        f"COMMENT ON TABLE {schema}.{table} IS {literal}",
        f"COMMENT ON COLUMN {schema}.{table}.{name} IS {literal}",
        f"COMMENT ON VIEW {schema}.{view} IS {literal}",
        f"ALTER TABLE {schema}.{table} ADD COLUMN {_name('more' + text)} VARCHAR DEFAULT {literal}",
        "BEGIN",
        f"UPDATE {schema}.{table} SET {name} = {name} || {literal} WHERE id = 2",
        f"CALL lake.set_commit_message({literal}, {literal}, extra_info => {literal})",
        "COMMIT",
        f"ALTER TABLE {schema}.{table} SET SORTED BY ({name})",
    )
    with psycopg.connect(lake.dsn) as connection:
        found = connection.execute("SELECT count(*) FROM ducklake_schema WHERE schema_name = %s", [text + "schema"])
        assert found.fetchone() == (1,)
    other = open_lake()
    assert other.rows(f"FROM {schema}.{table} ORDER BY id") == [
        (text, 1, {inner: 1}, text), (text + text, 2, None, text)
    ]  # fmt: skip
    assert other.rows(f"SELECT id FROM {schema}.{table} WHERE {name} = {literal}") == [(1,)]
    assert other.rows(f"FROM {schema}.{view} ORDER BY ALL") == [(text, text), (text + text, text)]
    assert other.rows(f"SELECT {schema}.{macro}()") == [(text + text,)]
    for function, where in (("duckdb_tables", "comment"), ("duckdb_columns", "comment"), ("duckdb_views", "comment")):
        assert other.rows(f"SELECT {where} FROM {function}() WHERE comment IS NOT NULL") == [(text,)]
    (messages,) = other.rows(
        "SELECT author, commit_message, commit_extra_info FROM ducklake_snapshots('lake') WHERE author IS NOT NULL"
    )
    assert messages == (text, text, text)
    other.run("CALL ducklake_flush_inlined_data('lake')")
    assert len(lake.rows(f"FROM {schema}.{table}")) == 2
    lake.run(f"ALTER TABLE {schema}.{table} RENAME COLUMN {name} TO plain", f"DROP VIEW {schema}.{view}")
    lake.run(f"ALTER TABLE {schema}.{table} RENAME TO {_name('new' + text)}", f"DROP SCHEMA {schema} CASCADE")
    assert other.value("SELECT count(*) FROM duckdb_tables() WHERE database_name = 'lake'") == 0


@pytest.mark.parametrize("kind", sorted(HOSTILE))
def test_hostile_text_in_paths_and_partitions(kind: str, dsn: str, tmp_path: Path) -> None:
    text = HOSTILE[kind]
    folder = tmp_path / ("data " + text.replace("/", "").replace("\\", "") + " folder")  # DuckDB splits paths at both
    path = _literal(f"{folder}/")
    statements = [f"ATTACH {_literal(f'ducklake:postgres:{dsn}')} AS lake (DATA_PATH {path})", "USE lake"]
    with connect() as client:
        for statement in [
            *statements,
            "CALL lake.set_option('data_inlining_row_limit', 0)",
            "CALL lake.set_option('hive_file_pattern', true)",
            "CREATE TABLE t(id INTEGER, kind VARCHAR)",
            "ALTER TABLE t SET PARTITIONED BY (kind)",
            f"INSERT INTO t VALUES (1, {_literal(text)}), (2, 'plain')",
            "DELETE FROM t WHERE id = 2",
        ]:
            client.execute(statement)
    with connect() as client:
        for statement in statements:
            client.execute(statement)
        assert client.execute("FROM t").fetchall() == [(1, text)]
        found = client.execute(f"SELECT id FROM t WHERE kind = {_literal(text)}").fetchall()
        assert found == [(1,)]
