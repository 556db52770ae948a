"""Builds the command line from the modules in ``commands``."""

from __future__ import annotations

import importlib
import logging
import os
import pkgutil
import sys
from typing import NoReturn

import typer

from rocklake_server.cli import commands
from rocklake_server.cli.exit_codes import ExitCode, code_of
from rocklake_server.errors import CatalogError


def build_app() -> typer.Typer:
    """The ``rocklake`` command with every subcommand found."""
    app = typer.Typer(
        name="rocklake",
        help="A DuckLake catalog server: PostgreSQL's wire protocol in front, SlateDB in your bucket behind.",
        epilog="Examples: rocklake serve --store file:///var/lib/rocklake; "
        "rocklake verify --store file:///var/lib/rocklake --lake warehouse",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
    )
    app.callback()(_no_options)
    for module in pkgutil.iter_modules(commands.__path__):
        importlib.import_module(f"{commands.__name__}.{module.name}").register(app)
    return app


def _no_options() -> None:
    """Without options of its own; it keeps a lone subcommand a subcommand."""


def main() -> NoReturn:
    """The console script. An error a user can cause is one line on standard error and an ``ExitCode``."""
    code: object = ExitCode.DONE
    sys.unraisablehook = drop_late_answers
    try:
        build_app()(prog_name="rocklake")
    except CatalogError as error:
        print(f"rocklake: {sentence_of(error)}", file=sys.stderr)
        code = code_of(error)
    except KeyboardInterrupt:
        code = ExitCode.INTERRUPTED
    except BrokenPipeError:  # as of "| head": what is left is wanted by nobody
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115  it is left open until the end of the process
    except SystemExit as leaving:
        code = leaving.code or ExitCode.DONE
    _leave(code if isinstance(code, int) else ExitCode.REFUSED)


def sentence_of(error: CatalogError) -> str:
    """The message on one line, and what to do about it where the error says that."""
    hint = f". {error.hint}" if error.hint else ""
    return " ".join(f"{error}{hint}".split())


def drop_late_answers(unraisable: sys.UnraisableHookArgs) -> None:
    """An answer of the store's threads that comes after the event loop was closed is wanted by nobody."""
    error = unraisable.exc_value
    if not (isinstance(error, RuntimeError) and str(error) == "Event loop is closed"):
        sys.__unraisablehook__(unraisable)


def _leave(code: int) -> NoReturn:
    """Without the interpreter's own end: threads of the object store's client may still wait for an answer that nobody
    wants, and one that meets a finalized interpreter breaks down with a page of text."""
    logging.shutdown()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
