"""CREATE, ALTER, DROP and COMMENT as data."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from rocklake_server.schema.types import ColumnType
from rocklake_server.sql.names import QualifiedName


@dataclass(frozen=True, slots=True)
class Constant:
    """A DEFAULT: ``text`` as a literal's decoded text (``None`` is NULL), to be read by ``cast`` if written, else by
    the column's type. ``kind`` is "string", "number", "boolean" or "null"."""

    kind: str
    text: str | None
    cast: ColumnType | None = None


@dataclass(frozen=True, slots=True)
class ColumnDefinition:
    name: str
    type: ColumnType
    nullable: bool = True
    default: Constant | None = None
    primary_key: bool = False


class OnCommit(Enum):
    PRESERVE = "PRESERVE ROWS"
    DELETE = "DELETE ROWS"
    DROP = "DROP"


@dataclass(frozen=True, slots=True)
class CreateTable:
    """``primary_key`` holds the column names, from column constraints or the table constraint; such columns are
    not nullable."""

    name: QualifiedName
    columns: tuple[ColumnDefinition, ...]
    primary_key: tuple[str, ...] = ()
    if_not_exists: bool = False
    temporary: bool = False
    on_commit: OnCommit = OnCommit.PRESERVE


@dataclass(frozen=True, slots=True)
class CreateSchema:
    name: str
    if_not_exists: bool = False


@dataclass(frozen=True, slots=True)
class DropTable:
    names: tuple[QualifiedName, ...]
    if_exists: bool = False
    cascade: bool = False


@dataclass(frozen=True, slots=True)
class DropSchema:
    names: tuple[str, ...]
    if_exists: bool = False
    cascade: bool = False


@dataclass(frozen=True, slots=True)
class AddColumn:
    column: ColumnDefinition
    if_not_exists: bool = False


@dataclass(frozen=True, slots=True)
class DropColumn:
    name: str
    if_exists: bool = False
    cascade: bool = False


@dataclass(frozen=True, slots=True)
class RenameColumn:
    name: str
    new_name: str


@dataclass(frozen=True, slots=True)
class RenameTable:
    new_name: str


AlterAction: TypeAlias = AddColumn | DropColumn | RenameColumn | RenameTable


@dataclass(frozen=True, slots=True)
class AlterTable:
    """Either any number of AddColumn and DropColumn, or one rename."""

    name: QualifiedName
    actions: tuple[AlterAction, ...]
    if_exists: bool = False


class Commented(Enum):
    """What COMMENT ON can be about here."""

    TABLE = "TABLE"
    COLUMN = "COLUMN"
    INDEX = "INDEX"
    SCHEMA = "SCHEMA"
    DATABASE = "DATABASE"


@dataclass(frozen=True, slots=True)
class Comment:
    """``text`` is ``None`` when the comment goes; ``column`` is there for COMMENT ON COLUMN, whose ``name`` is the
    table's."""

    kind: Commented
    name: QualifiedName
    text: str | None
    column: str | None = None


@dataclass(frozen=True, slots=True)
class IndexColumn:
    name: str
    descending: bool = False
    nulls_first: bool = False


@dataclass(frozen=True, slots=True)
class CreateIndex:
    """``name`` is ``None`` when the server chooses one."""

    name: str | None
    table: QualifiedName
    columns: tuple[IndexColumn, ...]
    if_not_exists: bool = False


@dataclass(frozen=True, slots=True)
class DropIndex:
    names: tuple[QualifiedName, ...]
    if_exists: bool = False
    cascade: bool = False


DdlStatement: TypeAlias = (
    CreateTable | CreateSchema | DropTable | DropSchema | AlterTable | Comment | CreateIndex | DropIndex
)
