"""What clients note about a live relation without changing its rows: comments and indexes."""

from __future__ import annotations

from dataclasses import replace

from rocklake_server.errors import UndefinedColumn
from rocklake_server.schema.model import IndexDefinition, Relation


def commented(relation: Relation, text: str | None) -> Relation:
    """COMMENT ON TABLE; ``None`` takes the comment away."""
    return replace(relation, comment=text)


def column_commented(relation: Relation, name: str, text: str | None) -> Relation:
    """COMMENT ON COLUMN. Raises UndefinedColumn."""
    if name not in relation.index:
        raise UndefinedColumn(f'column "{name}" of relation "{relation.name}" does not exist')
    return replace(relation, columns=tuple(
        replace(column, comment=text) if column.name == name else column for column in relation.columns))


def index_commented(relation: Relation, name: str, text: str | None) -> Relation:
    """COMMENT ON INDEX, of an index that the relation has."""
    if relation.primary_key and name == relation.key_name:
        return replace(relation, key_comment=text)
    return replace(relation, indexes=tuple(
        replace(index, comment=text) if index.name == name else index for index in relation.indexes))


def with_index(relation: Relation, index: IndexDefinition) -> Relation:
    return replace(relation, indexes=(*relation.indexes, index))


def without_index(relation: Relation, name: str) -> Relation:
    return replace(relation, indexes=tuple(index for index in relation.indexes if index.name != name))


def is_annotated(relation: Relation) -> bool:
    """Whether anything is noted about it."""
    return bool(relation.indexes) or relation.comment is not None or relation.key_comment is not None or any(
        column.comment is not None for column in relation.columns)


def same_rows(old: Relation, new: Relation) -> bool:
    """Whether two definitions differ in what is noted about them at most, or in names."""
    return [(c.number, c.type, c.default) for c in old.columns] == [
        (c.number, c.type, c.default) for c in new.columns] and old.key_columns == new.key_columns
