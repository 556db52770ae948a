"""The lease as an object of the store: what it says, and conditional reads and writes of it.

Each write names the version that it replaces (If-Match, or If-None-Match for the first), so that of two servers that
write at once exactly one succeeds.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Any, NamedTuple, TypeVar

from obstore.exceptions import (
    AlreadyExistsError,
    BaseError,
    GenericError,
    PreconditionError,
    UnknownConfigurationKeyError,
)
from obstore.store import AzureStore, GCSStore, ObjectStore, S3Store

from rocklake_server.errors import CorruptValue, InvalidParameterValue, StoreUnavailable, Unsupported
from rocklake_server.store.object_stores import StoreLocation
from rocklake_server.store.slate_errors import reason_of

Result = TypeVar("Result")

LEASE_OBJECT = "lease.json"
"""Beside the databases, below the store's prefix."""

CLIENTS: Mapping[str, Callable[..., ObjectStore]] = {"s3": S3Store, "gs": GCSStore, "az": AzureStore}

Version = Mapping[str, str]
"""What names one version of the object to the store: ``e_tag``, ``version`` or both."""

_NO_VERSION: Version = {"e_tag": '"no-such-version"', "version": "1"}


class Superseded(Exception):
    """The object is not at the version that a write was to replace; nothing was written by this request."""


class NoAnswer(Exception):
    """The store did not answer, or was busy: the same request may succeed later. A write may have landed."""

    def __init__(self, error: StoreUnavailable) -> None:
        super().__init__(str(error))
        self.error = error


@dataclass(frozen=True, slots=True)
class LeaseRecord:
    """Who holds the store. ``holder`` is for people; ``asks`` names the holder that this one displaced and that has
    not yet said that it answers no more."""

    holder_id: str
    holder: str
    lease_s: float
    renewal: int = 0
    released: bool = False
    asks: str = ""

    def encode(self) -> bytes:
        return json.dumps(asdict(self)).encode()

    @classmethod
    def decode(cls, data: bytes) -> LeaseRecord:
        """Raises ValueError, TypeError."""
        record = cls(**json.loads(data))
        if not isinstance(record.holder_id, str) or not float(record.lease_s) > 0:
            raise ValueError("a lease without a holder or a time")
        return record


class Seen(NamedTuple):
    """The lease as one read found it."""

    record: LeaseRecord
    version: Version


class LeaseObject:
    """Each call is one request, answered within ``timeout_s`` or not at all."""

    def __init__(self, location: StoreLocation, *, timeout_s: float) -> None:
        """Raises InvalidParameterValue for options that the client refuses."""
        self.location = location
        timeout = timedelta(seconds=timeout_s)
        try:
            self._store: Any = CLIENTS[location.scheme](
                location.bucket,
                prefix=location.path or None,
                config=dict(location.options),
                client_options={"timeout": timeout, "connect_timeout": timeout},
                retry_config={"max_retries": 0},
            )
        except (BaseError, UnknownConfigurationKeyError):
            # The library's own text may repeat a credential.
            raise InvalidParameterValue(f'store "{location}": its configuration is not accepted') from None

    async def read(self) -> Seen | None:
        """``None`` when there is none. Raises NoAnswer, StoreUnavailable, CorruptValue."""

        async def request() -> tuple[bytes, Version]:
            found = await self._store.get_async(LEASE_OBJECT)
            return bytes(await found.bytes_async()), _version(found.meta)

        try:
            data, version = await self._answered(request)
        except FileNotFoundError:
            return None
        try:
            return Seen(LeaseRecord.decode(data), version)
        except (ValueError, TypeError):
            raise CorruptValue(f'store "{self.location}": object {LEASE_OBJECT} is not a lease') from None

    async def write(self, record: LeaseRecord, replaced: Version | None) -> Version:
        """Replace that version, or create the object, and return the new version. Raises Superseded, NoAnswer,
        StoreUnavailable, Unsupported."""

        async def request() -> Version:
            mode = "create" if replaced is None else dict(replaced)
            return _version(await self._store.put_async(LEASE_OBJECT, record.encode(), mode=mode, use_multipart=False))

        try:
            version = await self._answered(request)
        except (AlreadyExistsError, PreconditionError):
            raise Superseded from None
        except FileNotFoundError:
            if replaced is not None:
                raise Superseded from None
            raise StoreUnavailable(f'store "{self.location}": the bucket does not exist') from None
        if not version:
            raise Unsupported(f'store "{self.location}": it does not tell versions of an object apart')
        return version

    async def require_conditions(self, record: LeaseRecord, version: Version) -> None:
        """Raises Unsupported when the store ignores the conditions of a write: there a lease protects nothing."""
        try:
            await self.write(record, {name: _NO_VERSION[name] for name in version})
        except Superseded:
            return
        raise Unsupported(f'store "{self.location}": it ignores If-Match, so that a lease would protect nothing')

    async def _answered(self, request: Callable[[], Awaitable[Result]]) -> Result:
        try:
            return await request()
        except (AlreadyExistsError, PreconditionError):
            raise
        except GenericError as error:
            raise NoAnswer(self._unavailable(error)) from None
        except BaseError as error:
            raise self._unavailable(error) from None

    def _unavailable(self, error: Exception) -> StoreUnavailable:
        return StoreUnavailable(f'store "{self.location}": {reason_of(error)}')


def _version(found: Mapping[str, Any]) -> Version:
    return {name: found[name] for name in ("e_tag", "version") if found.get(name)}
