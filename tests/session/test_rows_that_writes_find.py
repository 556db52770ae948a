"""DELETE is about the rows that SELECT finds by the same condition, also where equal values are written differently."""

from __future__ import annotations

import pytest

from tests.session.conversation import place

CONDITIONS = {
    "a = 'NaN'::float8": 1, "a IN ('NaN'::float8, 5)": 1, "n = 'NaN'::numeric": 1, "n IN ('NaN', '7')": 1,
    "a = 0": 2, "a IN (0, 4)": 2, "n = 1.5": 1, "n IN (1.5, 9)": 1, "k IN (1.0, 7)": 1, "k = 2.0": 1,
    "k IN (3, 9) AND t = 'z'": 1, "k IN (3, 9) AND t = 'x'": 0, "k IN (1, NULL)": 1, "t IN ('x', 'z')": 2,
}  # fmt: skip


@pytest.mark.parametrize("condition", CONDITIONS)
async def test_delete_finds_what_select_finds(condition: str) -> None:
    async with place() as opened:
        client = await opened.client()
        await client.run(
            "CREATE TABLE f(a DOUBLE PRECISION, n NUMERIC, t VARCHAR, k BIGINT)",
            "INSERT INTO f VALUES ('NaN', 'NaN', 'x', 1), (0.0, 1.50, 'y', 2), ('-0', 2, 'z', 3)")
        wanted = CONDITIONS[condition]
        assert await client.rows(f"SELECT count(*) FROM f WHERE {condition}") == [str(wanted)]
        assert f"DELETE {wanted}" in await client.query(f"DELETE FROM f WHERE {condition}")
        assert await client.rows("SELECT count(*) FROM f") == [str(3 - wanted)]
