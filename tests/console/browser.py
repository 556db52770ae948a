"""A headless Chromium, driven through its DevTools protocol.

What a test does here a person can do: open an address, press keys, click what has a role and a name, and read the
accessibility tree that a screen reader reads.
"""

from __future__ import annotations

import base64
import contextlib
import json
import shutil
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from websockets.sync.client import ClientConnection, connect

T = TypeVar("T")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
STARTS_WITHIN_S = 60.0
ANSWERS_WITHIN_S = 30.0
_FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--no-first-run",
    "--disable-extensions", "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--force-color-profile=srgb", "--font-render-hinting=none", "--remote-debugging-port=0", "about:blank",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Seen:
    """What the accessibility tree says of one element."""

    role: str
    name: str
    properties: dict[str, Any] = field(default_factory=dict)


class Page:
    """One tab."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection
        self._next = 0
        self.problems: list[str] = []
        """What the console of the browser said: errors of scripts, and what the page's policy refused."""
        self.requested: list[str] = []

    def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._next += 1
        number = self._next
        self._connection.send(json.dumps({"id": number, "method": method, "params": parameters}))
        deadline = time.monotonic() + ANSWERS_WITHIN_S
        while True:
            message = json.loads(self._connection.recv(timeout=max(deadline - time.monotonic(), 0.01)))
            if message.get("id") == number:
                assert "error" not in message, message["error"]
                result: dict[str, Any] = message["result"]
                return result
            self._hear(message)

    def _hear(self, message: dict[str, Any]) -> None:
        given = message.get("params", {})
        match message.get("method"):
            case "Runtime.exceptionThrown":
                details = given["exceptionDetails"]
                self.problems.append(details.get("exception", {}).get("description") or details["text"])
            case "Log.entryAdded" if given["entry"]["level"] == "error":
                self.problems.append(given["entry"]["text"])
            case "Network.requestWillBeSent":
                self.requested.append(given["request"]["url"])

    def start(self) -> None:
        for domain in ("Page", "Runtime", "Log", "Network", "Accessibility"):
            self.ask(f"{domain}.enable")

    def open(self, address: str) -> None:
        self.ask("Page.navigate", url=address)
        self.wait(lambda: self.run("document.readyState") == "complete")

    def run(self, script: str) -> Any:
        """The value of an expression, awaited if it is a promise."""
        answer = self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def wait(self, ready: Callable[[], T], seconds: float = ANSWERS_WITHIN_S) -> T:
        """What ``ready`` returns once that is true."""
        deadline = time.monotonic() + seconds
        while not (found := ready()):
            assert time.monotonic() < deadline, f"waited in vain; the page shows: {self.text()[:2000]}"
            time.sleep(0.05)
        return found

    def text(self) -> str:
        """As people see it, spaces taken together."""
        return " ".join(str(self.run("document.body.innerText")).split())

    def wait_for_text(self, wanted: str) -> None:
        self.wait(lambda: wanted in self.text())

    def press(self, key: str, *, shift: bool = False) -> None:
        codes = {"Tab": 9, "Enter": 13, " ": 32, "Escape": 27}
        text = {"Enter": "\r", " ": " "}.get(key, key if len(key) == 1 else "")
        for kind in ("keyDown", "keyUp"):
            self.ask("Input.dispatchKeyEvent", type=kind, key=key, code="Space" if key == " " else key,
                     windowsVirtualKeyCode=codes.get(key, ord(key[0])), modifiers=8 * shift,
                     **({"text": text} if kind == "keyDown" and text else {}))  # fmt: skip

    def focused(self) -> str:
        """Tag and text, or name, of what has the focus."""
        return str(self.run(
            "(e => e.tagName.toLowerCase() + ' ' + (e.ariaLabel || e.textContent || e.id).trim().slice(0, 60))"
            "(document.activeElement)"))

    def tree(self) -> list[Seen]:
        """The accessibility tree from its root on, without what is ignored."""
        return [
            Seen(node["role"]["value"], node.get("name", {}).get("value", ""),
                 {each["name"]: each["value"].get("value") for each in node.get("properties", ())})
            for node in self.ask("Accessibility.getFullAXTree")["nodes"]
            if not node["ignored"]
        ]  # fmt: skip

    def prefer(self, **features: str) -> None:
        """Media features, as ``color_scheme="dark"``."""
        self.ask("Emulation.setEmulatedMedia", features=[
            {"name": f"prefers-{name.replace('_', '-')}", "value": value} for name, value in features.items()])

    def size(self, width: int, height: int) -> None:
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def reach(self, *, server: bool) -> None:
        """Whether the network is there."""
        self.ask("Network.emulateNetworkConditions", offline=not server, latency=0, downloadThroughput=-1,
                 uploadThroughput=-1)  # fmt: skip

    def picture(self, height_max: int = 10_000) -> bytes:
        """The whole page as PNG, cut at ``height_max`` pixels."""
        height = min(self.run("document.documentElement.scrollHeight"), height_max)
        width = self.run("innerWidth")
        shot = self.ask("Page.captureScreenshot", format="png", captureBeyondViewport=True,
                        clip={"x": 0, "y": 0, "width": width, "height": height, "scale": 1})  # fmt: skip
        return base64.b64decode(shot["data"])


@contextmanager
def browser() -> Iterator[Page]:
    """A browser with one tab, with a profile of its own that is thrown away."""
    assert CHROMIUM is not None
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        process = subprocess.Popen(
            [CHROMIUM, f"--user-data-dir={profile}", *_FLAGS], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            with connect(_tab(Path(profile), process), max_size=None, open_timeout=STARTS_WITHIN_S) as connection:
                page = Page(connection)
                page.start()
                page.size(1280, 900)
                yield page
        finally:
            process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(10)
            process.kill()
            process.wait()


def _tab(profile: Path, process: subprocess.Popen[bytes]) -> str:
    """The address of the first tab's socket."""
    deadline = time.monotonic() + STARTS_WITHIN_S
    told = profile / "DevToolsActivePort"
    while True:
        assert process.poll() is None, "the browser ended; it does not start where address space is limited (ulimit -v)"
        assert time.monotonic() < deadline, "the browser does not start"
        if told.exists() and (lines := told.read_text().split()):
            with urllib.request.urlopen(f"http://127.0.0.1:{lines[0]}/json", timeout=STARTS_WITHIN_S) as answer:
                tabs = [tab for tab in json.load(answer) if tab["type"] == "page"]
            if tabs:
                return str(tabs[0]["webSocketDebuggerUrl"])
        time.sleep(0.05)
