"""Store URLs and the variables that configure them."""

from __future__ import annotations

from pathlib import Path

import pytest
from slatedb.uniffi import ObjectStoreBuilder, ObjectStoreType

from rocklake_server.errors import CatalogError, InvalidParameterValue
from rocklake_server.store.object_stores import (
    SCHEMES,
    build_object_store,
    parse_store_url,
)
from rocklake_server.store.slate import open_slate_store
from tests.s3_stub import S3Stub
from tests.store.places import keys, rows


@pytest.mark.parametrize(("url", "scheme", "bucket", "path"), [
    ("memory:///", "memory", "", ""),
    ("memory:///name", "memory", "name", ""),
    ("file:///some/folder", "file", "/some/folder", ""),
    ("file:///some/folder/", "file", "/some/folder", ""),
    ("file:///with%20space", "file", "/with space", ""),
    ("s3://bucket", "s3", "bucket", ""),
    ("s3://my.bucket-1/deep/prefix/", "s3", "my.bucket-1", "deep/prefix"),
    ("gs://bucket/prefix", "gs", "bucket", "prefix"),
    ("az://container/prefix", "az", "container", "prefix"),
])
def test_a_url_names_a_location(url: str, scheme: str, bucket: str, path: str) -> None:
    location = parse_store_url(url, {})
    assert (location.scheme, location.bucket, location.path) == (scheme, bucket, path)


@pytest.mark.parametrize(("url", "why"), [
    ("", "begin with one of memory://, file://, s3://, gs://, az://"),
    ("bucket/prefix", "begin with one of"),
    ("/var/lib/rocklake", "begin with one of"),
    ("s3:bucket", "begin with one of"),
    ("ftp://host/x", "begin with one of"),
    ("s3a://bucket/x", "begin with one of"),
    ("s3://", "a bucket must follow s3://"),
    ("gs:///prefix", "a bucket must follow gs://"),
    ("az://", "a bucket must follow az://"),
    ("s3://buck et/x", "the name of the bucket is not valid"),
    ("s3://bucket/a//b", "empty or dotted part"),
    ("s3://bucket/a/../b", "empty or dotted part"),
    ("s3://bucket/x?region=eu", 'option "region" is not known'),
    ("s3://bucket/x#part", 'option "part" is not known'),
    ("file://", "a folder must follow file://"),
    ("file:///", "a folder must follow file://"),
    ("file://relative/folder", "without a host"),
    ("memory://name", "memory:///name"),
    ("s3://[bucket", "it is not a URL"),
])
def test_a_wrong_url_is_refused_in_one_sentence(url: str, why: str) -> None:
    with pytest.raises(InvalidParameterValue) as caught:
        parse_store_url(url, {})
    assert why in str(caught.value)
    assert "\n" not in str(caught.value)


def test_credentials_in_a_url_are_refused_and_not_repeated() -> None:
    with pytest.raises(InvalidParameterValue) as caught:
        parse_store_url("s3://AKIA:hidden@bucket/x", {})
    assert "AKIA" not in str(caught.value)
    assert "hidden" not in str(caught.value)


@pytest.mark.parametrize(("variables", "options"), [
    ({}, {}),
    ({"AWS_REGION": "eu", "AWS_DEFAULT_REGION": "us"}, {"region": "eu"}),
    ({"AWS_DEFAULT_REGION": "us", "AWS_REGION": ""}, {"region": "us"}),
    ({"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "AWS_SESSION_TOKEN": "c"},
     {"access_key_id": "a", "secret_access_key": "b", "session_token": "c"}),
    ({"AWS_ENDPOINT": "http://a", "AWS_ENDPOINT_URL": "http://b", "AWS_ENDPOINT_URL_S3": "http://c"},
     {"endpoint": "http://c", "allow_http": "true"}),
    ({"AWS_ENDPOINT_URL": "https://minio"}, {"endpoint": "https://minio"}),
    ({"AWS_ENDPOINT_URL": "http://minio", "AWS_ALLOW_HTTP": "no"}, {"endpoint": "http://minio", "allow_http": "false"}),
    ({"AWS_VIRTUAL_HOSTED_STYLE_REQUEST": "TRUE"}, {"virtual_hosted_style_request": "true"}),
    ({"TIMEOUT": "abc", "ENDPOINT": "http://evil", "AWS_OTHER": "x", "GOOGLE_BASE_URL": "x"}, {}),
])
def test_only_the_named_variables_of_the_scheme_count(variables: dict[str, str], options: dict[str, str]) -> None:
    assert dict(parse_store_url("s3://bucket", variables).options) == options


@pytest.mark.parametrize("variables", [
    {"AWS_ALLOW_HTTP": "perhaps"}, {"AWS_ENDPOINT_URL": "minio:9000"}, {"AWS_ENDPOINT_URL": "ftp://minio"},
])
def test_a_wrong_value_of_a_variable_is_refused(variables: dict[str, str]) -> None:
    with pytest.raises(InvalidParameterValue):
        parse_store_url("s3://bucket", variables)


@pytest.mark.parametrize(("scheme", "kind"), [
    ("s3", ObjectStoreType.S3), ("gs", ObjectStoreType.GCS), ("az", ObjectStoreType.AZURE),
])
def test_every_variable_is_an_option_that_the_client_knows(scheme: str, kind: ObjectStoreType) -> None:
    for variable in SCHEMES[scheme].variables:
        ObjectStoreBuilder(kind).with_config(variable.option, "true")


def test_a_refused_configuration_repeats_no_secret() -> None:
    location = parse_store_url("gs://bucket", {"GOOGLE_SERVICE_ACCOUNT_KEY": "hidden-secret"})
    with pytest.raises(CatalogError) as caught:
        build_object_store(location)
    assert 'store "gs://bucket"' in str(caught.value)
    assert "hidden" not in f"{caught.value!r}{caught.value.__cause__!r}"
    assert caught.value.__suppress_context__


def test_azure_without_an_account_is_refused() -> None:
    with pytest.raises(InvalidParameterValue, match="az://container"):
        build_object_store(parse_store_url("az://container/x", {}))


@pytest.mark.parametrize("variables", [
    {"AZURE_STORAGE_ACCOUNT_NAME": "account", "AZURE_STORAGE_ACCOUNT_KEY": "a2V5"},
    {"AZURE_STORAGE_USE_EMULATOR": "true"},
    {"AZURE_STORAGE_ACCOUNT_NAME": "devstoreaccount1", "AZURE_STORAGE_ACCOUNT_KEY": "a2V5",
     "AZURE_STORAGE_ENDPOINT": "http://127.0.0.1:10000/devstoreaccount1"},
])
def test_azure_accounts_and_emulators_are_accepted(variables: dict[str, str]) -> None:
    assert build_object_store(parse_store_url("az://container/x", variables)) is not None


@pytest.mark.parametrize(("url", "shown"), [
    ("s3://bucket", "s3://bucket/lakes/1"),
    ("s3://bucket/prefix", "s3://bucket/prefix/lakes/1"),
    ("file:///folder", "file:///folder/lakes/1"),
    ("memory:///", "memory:///lakes/1"),
    ("memory:///name", "memory:///name/lakes/1"),
])
def test_a_child_lies_below_its_location_and_prints_as_a_url(url: str, shown: str) -> None:
    assert str(parse_store_url(url, {}).child("lakes/1")) == shown
    assert str(parse_store_url(url, {}).child("lakes").child("1")) == shown


@pytest.mark.parametrize("name", ["", "/", "a//b", "../a", "a/.", "a/"])
def test_a_child_never_leaves_its_location(name: str) -> None:
    with pytest.raises(InvalidParameterValue):
        parse_store_url("s3://bucket/prefix", {}).child(name)


def test_a_location_prints_no_credentials() -> None:
    location = parse_store_url("s3://bucket/x", {"AWS_SECRET_ACCESS_KEY": "hidden"})
    assert "hidden" not in f"{location} {location!r} {location.child('a')!r}"


@pytest.mark.parametrize("kind", ["memory", "file", "s3"])
async def test_stores_below_one_root_are_separate(kind: str, tmp_path: Path, stub: S3Stub) -> None:
    url = {"memory": "memory:///separate", "file": f"file://{tmp_path}/with space/root", "s3": "s3://bucket/root"}
    root = parse_store_url(url[kind], stub.variables)
    first, second = [await open_slate_store(root.child(name)) for name in ("system", "lakes/1")]
    await first.write(rows([b"first"]))
    await second.write(rows([b"second"]))
    assert (await keys(first), await keys(second)) == ([b"first"], [b"second"])
    await first.close()
    await second.close()
