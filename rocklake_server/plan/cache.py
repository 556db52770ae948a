"""Compiled statements by template, so that a statement whose shape was seen before is not parsed again."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import TypeVar

from rocklake_server.catalog.view import TransactionView
from rocklake_server.pgformat.zones import Zone, session_zone
from rocklake_server.plan.statement_plans import BoundPlan, Compiled
from rocklake_server.schema.model import RelationKind

_K = TypeVar("_K", bound=Hashable)
_V = TypeVar("_V")

TEMPLATES_MAX = 2048
"""Compiled templates that are kept; the oldest goes first."""

TEMPLATE_CHARACTERS_MAX = 32_768
"""Longer templates are not kept."""

CONSTANTS_MAX = 64
"""Texts of queries about nothing but literals whose bound plan is kept."""

CONSTANT_CHARACTERS_MAX = 256
"""Longer ones are not kept."""


ZONES_MAX = 8
"""Time zones beside UTC whose compiled statements are kept."""


@dataclass(slots=True)
class PlanCache:
    """One database's compiled statements. What names none but DuckLake's own relations is shared with other databases,
    which mostly have the same. Not for use from several threads."""

    shared: dict[Hashable, Compiled] = field(default_factory=dict)
    templates: dict[Hashable, Compiled] = field(default_factory=dict)
    seen: dict[str, None] = field(default_factory=dict)
    constants: dict[str, BoundPlan] = field(default_factory=dict)
    zones: dict[Zone, PlanCache] = field(default_factory=dict)

    def of_session(self) -> PlanCache:
        """The one for the session's time zone: what is compiled for UTC is wrong in another."""
        zone = session_zone()
        if zone is None:
            return self
        found = self.zones.get(zone)
        if found is None:
            found = PlanCache()
            _put(self.zones, zone, found, ZONES_MAX)
        return found

    def saw(self, template_key: str) -> bool:
        """Whether this template came before; it has from now on."""
        known = template_key in self.seen
        if not known:
            _put(self.seen, template_key, None, TEMPLATES_MAX)
        return known

    def constant(self, text: str) -> BoundPlan | None:
        """The plan of exactly this text if it is about nothing but literals and ran before."""
        plan = self.constants.get(text)
        return plan if plan is not None and plan.constant is not None else None

    def by_template(self, key: Hashable, view: TransactionView) -> Compiled | None:
        compiled = self.templates.get(key)
        if compiled is not None and compiled.valid(view):
            return compiled
        compiled = self.shared.get(key)
        return compiled if compiled is not None and compiled.valid(view) else None

    def keep_template(self, key: Hashable, compiled: Compiled) -> None:
        if compiled.relations:
            _put(self.templates, key, compiled, TEMPLATES_MAX)
        if all(relation.kind is RelationKind.DECLARED for _, _, relation in compiled.relations):
            _put(self.shared, key, compiled, TEMPLATES_MAX)

    def keep_constant(self, text: str, plan: BoundPlan) -> None:
        if len(text) <= CONSTANT_CHARACTERS_MAX:
            _put(self.constants, text, plan, CONSTANTS_MAX)


def _put(entries: dict[_K, _V], key: _K, value: _V, limit: int) -> None:
    entries.pop(key, None)
    while len(entries) >= limit:
        del entries[next(iter(entries))]
    entries[key] = value
