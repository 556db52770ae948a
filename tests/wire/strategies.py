"""Hypothesis strategies for messages, derived from their fields: a new message is property-tested on
arrival."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from rocklake_server.wire import startup
from rocklake_server.wire.fields import (
    INT16,
    INT32,
    UINT8,
    UINT16,
    UINT32,
    ArrayCodec,
    Codec,
    FieldCode,
    Integer,
    LengthPrefixed,
    Letter,
    NulTerminated,
    Pairs,
    Remainder,
)
from rocklake_server.wire.layout import BACKEND, FRONTEND, Layout, Message

UNTAGGED: tuple[type[Message], ...] = (
    startup.CancelRequest,
    startup.GSSENCRequest,
    startup.SSLRequest,
    startup.StartupMessage,
)
ALL: tuple[type[Message], ...] = (*FRONTEND.values(), *BACKEND.values(), *UNTAGGED)

_BOUNDS = {
    UINT8: (0, 2**8 - 1),
    INT16: (-(2**15), 2**15 - 1),
    UINT16: (0, 2**16 - 1),
    INT32: (-(2**31), 2**31 - 1),
    UINT32: (0, 2**32 - 1),
}
_TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20)


def values_of(codec: Codec[Any]) -> st.SearchStrategy[Any]:
    """Every value that ``codec`` can carry, small ones first."""
    match codec:
        case Integer():
            return st.integers(*_BOUNDS[codec])
        case Letter():
            return st.sampled_from(codec.letters)
        case NulTerminated():
            return _TEXT
        case FieldCode():
            return st.characters(min_codepoint=1, max_codepoint=0x7F)
        case LengthPrefixed():
            return st.none() | st.binary(max_size=20)
        case Remainder():
            return st.binary(max_size=20)
        case Pairs():
            return st.dictionaries(values_of(codec.name).filter(bool), _TEXT, max_size=4)
        case ArrayCodec():
            return st.lists(values_of(codec.item), max_size=4).map(tuple)
        case Layout():
            made = codec.decoded_type
            return st.builds(made, **{name: values_of(field) for name, field in codec.fields.items()})
    raise AssertionError(f"no strategy for {codec!r}")


def messages_of(kind: type[Message]) -> st.SearchStrategy[Message]:
    """Any message of this kind that a peer may send."""
    if kind is startup.StartupMessage:
        given = values_of(kind.layout.fields["parameters"])
        parameters = st.builds(lambda given, user: given | {"user": user}, given, _TEXT.filter(bool))
        return st.builds(startup.StartupMessage, st.just(3), values_of(UINT16), parameters)
    return values_of(kind.layout)
