"""The extended protocol: Parse, Bind, Describe, Execute, Close."""

from __future__ import annotations

from collections.abc import Sequence

from rocklake_server.errors import (
    CharacterNotInRepertoire,
    InvalidBinaryRepresentation,
    InvalidParameterValue,
    ObjectNotInPrerequisiteState,
    ProtocolViolation,
    SyntaxProblem,
    Unsupported,
)
from rocklake_server.pgformat.binary import binary_decoder
from rocklake_server.pgformat.text import session_text_decoder
from rocklake_server.plan.model import ResultColumn, RowStream
from rocklake_server.plan.registered import is_registered, oid_of_name
from rocklake_server.schema.types import NAME, TEXT, ColumnType, Value
from rocklake_server.session.channel import Channel
from rocklake_server.session.replies import command_complete
from rocklake_server.session.rows import BINARY_FORMAT, TEXT_FORMAT, formats_for, result_format
from rocklake_server.session.runner import ENDS_BLOCK, Shape, StatementRunner
from rocklake_server.session.statement_meter import PARSE
from rocklake_server.session.statements import SHOWN_CHARACTERS_MAX, Portal, Prepared, Registry
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
        self._runner.shown = message.query[:SHOWN_CHARACTERS_MAX]
        if not message.statement:
            self._registry.forget_statement("")
        texts = split_statements(message.query)
        if len(texts) > 1:
            raise SyntaxProblem("cannot insert multiple commands into a prepared statement")
        statement = parse_statement(texts[0]) if texts else None
        if self._runner.watch is not None:
            self._runner.watch.ended(PARSE)
        if statement is not None:
            self._runner.check_allowed(statement)
        oids = tuple(message.parameter_types)
        types, _ = await self._runner.shape(statement, oids)
        made_us = self._block.now_us()
        self._registry.add_statement(Prepared(message.statement, statement, oids, self._runner.shown, types, made_us))
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
            None if data is None else self._value(number, column_type, wire_format, bytes(data))
            for number, (column_type, wire_format, data)
            in enumerate(zip(types, formats, message.parameters, strict=True), 1)
        )
        width = len(columns or ())
        if columns is not None and len(message.result_formats) not in (0, 1, width):
            raise ProtocolViolation(
                f"bind message has {len(message.result_formats)} result formats but query has {width} columns"
            )
        wanted = _known(formats_for(message.result_formats, width))
        self._registry.add_portal(Portal(message.portal, prepared, parameters, wanted, columns))
        self._channel.send(m.BindComplete())

    def _value(self, number: int, column_type: ColumnType, wire_format: int, data: bytes) -> Value:
        """A parameter. The name of an object is looked up. Raises what ``_decoded`` and the look-up raise."""
        if wire_format == TEXT_FORMAT and is_registered(column_type):
            return oid_of_name(self._runner.context(), column_type, str(_decoded(number, TEXT, wire_format, data)))
        return _decoded(number, column_type, wire_format, data)

    async def _describe(self, message: m.Describe) -> None:
        if message.kind == "S":
            types, columns = await self._shape(self._registry.statement(message.name))
            self._channel.send(m.ParameterDescription(tuple(column_type.oid for column_type in types)))
            formats: Sequence[int] = formats_for((), len(columns or ()))
        else:
            portal = self._registry.portal(message.name)
            columns, formats = portal.columns, portal.formats
            if columns is not None:
                self._block.require_not_failed()
        self._channel.send(m.NoData() if columns is None else result_format(columns, formats).description)

    async def _shape(self, prepared: Prepared) -> Shape:
        if prepared.statement is not None and not isinstance(prepared.statement, ENDS_BLOCK):
            self._block.require_not_failed()
        return await self._runner.shape(prepared.statement, prepared.parameter_oids)

    async def _execute(self, message: m.Execute) -> None:
        portal = self._registry.portal(message.portal)
        statement = portal.prepared.statement
        self._runner.shown = portal.prepared.text
        if statement is None:
            self._channel.send(m.EmptyQueryResponse())
            return
        self._runner.check_allowed(statement)
        if portal.finished:
            raise ObjectNotInPrerequisiteState(f'portal "{portal.name}" cannot be run')
        portal.finished = portal.columns is None
        if isinstance(statement, sql.CopyIn | sql.CopyOut):
            tag = await self._runner.run_copy(statement)
        elif portal.columns is None:
            tag = await self._run(statement, portal)
        else:
            await self._send_rows(portal, portal.columns, message.rows_max)
            return
        self._block.require_owned()
        self._channel.send(command_complete(tag))

    async def _run(self, statement: sql.Query | sql.UtilityStatement, portal: Portal) -> str:
        """A statement without rows. Returns its tag."""
        result = await self._runner.result_of(statement, portal.prepared.parameter_oids, portal.parameters)
        if result.columns is not None:
            raise Unsupported("cached plan must not change result type")
        self._runner.send_notices(result.outcome.notices)
        return result.outcome.tag

    async def _send_rows(self, portal: Portal, columns: Sequence[ResultColumn], rows_max: int) -> None:
        """Rows from where the portal stands, at most ``rows_max`` unless that is 0. The tag counts these rows."""
        outcome = await self._runner.opened(portal)
        self._block.require_owned()
        if outcome.stream is not None:
            count = await self._send_stream(portal, outcome.stream, rows_max)
        else:
            outcome, place = await self._runner.placed(portal)
            found = place.forward(rows_max if rows_max > 0 else None)
            await self._runner.send_rows(columns, portal.formats, outcome.rows[found.start : found.stop])
            count = len(found)
        if rows_max > 0 and count == rows_max:
            self._channel.send(m.PortalSuspended())
            return
        self._channel.send(command_complete(_counted(outcome.tag, count)))

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
        return count


def _counted(tag: str, count: int) -> str:
    """A tag that counts rows, with ``count``."""
    head, _, last = tag.rpartition(" ")
    return f"{head} {count}" if last.isdecimal() else f"{tag} {count}" if tag == "SELECT" else tag


def _parameter_formats(formats: Sequence[int], count: int) -> Sequence[int]:
    if len(formats) not in (0, 1, count):
        raise ProtocolViolation(f"bind message has {len(formats)} parameter formats but {count} parameters")
    return _known(formats_for(formats, count))


def _known(formats: tuple[int, ...]) -> tuple[int, ...]:
    for wire_format in formats:
        if wire_format not in (TEXT_FORMAT, BINARY_FORMAT):
            raise InvalidParameterValue(f"unsupported format code: {wire_format}")
    return formats


def _decoded(number: int, column_type: ColumnType, wire_format: int, data: bytes) -> Value:
    """Raises ProtocolViolation for a value that is too short, and InvalidTextRepresentation, CharacterNotInRepertoire,
    InvalidBinaryRepresentation."""
    if wire_format == BINARY_FORMAT:
        size = 0 if column_type.oid == NAME.oid else column_type.size
        if len(data) < size:
            raise ProtocolViolation("insufficient data left in message")
        if 0 < size < len(data):
            raise InvalidBinaryRepresentation(f"incorrect binary data format in bind parameter {number}")
        value: Value = binary_decoder(column_type)(data)
        return value
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise CharacterNotInRepertoire('invalid byte sequence for encoding "UTF8"') from None
    decoded: Value = session_text_decoder(column_type)(text)
    return decoded
