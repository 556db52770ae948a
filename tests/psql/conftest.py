"""One PostgreSQL and one server for the whole folder."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.psql.sides import Sides, both_sides


@pytest.fixture(scope="package")
def sides(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sides]:
    with both_sides(tmp_path_factory.mktemp("psql")) as opened:
        yield opened
