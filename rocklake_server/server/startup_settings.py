"""The settings that a client asks for in its startup message, by name or as command-line options."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rocklake_server.errors import SyntaxProblem

PROTOCOL_PARAMETERS = frozenset({"user", "database", "options", "replication"})
PROTOCOL_PREFIX = "_pq_."


def startup_settings(parameters: Mapping[str, str]) -> dict[str, str]:
    """Every startup parameter that is not of the protocol, and what ``options`` sets (``-c name=value`` and
    ``--name=value``, spaces escaped by a backslash). A parameter goes before an option. Raises SyntaxProblem."""
    named = {
        name.lower(): value
        for name, value in parameters.items()
        if name not in PROTOCOL_PARAMETERS and not name.startswith(PROTOCOL_PREFIX)
    }
    return dict(_options(parameters.get("options", ""))) | named


def _options(text: str) -> Iterator[tuple[str, str]]:
    words = iter(_words(text))
    for word in words:
        option = word
        if word == "-c":
            option = next(words, "")
        elif word.startswith(("-c", "--")):
            option = word[2:]
        name, equals, value = option.partition("=")
        if not equals or not name or name.startswith("-"):
            raise SyntaxProblem(f'invalid command-line argument for server process: "{word[:64]}"')
        yield name.lower().replace("-", "_"), value


def _words(text: str) -> list[str]:
    """Split at white space; a backslash takes the next character as it is (PostgreSQL: ``pg_split_opts``)."""
    words: list[str] = []
    current: list[str] = []
    characters = iter(text)
    for character in characters:
        if character.isspace():
            if current:
                words.append("".join(current))
            current = []
        else:
            current.append(next(characters, "") if character == "\\" else character)
    return [*words, "".join(current)] if current else words
