"""One server for each module; one that logged a traceback fails it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.server.conftest import running
from tests.servers import RockLakeServer


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RockLakeServer]:
    yield from running(tmp_path_factory.mktemp("drivers"), "memory:///drivers")
