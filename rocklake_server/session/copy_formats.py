"""The options of a COPY for its columns: text or CSV, with columns as places instead of names."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from rocklake_server.catalog.view import TransactionView
from rocklake_server.errors import DuplicateColumn, InvalidColumnReference, UndefinedColumn
from rocklake_server.pgformat.copy_format import CsvFormat, TextFormat
from rocklake_server.plan.model import ResultColumn
from rocklake_server.plan.relation_names import find_relation
from rocklake_server.plan.writes import CopyTarget
from rocklake_server.sql.statements import CopyFormat, CopyOptions, CopyOut


def out_format(statement: CopyOut, columns: Sequence[ResultColumn], view: TransactionView
               ) -> TextFormat | CsvFormat | None:
    """``None`` for binary. Raises UndefinedColumn, DuplicateColumn, InvalidColumnReference."""
    table = statement.table

    def check(name: str) -> None:
        if table is None:
            raise UndefinedColumn(f'column "{name}" does not exist')
        found = find_relation(view, table.schema, table.name)
        _check(found.name, [column.name for column in found.columns], name)

    return _format(statement.options, [column.name for column in columns], check)


def in_format(options: CopyOptions, target: CopyTarget) -> TextFormat | CsvFormat | None:
    """As ``out_format``."""
    relation = target.relation

    def check(name: str) -> None:
        _check(relation.name, relation.index, name)

    return _format(options, [relation.columns[index].name for index in target.indexes], check)


def _check(relation: str, columns: Collection[str], name: str) -> None:
    if name not in columns:
        raise UndefinedColumn(f'column "{name}" of relation "{relation}" does not exist')


def _format(options: CopyOptions, names: Sequence[str], check: Callable[[str], None]) -> TextFormat | CsvFormat | None:
    """``names`` are what is copied; ``check`` raises for a name that the table does not have either."""
    if options.format is CopyFormat.BINARY:
        return None
    if options.format is CopyFormat.TEXT:
        return TextFormat(options.delimiter, options.null, options.header)

    def places(option: str, wanted: Sequence[str] | None) -> frozenset[int]:
        if wanted is None:
            return frozenset(range(len(names)))
        for position, name in enumerate(wanted):
            if name in wanted[:position]:
                raise DuplicateColumn(f'column "{name}" specified more than once')
            if name not in names:
                check(name)
        for name in wanted:
            if name not in names:
                raise InvalidColumnReference(f'{option} column "{name}" not referenced by COPY')
        return frozenset(names.index(name) for name in wanted)

    return CsvFormat(
        options.delimiter, options.null, options.header, options.quote, options.escape,
        places("FORCE_QUOTE", options.force_quote),
        places("FORCE_NOT_NULL", options.force_not_null),
        places("FORCE_NULL", options.force_null),
    )
