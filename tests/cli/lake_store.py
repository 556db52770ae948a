"""A store with one lake that has some of everything, for commands to look at."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from typer.testing import CliRunner

from rocklake_server.cli.app import build_app
from rocklake_server.store.object_stores import parse_store_url
from rocklake_server.store.slate import open_slate_store
from tests.catalog.maintenance.whole_lake import DIRECTORY, Workbench, build
from tests.catalog.slate_engine import running_engine
from tests.cli.console import Ended

LAKE = "lake"


def make_store(folder: Path) -> str:
    """The store's URL; nobody has it open."""
    url = f"file://{folder}/store"

    async def make() -> None:
        async with running_engine(parse_store_url(url, {})) as engine:
            await build(engine)

    asyncio.run(make())
    return url


def damage(url: str, plant: Callable[[Workbench], object]) -> None:
    """Change the stopped store's lake as ``plant`` does."""

    async def change() -> None:
        store = await open_slate_store(parse_store_url(url, {}).child(DIRECTORY))
        try:
            bench = await Workbench.over(store)
            plant(bench)
            await bench.write()
        finally:
            await store.close()

    asyncio.run(change())


def run(*arguments: str) -> Ended:
    """The command within this process. Raises CatalogError, which the script would print."""
    result = CliRunner().invoke(build_app(), arguments, env={"COLUMNS": "400"})
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Ended(result.exit_code, result.stdout, result.stderr)
