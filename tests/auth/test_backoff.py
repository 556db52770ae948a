"""Failed logins: how long the next one waits, and what is remembered."""

from __future__ import annotations

import pytest

from rocklake_server.auth import backoff
from rocklake_server.auth.backoff import ADDRESS_FAILURES_FREE, PAIR_FAILURES_FREE, WAIT_S_MAX, LoginBackoff


class Time:
    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def logins(time: Time) -> LoginBackoff:
    return LoginBackoff(time)


def fail(logins: LoginBackoff, times: int, address: str = "192.0.2.1", user: str = "ada") -> None:
    for _ in range(times):
        logins.failed(address, user)


def test_a_few_failures_are_free(logins: LoginBackoff) -> None:
    fail(logins, PAIR_FAILURES_FREE - 1)
    assert logins.wait_s("192.0.2.1", "ada") == 0


def test_the_wait_doubles_up_to_a_bound(logins: LoginBackoff, time: Time) -> None:
    fail(logins, PAIR_FAILURES_FREE)
    waits = []
    for _ in range(9):
        waits.append(logins.wait_s("192.0.2.1", "ada"))
        time.now_s += waits[-1]
        assert logins.wait_s("192.0.2.1", "ada") == 0
        fail(logins, 1)
    assert waits == [1, 2, 4, 8, 16, 32, WAIT_S_MAX, WAIT_S_MAX, WAIT_S_MAX]


def test_others_do_not_wait(logins: LoginBackoff) -> None:
    fail(logins, PAIR_FAILURES_FREE + 3)
    assert logins.wait_s("192.0.2.1", "ada") > 0
    assert logins.wait_s("192.0.2.1", "bob") == 0
    assert logins.wait_s("192.0.2.2", "ada") == 0


def test_trying_many_users_makes_the_address_wait(logins: LoginBackoff) -> None:
    for number in range(ADDRESS_FAILURES_FREE):
        fail(logins, 1, user=f"user{number}")
    assert logins.wait_s("192.0.2.1", "ada") > 0
    assert logins.wait_s("192.0.2.2", "ada") == 0


def test_a_success_forgets_the_users_failures_only(logins: LoginBackoff) -> None:
    fail(logins, ADDRESS_FAILURES_FREE, user="eve")
    fail(logins, PAIR_FAILURES_FREE)
    logins.succeeded("192.0.2.1", "ada")
    assert logins.wait_s("192.0.2.1", "ada") == pytest.approx(2.0**PAIR_FAILURES_FREE), "the address still waits"


def test_failures_are_forgotten_in_time(logins: LoginBackoff, time: Time) -> None:
    fail(logins, PAIR_FAILURES_FREE + 10)
    time.now_s += backoff.FORGOTTEN_AFTER_S + 1
    assert logins.wait_s("192.0.2.1", "ada") == 0
    fail(logins, PAIR_FAILURES_FREE - 1)
    assert logins.wait_s("192.0.2.1", "ada") == 0


def test_who_has_an_ipv6_network_has_no_more_tries(logins: LoginBackoff) -> None:
    fail(logins, PAIR_FAILURES_FREE, "2001:db8::1")
    assert logins.wait_s("2001:db8::ffff:2", "ada") > 0
    assert logins.wait_s("2001:db8:0:1::1", "ada") == 0


def test_an_ipv4_address_is_the_same_within_ipv6(logins: LoginBackoff) -> None:
    fail(logins, PAIR_FAILURES_FREE, "::ffff:192.0.2.1")
    assert logins.wait_s("192.0.2.1", "ada") > 0


def test_what_is_remembered_is_bounded(logins: LoginBackoff, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backoff, "ENTRIES_MAX", 20)
    for number in range(200):
        fail(logins, 1, user=f"user{number}")
    assert len(logins) <= 20
    assert logins.wait_s("192.0.2.1", "anybody") > 0, "the address was never the least recently used"
