"""SlateDB's settings: chosen values arrive, unknown keys are refused."""

from __future__ import annotations

import json

import pytest

from rocklake_server.errors import InvalidParameterValue
from rocklake_server.store.object_stores import StoreLocation
from rocklake_server.store.slate import open_slate_store
from rocklake_server.store.slate_settings import SlateSettings, native_settings


def _settings(settings: SlateSettings, *, is_local: bool = False) -> dict[str, object]:
    loaded: dict[str, object] = json.loads(native_settings(settings, is_local=is_local).to_json_string())
    return loaded


def test_the_chosen_values_arrive() -> None:
    found = _settings(SlateSettings())
    assert found["flush_interval"] == "1s"
    assert found["min_filter_keys"] == 1
    assert found["l0_sst_size_bytes"] == 8 * 1024 * 1024
    assert found["object_store_max_retries"] == 2


@pytest.mark.parametrize("is_local", [True, False])
def test_only_local_folders_go_without_boundary_files(is_local: bool) -> None:
    collector = _settings(SlateSettings(), is_local=is_local)["garbage_collector_options"]
    assert isinstance(collector, dict)
    assert collector["boundary_files_enabled"] is not is_local


def test_overrides_count_last() -> None:
    found = _settings(SlateSettings(overrides={"flush_interval": "5s", "compactor_options.poll_interval": "9s"}))
    assert found["flush_interval"] == "5s"
    assert isinstance(found["compactor_options"], dict)
    assert found["compactor_options"]["poll_interval"] == "9s"


@pytest.mark.parametrize("key", ["flush_intervall", "compactor_options.nope", "flush_interval.more", ""])
async def test_an_unknown_key_is_refused(key: str, in_memory: StoreLocation) -> None:
    with pytest.raises(InvalidParameterValue, match=f'SlateDB has no setting "{key}"'):
        await open_slate_store(in_memory, SlateSettings(overrides={key: 1}))


def test_a_value_of_the_wrong_type_is_refused() -> None:
    with pytest.raises(InvalidParameterValue, match='"wal_enabled"'):
        _settings(SlateSettings(overrides={"wal_enabled": "perhaps"}))
