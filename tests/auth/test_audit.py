"""The audit log: one line for each event, whatever a client's names hold."""

from __future__ import annotations

import logging

import pytest

from rocklake_server.auth.audit import audit
from rocklake_server.telemetry import AUDIT_LOGGER, configure_logging
from tests.audited import audited


def test_a_record_has_its_facts_twice(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, AUDIT_LOGGER):
        audit("login", outcome="accepted", user="ada", tls=None, superuser=True)
    (record,) = caplog.records
    assert record.name == AUDIT_LOGGER
    assert record.getMessage() == "login outcome=accepted user=ada superuser=true"
    assert record.__dict__["event"] == "login"
    assert record.__dict__["audit"] == {"outcome": "accepted", "user": "ada", "superuser": True}


@pytest.mark.parametrize("name", ["a b", 'x" outcome="accepted', "line\nlogin outcome=accepted", "", "\x1b[2J", "é"])
def test_no_name_can_pretend_to_be_more(caplog: pytest.LogCaptureFixture, name: str) -> None:
    with caplog.at_level(logging.INFO, AUDIT_LOGGER):
        audit("login", user=name, outcome="refused")
    (record,) = caplog.records
    message = record.getMessage()
    assert message.isprintable()
    assert message.startswith('login user="')
    assert message.endswith('" outcome=refused')


def test_the_log_level_does_not_silence_it(capsys: pytest.CaptureFixture[str]) -> None:
    root = logging.getLogger()
    before, level, handlers = logging.getLogger(AUDIT_LOGGER).level, root.level, root.handlers[:]
    try:
        configure_logging("error")
        audit("drop", user="ada", object="schema", name="old")
        assert audited(capsys.readouterr().err) == ["drop user=ada object=schema name=old"]
    finally:
        logging.getLogger(AUDIT_LOGGER).setLevel(before)
        root.setLevel(level)
        root.handlers[:] = handlers
