"""The files of the console page, as they are installed beside this module. They load nothing from elsewhere."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from rocklake_server.server.admin.http import Response

FOLDER = Path(__file__).with_name("console")

_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Content-Security-Policy: what is not of this server neither loads nor runs, and nobody frames the page."""

_HEADERS = (
    ("Content-Security-Policy", POLICY),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
)


@cache
def console_files() -> dict[str, Response]:
    """By name below ``/console/``; the page itself has none. Read once: a running server shows its own version."""
    files = {
        file.name: Response(file.read_bytes(), content_type=_TYPES[file.suffix], headers=_HEADERS)
        for file in sorted(FOLDER.iterdir())
        if file.suffix in _TYPES
    }
    return {**files, "": files["index.html"]}
