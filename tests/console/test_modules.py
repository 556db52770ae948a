"""The page's functions that need no page, run by Node where it is installed."""

from __future__ import annotations

import json
import shutil
import subprocess

import pytest

from rocklake_server.server.admin.console_files import FOLDER

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="Node is not installed")

NOTHING = "\u2013"
FORMATTED = {
    "count(1234567)": "1,234,567",
    "count(null)": NOTHING,
    "bytes(0)": "0 B",
    "bytes(1023)": "1023 B",
    "bytes(1024)": "1.0 KiB",
    "bytes(1536)": "1.5 KiB",
    "bytes(150 * 2 ** 20)": "150 MiB",
    "bytes(2 ** 60)": "1024 PiB",
    "bytes(undefined)": NOTHING,
    "duration(0)": "0 µs",
    "duration(0.00025)": "250 µs",
    "duration(0.0042)": "4.2 ms",
    "duration(0.25)": "250 ms",
    "duration(59.9)": "59 s",
    "duration(60)": "1 min",
    "duration(7200)": "2 h",
    "duration(7260)": "2 h 1 min",
    "duration(90000)": "1 d 1 h",
    "duration(null)": NOTHING,
    "ago('2026-11-30T12:00:00Z', '2026-11-30T12:00:00.500Z')": "now",
    "ago('2026-11-30T12:00:00Z', '2026-11-30T12:05:10Z')": "5 min ago",
    "share(1, 4)": "25 %",
    "share(1, 0)": NOTHING,
    "plural(1, 'file')": "1 file",
    "plural(2, 'file')": "2 files",
    "plural(1000, 'index', 'indices')": "1,000 indices",
}
TABLES = [
    {"table_id": 1, "schema": "main", "name": "b", "rows": 5, "bytes": 10, "files": 1},
    {"table_id": 2, "schema": "main", "name": "A", "rows": 5, "bytes": 30, "files": 1},
    {"table_id": 3, "schema": "other", "name": "c", "rows": 7, "bytes": 20, "files": 1},
]


def evaluated(module: str, *expressions: str) -> list[object]:
    """What the expressions are, with everything that the module exports in scope."""
    script = (
        f"import * as all from {json.dumps((FOLDER / module).as_uri())};"
        f"const told = new Function(...Object.keys(all), 'return [{', '.join(expressions)}]');"
        "console.log(JSON.stringify(told(...Object.values(all))))"
    ).replace("'return [", "`return [").replace("]')", "]`)")
    assert NODE is not None
    done = subprocess.run(
        [NODE, "--input-type=module", "--no-warnings", "-e", script], capture_output=True, text=True, timeout=60,
        env={"TZ": "UTC", "LANG": "C.UTF-8"}, check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr
    found: list[object] = json.loads(done.stdout)
    return found


def test_numbers_are_written_for_people() -> None:
    assert dict(zip(FORMATTED, evaluated("format.js", *FORMATTED), strict=True)) == FORMATTED


@pytest.mark.parametrize(
    ("view", "expected"),
    [
        ({"sort": "bytes", "descending": True, "find": ""}, [2, 3, 1]),
        ({"sort": "name", "descending": False, "find": ""}, [2, 1, 3]),
        ({"sort": "name", "descending": False, "find": "MAIN."}, [2, 1]),
        ({"sort": "rows", "descending": True, "find": ""}, [3, 1, 2]),
        ({"sort": "rows", "descending": True, "find": "nothing"}, []),
    ],
)
def test_tables_are_sorted_and_found(view: dict[str, object], expected: list[int]) -> None:
    call = f"sorted({json.dumps(TABLES)}, {json.dumps(view)}).map(table => table.table_id)"
    assert evaluated("lake.js", call) == [expected]
