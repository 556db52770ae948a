"""The extended protocol: Parse, Bind, Describe, Execute, Close."""

from __future__ import annotations

from collections.abc import Sequence

from rocklake_server.adhoc.explaining import COLUMN as EXPLAIN_COLUMN
from rocklake_server.errors import (
    CharacterNotInRepertoire,
    InvalidParameterValue,
    ObjectNotInPrerequisiteState,
    ProtocolViolation,
    SyntaxProblem,
    Unsupported,
)
from rocklake_server.pgformat.binary import binary_decoder
from rocklake_server.pgformat.text import text_decoder
from rocklake_server.plan.model import Outcome, ResultColumn, RowStream
from rocklake_server.schema.types import TEXT, ColumnType, Value
from rocklake_server.session.channel import Channel
from rocklake_server.session.replies import command_complete
from rocklake_server.session.rows import BINARY_FORMAT, TEXT_FORMAT, formats_for, result_format
from rocklake_server.session.runner import StatementRunner
from rocklake_server.session.statements import Portal, Prepared, Registry
from rocklake_server.session.transaction_block import TransactionBlock
from rocklake_server.sql import statements as sql
from rocklake_server.sql.parse import parse_statement
from rocklake_server.sql.split import split_statements
from rocklake_server.wire import messages as m

ExtendedMessage = m.Parse | m.Bind | m.Describe | m.Execute | m.Close


class ExtendedProtocol:
    """Answers the messages of a pipeline one by one; Sync is the session's."""

    def __init__(
        self, channel: Channel, block: TransactionBlock, registry: Registry, runner: StatementRunner
    ) -> None:
        self._channel = channel
        self._block = block
        self._registry = registry
        self._runner = runner

    async def answer(self, message: ExtendedMessage) -> None:
        match message:
            case m.Parse():
                await self._parse(message)
            case m.Bind():
                await self._bind(message)
            case m.Describe():
                await self._describe(message)
            case m.Execute():
                await self._execute(message)
            case m.Close():
                if message.kind == "S":
                    self._registry.forget_statement(message.name)
                else:
                    self._registry.forget_portal(message.name)
                self._channel.send(m.CloseComplete())

    async def _parse(self, message: m.Parse) -> None:
        texts = split_statements(message.query)
        if len(texts) > 1:
            raise SyntaxProblem("cannot insert multiple commands into a prepared statement")
        statement = parse_statement(texts[0]) if texts else None
        if statement is not None:
            self._runner.check_allowed(statement)
        prepared = Prepared(message.statement, statement, tuple(message.parameter_types))
        if isinstance(statement, sql.Query):
            await self._runner.planned(statement, prepared.parameter_oids)
        self._registry.add_statement(prepared)
        self._channel.send(m.ParseComplete())

    async def _bind(self, message: m.Bind) -> None:
        prepared = self._registry.statement(message.statement)
        self._runner.check_allowed(prepared.statement)
        types, columns = await self._shape(prepared)
        if len(message.parameters) != len(types):
            raise ProtocolViolation(
                f"bind message supplies {len(message.parameters)} parameters, "
                f'but prepared statement "{prepared.name}" requires {len(types)}'
            )
        formats = _parameter_formats(message.parameter_formats, len(types))
        parameters = tuple(
            None if data is None else _decoded(column_type, wire_format, bytes(data))
            for column_type, wire_format, data in zip(types, formats, message.parameters, strict=True)
        )
        width = len(columns or ())
        if len(message.result_formats) not in (0, 1, width):
            raise ProtocolViolation(
                f"bind message has {len(message.result_formats)} result formats but query has {width} columns"
            )
        wanted = _known(formats_for(message.result_formats, width))
        self._registry.add_portal(Portal(message.portal, prepared, parameters, wanted, columns))
        self._channel.send(m.BindComplete())

    async def _describe(self, message: m.Describe) -> None:
        if message.kind == "S":
            types, columns = await self._shape(self._registry.statement(message.name))
            self._channel.send(m.ParameterDescription(tuple(column_type.oid for column_type in types)))
            formats: Sequence[int] = formats_for((), len(columns or ()))
        else:
            portal = self._registry.portal(message.name)
            columns, formats = portal.columns, portal.formats
        self._channel.send(m.NoData() if columns is None else result_format(columns, formats).description)

    async def _shape(
        self, prepared: Prepared
    ) -> tuple[tuple[ColumnType, ...], tuple[ResultColumn, ...] | None]:
        """Parameter types and result columns."""
        statement = prepared.statement
        if isinstance(statement, sql.Query):
            self._block.require_not_failed()
            plan, _ = await self._runner.planned(statement, prepared.parameter_oids)
            return plan.parameters, plan.columns
        if isinstance(statement, sql.Explain):
            return (), (EXPLAIN_COLUMN,)
        if isinstance(statement, sql.ShowVariable):
            names = (statement.name,) if statement.name is not None else ("name", "setting", "description")
            return (), tuple(ResultColumn(name, TEXT) for name in names)
        return (), None

    async def _execute(self, message: m.Execute) -> None:
        portal = self._registry.portal(message.portal)
        statement = portal.prepared.statement
        self._runner.check_allowed(statement)
        if statement is None:
            self._channel.send(m.EmptyQueryResponse())
            return
        if portal.finished:
            raise ObjectNotInPrerequisiteState(f'portal "{portal.name}" cannot be run')
        portal.finished = portal.columns is None
        if isinstance(statement, sql.CopyIn | sql.CopyOut):
            tag = await self._runner.run_copy(statement)
            self._block.require_owned()
            self._channel.send(command_complete(tag))
            return
        if portal.outcome is None:
            portal.outcome = await self._run(statement, portal)
            self._runner.send_notices(portal.outcome.notices)
        self._block.require_owned()
        await self._send(portal, portal.outcome, message.rows_max)

    async def _run(self, statement: sql.Query | sql.UtilityStatement, portal: Portal) -> Outcome:
        if isinstance(statement, sql.Query):
            plan, context = await self._runner.planned(
                statement, portal.prepared.parameter_oids, portal.parameters
            )
            if plan.columns != portal.columns:
                raise Unsupported("cached plan must not change result type")
            return await self._runner.run_query(statement, plan, context)
        tag, rows = await self._runner.run_utility(statement)
        return Outcome(tag, rows)

    async def _send(self, portal: Portal, outcome: Outcome, rows_max: int) -> None:
        """Rows from where the portal stands, at most ``rows_max`` unless that is 0. The tag counts these rows."""
        tag = outcome.tag
        if outcome.stream is not None:
            count = await self._send_stream(portal, outcome.stream, rows_max)
            if rows_max > 0 and count == rows_max:
                self._channel.send(m.PortalSuspended())
                return
            tag = f"{tag} {count}"
        elif portal.columns is not None:
            stop = len(outcome.rows) if rows_max <= 0 else portal.position + rows_max
            rows = outcome.rows[portal.position : stop]
            await self._runner.send_rows(portal.columns, portal.formats, rows)
            portal.position += len(rows)
            if rows_max > 0 and len(rows) == rows_max:
                self._channel.send(m.PortalSuspended())
                return
            command, _, counted = tag.rpartition(" ")
            if counted.isdecimal():
                tag = f"{command} {len(rows)}"
        self._channel.send(command_complete(tag))


    async def _send_stream(self, portal: Portal, stream: RowStream, rows_max: int) -> int:
        """As many rows as are asked for (0: all), as they are computed; at the end the engine is given back."""
        count = 0
        while (wanted := rows_max - count) or rows_max <= 0:
            rows = await stream.take(wanted if rows_max > 0 else None)
            if not rows:
                stream.close()
                break
            await self._runner.send_rows(portal.columns or (), portal.formats, rows)
            count += len(rows)
        portal.position += count
        return count


def _parameter_formats(formats: Sequence[int], count: int) -> Sequence[int]:
    if len(formats) not in (0, 1, count):
        raise ProtocolViolation(f"bind message has {len(formats)} parameter formats but {count} parameters")
    return _known(formats_for(formats, count))


def _known(formats: tuple[int, ...]) -> tuple[int, ...]:
    for wire_format in formats:
        if wire_format not in (TEXT_FORMAT, BINARY_FORMAT):
            raise InvalidParameterValue(f"unsupported format code: {wire_format}")
    return formats


def _decoded(column_type: ColumnType, wire_format: int, data: bytes) -> Value:
    """Raises InvalidTextRepresentation, InvalidBinaryRepresentation, CharacterNotInRepertoire."""
    if wire_format == BINARY_FORMAT:
        value: Value = binary_decoder(column_type)(data)
        return value
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise CharacterNotInRepertoire('invalid byte sequence for encoding "UTF8"') from None
    decoded: Value = text_decoder(column_type)(text)
    return decoded
