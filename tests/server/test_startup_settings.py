"""Settings in a startup message."""

from __future__ import annotations

import pytest

from rocklake_server.errors import SyntaxProblem
from rocklake_server.server.startup_settings import startup_settings


@pytest.mark.parametrize(
    ("options", "settings"),
    [
        ("", {}),
        ("-c lock_timeout=5s", {"lock_timeout": "5s"}),
        ("-clock_timeout=5s  --statement-timeout=7", {"lock_timeout": "5s", "statement_timeout": "7"}),
        (r"-c application_name=my\ own\\name", {"application_name": r"my own\name"}),
        ("-c a.b=x=y -c A.B=z", {"a.b": "z"}),
        ("--application_name=", {"application_name": ""}),
    ],
)
def test_options_are_read_as_postgresql_reads_them(options: str, settings: dict[str, str]) -> None:
    assert startup_settings({"user": "ada", "options": options}) == settings


@pytest.mark.parametrize("options", ["-c", "-c lock_timeout", "-d 5", "lock_timeout", "--", "-c -c a=b", "--=x"])
def test_an_option_that_sets_nothing_is_refused(options: str) -> None:
    with pytest.raises(SyntaxProblem, match="invalid command-line argument"):
        startup_settings({"options": options})


def test_what_is_of_the_protocol_is_no_setting() -> None:
    parameters = {"user": "u", "database": "d", "replication": "false", "_pq_.x": "1", "TimeZone": "UTC", "options": ""}
    assert startup_settings(parameters) == {"timezone": "UTC"}
    assert startup_settings({"application_name": "named", "options": "-c application_name=option"}) == {
        "application_name": "named"
    }
