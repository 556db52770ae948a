"""Rules of the house that linters cannot check."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from rocklake_server.errors import RETRY_WORDS, CatalogError, InternalProblem

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "rocklake_server"
MODULE_LINES_MAX = 450
FUNCTION_LINES_MAX = 70
DRAWERS = {"utils", "util", "helpers", "helper", "misc", "common"}
MARKERS = re.compile(r"\b(?:TO" r"DO|FIX" r"ME|XX" r"X)\b")
MACHINE_PATHS = re.compile(r"/(?:wo" r"rk|fa" r"rm)/")
NAMED_IN_DOCUMENTS = ("ARCHITECTURE.md", "README.md")
CODE_SPAN = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
PATH = re.compile(r"[A-Za-z0-9_.-]+(?:/[A-Za-z0-9_.-]+)+/?|[A-Za-z0-9_-]+\.(?:py|md|toml|sql|proto|yml)|Makefile")
MODULE = re.compile(r"[a-z_]+(?:\.[a-z_]+)+")
QUOTED = re.compile(r'"[^"]*"')


def repository_files() -> list[Path]:
    """What git tracks or would add, as far as it is there."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout.decode().split("\0")
    return [ROOT / name for name in names if name and (ROOT / name).is_file()]


def modules() -> list[Path]:
    found = sorted(PACKAGE.rglob("*.py"))
    assert len(found) > 100
    return found


def shown(path: Path) -> str:
    return str(path.relative_to(ROOT))


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def test_modules_are_short_enough_to_read() -> None:
    lengths = {shown(path): len(path.read_text().splitlines()) for path in modules()}
    assert {name: lines for name, lines in lengths.items() if lines > MODULE_LINES_MAX} == {}


def test_functions_are_short_enough_to_read() -> None:
    too_long = [
        f"{shown(path)}:{node.lineno} {node.name}: {length} lines"
        for path in modules()
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (length := (node.end_lineno or node.lineno) - node.lineno + 1) > FUNCTION_LINES_MAX
    ]
    assert too_long == []


def test_no_file_is_a_drawer() -> None:
    assert [shown(path) for path in repository_files() if path.stem.lower() in DRAWERS] == []


def test_tests_are_named_by_behaviour() -> None:
    names = re.compile(r"test_v\d|test_\d+$|test_issue")
    files = [path for path in (ROOT / "tests").rglob("*.py") if names.match(path.stem)]
    functions = [
        f"{shown(path)}: {node.name}"
        for path in (ROOT / "tests").rglob("test_*.py")
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and names.match(node.name)
    ]
    assert [shown(path) for path in files] + functions == []


def lines_that_hold(pattern: re.Pattern[str], paths: list[Path]) -> list[str]:
    found: list[str] = []
    for path in paths:
        text = path.read_bytes().decode("utf-8", errors="replace")
        found += [f"{shown(path)}:{number}" for number, line in enumerate(text.splitlines(), 1) if pattern.search(line)]
    return found


def test_no_work_is_left_as_a_marker() -> None:
    assert lines_that_hold(MARKERS, modules()) == []


def test_no_path_of_one_machine_is_kept() -> None:
    assert lines_that_hold(MACHINE_PATHS, repository_files()) == []


def test_nothing_that_an_environment_holds_is_tracked() -> None:
    assert [shown(path) for path in repository_files() if "site-packages" in path.parts] == []


def test_packages_say_what_they_are_and_no_more() -> None:
    for path in PACKAGE.rglob("__init__.py"):
        tree = parsed(path)
        assert len(tree.body) == 1, shown(path)
        assert ast.get_docstring(tree), shown(path)


# -- documents --------------------------------------------------------------------------------------------------------


def exists(named: str) -> bool:
    """Whether a path, or a dotted module or an attribute of one, is there; the package's name may be left out."""
    if PATH.fullmatch(named):
        places = (ROOT, PACKAGE, ROOT / "docs")
        return any((place / named).exists() for place in places)
    parts = named.removeprefix("rocklake_server.").split(".")
    as_path = PACKAGE.joinpath(*parts)
    if as_path.is_dir() or as_path.with_suffix(".py").exists():
        return True
    module = as_path.parent.with_suffix(".py")
    return module.exists() and parts[-1] in {
        node.name for node in ast.walk(parsed(module)) if isinstance(node, ast.FunctionDef | ast.ClassDef)
    }


def names_something_of_ours(span: str) -> bool:
    """A path within the project, or a module of the package, rather than a command, URL or SQL name."""
    if PATH.fullmatch(span):
        return not span.startswith(("/", ".", "-"))
    first = span.split(".")[0]
    return bool(MODULE.fullmatch(span)) and (first == "rocklake_server" or (PACKAGE / first).is_dir())


@pytest.mark.parametrize("document", NAMED_IN_DOCUMENTS)
def test_every_path_that_a_document_names_exists(document: str) -> None:
    text = FENCED.sub("", (ROOT / document).read_text(encoding="utf-8"))
    named = [span for span in CODE_SPAN.findall(text) if names_something_of_ours(span)]
    assert [span for span in named if not exists(span)] == []


@pytest.mark.parametrize("document", NAMED_IN_DOCUMENTS)
def test_every_make_target_that_a_document_names_exists(document: str) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    named = set(re.findall(r"(?:`|^|\$ )make ([a-z-]+)", (ROOT / document).read_text(encoding="utf-8"), re.MULTILINE))
    assert named
    assert named - targets == set()


def test_the_architecture_names_every_package() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    packages = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert {name for name in packages if not re.search(rf"\b{name}\b", text)} == set()


# -- wording of errors ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Wording:
    """The fixed texts of one call that makes an error."""

    place: str
    error: type[CatalogError]
    message: str | None
    """``None`` when the message is not written there."""
    others: tuple[str, ...]
    """Detail, hint and parts that a function of ours puts into a message."""


ERRORS = {error.__name__: error for error in [*CatalogError.by_sqlstate.values(), InternalProblem]}


def fixed_text(node: ast.expr) -> str | None:
    """The literal parts of a text without what stands in quotes; values become a space. ``None`` without a literal."""
    match node:
        case ast.Constant(value=str(text)):
            return QUOTED.sub("", text)
        case ast.JoinedStr(values=parts):
            literal = "".join(str(part.value) if isinstance(part, ast.Constant) else " " for part in parts)
            return QUOTED.sub("", literal)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            sides = [text for side in (left, right) if (text := fixed_text(side)) is not None]
            return QUOTED.sub("", " ".join(sides)) if sides else None
        case ast.IfExp(body=body, orelse=other):
            both = [text for side in (body, other) if (text := fixed_text(side)) is not None]
            return " ".join(both) if both else None
        case _:
            return None


def error_makers(tree: ast.Module) -> dict[str, type[CatalogError]]:
    """Functions and methods of a module whose result is an error, by name."""
    return {
        node.name: ERRORS[node.returns.id]
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and isinstance(node.returns, ast.Name) and node.returns.id in ERRORS
    }


def error_of_call(call: ast.Call, makers: dict[str, type[CatalogError]]) -> tuple[type[CatalogError] | None, bool]:
    """(the class that the call makes, whether the call is the constructor)."""
    match call.func:
        case ast.Name(id=name) if name in ERRORS:
            return ERRORS[name], True
        case ast.Name(id=name):
            return makers.get(name), False
        case ast.Attribute(value=ast.Name(id=name)) if name in ERRORS:
            return ERRORS[name], False
        case _:
            return None, False


def wordings_of(tree: ast.Module, name: str) -> Iterator[Wording]:
    makers = error_makers(tree)
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef) and node.name in ERRORS]
    scopes: list[tuple[ast.AST, type[CatalogError] | None]] = [(node, ERRORS[node.name]) for node in classes]
    for scope, own in [*scopes, (tree, None)]:
        for call in (node for node in ast.walk(scope) if isinstance(node, ast.Call)):
            error, is_constructor = error_of_call(call, makers)
            if own is not None:
                is_constructor = isinstance(call.func, ast.Name) and call.func.id == "cls"
                error = own if is_constructor else None
            if error is None:
                continue
            message = fixed_text(call.args[0]) if is_constructor and call.args else None
            rest = [*call.args[1 if is_constructor else 0 :], *(keyword.value for keyword in call.keywords)]
            others = tuple(text for argument in rest if (text := fixed_text(argument)) is not None)
            yield Wording(f"{name}:{call.lineno}", error, message, others)


@pytest.fixture(scope="module")
def wordings() -> list[Wording]:
    found = [wording for path in modules() for wording in wordings_of(parsed(path), shown(path))]
    assert len(found) > 100
    return found


SAMPLE = """
def refused(url: str, why: str) -> InvalidParameterValue:
    return InvalidParameterValue(f'store URL "{url}": {why}')

raise Unsupported(f'a "conflict" with {name}' " and more")
raise StoreUnavailable(message, detail="in conflict", hint=None)
raise refused(url, "100% unique")
raise SerializationFailure("moved" if one else "gone")
raise UniqueViolation.of(relation)
raise ValueError("conflict")
"""


def test_wordings_are_read_from_calls() -> None:
    found = [(w.error.__name__, w.message, w.others) for w in wordings_of(ast.parse(SAMPLE), "sample")]
    assert sorted(found, key=str) == [
        ("InvalidParameterValue", "store URL :  ", ()),
        ("InvalidParameterValue", None, ("100% unique",)),
        ("SerializationFailure", "moved gone", ()),
        ("StoreUnavailable", None, ("in conflict",)),
        ("UniqueViolation", None, ()),
        ("Unsupported", "a  with   and more", ()),
    ]


def retry_words_in(text: str) -> list[str]:
    return [word for word in RETRY_WORDS if word in text.lower()]


def test_errors_that_a_retry_can_mend_say_so(wordings: list[Wording]) -> None:
    silent = [
        f"{wording.place}: {wording.message}"
        for wording in wordings
        if wording.error.retryable and wording.message is not None and not retry_words_in(wording.message)
    ]
    assert silent == []
    assert {w.error.__name__ for w in wordings if w.error.retryable and w.message is not None} == {
        "UniqueViolation", "SerializationFailure", "DeadlockDetected",
    }  # fmt: skip


def test_other_errors_never_look_retryable(wordings: list[Wording]) -> None:
    """Details and hints count too: the client library joins them to the message."""
    loud = [
        f"{wording.place}: {text}"
        for wording in wordings
        if not wording.error.retryable
        for text in (wording.message or "", *wording.others)
        if retry_words_in(text)
    ]
    assert loud == []


def test_no_wording_holds_a_percent_sign(wordings: list[Wording]) -> None:
    """The client passes the text through a format function."""
    texts = [(w.place, text) for w in wordings for text in (w.message or "", *w.others)]
    assert [f"{place}: {text}" for place, text in texts if "%" in text] == []
