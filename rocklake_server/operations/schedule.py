"""The maintenance file (TOML): which procedures run by themselves, how often, in which lakes.

    retired_retention = "7d"        # deleted rows can be brought back so long; "off" keeps them until an excise

    [retired_retention_of]
    "warehouse" = "30d"

    [[job]]
    run = "gc"                      # gc, excise, checkpoint or flush
    every = "1h"
    lakes = ["warehouse"]           # DATABASE or DATABASE/SCHEMA; all when left out
    keep_days = 30                  # the procedure's arguments
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from rocklake_server.errors import InvalidParameterValue
from rocklake_server.operations.excise import EXCISE
from rocklake_server.operations.gc import GC, POLICIES
from rocklake_server.operations.storing import CHECKPOINT, FLUSH, NAME
from rocklake_server.operations.working import APPLY, LAKE_SCHEMA
from rocklake_server.schema.types import Form, Value
from rocklake_server.session.procedures import Argument, Procedure

DAY_S = 86_400.0
RETIRED_RETENTION_S_DEFAULT = 7 * DAY_S
"""How long deleted rows can be brought back unless configured otherwise."""

RETIRED_RETENTION = "retired_retention"
EVERY_S_MIN = 1.0

_OFF = "off"
_DURATION = re.compile(r"(?P<number>\d+)(?P<unit>[smhd])")
_UNIT_S = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": DAY_S}
_SCHEDULABLE = {procedure.name: procedure for procedure in (GC, EXCISE, CHECKPOINT, FLUSH)}
_NOT_SCHEDULED = frozenset({APPLY.name, LAKE_SCHEMA.name, NAME.name})
_OWN_KEYS = frozenset({"run", "every", "lakes"})
_FORMS: Mapping[Form, type] = {Form.INT: int, Form.TEXT: str, Form.BOOL: bool}


@dataclass(frozen=True, slots=True)
class Job:
    """``lakes`` are names as ``--lake`` has them; ``None`` is all. ``arguments`` are complete but for the schema."""

    procedure: Procedure
    every_s: float
    lakes: tuple[str, ...] | None
    arguments: Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class Schedule:
    """The default is what a server does that is told nothing. ``retired_retention_of`` are single lakes'; ``None`` is
    for ever."""

    jobs: tuple[Job, ...] = ()
    retired_retention_s: float | None = RETIRED_RETENTION_S_DEFAULT
    retired_retention_of: Mapping[str, float | None] = field(default_factory=dict)

    def retention_s(self, lake: str) -> float | None:
        return self.retired_retention_of.get(lake, self.retired_retention_s)


def read_schedule(path: str) -> Schedule:
    """Raises InvalidParameterValue, with the file's name, for what cannot be read or is not understood."""
    try:
        with Path(path).open("rb") as file:
            found = tomllib.load(file)
    except OSError as error:
        raise InvalidParameterValue(f'maintenance file "{path}": {error.strerror}') from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidParameterValue(f'maintenance file "{path}" is not TOML: {error}') from None
    try:
        return schedule_of(found)
    except InvalidParameterValue as error:
        raise InvalidParameterValue(f'maintenance file "{path}": {error}', hint=error.hint) from None


def schedule_of(found: Mapping[str, object]) -> Schedule:
    """Raises InvalidParameterValue for what is not understood."""
    of = "retired_retention_of"
    _require_known(found, {RETIRED_RETENTION, of, "job"}, "the file")
    jobs, lakes = found.get("job", []), found.get(of, {})
    if not isinstance(jobs, list) or not all(isinstance(job, dict) for job in jobs):
        raise InvalidParameterValue('jobs are written as "[[job]]"')
    if not isinstance(lakes, dict):
        raise InvalidParameterValue(f'{of} is a table: "[{of}]"')
    return Schedule(
        tuple(_job(job, number) for number, job in enumerate(jobs, 1)),
        _retention(found.get(RETIRED_RETENTION, "7d"), RETIRED_RETENTION),
        {lake: _retention(value, f'{of}."{lake}"') for lake, value in lakes.items()},
    )


def _require_known(found: Mapping[str, object], known: set[str], where: str) -> None:
    for name in found:
        if name not in known:
            raise InvalidParameterValue(f'{where} has no "{name}"; it may have: {", ".join(sorted(known))}')


def _job(found: Mapping[str, object], number: int) -> Job:
    where = f"job {number}"
    procedure = _SCHEDULABLE.get(str(found.get("run")))
    if procedure is None:
        raise InvalidParameterValue(f'{where} needs run, one of: {", ".join(_SCHEDULABLE)}')
    where = f"{where} ({procedure.name})"
    arguments = {argument.name: argument for argument in procedure.arguments if argument.name not in _NOT_SCHEDULED}
    _require_known(found, {*_OWN_KEYS, *arguments}, where)
    every_s = _duration(found.get("every"), f"{where}: every")
    if every_s < EVERY_S_MIN:
        raise InvalidParameterValue(f"{where}: every is less than {EVERY_S_MIN:g} s")
    given = {name: _value(argument, found[name], where) for name, argument in arguments.items() if name in found}
    if procedure is GC and sum(policy.name in given for policy in POLICIES) != 1:
        names = ", ".join(policy.name for policy in POLICIES)
        raise InvalidParameterValue(f"{where} needs exactly one of: {names}")
    defaults = {argument.name: argument.default for argument in procedure.arguments}
    return Job(procedure, every_s, _lakes(found.get("lakes"), where), {**defaults, **given})


def _lakes(found: object, where: str) -> tuple[str, ...] | None:
    if found is None:
        return None
    if not isinstance(found, list) or not all(isinstance(lake, str) for lake in found):
        raise InvalidParameterValue(f"{where}: lakes is a list of names")
    return tuple(cast("list[str]", found))


def _value(argument: Argument, found: object, where: str) -> Value:
    wanted = _FORMS[argument.type.form]
    if type(found) is not wanted:
        raise InvalidParameterValue(f"{where}: {argument.name} is of type {argument.type.name}")
    if argument.least is not None and isinstance(found, int) and found < argument.least:
        raise InvalidParameterValue(f"{where}: {argument.name} is {found}; {argument.least} is the least")
    return cast("Value", found)


def _retention(found: object, where: str) -> float | None:
    return None if found == _OFF else _duration(found, where)


def _duration(found: object, where: str) -> float:
    """Of ``90s``, ``15m``, ``1h`` or ``7d``."""
    matched = _DURATION.fullmatch(found) if isinstance(found, str) else None
    if matched is None:
        raise InvalidParameterValue(f'{where} is a number of seconds, minutes, hours or days, as in "15m"')
    return int(matched["number"]) * _UNIT_S[matched["unit"]]
