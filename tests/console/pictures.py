"""``python -m tests.console.pictures``: write the pictures of the console that the documents show."""

from __future__ import annotations

from pathlib import Path

from tests.console.browser import Page, browser
from tests.console.filled_server import filled_server

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "console"
PAGES = {"overview": "#/", "lake": "#/lake/lake/public", "sessions": "#/sessions"}
HEIGHT_MAX = 1500
"""Of a picture: the timeline goes on."""


def take(page: Page, address: str, name: str, scheme: str) -> bytes:
    page.prefer(color_scheme=scheme)
    page.open("about:blank")
    page.open(address + PAGES[name])
    page.wait_for_text("updated every")
    return page.picture(HEIGHT_MAX)


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    with filled_server() as server, browser() as page:
        for name in PAGES:
            for scheme in ("light", "dark"):
                (FOLDER / f"{name}-{scheme}.png").write_bytes(take(page, server.address, name, scheme))


if __name__ == "__main__":
    main()
