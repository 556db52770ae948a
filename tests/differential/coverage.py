"""Counts what workloads contain, and which of it was answered: kinds of statements, column types, clients, corpus."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field, fields

from tests.differential import corpus_statements
from tests.differential.recipes import RECIPES
from tests.differential.statements import Statement, Workload
from tests.differential.values import SCALARS

_DEFINES = ("create table", "create or replace table", "create table as", "add column")
_WORDS = re.compile(r"[A-Z_]{3,}")
_SHOWN_ERROR_MAX = 110
_ERRORS_SHOWN = 30


@dataclass
class Coverage:
    """Counts over all workloads given to ``add`` and all their answers given to ``answered``."""

    kinds: Counter[str] = field(default_factory=Counter)
    types: Counter[str] = field(default_factory=Counter)
    clients: Counter[int] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    """How often PostgreSQL's side refused a statement, by kind; ``errors`` has the texts."""
    errors: Counter[str] = field(default_factory=Counter)
    corpus: Counter[str] = field(default_factory=Counter)
    """How often each statement of the corpus was answered, not refused."""

    def add(self, workload: Workload) -> None:
        self.clients[len(workload.clients)] += 1
        for statement in workload.statements:
            self.kinds[statement.kind] += 1
            if statement.kind in _DEFINES:
                self.types.update(self._families(statement.sql))

    def answered(self, statement: Statement, error: str | None) -> None:
        if error is not None:
            self.refused[statement.kind] += 1
            self.errors[error.split("\n")[0][:_SHOWN_ERROR_MAX]] += 1
        elif statement.kind == corpus_statements.KIND:
            self.corpus[statement.sql.removeprefix(corpus_statements.PREFIX)] += 1

    def update(self, other: Coverage) -> None:
        for each in fields(self):
            getattr(self, each.name).update(getattr(other, each.name))

    def missing(self, at_least: int) -> list[str]:
        """The kinds and types that occurred less often than ``at_least`` times."""
        kinds = {recipe.kind for recipe in RECIPES} | {"begin", "commit", "rollback", "set_commit_message"}
        types = {kind.family for kind in SCALARS} | {"LIST", "STRUCT", "MAP"}
        return sorted([kind for kind in kinds if self.kinds[kind] < at_least]
                      + [name for name in types if self.types[name] < at_least])  # fmt: skip

    def rare_in_corpus(self, at_least: int) -> list[str]:
        """The statements of the corpus that were answered less often than ``at_least`` times."""
        return [name for name in corpus_statements.names() if self.corpus[name] < at_least]

    def lines(self, enough: int) -> list[str]:
        """All counts in words; ``enough`` is how often each thing should have occurred."""
        return [
            f"clients: {_listed(self.clients)}",
            f"statements ({self.kinds.total()}): {_listed(self.kinds)}",
            f"types: {_listed(self.types)}",
            f"corpus: {self.corpus.total()} answers, of {len(self.corpus)} of {len(corpus_statements.names())}",
            f"refused ({self.refused.total()}): {_listed(self.refused)}",
            *(f"  {count} {text}" for text, count in self.errors.most_common(_ERRORS_SHOWN)),
            f"less than {enough} times: {', '.join(self.missing(enough) + self.rare_in_corpus(enough)) or 'nothing'}",
        ]

    @staticmethod
    def _families(sql: str) -> list[str]:
        families = {kind.family for kind in SCALARS} | {"STRUCT", "MAP"}
        return [word for word in _WORDS.findall(sql) if word in families] + ["LIST"] * sql.count("[]")


def _listed(counts: Counter[str] | Counter[int]) -> str:
    """The counts in one line, the greatest first."""
    return ", ".join(f"{name} {count}" for name, count in counts.most_common())
