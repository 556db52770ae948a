"""The dashboard and the alert rules ask for metrics that the server has, and each alert fires on what it is for.

That every metric moves is shown in ``tests/server/admin/test_metrics.py``. Prometheus' own ``promtool``, where it is
installed (Debian package ``prometheus``), reads the files and runs the rules over made-up series.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from rocklake_server.config import ADMIN_PORT
from rocklake_server.errors import CatalogError, InternalProblem
from rocklake_server.server.admin.metrics import METRICS, Metric
from tests.server.admin.watched_engine import WatchedEngine

DOCKER = Path(__file__).parents[2] / "docker"
CONFIGURATION = DOCKER / "prometheus" / "prometheus.yml"
RULES = DOCKER / "prometheus" / "alerts.yml"
DASHBOARD = DOCKER / "grafana" / "dashboards" / "rocklake.json"

SELECTOR = re.compile(r"\b(?P<name>(?:rocklake|process)_[a-z_]+)(?:\{(?P<matchers>[^}]*)\})?")
GROUPING = re.compile(r"\bby \((?P<labels>[a-z_, ]*)\)")
OF_ANY_SCRAPE = {"job", "instance"}
PROMTOOL = shutil.which("promtool")
needs_promtool = pytest.mark.skipif(PROMTOOL is None, reason="promtool is not installed")


def rules() -> dict[str, dict[str, Any]]:
    return {rule["alert"]: rule for group in yaml.safe_load(RULES.read_text())["groups"] for rule in group["rules"]}


def dashboard() -> dict[str, Any]:
    document: dict[str, Any] = json.loads(DASHBOARD.read_text())
    return document


def panels() -> list[dict[str, Any]]:
    return [panel for panel in dashboard()["panels"] if panel["type"] != "row"]


def expressions() -> list[str]:
    return [rule["expr"] for rule in rules().values()] + [
        target["expr"] for panel in panels() for target in panel["targets"]
    ]


def declared() -> dict[str, Metric]:
    return {series: metric for metric in METRICS for series in metric.series}


def selectors(expression: str) -> Iterator[tuple[str, set[str]]]:
    """(series, labels that it is matched by)."""
    for found in SELECTOR.finditer(expression):
        yield found["name"], set(re.findall(r"([a-z_]+)=", found["matchers"] or ""))


# -- names ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("expression", expressions())
async def test_an_expression_asks_for_what_the_server_shows(expression: str) -> None:
    known = declared()
    labels = {"le"} | OF_ANY_SCRAPE
    asked = list(selectors(expression))
    assert asked or "up{" in expression
    for name, matched in asked:
        if name.startswith("rocklake_"):
            assert name in known
            labels |= set(known[name].labels)
            assert matched <= set(known[name].labels) | OF_ANY_SCRAPE
    for found in GROUPING.finditer(expression):
        assert {label.strip() for label in found["labels"].split(",")} <= labels


async def test_the_metrics_of_the_process_are_shown_too() -> None:
    engine = WatchedEngine()
    await engine.start()
    shown = {series for series, _ in await engine.scrape()}
    await engine.stop()
    asked = {name for expression in expressions() for name, _ in selectors(expression) if name.startswith("process_")}
    assert len(asked) >= 4
    assert asked <= shown


def test_the_dashboard_leaves_no_metric_out() -> None:
    asked = {name for panel in panels() for target in panel["targets"] for name, _ in selectors(target["expr"])}
    known = declared()
    assert {known[name].name for name in asked if name in known} == {metric.name for metric in METRICS}


def test_legends_name_labels_that_the_answer_has() -> None:
    for panel in panels():
        for target in panel["targets"]:
            grouped = {label.strip() for found in GROUPING.finditer(target["expr"]) for label in found[1].split(",")}
            if "sum" not in target["expr"] and "by (" not in target["expr"]:
                (name,) = {name for name, _ in selectors(target["expr"])}
                grouped |= OF_ANY_SCRAPE | set(declared()[name].labels if name in declared() else ())
            assert set(re.findall(r"\{\{([a-z_]+)\}\}", target["legendFormat"])) <= grouped, panel["title"]


def test_panels_do_not_overlap_and_have_titles_of_their_own() -> None:
    taken: set[tuple[int, int]] = set()
    for panel in dashboard()["panels"]:
        place = panel["gridPos"]
        cells = {(x, y) for x in range(place["x"], place["x"] + place["w"])
                 for y in range(place["y"], place["y"] + place["h"])}  # fmt: skip
        assert max(x for x, _ in cells) < 24
        assert not cells & taken, panel["title"]
        taken |= cells
    assert len({panel["id"] for panel in dashboard()["panels"]}) == len(dashboard()["panels"])
    assert len({panel["title"] for panel in panels()}) == len(panels())


def test_alerts_say_how_bad_it_is_and_what_to_do() -> None:
    for name, rule in rules().items():
        assert rule["labels"]["severity"] in ("page", "ticket"), name
        assert set(rule["annotations"]) == {"summary", "description"}, name
        assert "$labels.instance" in rule["annotations"]["summary"], name


def test_the_alert_about_internal_errors_knows_their_sqlstate() -> None:
    assert f'sqlstate="{InternalProblem.sqlstate}"' in rules()["RockLakeInternalErrors"]["expr"]
    assert any(error.retryable for error in CatalogError.by_sqlstate.values())


def test_prometheus_scrapes_the_service_of_the_compose_file() -> None:
    services = yaml.safe_load((DOCKER / "docker-compose.yml").read_text())["services"]
    configuration = yaml.safe_load(CONFIGURATION.read_text())
    ((target,),) = ([t for each in job["static_configs"] for t in each["targets"]]
                    for job in configuration["scrape_configs"])  # fmt: skip
    assert target == f"rocklake:{ADMIN_PORT}"
    assert services["rocklake"]["environment"]["ROCKLAKE_ADMIN"] == f"0.0.0.0:{ADMIN_PORT}"
    assert configuration["rule_files"] == [RULES.name]
    source = yaml.safe_load((DOCKER / "grafana/provisioning/datasources/prometheus.yml").read_text())["datasources"][0]
    assert source["url"] == "http://prometheus:9090"
    assert dashboard()["templating"]["list"][0]["current"]["value"] == source["uid"]


# -- rules over series ------------------------------------------------------------------------------------------------

Series = Mapping[str, str]
"""Values of one server's series, in promtool's notation: ``0+1x80`` begins at 0 and grows by 1 eighty times."""

WELL: Series = {
    'up{job="rocklake"}': "1x80",
    "rocklake_store_owned": "1x80",
    "rocklake_lakes_unavailable": "0x80",
    "rocklake_commits_waiting": "2x80",
    "rocklake_commit_duration_seconds_count": "0+100x80",
    'rocklake_commit_duration_seconds_bucket{le="0.1"}': "0+100x80",
    'rocklake_commit_duration_seconds_bucket{le="5"}': "0+100x80",
    'rocklake_commit_duration_seconds_bucket{le="+Inf"}': "0+100x80",
    "rocklake_store_write_failures_total": "3x80",
    'rocklake_errors_total{sqlstate="XX000", retryable="false"}': "1x80",
    'rocklake_errors_total{sqlstate="40001", retryable="true"}': "0+100x80",
    'rocklake_sessions{state="idle"}': "50x80",
    'rocklake_sessions{state="active"}': "30x80",
    "rocklake_sessions_limit": "100x80",
    'process_open_fds{job="rocklake"}': "100x80",
    'process_max_fds{job="rocklake"}': "1000x80",
    "rocklake_image_memory_bytes": "100x80",
    "rocklake_image_memory_limit_bytes": "1000x80",
    'rocklake_maintenance_runs_total{procedure="gc", result="failed"}': "1x80",
    'rocklake_lake_files{database="lake"}': "30000x80",
    'rocklake_lake_small_files{database="lake"}': "11000x80",
    'rocklake_lake_checkpoint_age_seconds{database="lake"}': "86400+15x80",
}
"""Twenty minutes of a server that does well."""

FIRES: Mapping[str, Series] = {
    "RockLakeDown": {'up{job="rocklake"}': "0x80"},
    "RockLakeStoreLost": {"rocklake_store_owned": "0x80"},
    "RockLakeLakesUnavailable": {"rocklake_lakes_unavailable": "2x80"},
    "RockLakeCommitsStalled": {
        "rocklake_commit_duration_seconds_count": "100x80",
        'rocklake_errors_total{sqlstate="40001", retryable="true"}': "5x80",
    },
    "RockLakeStoreWritesFail": {"rocklake_store_write_failures_total": "0+1x80"},
    "RockLakeInternalErrors": {'rocklake_errors_total{sqlstate="XX000", retryable="false"}': "0+1x80"},
    "RockLakeCommitsSlow": {'rocklake_commit_duration_seconds_bucket{le="0.1"}': "0x80"},
    "RockLakeManyConflicts": {'rocklake_errors_total{sqlstate="40001", retryable="true"}': "0+300x80"},
    "RockLakeMaintenanceFails": {
        'rocklake_maintenance_runs_total{procedure="gc", result="failed"}': "1+1x80",
    },
    "RockLakeSessionsNearLimit": {'rocklake_sessions{state="active"}': "45x80"},
    "RockLakeFilesNearLimit": {'process_open_fds{job="rocklake"}': "950x80"},
    "RockLakeImageMemoryFull": {"rocklake_image_memory_bytes": "1001x80"},
    "RockLakeManySmallFiles": {'rocklake_lake_small_files{database="lake"}': "16000x80"},
    "RockLakeCheckpointOld": {'rocklake_lake_checkpoint_age_seconds{database="lake"}': "700000+15x80"},
}
"""What is different when an alert fires."""


def case(name: str, changed: Series, expected: list[str]) -> dict[str, Any]:
    """After twenty minutes exactly the ``expected`` alerts fire."""
    assert changed.keys() <= WELL.keys()
    return {
        "name": name,
        "interval": "15s",
        "input_series": [{"series": series, "values": values} for series, values in {**WELL, **changed}.items()],
        "promql_expr_test": [{
            "expr": 'count by (alertname) (ALERTS{alertstate="firing"})',
            "eval_time": "20m",
            "exp_samples": [{"labels": f'{{alertname="{alert}"}}', "value": 1} for alert in expected],
        }],
    }  # fmt: skip


def promtool(*arguments: str) -> str:
    assert PROMTOOL is not None
    done = subprocess.run([PROMTOOL, *arguments], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_every_alert_has_a_case() -> None:
    assert list(FIRES) == list(rules())


@needs_promtool
def test_prometheus_reads_its_configuration_and_rules() -> None:
    assert f"{len(rules())} rules found" in promtool("check", "config", str(CONFIGURATION))


@needs_promtool
def test_each_alert_fires_on_what_it_is_for_and_no_other_does(tmp_path: Path) -> None:
    cases = [case("well", {}, []), *(case(alert, changed, [alert]) for alert, changed in FIRES.items())]
    file = tmp_path / "cases.yml"
    file.write_text(yaml.safe_dump({"rule_files": [str(RULES)], "evaluation_interval": "15s", "tests": cases}))
    assert "SUCCESS" in promtool("test", "rules", str(file))


@needs_promtool
def test_prometheus_reads_every_expression_of_the_dashboard(tmp_path: Path) -> None:
    asked = [target["expr"] for panel in panels() for target in panel["targets"]]
    plain = [e.replace("$__rate_interval", "1m").replace("$instance", ".*") for e in asked]
    file = tmp_path / "rules.yml"
    recorded = [{"record": f"panel:{number}", "expr": expression} for number, expression in enumerate(plain)]
    file.write_text(yaml.safe_dump({"groups": [{"name": "dashboard", "rules": recorded}]}))
    assert f"{len(plain)} rules found" in promtool("check", "rules", str(file))


@needs_promtool
async def test_promtool_finds_nothing_wrong_with_the_names() -> None:
    engine = WatchedEngine()
    await engine.start()
    text = await engine.text()
    await engine.stop()
    assert PROMTOOL is not None
    done = subprocess.run([PROMTOOL, "check", "metrics"], input=text, capture_output=True, text=True, timeout=60,
                          check=False)  # fmt: skip
    problems = [line for line in (done.stdout + done.stderr).splitlines() if line.startswith("rocklake_")]
    assert problems == []
