"""Every statement of the corpus splits, parses and classifies, however it is written."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sqlglot import exp

from rocklake_server.sql.ddl import parse_ddl
from rocklake_server.sql.parse import parse_statement, parse_tree
from rocklake_server.sql.split import split_statements
from rocklake_server.sql.statements import CopyOut, Query, QueryKind
from rocklake_server.sql.template import LiteralList, TemplateUnfit, parse_template, slot_of, template_of
from tests.corpus_loader import VARIANTS, Entry, load

ENTRIES = load()
IDS = [entry.name for entry in ENTRIES]


def _canonical(tree: exp.Expression) -> exp.Expression:
    """Without comments, with unquoted identifiers folded: what two spellings of a statement share."""

    def fold(node: exp.Expression) -> exp.Expression:
        node.comments = None
        if isinstance(node, exp.Identifier) and not node.args.get("quoted"):
            return exp.to_identifier(str(node.this).lower())
        if isinstance(node, exp.Anonymous):
            node.set("this", str(node.this).lower())
        return node

    return tree.copy().transform(fold)


def _meaning(text: str) -> object:
    statement = parse_statement(text)
    if isinstance(statement, CopyOut) and statement.query is not None:
        return statement.options, _meaning(statement.query.text)
    if isinstance(statement, Query):
        if statement.kind is QueryKind.DDL:
            return parse_ddl(text)
        return statement.kind, _canonical(parse_tree(text))
    return statement


def _filled(text: str) -> exp.Expression | None:
    """The tree of the text's template with the literals put back."""
    template = template_of(text)
    if template is None:
        return None
    try:
        tree = parse_template(template.key)
    except TemplateUnfit:
        return None

    def literal(kind: str, value: str) -> exp.Expression:
        if kind == "string":
            return exp.Literal.string(value)
        number = exp.Literal.number(value.lstrip("-"))
        return exp.Neg(this=number) if value.startswith("-") else number

    for node in list(tree.find_all(exp.Placeholder)):
        slot = slot_of(node)
        assert slot is not None
        found = template.literals[slot.index]
        if isinstance(found, LiteralList):
            assert node.parent is not None
            node.parent.set("expressions", [literal(found.kind, value) for value in found.texts])
        else:
            node.replace(literal(found.kind, found.text))
    return tree


def test_the_corpus_holds_both_client_lines() -> None:
    assert sum(name.startswith("duckdb-1.5/") for name in IDS) > 250
    assert sum(name.startswith("duckdb-1.4/") for name in IDS) > 60


@pytest.mark.parametrize("entry", ENTRIES, ids=IDS)
def test_every_statement_parses_and_its_template_gives_the_same_tree(entry: Entry) -> None:
    statements = split_statements(entry.text)
    assert statements
    for text in statements:
        _meaning(text)
        statement = parse_statement(text)
        if isinstance(statement, CopyOut) and statement.query is not None:
            statement = statement.query
        if isinstance(statement, Query) and statement.kind is not QueryKind.DDL:
            filled = _filled(statement.text)
            if filled is None:
                assert "ORDER BY 2 " in text, "only a position in ORDER BY keeps a statement without a template"
                continue
            assert filled == parse_tree(statement.text)


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=list(VARIANTS))
def test_spelling_changes_no_meaning(variant: Callable[[str], str]) -> None:
    for entry in ENTRIES:
        original, changed = split_statements(entry.text), split_statements(variant(entry.text))
        assert len(original) == len(changed), entry.name
        for before, after in zip(original, changed, strict=True):
            assert _meaning(before) == _meaning(after), f"{entry.name}: {after}"
