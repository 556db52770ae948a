"""The compose file fits the Dockerfiles, the server's settings and the object stores' variables, and its pieces run."""

from __future__ import annotations

import importlib.util
import inspect
import os
import shutil
import signal
import socket
import subprocess
import sys
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.models import OptionInfo

from rocklake_server.cli.commands.serve import command as serve_command
from rocklake_server.config import ENVIRONMENT_PREFIX, PASSWORD_VARIABLE
from rocklake_server.store.object_stores import SCHEMES
from tests.docker.dockerfile import Instruction, copied, is_ignored, read_dockerfile
from tests.s3_stub import S3Stub
from tests.servers import RockLakeServer

ROOT = Path(__file__).parents[2]
COMPOSE_FILE = ROOT / "docker" / "docker-compose.yml"
HEALTHCHECK = ROOT / "docker" / "healthcheck.py"
SERVER_DOCKERFILE = ROOT / "docker" / "Dockerfile"
CLIENT_DOCKERFILE = ROOT / "docker" / "client" / "Dockerfile"
INSTALL_SECONDS_MAX = 400
START_SECONDS_MAX = 30
STOP_SECONDS_MAX = 20
BOOLEAN_TEXTS = {"true", "false"}


def compose() -> dict[str, Any]:
    document: dict[str, Any] = yaml.safe_load(COMPOSE_FILE.read_text())
    return document


def services() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = compose()["services"]
    return found


def known_settings() -> set[str]:
    """The environment variables of ``rocklake serve``, as its options declare them, and the password, which is no
    option. Taking a store over is an act and
    no setting: that option has none."""
    hints = typing.get_type_hints(serve_command, include_extras=True)
    options = [hints[name].__metadata__[0] for name in inspect.signature(serve_command).parameters]
    assert all(isinstance(option, OptionInfo) for option in options)
    return {option.envvar for option in options if isinstance(option.envvar, str)} | {PASSWORD_VARIABLE}


def known_object_store_variables() -> set[str]:
    return {variable.name for scheme in SCHEMES.values() for variable in scheme.variables}


def test_the_services_wait_for_what_they_need() -> None:
    conditions = {
        name: {needed: how["condition"] for needed, how in service.get("depends_on", {}).items()}
        for name, service in services().items()
    }
    assert conditions == {
        "minio": {},
        "bucket": {"minio": "service_healthy"},
        "rocklake": {"minio": "service_healthy", "bucket": "service_completed_successfully"},
        "client": {"rocklake": "service_healthy"},
        "prometheus": {},
        "grafana": {},
    }


def test_those_who_watch_come_only_when_asked_for() -> None:
    assert {name for name, service in services().items() if service.get("profiles") == ["watch"]} == {
        "prometheus", "grafana",
    }  # fmt: skip


def test_a_service_that_must_be_healthy_has_a_health_check() -> None:
    assert services()["minio"]["healthcheck"]["test"][0] == "CMD"
    names = [instruction.name for instruction in read_dockerfile(SERVER_DOCKERFILE)]
    assert names.count("HEALTHCHECK") == 1


def test_networks_and_volumes_are_declared_and_used() -> None:
    document = compose()
    networks = {name for service in services().values() for name in service["networks"]}
    sources = {mount.split(":")[0] for service in services().values() for mount in service.get("volumes", [])}
    folders = {source for source in sources if source.startswith(".")}
    assert networks == set(document["networks"])
    assert sources - folders == set(document["volumes"])
    for folder in folders:
        assert (COMPOSE_FILE.parent / folder).is_dir(), folder


def test_images_are_pinned_by_a_tag() -> None:
    images = [service["image"] for service in services().values() if "image" in service]
    for dockerfile in (SERVER_DOCKERFILE, CLIENT_DOCKERFILE):
        images += [step.command[0] for step in read_dockerfile(dockerfile) if step.name == "FROM"]
    assert len(images) == 7
    for image in images:
        _, _, tag = image.partition(":")
        assert tag not in ("", "latest"), image


def test_every_setting_is_one_that_the_server_knows() -> None:
    written = {name for service in services().values() for name in service.get("environment", {})}
    written |= {
        word.partition("=")[0]
        for step in read_dockerfile(SERVER_DOCKERFILE)
        if step.name == "ENV"
        for word in step.command
    }
    settings = {name for name in written if name.startswith(ENVIRONMENT_PREFIX)}
    assert {"ROCKLAKE_STORE", "ROCKLAKE_LISTEN", "ROCKLAKE_PASSWORD"} <= settings <= known_settings()
    buckets = {name for name in written if name.startswith("AWS_")}
    assert {"AWS_ENDPOINT_URL", "AWS_ALLOW_HTTP"} <= buckets <= known_object_store_variables()


def test_environment_values_are_texts() -> None:
    """Compose refuses YAML's booleans there."""
    for service in services().values():
        assert all(isinstance(value, str) for value in service.get("environment", {}).values())
    assert services()["rocklake"]["environment"]["ROCKLAKE_INSECURE_ADMIN"] in BOOLEAN_TEXTS


def test_the_client_logs_in_as_the_first_user() -> None:
    environment = services()["rocklake"]["environment"]
    login = f"user={environment['ROCKLAKE_USER']} password={environment['ROCKLAKE_PASSWORD']}"
    assert services()["client"]["environment"]["LAKE_DSN"].endswith(login)


def test_the_bucket_that_is_made_is_the_one_that_is_used() -> None:
    bucket = services()["bucket"]["command"][-1].split("/")[1]
    assert services()["rocklake"]["environment"]["ROCKLAKE_STORE"].startswith(f"s3://{bucket}/")
    assert services()["client"]["environment"]["LAKE_DATA_PATH"].startswith(f"s3://{bucket}/")


def test_the_client_reads_each_variable_that_it_is_given() -> None:
    source = (ROOT / "docker" / "client" / "client.py").read_text()
    given = set(services()["client"]["environment"]) - {"AWS_ALLOW_HTTP"}
    assert {name for name in given if f'os.environ["{name}"]' in source} == given


def test_every_copied_path_exists_and_reaches_the_builder() -> None:
    for service, dockerfile in (("rocklake", SERVER_DOCKERFILE), ("client", CLIENT_DOCKERFILE)):
        build = services()[service]["build"]
        context = (COMPOSE_FILE.parent / build["context"]).resolve()
        assert (context / build.get("dockerfile", "Dockerfile")).resolve() == dockerfile
        sources = [source for source, _ in copied(read_dockerfile(dockerfile))]
        assert sources
        for source in sources:
            assert (context / source).exists(), source
            ignore_file = context / ".dockerignore"
            assert not (ignore_file.exists() and is_ignored(source, ignore_file)), source


def test_secrets_and_environments_stay_out_of_the_build_context() -> None:
    ignore_file = ROOT / ".dockerignore"
    for path in (".git/config", ".venv/bin/python", ".env", "demo-lake/store/x", "rocklake_server/__pycache__/a.pyc"):
        assert is_ignored(path, ignore_file), path
    assert not is_ignored("rocklake_server/store/slate.py", ignore_file)


def test_the_images_do_not_run_as_root() -> None:
    for dockerfile in (SERVER_DOCKERFILE, CLIENT_DOCKERFILE):
        users = [step.text for step in read_dockerfile(dockerfile) if step.name == "USER"]
        assert users, dockerfile
        assert users[-1] not in ("root", "0"), dockerfile


def test_the_server_image_listens_and_stops_as_the_compose_file_expects() -> None:
    texts = {step.name: step.text for step in read_dockerfile(SERVER_DOCKERFILE)}
    assert texts["STOPSIGNAL"] == "SIGTERM"
    port, admin_port = texts["EXPOSE"].split()
    environment = services()["rocklake"]["environment"]
    assert environment["ROCKLAKE_LISTEN"].endswith(f":{port}")
    assert environment["ROCKLAKE_ADMIN"].endswith(f":{admin_port}")
    assert services()["rocklake"]["ports"] == [f"127.0.0.1:{each}:{each}" for each in (port, admin_port)]
    assert f"port={port} " in services()["client"]["environment"]["LAKE_DSN"]


# -- pieces that run --------------------------------------------------------------------------------------------------


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RockLakeServer]:
    running = RockLakeServer("memory:///health", logs=tmp_path)
    running.start()
    yield running
    running.stop()


def healthcheck(listen: str, *, by_variable: bool = False) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(HEALTHCHECK)]
    environment = {**os.environ, "ROCKLAKE_LISTEN": listen} if by_variable else dict(os.environ)
    command += [] if by_variable else [listen]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=20, check=False)


def test_the_health_check_passes_on_a_live_server(server: RockLakeServer) -> None:
    assert healthcheck(f"127.0.0.1:{server.port}").returncode == 0
    assert healthcheck(f"0.0.0.0:{server.port}", by_variable=True).returncode == 0


def test_the_health_check_fails_without_a_server() -> None:
    done = healthcheck(f"127.0.0.1:{free_port()}")
    assert done.returncode == 1
    assert done.stderr.startswith("no healthy server at 127.0.0.1:")
    assert "Traceback" not in done.stderr


def test_the_health_check_fails_on_a_server_of_another_protocol() -> None:
    with S3Stub() as stub:
        done = healthcheck(stub.endpoint.removeprefix("http://"))
    assert (done.returncode, "Traceback" in done.stderr) == (1, False)


@pytest.mark.duckdb
def test_the_client_attaches_writes_and_reads(tmp_path: Path) -> None:
    """Twice, since the compose file may be started again on the same volumes."""
    with S3Stub("lakes") as stub:
        server = RockLakeServer("s3://lakes/catalog", logs=tmp_path, environment=stub.variables)
        server.start()
        environment = {
            **os.environ,
            **stub.variables,
            "LAKE_DSN": server.dsn("lake"),
            "LAKE_DATA_PATH": services()["client"]["environment"]["LAKE_DATA_PATH"],
        }
        command = [sys.executable, str(ROOT / "docker" / "client" / "client.py")]
        for _ in range(2):
            done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
            assert done.returncode == 0, done.stdout + done.stderr
            assert done.stdout.endswith("the lake is well\n")
        server.stop()
        assert any(key.startswith("data/") for key in stub.objects["lakes"])


def test_the_client_image_installs_the_extensions_that_it_loads() -> None:
    spec = importlib.util.spec_from_file_location("client", ROOT / "docker" / "client" / "client.py")
    assert spec is not None
    assert spec.loader is not None
    client = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(client)
    (install,) = (step for step in read_dockerfile(CLIENT_DOCKERFILE) if "pip install" in step.text)
    packages = {f"duckdb-extension-{name.replace('_', '-')}==1.5.5" for name in client.EXTENSIONS} | {"duckdb==1.5.5"}
    assert {word for word in install.command if "==" in word} == packages


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


IMAGE_PREFIX = "/opt/rocklake"


def install(steps: list[Instruction], context: Path, prefix: Path) -> None:
    """The image's own commands for its Python, with ``prefix`` in the place of the image's folder."""
    commands = [step.text for step in steps if step.name == "RUN" and IMAGE_PREFIX in step.text]
    assert len(commands) == 2, "one makes the environment, one installs into it"
    for command in commands:
        adapted = command.replace(IMAGE_PREFIX, str(prefix))
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        environment = {**os.environ, "PATH": path, "PIP_NO_COMPILE": "1"}
        done = subprocess.run(
            ["/bin/sh", "-ec", adapted], cwd=context, env=environment, capture_output=True, text=True,
            timeout=INSTALL_SECONDS_MAX, check=False,
        )  # fmt: skip
        assert done.returncode == 0, f"{adapted}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"


def build_context(steps: list[Instruction], target: Path) -> None:
    """A copy of exactly the files that COPY names."""
    for source, _ in copied(steps):
        (target / source).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / source).is_dir():
            shutil.copytree(ROOT / source, target / source, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / source, target / source)


@pytest.mark.slow
@pytest.mark.timeout(INSTALL_SECONDS_MAX + 60)
def test_the_image_installs_and_its_entrypoint_serves(tmp_path: Path) -> None:
    steps = read_dockerfile(SERVER_DOCKERFILE)
    context, prefix, home = tmp_path / "context", tmp_path / "image", tmp_path / "home"
    home.mkdir()
    build_context(steps, context)
    install(steps, context, prefix)
    listen = f"127.0.0.1:{free_port()}"
    variables = {name: value for name, value in services()["rocklake"]["environment"].items()
                 if name.startswith(ENVIRONMENT_PREFIX)}  # fmt: skip
    variables |= {"ROCKLAKE_STORE": f"file://{tmp_path}/store", "ROCKLAKE_LISTEN": listen}
    variables["ROCKLAKE_ADMIN"] = f"127.0.0.1:{free_port()}"
    variables |= {"PATH": f"{prefix}/bin:/usr/bin:/bin", "PYTHONUNBUFFERED": "1"}
    (entrypoint,) = (step.command for step in steps if step.name == "ENTRYPOINT")
    program = shutil.which(entrypoint[0], path=f"{prefix}/bin")
    assert program is not None
    with (tmp_path / "server.log").open("w") as log:
        process = subprocess.Popen([program, *entrypoint[1:]], cwd=home, env=variables, stdout=subprocess.PIPE,
                                   stderr=log, text=True)  # fmt: skip
    assert process.stdout is not None
    with process, process.stdout:
        try:
            first_line = process.stdout.readline()
            assert f"listening on {listen}" in first_line, (tmp_path / "server.log").read_text()
            assert healthcheck(listen, by_variable=True).returncode == 0
            process.send_signal(signal.SIGTERM)
            assert process.wait(STOP_SECONDS_MAX) == 0
        finally:
            process.kill()
