"""``rocklake verify``: prove that lakes are whole, beside a running server or without one."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Annotated

import typer

from rocklake_server.catalog.lake_reader import CatalogReader, ListedLake
from rocklake_server.catalog.maintenance.checks import BY_NAME, CHECKS, LAKE_LIST, Check, Finding, Report, Severity
from rocklake_server.catalog.maintenance.verify import verify_lake, verify_listing
from rocklake_server.catalog.maintenance.verify_data_files import verify_data_files
from rocklake_server.cli.exit_codes import ExitCode
from rocklake_server.cli.lakes import opened_catalog
from rocklake_server.cli.options import LakeName, Output, OutputFormat, Pin, StoreIfAny
from rocklake_server.cli.printing import print_records, remarks
from rocklake_server.cli.progress import Advance, progress
from rocklake_server.cli.running import run
from rocklake_server.errors import InvalidParameterValue, UndefinedFile
from rocklake_server.store.data_files import DataFiles

_FINDINGS = ("lake", "check", "severity", "key", "what")
_CHECKS = ("check", "severity", "meaning", "repair")


def complete_checks(incomplete: str) -> list[str]:
    """Names of checks for shell completion."""
    return [name for name in BY_NAME if name.startswith(incomplete)]


def register(app: typer.Typer) -> None:
    app.command("verify")(command)


def command(
    store: StoreIfAny = None,
    lake: LakeName = None,
    check: Annotated[
        list[str] | None,
        typer.Option("--check", metavar="NAME", autocompletion=complete_checks, help="Report this check only; repeat."),
    ] = None,
    data_files: Annotated[
        bool, typer.Option("--data-files", help="Also look whether every Parquet file is there with its size.")
    ] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Notices count as damage does for the exit code.")] = False,
    list_checks: Annotated[bool, typer.Option("--list", help="List the checks and end.")] = False,
    pin: Pin = False,
    output: Output = OutputFormat.TABLE,
) -> None:
    """Prove that a lake is whole, or every lake of the store: reads every key, and says what is wrong with it.

    The exit code is 3 when there is damage. What can be mended is said with each finding; see rocklake repair.

    Examples:

    \b
    rocklake verify --store file:///var/lib/rocklake
    rocklake verify --store s3://bucket/prefix --lake warehouse --data-files --output json
    rocklake verify --list
    """
    wanted = _chosen_checks(check)
    if list_checks:
        run(_print_checks(wanted, output))
        return
    if store is None:
        raise typer.BadParameter("give the store that is to be verified", param_hint="--store")
    if run(_verify(store, lake, wanted, data_files=data_files, strict=strict, pin=pin, output=output)):
        raise typer.Exit(ExitCode.FOUND)


def _chosen_checks(names: list[str] | None) -> frozenset[Check]:
    unknown = [name for name in names or () if name not in BY_NAME]
    if unknown:
        raise InvalidParameterValue(f'there is no check "{unknown[0]}"; rocklake verify --list names them')
    return frozenset(BY_NAME[name] for name in names) if names else frozenset(CHECKS)


async def _print_checks(wanted: frozenset[Check], output: OutputFormat) -> None:
    records = (
        {"check": check.name, "severity": check.severity.value, "meaning": check.meaning, "repair": check.repair}
        for check in CHECKS
        if check in wanted
    )
    await print_records(_CHECKS, records, output)


async def _verify(
    store: str, lake: str | None, wanted: frozenset[Check], *, data_files: bool, strict: bool, pin: bool,
    output: OutputFormat,
) -> bool:
    """Whether something was found that the exit code tells of."""
    async with opened_catalog(store, pin=pin, patient=True) as catalog:
        reports = []
        if lake is None:
            listing = Report("the list of lakes")
            verify_listing(catalog.listing, listing)
            reports.append(listing)
        for listed in catalog.lakes if lake is None else [catalog.find(lake)]:
            with progress(f"Verifying {listed}", "keys") as tell:
                reports.append(await _verify_one(catalog, listed, tell, data_files=data_files))
    findings = [finding for report in reports for finding in report.findings() if finding.check in wanted]
    if output is OutputFormat.JSON:
        await print_records((*_FINDINGS, "meaning", "repair"), map(_record, findings), output)
    elif findings:
        await print_records(_FINDINGS, map(_record, findings), output)
        await _print_checks(frozenset(finding.check for finding in findings), output)
    for line in _summaries(reports, wanted):
        remarks().print(line)
    violated = wanted.intersection(check for report in reports for check in report.counts)
    return any(strict or check.severity is Severity.DAMAGE for check in violated)


async def _verify_one(catalog: CatalogReader, listed: ListedLake, tell: Advance, *, data_files: bool) -> Report:
    try:
        snapshot = await catalog.snapshot(listed)
    except UndefinedFile as error:
        report = Report(str(listed))
        report.add(LAKE_LIST, str(error))
        return report
    verified = await verify_lake(listed, snapshot, tell)
    if data_files:
        await verify_data_files(verified.lake, DataFiles(os.environ).sizes)
    return verified.report


def _record(finding: Finding) -> dict[str, object]:
    check = finding.check
    return {
        "lake": finding.lake, "check": check.name, "severity": check.severity.value, "key": finding.key,
        "what": finding.what, "meaning": check.meaning, "repair": check.repair,
    }  # fmt: skip


def _summaries(reports: Iterable[Report], wanted: frozenset[Check]) -> Iterator[str]:
    for report in reports:
        counts = {check: count for check, count in report.counts.items() if check in wanted}
        if not counts:
            yield f"{report.lake}: nothing was found"
            continue
        found = ", ".join(f"{check.name} {count}" for check, count in counts.items())
        cut = [check.name for check, count in counts.items() if count > len(report.kept[check])]
        yield f"{report.lake}: {found}" + (f" (only the first are printed of {', '.join(cut)})" if cut else "")
