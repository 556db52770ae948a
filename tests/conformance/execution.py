"""One file, record by record, against one DuckDB."""

from __future__ import annotations

import os
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import duckdb

from tests.conformance import comparison
from tests.conformance.answers import read_answers
from tests.conformance.commands import COMMANDS, FileState
from tests.conformance.database import Database, extension_file
from tests.conformance.dialect import LOOPS, Record, read_file
from tests.conformance.exchange import FileFailed, FileSkipped, Outcome, Specification, Status, one_line
from tests.conformance.expansion import Loops, Variables, rounds
from tests.conformance.printing import Printer, Result, as_lines

Connection = duckdb.DuckDBPyConnection
CLIENT_ERRORS = (duckdb.Error, RuntimeError)  # some C++ exceptions arrive as RuntimeError


def run_file(spec: Specification) -> Outcome:
    """Run the file of a specification in this process, whose working directory is the specification's."""
    run = FileRun(spec)
    try:
        run.run()
        outcome = Outcome(Status.PASS)
    except FileSkipped as skip:
        outcome = Outcome.skipped(str(skip))
    except FileFailed as failure:
        outcome = Outcome.failed(failure)
    except Exception as error:  # noqa: BLE001 - a fault of the runner must be a verdict, too
        outcome = Outcome.failed(FileFailed("runner", f"{type(error).__name__}: {one_line(str(error))}"))
    return replace(outcome, statements=run.statements, uses_server=run.state.variables.uses_server)


class FileRun:
    """Executes the records of one file and counts the statements."""

    def __init__(self, spec: Specification) -> None:
        database = Database(
            extensions=spec.extensions, folders=spec.extension_folders, initial_sql=spec.initial_sql,
            threads=spec.threads,
        )  # fmt: skip
        variables = Variables(
            file=spec.file, test_directory=spec.test_directory, working_directory=spec.working_directory,
            overrides=spec.environment,
        )  # fmt: skip
        self.state = FileState(database, variables, Path(spec.test_directory))
        self.statements = 0
        self._spec = spec
        self._lock = threading.Lock()
        self._printer = Printer(extension_file("icu", spec.extension_folders))
        self._progress = os.open(spec.progress_file, os.O_WRONLY | os.O_CREAT)

    def run(self) -> None:
        """Raises FileFailed or FileSkipped."""
        records = read_file(Path(self._spec.suite) / self._spec.file)
        if not records:
            raise FileSkipped("mode skip for the whole file")
        self.state.database.open()
        self._run_records(records, {}, None)
        if not self.statements:
            raise FileSkipped("nothing to run (mode skip)")
        self.state.database.close()

    def _run_records(self, records: tuple[Record, ...], loops: Loops, own: Connection | None) -> None:
        """``own`` is the connection of a round of a concurrent loop."""
        for record in records:
            if self.state.stopped:
                return
            try:
                if all(condition.allows(loops) for condition in record.conditions):
                    self._run_record(record, loops, own)
            except FileFailed as failure:
                failure.line = failure.line or record.line
                if loops and not failure.reason.endswith("]"):
                    failure.reason += f" [{', '.join(f'{name}={value}' for name, value in loops.items())}]"
                raise

    def _run_record(self, record: Record, loops: Loops, own: Connection | None) -> None:
        if record.kind in LOOPS:
            self._run_loop(record, loops, own)
        elif record.kind in ("statement", "query"):
            run = self._run_statement if record.kind == "statement" else self._run_query
            run(record, self.state.variables.expand(record.sql, loops), loops, own)
        else:
            arguments = [self.state.variables.expand(word, loops) for word in record.arguments]
            COMMANDS[record.kind](self.state, arguments)

    # -- loops --------------------------------------------------------------------------------------------------------

    def _run_loop(self, record: Record, loops: Loops, own: Connection | None) -> None:
        every = rounds(record, loops, self.state.variables.expand)
        if not record.kind.startswith("concurrent"):
            for inner in every:
                self._run_records(record.body, inner, own)
            return
        failures: list[BaseException] = []

        def one(inner: Loops) -> None:
            connection = self.state.database.new_connection()
            try:
                self._run_records(record.body, inner, connection)
            except BaseException as error:  # noqa: BLE001 - raised again by the thread that waits
                failures.append(error)
                self.state.stopped = True
            finally:
                connection.close()

        threads = [threading.Thread(target=one, args=(inner,)) for inner in every]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if failures:
            raise failures[0]

    # -- statements and queries ---------------------------------------------------------------------------------------

    def _execute(self, record: Record, sql: str, name: str | None, own: Connection | None) -> Result | str:
        """The result, or the error's text. Raises FileSkipped for an error that the file chose to ignore."""
        if own is not None and name is not None:
            raise FileFailed("dialect", "named connection in a concurrent loop")
        database = self.state.database
        connection = database.named(name) if name is not None else own or database.default
        with self._lock:
            self.statements += 1
            os.pwrite(self._progress, f"{record.line} {self.statements}".ljust(24).encode(), 0)
        started = time.perf_counter()
        try:
            return self._printer.execute(connection, sql)
        except CLIENT_ERRORS as error:
            text = str(error)
        finally:
            if self._spec.trace:
                took = time.perf_counter() - started
                print(f"-- line {record.line} ({took:.3f} s)\n{sql}", file=sys.stderr, flush=True)
        if any(ignored in text for ignored in self.state.ignored_errors):
            raise FileSkipped(f"line {record.line}: ignored error: {one_line(text)}")
        return text

    def _error(self, record: Record, sql: str, error: str) -> FileFailed:
        kind = "internal" if any(text in error for text in self.state.fatal_errors) else "error"
        expected = "\n".join(record.expected or ())
        return FileFailed(kind, one_line(error), line=record.line, sql=sql, expected=expected, got=error)

    def _run_statement(self, record: Record, sql: str, loops: Loops, own: Connection | None) -> None:
        kind, *rest = record.arguments
        answer = self._execute(record, sql, rest[0] if rest else None, own)
        wanted = "\n".join(record.expected or ())
        if isinstance(answer, Result):
            if kind == "error":
                reason = "statement should have failed"
                raise FileFailed("noerror", reason, line=record.line, sql=sql, expected=wanted, got="(no error)")
            return
        if kind == "ok" or any(text in answer for text in self.state.fatal_errors):
            raise self._error(record, sql, answer)
        choices = (wanted, self.state.variables.expand(wanted, loops))
        is_pattern = wanted.startswith((comparison.REGEX, comparison.NOT_REGEX))
        if not any(comparison.text_matches(answer, text) if is_pattern else text in answer for text in choices):
            reason = f"other error than expected: {one_line(answer)}"
            raise FileFailed("errortext", reason, line=record.line, sql=sql, expected=choices[1], got=answer)

    def _run_query(self, record: Record, sql: str, loops: Loops, own: Connection | None) -> None:
        types, *rest = record.arguments
        sort, name, label = "nosort", None, None
        if rest and rest[0] in comparison.SORTS:
            sort = comparison.SORTS[rest[0]]
            label = rest[1] if len(rest) > 1 else None
        elif rest:
            name = rest[0]
        answer = self._execute(record, sql, name, own)
        if isinstance(answer, str):
            raise self._error(record, sql, answer)
        try:
            self._check(record.expected or (), answer, types, sort, label, loops)
        except comparison.Mismatch as mismatch:
            expected, got = "\n".join(record.expected or ()), as_lines(answer.rows)
            raise FileFailed(
                "result", str(mismatch), line=record.line, sql=sql, expected=expected, got=got
            ) from mismatch

    def _check(
        self, lines: tuple[str, ...], result: Result, types: str, sort: str, label: str | None, loops: Loops
    ) -> None:
        """Raises comparison.Mismatch."""
        values = comparison.sorted_values(result.rows, sort)
        too_many = 0 < self.state.hash_threshold < len(values)
        if label is not None or too_many or comparison.is_hash(lines):
            text = comparison.digest(values)
            if comparison.is_hash(lines) and lines[0] != text:
                raise comparison.Mismatch(f"wrong hash: {text}")
            if label is not None:
                with self._lock:
                    earlier = self.state.labels.setdefault(label, text)
                if earlier != text:
                    raise comparison.Mismatch(f"result differs from the earlier one labelled {label}")
            return
        wanted = [self.state.variables.expand(line, loops) for line in lines]
        columns = len(result.types)
        if len(wanted) == 1 and wanted[0].startswith("<FILE>:"):
            wanted = read_answers(wanted[0].removeprefix("<FILE>:"), columns, self.state.database.default)
        elif columns != len(types):
            raise comparison.Mismatch(f"{columns} columns instead of {len(types)}")
        comparison.compare(result, wanted, sort)
