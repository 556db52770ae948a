"""What a statement's text is turned into: utility statements complete, queries as text with their kind.

The names of settings, savepoints, channels and prepared statements are folded as identifiers are.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import TypeAlias

from rocklake_server.sql.names import QualifiedName
from rocklake_server.sql.template import Template, template_of


class Isolation(Enum):
    """The isolation levels as SET and SHOW spell them."""

    READ_UNCOMMITTED = "read uncommitted"
    READ_COMMITTED = "read committed"
    REPEATABLE_READ = "repeatable read"
    SERIALIZABLE = "serializable"


class QueryKind(Enum):
    """What the first keywords of a query say that it does."""

    SELECT = "SELECT"
    INSERT = "INSERT"
    UPDATE = "UPDATE"
    DELETE = "DELETE"
    DDL = "DDL"

    __hash__ = object.__hash__  # members are singletons; Enum's own hash is a Python call


@dataclass(frozen=True)
class Query:
    """A statement for the planner. ``offset`` is the index of ``text`` in the statement that the client sent
    (0 unless it is the query of a COPY): add it to positions found in ``text``."""

    text: str
    kind: QueryKind
    offset: int = 0

    @cached_property
    def template(self) -> Template | None:
        """The text with its literals taken out; ``None`` when it cannot be templated."""
        return template_of(self.text)


@dataclass(frozen=True, slots=True)
class TransactionModes:
    """What BEGIN, SET TRANSACTION and SET SESSION CHARACTERISTICS may say; ``None`` is "not said"."""

    isolation: Isolation | None = None
    read_only: bool | None = None
    deferrable: bool | None = None


@dataclass(frozen=True, slots=True)
class Begin:
    modes: TransactionModes = TransactionModes()
    keyword: str = "BEGIN"


@dataclass(frozen=True, slots=True)
class Commit:
    pass


@dataclass(frozen=True, slots=True)
class Rollback:
    pass


@dataclass(frozen=True, slots=True)
class Savepoint:
    name: str


@dataclass(frozen=True, slots=True)
class Release:
    name: str


@dataclass(frozen=True, slots=True)
class RollbackTo:
    name: str


@dataclass(frozen=True, slots=True)
class SetVariable:
    """``values`` is ``None`` for ``TO DEFAULT``; a list of several values is what ``SET search_path TO a, b`` gives.
    ``local`` is SET LOCAL. SET TIME ZONE is the variable ``timezone``."""

    name: str
    values: tuple[str, ...] | None
    local: bool = False


@dataclass(frozen=True, slots=True)
class SetTransaction:
    """SET TRANSACTION modes; with ``session`` it is SET SESSION CHARACTERISTICS AS TRANSACTION."""

    modes: TransactionModes
    session: bool = False


@dataclass(frozen=True, slots=True)
class SetTransactionSnapshot:
    snapshot: str


@dataclass(frozen=True, slots=True)
class ResetVariable:
    """``name`` is ``None`` for RESET ALL."""

    name: str | None


@dataclass(frozen=True, slots=True)
class ShowVariable:
    """``name`` is ``None`` for SHOW ALL."""

    name: str | None


class DiscardTarget(Enum):
    ALL = "ALL"
    PLANS = "PLANS"
    SEQUENCES = "SEQUENCES"
    TEMP = "TEMP"


@dataclass(frozen=True, slots=True)
class Discard:
    target: DiscardTarget


class CopyFormat(Enum):
    TEXT = "text"
    BINARY = "binary"


@dataclass(frozen=True, slots=True)
class CopyOptions:
    """``null`` and ``delimiter`` are of the text format only."""

    format: CopyFormat = CopyFormat.TEXT
    null: str = "\\N"
    delimiter: str = "\t"


@dataclass(frozen=True, slots=True)
class CopyOut:
    """COPY .. TO STDOUT of a query, or of a table (then ``query`` is ``None``; ``columns`` ``None`` means all)."""

    query: Query | None
    table: QualifiedName | None
    columns: tuple[str, ...] | None
    options: CopyOptions


@dataclass(frozen=True, slots=True)
class CopyIn:
    """COPY .. FROM STDIN; ``columns`` ``None`` means all."""

    table: QualifiedName
    columns: tuple[str, ...] | None
    options: CopyOptions


@dataclass(frozen=True, slots=True)
class Listen:
    channel: str


@dataclass(frozen=True, slots=True)
class Unlisten:
    """``channel`` is ``None`` for ``UNLISTEN *``."""

    channel: str | None


@dataclass(frozen=True, slots=True)
class Notify:
    channel: str
    payload: str = ""


@dataclass(frozen=True, slots=True)
class Deallocate:
    """``name`` is ``None`` for DEALLOCATE ALL."""

    name: str | None


@dataclass(frozen=True, slots=True)
class CloseCursor:
    """``name`` is ``None`` for CLOSE ALL."""

    name: str | None


@dataclass(frozen=True, slots=True)
class Analyze:
    """``tables`` is empty for the whole database."""

    tables: tuple[QualifiedName, ...] = ()


@dataclass(frozen=True, slots=True)
class Vacuum:
    """``tables`` is empty for the whole database; ``analyze`` is VACUUM ANALYZE."""

    tables: tuple[QualifiedName, ...] = ()
    analyze: bool = False


@dataclass(frozen=True, slots=True)
class Checkpoint:
    pass


@dataclass(frozen=True, slots=True)
class Explain:
    """EXPLAIN of a query, which does not run."""

    query: Query


UtilityStatement: TypeAlias = (
    Begin | Commit | Rollback | Savepoint | Release | RollbackTo | SetVariable | SetTransaction
    | SetTransactionSnapshot | ResetVariable | ShowVariable | Discard | CopyOut | CopyIn | Listen | Unlisten
    | Notify | Deallocate | CloseCursor | Analyze | Vacuum | Checkpoint | Explain
)
