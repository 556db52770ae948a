"""Failed logins in a server whose clock the test sets: nobody waits, and many at once are no way around."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable

import asyncpg
import pytest

from rocklake_server.auth.access import UNRESTRICTED
from rocklake_server.auth.backoff import PAIR_FAILURES_FREE, WAIT_S_MAX, LoginBackoff
from rocklake_server.config import Listen
from rocklake_server.server.listener import Listener
from rocklake_server.session.role_commands import RoleCommands
from rocklake_server.sql.roles import CreateRole, RoleOptions
from tests.session.conversation import place

PASSWORD = "right"
AT_ONCE = 40


class Time:
    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def time() -> Time:
    return Time()


Login = Callable[..., "asyncio.Future[str]"]


@pytest.fixture
async def login(time: Time) -> AsyncIterator[Login]:
    """Logs in and says ``in``, or why not."""
    async with place() as opened:
        commands = RoleCommands(opened.databases.directory, UNRESTRICTED, print, print)
        for name in ("ada", "bob"):
            await commands.run(CreateRole(name, RoleOptions(login=True, superuser=True, password=PASSWORD)))
        listener = Listener(opened.databases, max_connections=4, backoff=LoginBackoff(time))
        where = await listener.start(Listen("127.0.0.1", 0))

        async def one(password: str = PASSWORD, user: str = "ada") -> str:
            try:
                connection = await asyncpg.connect(
                    host=where.host, port=where.port, user=user, password=password, database="lake", ssl="disable"
                )
            except (asyncpg.PostgresError, OSError) as error:
                return str(error)
            await connection.close()
            return "in"

        yield lambda *given, **named: asyncio.ensure_future(one(*given, **named))
        await listener.stop(1.0)


async def test_the_right_password_waits_too_and_then_gets_in(login: Login, time: Time) -> None:
    for _ in range(PAIR_FAILURES_FREE):
        assert await login("wrong") == 'password authentication failed for user "ada"'
    assert await login() == "too many failed logins; try again in 1 s"
    assert await login(user="bob") == "in"
    time.now_s += 1.1
    assert await login() == "in"
    assert await login("wrong") == 'password authentication failed for user "ada"'
    assert await login() == "in", "a login forgets the failures before it"


async def test_many_at_once_try_no_more_than_one_after_another(login: Login) -> None:
    said = await asyncio.gather(*(login(f"guess {number}") for number in range(AT_ONCE)))
    assert sum(text.startswith("password authentication failed") for text in said) == PAIR_FAILURES_FREE
    assert sum(text.startswith("too many failed logins") for text in said) == AT_ONCE - PAIR_FAILURES_FREE


async def test_many_clients_of_one_user_get_in_at_once(login: Login) -> None:
    """As a pool of connections does; more than fit are told so."""
    said = await asyncio.gather(*(login() for _ in range(AT_ONCE)))
    assert set(said) <= {"in", "sorry, too many clients already"}
    assert said.count("in") >= 4


async def test_users_that_do_not_exist_are_counted_as_well(login: Login, time: Time) -> None:
    for _ in range(PAIR_FAILURES_FREE + 20):
        assert "failed" in await login(user="nobody")
    assert (await login(user="nobody")).startswith("too many failed logins")
    time.now_s += WAIT_S_MAX + 1
    assert await login(user="nobody") == 'password authentication failed for user "nobody"'


async def test_every_outcome_is_in_the_audit_log(login: Login, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "rocklake.audit"):
        await login("wrong")
        await login()
        for _ in range(PAIR_FAILURES_FREE + 1):
            await login("wrong", user="bob")
    facts = [record.__dict__["audit"] for record in caplog.records if record.__dict__.get("event") == "login"]
    assert [(fact["outcome"], fact["user"]) for fact in facts] == [
        ("refused", "ada"), ("accepted", "ada"), *[("refused", "bob")] * (PAIR_FAILURES_FREE + 1),
    ]  # fmt: skip
    assert facts[-1]["reason"].startswith("28000 too many failed logins")
    assert "right" not in caplog.text
