"""The page about the command line is what the commands say."""

from __future__ import annotations

from rocklake_server.catalog.maintenance.checks import CHECKS
from rocklake_server.cli.exit_codes import ExitCode
from rocklake_server.cli.reference import PAGE, cli_page


def test_the_page_is_what_the_commands_generate() -> None:
    assert PAGE.read_text(encoding="utf-8") == cli_page(), "run python -m rocklake_server.cli.reference"


def test_the_page_tells_of_every_code_check_and_command() -> None:
    page = cli_page()
    assert all(f"| {int(code)} | {code.meaning} |" in page for code in ExitCode)
    assert all(f"| `{check.name}` |" in page for check in CHECKS)
    for name in ("serve", "verify", "inspect lakes", "inspect key", "repair plan", "repair apply"):
        assert f"## `rocklake {name}`" in page
    assert "rocklake inspect history column 4.2" in page
