"""A real browser without a window, driven over a pipe by its own protocol: no port, no driver, no network."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

__all__ = ["Browser", "Seen", "find_browser", "open_browser"]

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "headless_shell")
FLAGS = (
    "--headless=new", "--remote-debugging-pipe", "--no-first-run", "--no-default-browser-check",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-gpu",
    "--disable-dev-shm-usage", "--disable-extensions", "--hide-scrollbars", "--mute-audio",
    "--force-color-profile=srgb", "--host-resolver-rules=MAP * ~NOTFOUND",
)  # fmt: skip
PATIENCE_S = 60.0


def find_browser() -> str | None:
    """Chromium or Chrome: what GENESYS_BROWSER names (no setting: for tests), else what the path has."""
    named = os.environ.get("GENESYS_BROWSER")
    return named or next((found for name in NAMES if (found := shutil.which(name))), None)


@dataclass
class Seen:
    """What happened while a page was open."""

    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)


class Browser:
    """One tab. ``seen`` is of the page that is open."""

    def __init__(self, send: int, receive: int) -> None:
        self._send, self._receive = send, receive
        self._buffer = b""
        self._number = 0
        self._session = ""
        self.seen = Seen()

    def call(self, method: str, **params: Any) -> Any:
        """The result of one command of the protocol."""
        self._number += 1
        number = self._number
        message = {"id": number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._send, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + PATIENCE_S
        while True:
            reply = self._next(end)
            if reply.get("id") == number:
                assert "error" not in reply, f"{method}: {reply['error']}"
                return reply["result"]

    def _next(self, end: float) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            if not select.select([self._receive], [], [], max(0.0, end - time.monotonic()))[0]:
                raise TimeoutError("the browser does not answer")
            chunk = os.read(self._receive, 1 << 20)
            if not chunk:
                raise EOFError("the browser went away")
            self._buffer += chunk
        line, _, self._buffer = self._buffer.partition(b"\0")
        message: dict[str, Any] = json.loads(line)
        self._note(message.get("method", ""), message.get("params", {}))
        return message

    def _note(self, method: str, params: dict[str, Any]) -> None:
        if method == "Network.requestWillBeSent":
            self.seen.requests.append(params["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            self.seen.complaints.append(str(params["exceptionDetails"]))
        elif method == "Runtime.consoleAPICalled":
            self.seen.complaints.append(str(params["args"]))
        elif method == "Log.entryAdded":
            self.seen.complaints.append(params["entry"]["text"])

    def attach(self) -> None:
        """Open the tab and listen to all that it says."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def show(self, page: Path, *, width: int = 1280, height: int = 900, dark: bool = False) -> Seen:
        """Load a file; what was requested and complained of until it was drawn."""
        self.seen = Seen()
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self.call("Page.navigate", url=page.as_uri())
        self.run(
            """new Promise(done => {
                const drawn = () => requestAnimationFrame(() => requestAnimationFrame(() => done(1)));
                document.readyState === "complete" ? drawn() : addEventListener("load", drawn);
            })"""
        )
        return self.seen

    def run(self, script: str) -> Any:
        """The value of an expression in the page, awaited."""
        done = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in done, done
        return done["result"].get("value")

    def picture(self, *, whole: bool = False) -> bytes:
        """A PNG of the window, or of the whole page."""
        options: dict[str, Any] = {"format": "png", "captureBeyondViewport": whole}
        if whole:
            size = self.call("Page.getLayoutMetrics")["cssContentSize"]
            clip = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
            options["clip"] = clip
        return base64.b64decode(self.call("Page.captureScreenshot", **options)["data"])


@contextmanager
def open_browser(program: str, profile: Path) -> Iterator[Browser]:
    """The browser for as long as the block runs, with a profile of its own."""
    to_browser, send = os.pipe()
    receive, from_browser = os.pipe()
    # The protocol's pipe is file 3 in and file 4 out; the shell puts ours there, whatever their numbers are.
    wiring = f'exec "$0" "$@" 3<&{to_browser} 4>&{from_browser}'
    root = ("--no-sandbox",) if os.geteuid() == 0 else ()
    process = subprocess.Popen(
        ["bash", "-c", wiring, program, *FLAGS, *root, f"--user-data-dir={profile}", "about:blank"],
        pass_fds=(to_browser, from_browser),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    os.close(to_browser)
    os.close(from_browser)
    try:
        browser = Browser(send, receive)
        browser.attach()
        yield browser
        browser._session = ""
        browser.call("Browser.close")
        process.wait(PATIENCE_S)
    finally:
        os.close(send)
        os.close(receive)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # a session of its own: the browser and its helpers
        process.wait()
