"""COPY in its text and CSV formats, every option right and wrong, over the table of the dialogues."""

from __future__ import annotations

from rocklake_server.wire import messages as m
from tests.server.dialogues import Dialogue, Turn, query, whole

ROWS = """(VALUES (1, 'a,b', true), (2, 'c"d', NULL), (3, E'e\\nf', false), (4, '', NULL)) v(n, "T", a)"""
OUT_OPTIONS = (
    "CSV", "CSV HEADER", "WITH CSV HEADER", "(FORMAT csv, HEADER)", "WITH (FORMAT 'csv', HEADER true)", "(HEADER)",
    "(FORMAT csv, HEADER 1, DELIMITER ';', NULL 'nil')", "(FORMAT csv, HEADER off)", "(FORMAT csv, HEADER 'on')",
    "(FORMAT csv, QUOTE '~', ESCAPE '^', FORCE_QUOTE *)", "(FORMAT csv, FORCE_QUOTE (b))",
    "(FORMAT csv, FORCE_QUOTE b)",
    "(FORMAT csv, FORCE_QUOTE (a, b))", "(FORMAT csv, FORCE_QUOTE (nothing))", "(FORMAT csv, FORCE_QUOTE (a, a))",
    "(FORMAT csv, ENCODING 'UTF-8')", "CSV QUOTE AS '|' ESCAPE 'x' DELIMITER AS E'\\t' NULL AS '-'",
    "CSV FORCE QUOTE *", "CSV FORCE QUOTE b", "CSV HEADER FORCE QUOTE a, b", "CSV FORCE NOT NULL b", "CSV FORCE NULL b",
    "(HEADER match)", "(FORMAT csv, HEADER match)", "(FORMAT csv, HEADER 2)", "(FORMAT csv, HEADER maybe)",
    "(FORMAT xml)", "(NOTHING)", "(FORMAT csv, DELIMITER)", "(FORMAT csv, DELIMITER ',,')", "(DELIMITER 'a')",
    "(FORMAT csv, DELIMITER 'a')", "(DELIMITER E'\\n')", "(FORMAT csv, NULL E'\\n')", "(FORMAT csv, NULL ',')",
    "(FORMAT csv, NULL '\"')", "(NULL '|', DELIMITER '|')", "(FORMAT csv, DELIMITER '\"')", "(FORMAT csv, QUOTE '')",
    "(FORMAT csv, QUOTE 'ab')", "(FORMAT csv, ESCAPE 'ab')", "(QUOTE 'a')", "(ESCAPE 'a')", "(FORCE_QUOTE *)",
    "(FORCE_NULL (a))", "(FORCE_NOT_NULL (a))", "(FORMAT csv, FORCE_NULL (a))", "(FORMAT csv, FORCE_NOT_NULL (a))",
    "(FORMAT csv, FORCE_NULL *)", "(FORMAT binary, HEADER)", "(FORMAT binary, NULL 'x')", "(FORMAT binary, QUOTE 'x')",
    "(FORMAT binary, DELIMITER ',')", "(FORMAT csv,)", "()", "CSV HEADER true", "CSV HEADER WITH",
    "(DELIMITER 7)", '(FORMAT "csv", "header")', "(FORMAT CSV, NULL nil)", "CSV ENCODING 'utf8'",
)  # fmt: skip
IN_OPTIONS = (
    "CSV", "CSV HEADER", "(FORMAT csv, HEADER)", "(FORMAT csv, HEADER match)", "(FORMAT csv, HEADER 'Match', NULL 'x')",
    "CSV HEADER NULL 'x'", "CSV HEADER NULL 'x' FORCE NOT NULL b", "(FORMAT csv, HEADER, FORCE_NULL (b))",
    "CSV HEADER FORCE NULL a, b", "CSV HEADER QUOTE ''''", "CSV HEADER DELIMITER ';'", "(DELIMITER ',', HEADER)",
    "(DELIMITER ',', HEADER match)", "(FORMAT csv, HEADER, FORCE_NOT_NULL (a, b))",
)  # fmt: skip
WRONG_STREAMS = (b"1\n", b"30,x,y\n", b'30,"x\n', b"30,x\r\n31,y\n", b"x,y\n")


def copied_in(copy: str, *pieces: bytes) -> Turn:
    return [m.Query(copy), *map(m.CopyData, pieces), m.CopyDone()]


FOUND = query("SELECT a, b FROM t WHERE a > 20 ORDER BY a")
STREAM = (b"a,b\n21,x\n22,", b'"y, ""z"""\n"23",\n')
COPY_DIALOGUES: dict[str, Dialogue] = {
    **{f"copy of a query {options}": [query(f"COPY (SELECT * FROM {ROWS}) TO STDOUT {options}")]
       for options in OUT_OPTIONS},
    **{f"copy of a table {options}": [query(f"COPY t TO STDOUT {options}"), query(f"COPY t (b) TO STDOUT {options}")]
       for options in OUT_OPTIONS},
    **{f"copy in {options}": [query("BEGIN"), copied_in(f"COPY t FROM STDIN {options}", *STREAM), FOUND,
                              query("ROLLBACK")]
       for options in IN_OPTIONS},
    "copy in of some columns": [query("BEGIN"),
                                copied_in("COPY t (b, a) FROM STDIN CSV FORCE NOT NULL b", b",21\nx,22\n"), FOUND,
                                query("ROLLBACK"), query("COPY t (a) FROM STDIN CSV FORCE NOT NULL b"),
                                query("COPY t (a) FROM STDIN (FORMAT csv, FORCE_NULL (c))"),
                                query("COPY t (a) FROM STDIN (FORMAT csv, FORCE_NULL (a, a))")],
    "copy in that fails": [copied_in("COPY t FROM STDIN CSV", data) for data in WRONG_STREAMS],
    "copy by the protocol": [whole("COPY t (b) TO STDOUT CSV HEADER"),
                             whole("COPY (SELECT 1 AS \"a,b\") TO STDOUT (FORMAT csv, HEADER)")],
    "copy options once more": [query("COPY (SELECT 1, ';') TO STDOUT CSV DELIMITER ';'"),
                               query("COPY (SELECT 1, ';') TO STDOUT CSV DELIMITER '|'"),
                               query("COPY (SELECT 1, ';') TO STDOUT CSV DELIMITER ';'"),
                               query("COPY (SELECT 2, '|') TO STDOUT CSV DELIMITER '|'")],
}  # fmt: skip
