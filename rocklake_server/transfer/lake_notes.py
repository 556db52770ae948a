"""Comments and indexes of a lake, which are parts of its definitions: read from one, and noted in another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rocklake_server.catalog.annotations import PUBLIC
from rocklake_server.catalog.lake_reader import LakeReader
from rocklake_server.catalog.relations import index_oid
from rocklake_server.catalog.transaction import LakeTransaction
from rocklake_server.schema.annotations import column_commented, commented, index_commented, with_index
from rocklake_server.schema.model import IndexDefinition, IndexKey, Relation
from rocklake_server.schema.system_subspaces import SYSTEM_DATABASE_COMMENT, SYSTEM_SCHEMA_COMMENT
from rocklake_server.transfer.notes import CatalogComment, CatalogIndex, CatalogNotes, IndexedColumn, On
from rocklake_server.transfer.relations import PREFIX


def notes_of(lake: LakeReader) -> CatalogNotes:
    """What is noted in a lake. Its database's comment is in the lake of ``public``."""
    indexes: list[CatalogIndex] = []
    comments: list[CatalogComment] = []
    for relation in lake.relations.by_name.values():
        if relation.name.startswith(PREFIX):
            indexes += [_index_of(relation, index) for index in relation.indexes]
            comments += _comments_of(relation)
    known = lake.relations.comments
    for on, key in ((On.SCHEMA, SYSTEM_SCHEMA_COMMENT), (On.DATABASE, SYSTEM_DATABASE_COMMENT)):
        if key in known:
            comments.append(CatalogComment(on, known[key] or None))
    return CatalogNotes.of(indexes, comments)


def _comments_of(relation: Relation) -> Iterator[CatalogComment]:
    if relation.comment is not None:
        yield CatalogComment(On.TABLE, relation.comment, relation.name)
    if relation.key_comment is not None:
        yield CatalogComment(On.KEY, relation.key_comment, relation.name)
    for column in relation.columns:
        if column.comment is not None:
            yield CatalogComment(On.COLUMN, column.comment, relation.name, column.name)
    for index in relation.indexes:
        if index.comment is not None:
            yield CatalogComment(On.INDEX, index.comment, relation.name, index.name)


def _index_of(relation: Relation, index: IndexDefinition) -> CatalogIndex:
    names = {column.number: column.name for column in relation.columns}
    columns = tuple(IndexedColumn(names[key.number], key.descending, key.nulls_first) for key in index.keys)
    return CatalogIndex(relation.name, index.name, columns)


def note_in(transaction: LakeTransaction, notes: CatalogNotes) -> tuple[str, ...]:
    """Note the same in a lake that has the same relations. Returns what it did not take: only the lake of ``public``
    holds a comment on its database."""
    for index in notes.indexes:
        relation = transaction.relations.by_name[index.relation]
        numbers = {column.name: column.number for column in relation.columns}
        keys = tuple(IndexKey(numbers[column.name], column.descending, column.nulls_first) for column in index.columns)
        index_id = transaction.lake.allocate_relation_id()
        made = IndexDefinition(index_id, index.name, keys, oid=index_oid(index_id, relation))
        transaction.alter(relation, with_index(relation, made))
    left_out: list[str] = []
    for comment in notes.comments:
        match comment.on:
            case On.SCHEMA:
                transaction.comment(SYSTEM_SCHEMA_COMMENT, comment.text or "")
            case On.DATABASE if transaction.lake.schema == PUBLIC:
                transaction.comment(SYSTEM_DATABASE_COMMENT, comment.text or "")
            case On.DATABASE:
                left_out.append(str(comment))
            case _:
                relation = transaction.relations.by_name[comment.relation]
                transaction.alter(relation, _with_comment(relation, comment))
    return tuple(left_out)


def _with_comment(relation: Relation, comment: CatalogComment) -> Relation:
    match comment.on:
        case On.TABLE:
            return commented(relation, comment.text)
        case On.COLUMN:
            return column_commented(relation, comment.name, comment.text)
        case On.KEY:
            return replace(relation, key_comment=comment.text)
        case _:
            return index_commented(relation, comment.name, comment.text)
