"""Replies that come again and again, encoded once."""

from __future__ import annotations

from functools import lru_cache

from rocklake_server.session.transaction_block import BlockState
from rocklake_server.wire import messages as m
from rocklake_server.wire.connection import Raw, framed

COPY_DONE = framed(m.CopyDone())

READY_FOR_QUERY = {state: framed(m.ReadyForQuery(state.value)) for state in BlockState}


@lru_cache(maxsize=1024)
def command_complete(tag: str) -> Raw:
    return framed(m.CommandComplete(tag))


@lru_cache(maxsize=1024)
def copy_out_response(wire_format: int, columns: int) -> Raw:
    """``columns`` columns, all of one format."""
    return framed(m.CopyOutResponse(wire_format, (wire_format,) * columns))


@lru_cache(maxsize=1024)
def parameter_status(name: str, value: str) -> Raw:
    return framed(m.ParameterStatus(name, value))
