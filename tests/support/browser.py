"""A browser without a window, driven by the WebDriver protocol: Chromium through chromedriver."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
DRIVER = shutil.which("chromedriver")
MISSING = " and ".join(name for name, path in (("chromium", CHROMIUM), ("chromedriver", DRIVER)) if path is None)
NEEDS_BROWSER = pytest.mark.skipif(bool(MISSING), reason=f"{MISSING} is not on this machine, so no page can be driven")

KEYS = {
    "Tab": "\ue004", "Enter": "\ue007", "Escape": "\ue00c", "Space": "\ue00d",
    "Left": "\ue012", "Up": "\ue013", "Right": "\ue014", "Down": "\ue015", "Shift": "\ue008",
}  # fmt: skip
_ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
# Requests on this machine go nowhere else, whatever the environment says of proxies.
_OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Browser:
    """One window."""

    def __init__(self, address: str, session: str) -> None:
        self._address = f"{address}/session/{session}"

    def send(self, method: str, path: str, body: object = None) -> Any:
        """Send a command and return its value."""
        return _send(method, f"{self._address}/{path}", body)

    def open(self, address: str) -> None:
        """Open a page."""
        self.send("POST", "url", {"url": address})

    def run(self, script: str, *arguments: object) -> Any:
        """Run a script in the page and return what it returns."""
        return self.send("POST", "execute/sync", {"script": script, "args": list(arguments)})

    def wait(self, preprocessing: str) -> None:
        """Wait until an expression of the page is true; WebDriver ends a script that never is."""
        self.run(
            "return new Promise((done) => { const look = () => "
            f"(({preprocessing}) ? done() : requestAnimationFrame(look)); look(); }})"
        )

    def devtools(self, command: str, **parameters: object) -> Any:
        """Send a command of the developer tools."""
        return self.send("POST", "goog/cdp/execute", {"cmd": command, "params": parameters})

    def find(self, selector: str) -> str:
        """Return the first element of a selector."""
        return str(self.send("POST", "element", {"using": "css selector", "value": selector})[_ELEMENT])

    def click(self, selector: str) -> None:
        """Click on the first element of a selector."""
        self.run("document.querySelector(arguments[0]).scrollIntoView({block: 'center'})", selector)
        self.send("POST", f"element/{self.find(selector)}/click", {})

    def press(self, *keys: str) -> None:
        """Press keys one after the other, wherever the focus is: names of `KEYS`, or letters."""
        strokes = [KEYS.get(key, key) for key in keys]
        actions = [{"type": kind, "value": key} for key in strokes for kind in ("keyDown", "keyUp")]
        self.send("POST", "actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def hover(self, selector: str) -> None:
        """Move the pointer over the first element of a selector."""
        self.run("document.querySelector(arguments[0]).scrollIntoView({block: 'center'})", selector)
        move = {"type": "pointerMove", "x": 0, "y": 0, "duration": 0, "origin": {_ELEMENT: self.find(selector)}}
        self.send("POST", "actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": [move]}]})

    def size(self, width: int, height: int = 900) -> None:
        """Give the page a width, in CSS pixels."""
        self.devtools(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False
        )

    def log(self) -> list[dict[str, Any]]:
        """Return what the console was told since the last call."""
        found: list[dict[str, Any]] = self.send("POST", "se/log", {"type": "browser"})
        return found

    def requests(self) -> list[str]:
        """Return the addresses that were asked for since the last call, those inside the page left out."""
        entries = self.send("POST", "se/log", {"type": "performance"})
        events = [json.loads(entry["message"])["message"] for entry in entries]
        urls = [event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"]
        return [url for url in urls if not url.startswith("data:")]


def unfold(page: Browser, part: str) -> None:
    """Open a part of a page that is folded at first, and wait until the page has drawn it."""
    page.run("document.querySelector(arguments[0]).open = true", f"#{part} > details")
    # The page is told of it before the next frame.
    page.run("return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def texts(page: Browser, selector: str) -> list[str]:
    """Return the texts of all elements of a selector."""
    script = "return [...document.querySelectorAll(arguments[0])].map((one) => one.textContent)"
    found: list[str] = page.run(script, selector)
    return found


@contextmanager
def browser() -> Iterator[Browser]:
    """Start a browser and end it after the block, with its driver, whatever happens."""
    assert DRIVER is not None
    # A session of their own: the driver may be a script, and its browser must not outlive it.
    process = subprocess.Popen(
        [DRIVER, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True
    )
    try:
        assert process.stdout is not None
        told = next((line for line in process.stdout if "successfully on port" in line), None)
        assert told is not None, "chromedriver ended before it had a port"
        address = "http://127.0.0.1:" + told.rpartition(" ")[2].strip(".\n")
        _wait(address)
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"]
        capabilities = {
            "browserName": "chrome",
            "goog:chromeOptions": {"binary": CHROMIUM, "args": arguments},
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
        }
        session = _send("POST", f"{address}/session", {"capabilities": {"alwaysMatch": capabilities}})
        one = Browser(address, session["sessionId"])
        try:
            yield one
        finally:
            one.send("DELETE", "")
    finally:
        _end(process)


def _end(process: subprocess.Popen[str]) -> None:
    """End a process with all that it has started, and close its pipe."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=10)
    if process.stdout is not None:
        process.stdout.close()


def _wait(address: str) -> None:
    for _ in range(100):
        try:
            if _send("GET", f"{address}/status")["ready"]:
                return
        except OSError:
            pass
        time.sleep(0.05)
    raise TimeoutError("chromedriver does not answer")


def _send(method: str, address: str, body: object = None) -> Any:
    data = None if method != "POST" else json.dumps(body or {}).encode()
    request = urllib.request.Request(address.rstrip("/"), data, {"Content-Type": "application/json"}, method=method)
    try:
        with _OPENER.open(request, timeout=60) as answer:
            return json.load(answer)["value"]
    except urllib.error.HTTPError as error:
        with error:
            told = json.load(error)["value"]
        raise AssertionError(f"{told['error']}: {told['message'].splitlines()[0]}") from None
