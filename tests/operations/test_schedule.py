"""The maintenance file: what it may say, and how what it may not say is named."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from rocklake_server.errors import InvalidParameterValue
from rocklake_server.operations import schedule
from rocklake_server.operations.schedule import Schedule, read_schedule, schedule_of

DAY_S = 86_400


def parsed(text: str) -> Schedule:
    return schedule_of(tomllib.loads(text))


def test_the_example_of_the_module_is_understood() -> None:
    assert schedule.__doc__ is not None
    found = parsed(schedule.__doc__.split("\n\n", 1)[1])
    (job,) = found.jobs
    assert (job.procedure.name, job.every_s, job.lakes) == ("gc", 3600.0, ("warehouse",))
    assert job.arguments == {"keep_days": 30, "keep_last": None, "retain_from": None, "apply": True, "schema": "public"}
    assert (found.retention_s("warehouse"), found.retention_s("other")) == (30 * DAY_S, 7 * DAY_S)


def test_without_a_file_deleted_rows_are_kept_for_a_week() -> None:
    assert parsed("") == Schedule()
    assert Schedule().retention_s("any") == 7 * DAY_S
    assert parsed('retired_retention = "off"').retention_s("any") is None
    assert parsed('retired_retention = "0s"').retention_s("any") == 0


@pytest.mark.parametrize(("text", "what"), [
    ("retention = 1", 'the file has no "retention"'),
    ("retired_retention = 7", "retired_retention is a number of seconds"),
    ('[retired_retention_of]\nlake = "x"', 'retired_retention_of."lake"'),
    ("retired_retention_of = 1", "is a table"),
    ("job = 1", "[[job]]"),
    ('[[job]]\nevery = "1h"', "job 1 needs run, one of: gc, excise, checkpoint, flush"),
    ('[[job]]\nrun = "rollback"\nevery = "1h"', "needs run"),
    ('[[job]]\nrun = "flush"', "every is a number of seconds"),
    ('[[job]]\nrun = "flush"\nevery = "0s"', "every is less than 1 s"),
    ('[[job]]\nrun = "flush"\nevery = "1h"\nkeep_days = 1', 'job 1 (flush) has no "keep_days"'),
    ('[[job]]\nrun = "flush"\nevery = "1h"\nlakes = "a"', "lakes is a list"),
    ('[[job]]\nrun = "gc"\nevery = "1h"', "needs exactly one of: keep_days, retain_from, keep_last"),
    ('[[job]]\nrun = "gc"\nevery = "1h"\nkeep_last = 1\nkeep_days = 1', "needs exactly one of"),
    ('[[job]]\nrun = "gc"\nevery = "1h"\nkeep_last = 0', "keep_last is 0; 1 is the least"),
    ('[[job]]\nrun = "gc"\nevery = "1h"\nkeep_last = true', "keep_last is of type bigint"),
    ('[[job]]\nrun = "gc"\nevery = "1h"\nkeep_last = 1\napply = false', 'has no "apply"'),
    ('[[job]]\nrun = "checkpoint"\nevery = "1h"\nname = "x"', 'has no "name"'),
])  # fmt: skip
def test_what_is_not_understood_is_named(text: str, what: str) -> None:
    with pytest.raises(InvalidParameterValue) as refused:
        parsed(text)
    assert what in str(refused.value)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidParameterValue, match=r'maintenance file "/nothing": No such file'):
        read_schedule("/nothing")
    path = tmp_path / "maintenance.toml"
    path.write_text("job = [")
    with pytest.raises(InvalidParameterValue, match="is not TOML"):
        read_schedule(str(path))
    path.write_text("jobs = 1")
    with pytest.raises(InvalidParameterValue, match=f'maintenance file "{path}": the file has no "jobs"'):
        read_schedule(str(path))
    path.write_text('[[job]]\nrun = "flush"\nevery = "15m"')
    assert read_schedule(str(path)).jobs[0].every_s == 900
