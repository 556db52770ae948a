"""SlateDB's failures as this server's errors. The library's own texts may name credentials: they stay out."""

from __future__ import annotations

import re

from slatedb.uniffi import CloseReason, Error
from slatedb.uniffi._slatedb_uniffi.slatedb import InternalError

from rocklake_server.errors import (
    CannotConnectNow,
    CatalogError,
    CorruptValue,
    InternalProblem,
    OutcomeUnknown,
    StoreUnavailable,
)
from rocklake_server.store.object_stores import StoreLocation

NATIVE_ERRORS = (Error, InternalError)
"""What a call of the library raises; the second one when it panicked, as it does over some damaged tables."""

_HINTS = (
    (("403", "AccessDenied", "Forbidden", "InvalidAccessKeyId", "SignatureDoesNotMatch"), "access is denied"),
    (("401", "Unauthorized"), "the credentials are not accepted"),
    (("NoSuchBucket", "ContainerNotFound"), "the bucket does not exist"),
    (("503 ", "429 ", "500 ", "SlowDown"), "it is overloaded or out of service"),
    (("timed out", "timeout", "deadline"), "it does not answer in time"),
    (("error sending request", "onnection refused", "onnect error", "dns error"), "it cannot be reached"),
)
"""Words in the library's text, and what they tell an operator; the first row that fits counts."""


_NEWEST_IS_READ = ("manifest", "compactions")
"""Directories of which an opening reads the newest file, named in the library's errors about it."""


def reason_of(error: Exception) -> str:
    """Why a request failed, in words for an operator."""
    text = str(error)
    hints = (hint for words, hint in _HINTS if any(_holds(text, word) for word in words))
    return next(hints, "it refuses the request")


def _holds(text: str, word: str) -> bool:
    """A number counts when it stands alone: paths are full of digits."""
    return re.search(rf"(?<!\w){word}(?!\w)", text) is not None if word.isdecimal() else word in text


def read_error(error: Exception, location: StoreLocation) -> CatalogError:
    """For a failed read or opening, or a write that is known not to have begun."""
    if isinstance(error, Error.Closed):
        return _closed(error.reason, location)
    if isinstance(error, TimeoutError):
        return StoreUnavailable(f'store "{location}": it does not answer in time')
    if isinstance(error, Error.Unavailable):
        return StoreUnavailable(f'store "{location}": {reason_of(error)}')
    if isinstance(error, Error.Data):
        return CorruptValue(f'store "{location}" holds a file that SlateDB cannot read')
    if isinstance(error, InternalError):
        return InternalProblem(f'store "{location}": SlateDB breaks down over it; a file may be damaged')
    return InternalProblem(f'store "{location}": SlateDB refuses a call ({type(error).__name__})')


def opening_error(error: Exception, location: StoreLocation) -> CatalogError:
    """For a failed opening. Names the kind of file that cannot be read, and on a local folder the file."""
    kind = next((kind for kind in _NEWEST_IS_READ if kind.removesuffix("s") in str(error)), None)
    if kind is None or not isinstance(error, Error.Data | Error.Internal | Error.Invalid):
        return read_error(error, location)
    folder = location.folder
    names = sorted(path.name for path in (folder / kind).iterdir()) if folder is not None else []
    file = f"{kind}/{names[-1]}" if names else f"the newest file in {kind}"
    return CorruptValue(f'store "{location}": {file} cannot be read', hint="Restore the file from a backup.")


def is_made_already(error: Exception) -> bool:
    """Whether an opening met one that made the same version of the manifest at the same time: nothing is damaged."""
    return "version already exists" in str(error)


def _closed(reason: object, location: StoreLocation) -> CatalogError:
    if reason == CloseReason.FENCED:
        return fenced(location)
    if reason == CloseReason.CLEAN:
        return CannotConnectNow(f'store "{location}" is closed')
    return StoreUnavailable(f'store "{location}": its handle has failed and must be reopened')


def fenced(location: StoreLocation) -> CannotConnectNow:
    return CannotConnectNow(f'store "{location}": another server has taken it over')


def unknown_outcome(location: StoreLocation) -> OutcomeUnknown:
    return OutcomeUnknown(f'store "{location}" failed during a write, which may or may not be there')
