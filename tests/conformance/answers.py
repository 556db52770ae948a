"""Expected results that stand in files of their own: values separated by ``|`` under a header line."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import duckdb

from tests.conformance.comparison import Mismatch

_TPCH = re.compile(r"tpch/dbgen/answers/sf(?P<scale>[\d.]+)/q(?P<query>\d+)\.csv$")


def read_answers(name: str, columns: int, connection: duckdb.DuckDBPyConnection) -> list[str]:
    """The file's rows, values separated by tabs. TPC-H's answers come from DuckDB's extension where the file is absent.

    Raises comparison.Mismatch for a file that is not there, or that has another number of columns.
    """
    text = _text(name, connection)
    rows = list(csv.reader(io.StringIO(text), delimiter="|"))[1:]
    if any(len(row) != columns for row in rows):
        raise Mismatch(f"{name} does not have {columns} columns")
    return ["\t".join(value or "NULL" for value in row) for row in rows]


def _text(name: str, connection: duckdb.DuckDBPyConnection) -> str:
    path = Path(name)
    if path.exists():
        return path.read_text(encoding="utf-8")
    if tpch := _TPCH.search(name):
        query = "SELECT answer FROM tpch_answers() WHERE scale_factor = ? AND query_nr = ?"
        found = connection.execute(query, [float(tpch["scale"]), int(tpch["query"])]).fetchone()
        if found is not None:
            return str(found[0])
    raise Mismatch(f"no such file: {name}")
