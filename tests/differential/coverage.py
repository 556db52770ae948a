"""Counts what workloads contain: kinds of statements, column types, clients and transactions."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from tests.differential.recipes import RECIPES
from tests.differential.statements import Workload
from tests.differential.values import SCALARS

_DEFINES = ("create table", "create or replace table", "create table as", "add column")
_WORDS = re.compile(r"[A-Z_]{3,}")


@dataclass
class Coverage:
    """Counts over all workloads given to ``add``."""

    kinds: Counter[str] = field(default_factory=Counter)
    types: Counter[str] = field(default_factory=Counter)
    clients: Counter[int] = field(default_factory=Counter)

    def add(self, workload: Workload) -> None:
        self.clients[len(workload.clients)] += 1
        for statement in workload.statements:
            self.kinds[statement.kind] += 1
            if statement.kind in _DEFINES:
                self.types.update(self._families(statement.sql))

    def missing(self, at_least: int) -> list[str]:
        """The kinds and types that occurred less often than ``at_least`` times."""
        kinds = {recipe.kind for recipe in RECIPES} | {"begin", "commit", "rollback", "set_commit_message"}
        types = {kind.family for kind in SCALARS} | {"LIST", "STRUCT", "MAP"}
        return sorted([kind for kind in kinds if self.kinds[kind] < at_least]
                      + [name for name in types if self.types[name] < at_least])  # fmt: skip

    def lines(self) -> list[str]:
        return [
            f"clients: {listed(self.clients)}",
            f"statements ({self.kinds.total()}): {listed(self.kinds)}",
            f"types: {listed(self.types)}",
        ]

    @staticmethod
    def _families(sql: str) -> list[str]:
        families = {kind.family for kind in SCALARS} | {"STRUCT", "MAP"}
        return [word for word in _WORDS.findall(sql) if word in families] + ["LIST"] * sql.count("[]")


def listed(counts: Counter[str] | Counter[int]) -> str:
    """The counts in one line, the greatest first."""
    return ", ".join(f"{name} {count}" for name, count in counts.most_common())
