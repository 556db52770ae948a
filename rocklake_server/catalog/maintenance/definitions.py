"""The relations of a lake, dropped ones too, as its system keys define them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from rocklake_server.encoding.definitions import decode_definition, decode_dropped_by
from rocklake_server.encoding.keys import system_prefix
from rocklake_server.errors import CatalogError, CorruptValue, FormatVersionUnsupported
from rocklake_server.schema.model import Relation, RelationKind
from rocklake_server.schema.system_subspaces import SYSTEM_DROPPED, SYSTEM_RELATION
from rocklake_server.store.base import Key, StoreSnapshot

OnError = Callable[[Key, CatalogError], None]


@dataclass(slots=True)
class LakeDefinitions:
    """``dropped`` are those whose retired or unreachable rows are kept still, ``dropped_by`` the commits that dropped
    them, by number, where that is known."""

    relations: list[Relation] = field(default_factory=list)
    dropped: list[Relation] = field(default_factory=list)
    dropped_by: dict[int, int] = field(default_factory=dict)

    def left_behind(self) -> list[Relation]:
        """Dropped relations whose rows stay under their number until they are excised. Those of a declared one went
        to the retired rows."""
        return [relation for relation in self.dropped if relation.kind is not RelationKind.DECLARED]


async def read_definitions(snapshot: StoreSnapshot, on_error: OnError | None = None) -> LakeDefinitions:
    """``on_error`` is told of a definition that cannot be read, which is raised without it: CorruptValue,
    FormatVersionUnsupported."""
    found = LakeDefinitions()
    for name, into in ((SYSTEM_RELATION, found.relations), (SYSTEM_DROPPED, found.dropped)):
        async for entries in snapshot.scan(system_prefix(name)):
            for key, value in entries:
                try:
                    into.append(decode_definition(key, value))
                    if (commit := decode_dropped_by(key, value)) is not None:
                        found.dropped_by[into[-1].relation_id] = commit
                except (CorruptValue, FormatVersionUnsupported) as error:
                    if on_error is None:
                        raise
                    on_error(key, error)
    return found
