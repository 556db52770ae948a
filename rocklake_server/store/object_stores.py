"""Store URLs: what each scheme means and which named variables configure it.

SlateDB itself would offer the whole process environment to the object store client, where a stray ``TIMEOUT``
or ``ENDPOINT`` changes or redirects all traffic. Here only the variables listed below count.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, unquote, urlsplit

from slatedb.uniffi import Error, ObjectStoreBuilder, ObjectStoreType

from rocklake_server.errors import InvalidParameterValue, StoreUnavailable
from rocklake_server.store.keyring import Keyring, read_keyring

_CONNECT_TIMEOUT = "5s"
_REQUEST_TIMEOUT = "30s"
_BUCKET = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_BOOLEANS = {"true": "true", "1": "true", "yes": "true", "on": "true",
             "false": "false", "0": "false", "no": "false", "off": "false"}


@dataclass(frozen=True, slots=True)
class StoreLocation:
    """A place for SlateDB databases. Prints as its URL, never with credentials."""

    scheme: str
    bucket: str
    """The bucket or container, the absolute folder, or the name of a store in memory."""
    path: str = ""
    """Path inside the bucket, without slashes at its ends."""
    options: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    """Keys and values for the object store client; they may be secret."""
    keyring: Keyring | None = field(default=None, repr=False, compare=False)
    """What the values of databases here are sealed with; ``None`` leaves them clear."""
    directory: str = field(default="", compare=False)
    """Path below the store's root, which moves with the store."""

    def child(self, name: str) -> StoreLocation:
        """The location ``name`` (which may hold slashes) below this one."""
        segments = name.split("/")
        if not all(segments) or {".", ".."} & set(segments):
            raise InvalidParameterValue(f'"{name}" is not a place below a store')
        path = f"{self.path}/{name}" if self.path else name
        directory = f"{self.directory}/{name}" if self.directory else name
        return replace(self, path=path, directory=directory)

    @property
    def folder(self) -> Path | None:
        """The folder of this location when it is on a local file system."""
        return Path(self.bucket, self.path) if self.scheme == "file" else None

    @property
    def is_remote(self) -> bool:
        return self.scheme not in ("file", "memory")

    def __str__(self) -> str:
        root = f"{self.scheme}://{'/' if self.scheme == 'memory' else ''}{self.bucket}"
        separator = "" if root.endswith("/") else "/"
        return f"{root}{separator}{self.path}" if self.path else root


@dataclass(frozen=True, slots=True)
class Variable:
    """A named variable and the client option that it sets."""

    name: str
    option: str
    is_boolean: bool = False


@dataclass(frozen=True, slots=True)
class Scheme:
    """How a URL of one scheme becomes a location, and a location an object store."""

    place: Callable[[str, SplitResult], tuple[str, str]]
    """URL → (bucket, path)."""
    build: Callable[[StoreLocation], Any]
    variables: tuple[Variable, ...] = ()


def _bad(url: str, why: str) -> InvalidParameterValue:
    shown = re.sub(r"//[^/]*@", "//", url.split("?", 1)[0])
    return InvalidParameterValue(f'store URL "{shown}": {why}')


def _inner_path(url: str, path: str) -> str:
    inner = unquote(path).strip("/")
    if inner and not all(segment not in ("", ".", "..") for segment in inner.split("/")):
        raise _bad(url, "its path has an empty or dotted part")
    return inner


def _bucket_place(url: str, parts: SplitResult) -> tuple[str, str]:
    if not parts.netloc:
        raise _bad(url, f"a bucket must follow {parts.scheme}://")
    if not _BUCKET.fullmatch(parts.netloc):
        raise _bad(url, "the name of the bucket is not valid")
    return parts.netloc, _inner_path(url, parts.path)


def _folder_place(url: str, parts: SplitResult) -> tuple[str, str]:
    if parts.netloc:
        raise _bad(url, "a folder is written file:///absolute/path, without a host")
    folder = unquote(parts.path).rstrip("/")
    if not folder or "\x00" in folder:
        raise _bad(url, "a folder must follow file://")
    return str(Path(folder)), ""


def _memory_place(url: str, parts: SplitResult) -> tuple[str, str]:
    if parts.netloc:
        raise _bad(url, "a store in memory is written memory:///name")
    return _inner_path(url, parts.path), ""


_memory_stores: dict[str, Any] = {}


def _build_memory(location: StoreLocation) -> Any:
    """One SlateDB in-memory object store for each name and process, so that a reopened store has its data."""
    if location.bucket not in _memory_stores:
        _memory_stores[location.bucket] = ObjectStoreBuilder(ObjectStoreType.IN_MEMORY).build()
    return _memory_stores[location.bucket]


def forget_memory_store(name: str) -> None:
    """Drops what ``memory:///name`` holds. Its open handles keep it until they are closed."""
    _memory_stores.pop(name, None)


def make_folder(location: StoreLocation, folder: Path) -> None:
    """Raises StoreUnavailable."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        why = f"the folder cannot be created: {problem.strerror}"
        raise StoreUnavailable(f'store "{location}": {why}') from problem


def _build_folder(location: StoreLocation) -> Any:
    make_folder(location, Path(location.bucket))
    return _configured(location, ObjectStoreType.LOCAL, {"local_path": location.bucket})


def _build_bucket(kind: Any, bucket_option: str) -> Callable[[StoreLocation], Any]:
    def build(location: StoreLocation) -> Any:
        options = {"timeout": _REQUEST_TIMEOUT, "connect_timeout": _CONNECT_TIMEOUT, **dict(location.options)}
        return _configured(location, kind, {bucket_option: location.bucket, **options})

    return build


def _configured(location: StoreLocation, kind: Any, options: Mapping[str, str]) -> Any:
    builder = ObjectStoreBuilder(kind)
    option = ""
    try:
        for option, value in options.items():
            builder.with_config(option, value)
        option = ""
        return builder.build()
    except Error:
        about = f"the value of option {option}" if option else "its configuration"
        # The library's own text may repeat a credential, so it stays out of the message and of its cause.
        raise InvalidParameterValue(f'store "{location}": {about} is not accepted') from None


_AWS = (
    Variable("AWS_ACCESS_KEY_ID", "access_key_id"),
    Variable("AWS_SECRET_ACCESS_KEY", "secret_access_key"),
    Variable("AWS_SESSION_TOKEN", "session_token"),
    Variable("AWS_DEFAULT_REGION", "region"),
    Variable("AWS_REGION", "region"),
    Variable("AWS_ENDPOINT", "endpoint"),
    Variable("AWS_ENDPOINT_URL", "endpoint"),
    Variable("AWS_ENDPOINT_URL_S3", "endpoint"),
    Variable("AWS_ALLOW_HTTP", "allow_http", is_boolean=True),
    Variable("AWS_VIRTUAL_HOSTED_STYLE_REQUEST", "virtual_hosted_style_request", is_boolean=True),
)
_GOOGLE = (
    Variable("GOOGLE_SERVICE_ACCOUNT", "service_account"),
    Variable("GOOGLE_SERVICE_ACCOUNT_KEY", "service_account_key"),
    Variable("GOOGLE_APPLICATION_CREDENTIALS", "application_credentials"),
    Variable("GOOGLE_BASE_URL", "base_url"),
    Variable("GOOGLE_SKIP_SIGNATURE", "skip_signature", is_boolean=True),
)
_AZURE = (
    Variable("AZURE_STORAGE_ACCOUNT_NAME", "account_name"),
    Variable("AZURE_STORAGE_ACCOUNT_KEY", "account_key"),
    Variable("AZURE_STORAGE_SAS_TOKEN", "sas_token"),
    Variable("AZURE_CLIENT_ID", "client_id"),
    Variable("AZURE_CLIENT_SECRET", "client_secret"),
    Variable("AZURE_TENANT_ID", "tenant_id"),
    Variable("AZURE_STORAGE_ENDPOINT", "endpoint"),
    Variable("AZURE_STORAGE_USE_EMULATOR", "use_emulator", is_boolean=True),
    Variable("AZURE_ALLOW_HTTP", "allow_http", is_boolean=True),
)

SCHEMES: Mapping[str, Scheme] = {
    "memory": Scheme(_memory_place, _build_memory),
    "file": Scheme(_folder_place, _build_folder),
    "s3": Scheme(_bucket_place, _build_bucket(ObjectStoreType.S3, "bucket"), _AWS),
    "gs": Scheme(_bucket_place, _build_bucket(ObjectStoreType.GCS, "bucket"), _GOOGLE),
    "az": Scheme(_bucket_place, _build_bucket(ObjectStoreType.AZURE, "container_name"), _AZURE),
}


def _client_options(scheme: Scheme, variables: Mapping[str, str]) -> dict[str, str]:
    """Options from the variables that are set and not empty; of two for one option the later row counts."""
    options: dict[str, str] = {}
    for variable in scheme.variables:
        value = variables.get(variable.name, "")
        if value and variable.is_boolean:
            if value.lower() not in _BOOLEANS:
                raise InvalidParameterValue(f'{variable.name} must be true or false, not "{value}"')
            value = _BOOLEANS[value.lower()]
        if value:
            options[variable.option] = value
    endpoint = options.get("endpoint", "")
    if endpoint and not endpoint.startswith(("http://", "https://")):
        raise InvalidParameterValue("the endpoint of the object store must begin with http:// or https://")
    if endpoint.startswith("http://"):
        options.setdefault("allow_http", "true")
    return options


def parse_store_url(url: str, variables: Mapping[str, str]) -> StoreLocation:
    """The location that ``url`` names, configured by those of ``variables`` that its scheme knows.

    Raises InvalidParameterValue for a malformed URL, an unknown scheme or option, a missing bucket, or encryption keys
    that cannot be read.
    """
    try:
        parts = urlsplit(url)
    except ValueError as problem:
        raise _bad(url, "it is not a URL") from problem
    scheme = SCHEMES.get(parts.scheme)
    if "://" not in url or scheme is None:
        raise _bad(url, f"it must begin with one of {', '.join(f'{name}://' for name in SCHEMES)}")
    if parts.username is not None or "@" in parts.netloc:
        raise _bad(url, "credentials do not belong into it; set the variables of the object store")
    if parts.query or parts.fragment:
        option = (parts.query or parts.fragment).split("=", 1)[0]
        raise _bad(url, f'option "{option}" is not known; object stores are configured by variables')
    bucket, path = scheme.place(url, parts)
    options = tuple(_client_options(scheme, variables).items())
    return StoreLocation(parts.scheme, bucket, path, options, read_keyring(variables))


def build_object_store(location: StoreLocation) -> Any:
    """SlateDB's object store for ``location``; nothing is contacted yet, a local folder is created.

    Raises InvalidParameterValue for a refused configuration, StoreUnavailable for a folder that cannot be
    made.
    """
    return SCHEMES[location.scheme].build(location)
