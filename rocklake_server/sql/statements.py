"""What a statement's text is turned into: utility statements complete, queries as text with their kind.

The names of settings, savepoints, channels and prepared statements are folded as identifiers are.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import TypeAlias

from rocklake_server.pgformat.copy_format import Header
from rocklake_server.sql.names import QualifiedName
from rocklake_server.sql.roles import RoleStatement
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
    CSV = "csv"
    BINARY = "binary"


@dataclass(frozen=True, slots=True)
class CopyOptions:
    """``null``, ``delimiter`` and ``header`` are of the text and CSV formats, the rest after them of CSV only.
    ``force_quote`` of ``None`` means all columns."""

    format: CopyFormat = CopyFormat.TEXT
    null: str = "\\N"
    delimiter: str = "\t"
    header: Header = Header.ABSENT
    quote: str = '"'
    escape: str = '"'
    force_quote: tuple[str, ...] | None = ()
    force_not_null: tuple[str, ...] = ()
    force_null: tuple[str, ...] = ()


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
class Prepare:
    """PREPARE; ``types`` are the parameters' types as written."""

    name: str
    types: tuple[str, ...]
    query: Query


@dataclass(frozen=True, slots=True)
class ExecutePrepared:
    """EXECUTE; ``arguments`` is the text between the parentheses, ``None`` without any."""

    name: str
    arguments: str | None = None


@dataclass(frozen=True, slots=True)
class DeclareCursor:
    """``scroll`` is ``None`` where neither SCROLL nor NO SCROLL is said. ``hold``: the cursor outlives its
    transaction. ``binary``: FETCH in a simple Query sends binary values."""

    name: str
    query: Query
    scroll: bool | None = None
    hold: bool = False
    binary: bool = False


class Direction(Enum):
    FORWARD = "FORWARD"
    BACKWARD = "BACKWARD"
    ABSOLUTE = "ABSOLUTE"
    RELATIVE = "RELATIVE"


@dataclass(frozen=True, slots=True)
class Fetch:
    """FETCH, or MOVE where ``rows`` is False. ``count`` is ``None`` for ALL."""

    cursor: str
    direction: Direction = Direction.FORWARD
    count: int | None = 1
    rows: bool = True


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
class CallArgument:
    """``name`` is ``None`` for one that is given by its place. The value is ``literal``, as text for the argument's
    type (``None`` is NULL), unless it is the client's parameter of that number."""

    name: str | None
    literal: str | None = None
    parameter: int | None = None


@dataclass(frozen=True, slots=True)
class Call:
    procedure: QualifiedName
    arguments: tuple[CallArgument, ...] = ()


@dataclass(frozen=True, slots=True)
class CreateDatabase:
    """``owner`` is ``None`` for DEFAULT, and when nobody is named."""

    name: str
    owner: str | None = None


@dataclass(frozen=True, slots=True)
class DropDatabase:
    name: str
    if_exists: bool = False
    force: bool = False


@dataclass(frozen=True, slots=True)
class RenameDatabase:
    name: str
    new_name: str


@dataclass(frozen=True, slots=True)
class RenameSchema:
    name: str
    new_name: str


@dataclass(frozen=True, slots=True)
class Explain:
    """EXPLAIN of a query, which does not run."""

    query: Query


UtilityStatement: TypeAlias = (
    Begin | Commit | Rollback | Savepoint | Release | RollbackTo | SetVariable | SetTransaction
    | SetTransactionSnapshot | ResetVariable | ShowVariable | Discard | CopyOut | CopyIn | Listen | Unlisten
    | Notify | Prepare | ExecutePrepared | Deallocate | DeclareCursor | Fetch | CloseCursor | Analyze | Vacuum
    | Checkpoint | Call | CreateDatabase | DropDatabase | RenameDatabase | RenameSchema | Explain | RoleStatement
)
