"""Statements, trees, templates and DDL: results, and errors with the position that psql would show."""

from __future__ import annotations

import pytest
from sqlglot import exp

from rocklake_server.errors import (
    RETRY_WORDS,
    CatalogError,
    InvalidTableDefinition,
    ProgramLimitExceeded,
    StatementTooComplex,
    SyntaxProblem,
    UndefinedObject,
    Unsupported,
)
from rocklake_server.schema import types
from rocklake_server.sql import statements as sql
from rocklake_server.sql.ddl import AddColumn, AlterTable, CreateTable, DropTable, OnCommit, RenameColumn, parse_ddl
from rocklake_server.sql.names import QualifiedName, fold, qualified, quote
from rocklake_server.sql.parse import StatementCache, parse_statement, parse_tree
from rocklake_server.sql.template import Literal, LiteralList, TemplateUnfit, parse_template, slot_of, template_of

MODES = sql.TransactionModes
BINARY = sql.CopyOptions(sql.CopyFormat.BINARY)


@pytest.mark.parametrize(("text", "expected"), [
    ("begin", sql.Begin()),
    ("BEGIN WORK READ ONLY, ISOLATION LEVEL SERIALIZABLE NOT DEFERRABLE",
     sql.Begin(MODES(sql.Isolation.SERIALIZABLE, True, False))),
    ("BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ WRITE",
     sql.Begin(MODES(sql.Isolation.REPEATABLE_READ, False))),
    ("START TRANSACTION", sql.Begin(MODES(), "START TRANSACTION")),
    ("END WORK", sql.Commit()), ("COMMIT AND NO CHAIN", sql.Commit()), ("ABORT", sql.Rollback()),
    ("ROLLBACK WORK TO SAVEPOINT A", sql.RollbackTo("a")), ("savepoint \"A\"", sql.Savepoint("A")),
    ("RELEASE a", sql.Release("a")), ("RELEASE SAVEPOINT a", sql.Release("a")),
    ("SET LOCAL search_path TO a, 'B'", sql.SetVariable("search_path", ("a", "B"), True)),
    ("SET statement_timeout=60000", sql.SetVariable("statement_timeout", ("60000",))),
    ("SET x = DEFAULT", sql.SetVariable("x", None)), ("SET TIME ZONE 'UTC'", sql.SetVariable("timezone", ("UTC",))),
    ("SET TRANSACTION READ ONLY", sql.SetTransaction(MODES(read_only=True))),
    ("SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE", sql.SetTransaction(MODES(read_only=False), True)),
    ("SET TRANSACTION SNAPSHOT '0-1'", sql.SetTransactionSnapshot("0-1")),
    ("RESET ALL", sql.ResetVariable(None)), ("SHOW server_version", sql.ShowVariable("server_version")),
    ("SHOW TRANSACTION ISOLATION LEVEL", sql.ShowVariable("transaction_isolation")),
    ("DISCARD TEMPORARY", sql.Discard(sql.DiscardTarget.TEMP)), ("LISTEN x", sql.Listen("x")),
    ("UNLISTEN *", sql.Unlisten(None)), ("NOTIFY a, 'b'", sql.Notify("a", "b")),
    ("DEALLOCATE PREPARE ALL", sql.Deallocate(None)), ("CHECKPOINT", sql.Checkpoint()),
    ("VACUUM ANALYZE t", sql.Vacuum((QualifiedName(None, "t"),), True)),
    ("COPY t FROM STDIN (FORMAT TEXT, NULL '\b')",
     sql.CopyIn(QualifiedName(None, "t"), None, sql.CopyOptions(null="\b"))),
    ("COPY BINARY s.t (a) TO STDOUT", sql.CopyOut(None, QualifiedName("s", "t"), ("a",), BINARY)),
    ("COPY t FROM STDIN WITH BINARY", sql.CopyIn(QualifiedName(None, "t"), None, BINARY)),
    ("COPY (SELECT ')') TO STDOUT (FORMAT \"binary\")",
     sql.CopyOut(sql.Query("SELECT ')'", sql.QueryKind.SELECT, 6), None, None, BINARY)),
    ("copy t to stdout with null as E'\\b' delimiter '|'",
     sql.CopyOut(None, QualifiedName(None, "t"), None, sql.CopyOptions(null="\b", delimiter="|"))),
])
def test_utility_statements(text: str, expected: object) -> None:
    assert parse_statement(text) == expected
    commented = parse_statement("/* c */ " + text + " -- end")
    if not isinstance(expected, sql.CopyOut):
        assert commented == expected


def _parse(text: str) -> None:
    """All the parsing that a statement of this text gets."""
    statement = parse_statement(text)
    if isinstance(statement, sql.Query):
        parse_ddl(text) if statement.kind is sql.QueryKind.DDL else parse_tree(text)


@pytest.mark.parametrize(("text", "position", "near"), [
    ("DISCARD ALL x", 13, "x"), ("BEGIN ISOLATION LEVEL FOO", 23, "FOO"), ("COMMIT x", 8, "x"), ("foo bar", 1, "foo"),
    ("COPY t FROM STDIN (FORMAT binary) x", 35, "x"), ("SELECT (1 FROM t", 11, "FROM"), ("SET x", None, "end of input"),
    ("BEGIN READ ONLY,", None, "end of input"), ("CREATE TABLE t (a int,, b int)", 23, ","), ("'a'", 1, "'a'"),
])
def test_syntax_errors_say_where(text: str, position: int | None, near: str) -> None:
    with pytest.raises(SyntaxProblem) as caught:
        _parse(text)
    assert near in str(caught.value)
    assert caught.value.position == (position or len(text) + 1)


@pytest.mark.parametrize("text", [
    "EXPLAIN ANALYZE SELECT 1", "EXPLAIN (FORMAT json) SELECT 1", "EXPLAIN (ANALYZE) SELECT 1",
    "LOCK TABLE t", "PREPARE TRANSACTION 'a'", "MERGE INTO t",
    "COPY t FROM STDIN (FREEZE)", "COPY t FROM STDIN (ENCODING 'latin1')", "COPY t TO '/tmp/x'", "COMMIT AND CHAIN",
])
def test_what_is_not_served_is_refused(text: str) -> None:
    with pytest.raises(Unsupported):
        parse_statement(text)


@pytest.mark.parametrize("text", [
    "CREATE TABLE t (a int UNIQUE)", "CREATE UNIQUE INDEX i ON t (a)", "CREATE TABLE t (a int, UNIQUE (a))",
    "ALTER TABLE t ADD PRIMARY KEY (a)", "CREATE TABLE t (a int[])", "CREATE TABLE t (a int CHECK (a > 0))",
    "CREATE VIEW v AS SELECT 1", "ALTER TABLE t ALTER COLUMN a TYPE text", "CREATE TABLE t AS SELECT 1",
    "CREATE TABLE t (a int DEFAULT random())", "TRUNCATE t", "COMMENT ON VIEW v IS 'x'", "CREATE TABLE t (a oid)",
    "CREATE INDEX i ON t (lower(a))", "CREATE INDEX i ON t USING hash (a)", "CREATE INDEX i ON t (a) WHERE a > 0",
    "CREATE INDEX i ON t (a) INCLUDE (b)", "CREATE INDEX i ON t (a text_pattern_ops)", "CREATE INDEX i ON t ((a + 1))",
])
def test_refused_ddl_names_no_retry_word(text: str) -> None:
    with pytest.raises(Unsupported) as caught:
        parse_ddl(text)
    assert not any(word in str(caught.value).lower() for word in RETRY_WORDS)


def test_create_table() -> None:
    found = parse_ddl('create table IF NOT EXISTS "S".T(A BIGINT PRIMARY KEY, b DECIMAL(15, 2) NOT NULL DEFAULT -1.5, '
                      "c TIME WITH TIME ZONE, d VARCHAR(10), e DOUBLE PRECISION NULL)")
    assert isinstance(found, CreateTable)
    assert (found.name, found.primary_key, found.if_not_exists) == (QualifiedName("S", "t"), ("a",), True)
    assert [column.type for column in found.columns] == [
        types.BIGINT, types.numeric(15, 2), types.TIMETZ, types.varchar(10), types.DOUBLE]
    assert [column.nullable for column in found.columns] == [False, False, True, True, True]
    temporary = parse_ddl("CREATE TEMP TABLE t (a int, PRIMARY KEY (a)) ON COMMIT DELETE ROWS")
    assert isinstance(temporary, CreateTable)
    assert (temporary.on_commit, temporary.primary_key, temporary.temporary) == (OnCommit.DELETE, ("a",), True)


def test_alter_and_drop() -> None:
    found = parse_ddl("ALTER TABLE IF EXISTS t ADD COLUMN IF NOT EXISTS a BIGINT DEFAULT '7'::bigint, DROP b CASCADE")
    assert isinstance(found, AlterTable)
    assert isinstance(found.actions[0], AddColumn)
    assert found.actions[0].column.default is not None
    assert (found.if_exists, len(found.actions), found.actions[0].column.default.text) == (True, 2, "7")
    assert parse_ddl("ALTER TABLE t RENAME a TO b") == AlterTable(QualifiedName(None, "t"), (RenameColumn("a", "b"),))
    assert parse_ddl("DROP TABLE db.s.a, b CASCADE", "db") == DropTable(
        (QualifiedName("s", "a"), QualifiedName(None, "b")), cascade=True)
    with pytest.raises(UndefinedObject, match='type "foo"'):
        parse_ddl("ALTER TABLE t ADD a foo")
    with pytest.raises(InvalidTableDefinition):
        parse_ddl("CREATE TABLE t (a int PRIMARY KEY, b int PRIMARY KEY)")


@pytest.mark.parametrize("text", [
    "SELECT " + "(" * 10_000 + "1" + ")" * 10_000, "SELECT " + "(" * 10_000, "SELECT " + "NOT " * 10_000 + "true",
    "SELECT " + "- " * 10_000 + "1", "SELECT " + "[" * 40, "SELECT ARRAY" + "[" * 40 + "1" + "]" * 40,
    "SELECT 1" + "+1" * 10_000, "SELECT " + "CASE WHEN " * 5_000, "SELECT " + "f(" * 5_000 + ")" * 5_000,
    "SELECT a" + "[1]" * 3_000, "SELECT a ?",
])
def test_hostile_nesting_is_an_error_not_a_crash(text: str) -> None:
    with pytest.raises((StatementTooComplex, ProgramLimitExceeded, SyntaxProblem)):
        parse_tree(text)
    template = template_of(text)
    if template is not None:
        try:
            parse_template(template.key)
        except TemplateUnfit:
            pass


def test_a_long_chain_of_conditions_is_not_deep() -> None:
    assert isinstance(parse_tree("SELECT 1 WHERE " + " OR ".join(["a = 1"] * 5_000)), exp.Select)


@pytest.mark.parametrize("text", ["SELECT ?", "SELECT :s0", "SELECT a FROM t WHERE b = :n1"])
def test_placeholders_cannot_come_from_the_client(text: str) -> None:
    with pytest.raises(SyntaxProblem):
        parse_tree(text)
    template = template_of(text)
    if template is not None:
        with pytest.raises(TemplateUnfit):
            parse_template(template.key)


def test_templates_take_literals_out_and_keep_identifiers() -> None:
    template = template_of(
        """SELECT "a 1", $1 FROM "it's" WHERE a = -1.5 AND b IN ('x', 'it''s') AND c IN(1,-2) -- c""")
    assert template is not None
    assert '"a 1"' in template.key
    assert template.literals == (
        Literal("number", "1.5"), LiteralList("string", ("x", "it's")), LiteralList("number", ("1", "-2")))
    slots = [slot_of(node) for node in parse_template(template.key).find_all(exp.Placeholder)]
    assert {(slot.index, slot.is_list) for slot in slots if slot} == {(0, False), (1, True), (2, True)}
    short, long = template_of("DELETE FROM t WHERE a IN (1)"), template_of("DELETE FROM t WHERE a IN (1, 2, 3)")
    assert short is not None
    assert long is not None
    assert short.key == long.key


@pytest.mark.parametrize("text", [
    "SELECT a FROM t ORDER BY 2", "SELECT CAST(a AS DECIMAL(15,2))", "SELECT INTERVAL '1 day'", "SELECT 'a' 'b'",
    "SELECT a FROM t GROUP BY 1",
])
def test_literals_that_decide_the_meaning_are_unfit(text: str) -> None:
    template = template_of(text)
    assert template is not None
    with pytest.raises(TemplateUnfit):
        parse_template(template.key)


@pytest.mark.parametrize("text", ["SELECT x[1]", "SELECT B'01'", "SELECT U&'x'", "SELECT 'open", "SELECT '\x01', \x01"])
def test_texts_without_a_template(text: str) -> None:
    template = template_of(text)
    assert template is None


def test_dollar_and_escape_strings_become_slots() -> None:
    template = template_of("SELECT $$it's$$, E'a\\n'")
    assert template is not None
    assert template.literals == (Literal("string", "it's"), Literal("string", "a\n"))


def test_names() -> None:
    assert fold("ABC\u00c9", quoted=False) == "abc\u00c9"
    assert fold("x" + "é" * 600, quoted=True) == "x" + "é" * 511
    assert quote('a"B') == '"a""B"'
    assert str(QualifiedName("S", "t")) == '"S".t'
    assert qualified(("db", "s", "t"), "db") == QualifiedName("s", "t")
    with pytest.raises(CatalogError, match="cross-database"):
        qualified(("other", "s", "t"), "db")


def test_the_cache_returns_the_same_statement_and_stays_bounded() -> None:
    cache = StatementCache(100)
    first = cache.parse("SELECT 1")
    assert cache.parse("SELECT 1") is first
    for number in range(50):
        cache.parse(f"SELECT {number} + 1")
    assert cache.parse("SELECT 1") is not first
