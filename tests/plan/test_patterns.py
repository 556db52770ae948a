"""LIKE as its definition says, and patterns that would take for ever."""

from __future__ import annotations

import time
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocklake_server.errors import InvalidRegularExpression, Unsupported
from rocklake_server.plan.patterns import like_expression, regular_expression, repeats
from tests.plan.driver import Driver

SOON_S = 2.0


def is_like(text: str, pattern: str) -> bool:
    """By the definition: % is any text, _ is any character."""

    @cache
    def fits(at: int, place: int) -> bool:
        if place == len(pattern):
            return at == len(text)
        if pattern[place] == "%":
            return fits(at, place + 1) or (at < len(text) and fits(at + 1, place))
        return at < len(text) and pattern[place] in ("_", text[at]) and fits(at + 1, place + 1)

    return fits(0, 0)


@given(st.text("ab\n", max_size=12), st.text("ab_%\n", max_size=8))
def test_like_is_what_it_is_defined_to_be(text: str, pattern: str) -> None:
    assert (like_expression(pattern, ignore_case=False).fullmatch(text) is not None) == is_like(text, pattern)


def test_a_like_pattern_of_many_wildcards_takes_little_time() -> None:
    began = time.process_time()
    assert like_expression("%a" * 3000 + "%b", ignore_case=False).fullmatch("a" * 6000) is None
    assert time.process_time() - began < SOON_S


@pytest.mark.parametrize("pattern", ["(a+)+b", "(a|a)*b", "(a?){30}b", "((a*)b)*", "(x(a|b))+"])
def test_a_repeat_of_a_choice_is_not_supported(pattern: str) -> None:
    assert repeats(pattern) is None
    with pytest.raises(Unsupported, match="regular expression is not supported"):
        regular_expression(pattern, ignore_case=False)


@pytest.mark.parametrize(("pattern", "count"), [
    ("^(t)$", 0), ("^(t.*)$", 1), (r"a\+b[*+]", 0), ("(ab)+c{2}", 2), ("[^]*]*", 1), ("a|b", 0), ("(a|b)c", 0),
])  # fmt: skip
def test_the_repeats_of_a_regular_expression_are_counted(pattern: str, count: int) -> None:
    assert repeats(pattern) == count


async def test_a_long_text_and_several_repeats_are_too_complex() -> None:
    driver = Driver()
    assert await driver.rows(f"SELECT '{'a' * 3000}' ~ '^a+$', '{'a' * 100}b' ~ 'a*a*b'") == [(True, True)]
    began = time.process_time()
    with pytest.raises(InvalidRegularExpression, match="too complex"):
        await driver.rows(f"SELECT '{'a' * 3000}' ~ 'a*a*a*a*b'")
    assert time.process_time() - began < SOON_S
