"""Real processes on one vault: sessions as Claude starts them, commands, the daemon; none is left behind."""

from __future__ import annotations

import array
import contextlib
import fcntl
import json
import os
import signal
import subprocess
import sys
import termios
import threading
from collections.abc import Callable
from pathlib import Path
from queue import Empty, Queue
from types import TracebackType
from typing import Any, Self

from daemon.helpers import DEADLINE_S, until
from genesys.sockets import Places, places
from genesys.starting import holder, stop
from support import Result, child_env, run_cli

__all__ = ["INITIALIZE", "Running", "Session", "alive"]

INITIALIZE = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}
# The newer era has no handshake: each request says all of it.
MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


def alive(pid: int) -> bool:
    """Whether any thread of the process runs (a zombie's does not)."""
    states = []
    try:
        for task in Path(f"/proc/{pid}/task").iterdir():
            states.append((task / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0])
    except OSError:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        return True
    return set(states) != {"Z"}


class Session:
    """A client on the pipes of ``genesys serve``."""

    def __init__(self, vault: Path, env: dict[str, str], *, modern: bool = False) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "genesys", "serve", "--vault", str(vault)],
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self.modern = modern
        self.lines = 0
        self._number = 0
        self._answers: dict[int, dict[str, Any]] = {}
        self._heard: Queue[dict[str, Any] | None] = Queue()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        assert self.process.stdout
        with contextlib.suppress(ValueError):  # closed under us
            for line in self.process.stdout:
                self.lines += 1
                self._heard.put(json.loads(line))
        self._heard.put(None)

    def send(self, method: str, params: dict[str, Any] | None = None, *, asks: bool = True) -> int:
        """Send a request (or a notification); the request's number."""
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": dict(params or {})}
        if self.modern:
            message["params"]["_meta"] = MODERN
        if asks:
            self._number += 1
            message["id"] = self._number
        assert self.process.stdin
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
        return self._number

    def unread(self) -> int:
        """Bytes that the bridge has not taken from its standard input yet."""
        assert self.process.stdin
        left = array.array("i", [0])
        fcntl.ioctl(self.process.stdin, termios.FIONREAD, left)
        return left[0]

    def hear(self, number: int, deadline_s: float = DEADLINE_S) -> dict[str, Any]:
        """The answer to a request; EOFError where the bridge ended first."""
        while number not in self._answers:
            try:
                message = self._heard.get(timeout=deadline_s)
            except Empty:
                raise AssertionError(f"no answer to request {number}") from None
            if message is None:
                raise EOFError
            if "id" in message and "method" not in message:
                assert message["id"] not in self._answers, f"answered twice: {message}"
                self._answers[message["id"]] = message
        return self._answers[number]

    def ask(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        return self.hear(self.send(method, params))

    def handshake(self) -> Self:
        if self.modern:
            self.ask("server/discover")
            return self
        answer = self.ask("initialize", INITIALIZE)
        assert "genesys" == answer["result"]["serverInfo"]["name"]
        self.send("notifications/initialized", asks=False)
        return self

    def call(self, tool: str, **given: Any) -> dict[str, Any]:
        """A tool's result."""
        result = self.ask("tools/call", {"name": tool, "arguments": given})["result"]
        return dict(result)

    def recall(self, query: str, **given: Any) -> list[str]:
        """The paths that a recall gives."""
        result = self.call("memory_recall", query=query, **given)
        assert not result.get("isError"), result
        return [hit["path"] for hit in result["structuredContent"]["hits"]]

    def close(self) -> int:
        """Close the client's end and wait."""
        assert self.process.stdin
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        return self.process.wait(DEADLINE_S)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(DEADLINE_S)
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe
            with contextlib.suppress(OSError):
                pipe.close()


class Running:
    """Everything that runs on one vault; leaving it ends all of it, and looks that it has ended."""

    def __init__(self, vault: Path, **env: str) -> None:
        self.vault = vault
        self.env = child_env(
            vault,
            {
                "GENESYS_EMBEDDER": "fake",
                "GENESYS_WORKERS": "1",
                "GENESYS_DEBOUNCE_MS": "50",
                "GENESYS_WRITEBACK": "off",
                **env,
            },
        )
        self.places: Places = places(vault)
        self.sessions: list[Session] = []
        self.children: list[subprocess.Popen[bytes]] = []
        self.seen: set[int] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        for session in self.sessions:
            session.kill()
        for child in self.children:
            child.kill()
            child.wait(DEADLINE_S)
        self.note_daemon()
        stop(self.places)
        until(lambda: not any(map(alive, self.seen)), "no daemon is left behind")

    def session(self, *, modern: bool = False) -> Session:
        made = Session(self.vault, self.env, modern=modern)
        self.sessions.append(made)
        return made.handshake()

    def cli(self, *args: str, stdin: str | None = None) -> Result:
        return run_cli(*args, vault=self.vault, env=self.env, stdin=stdin)

    def status(self) -> dict[str, Any]:
        return dict(json.loads(self.cli("daemon", "status", "--json").stdout))

    def note_daemon(self) -> int | None:
        """The daemon's process, remembered so that the end can look whether it is gone."""
        pid = holder(self.places)
        if pid is not None:
            self.seen.add(pid)
        return pid

    def daemon(self) -> int:
        """The process that is the daemon, once there is one."""
        return until(self.note_daemon, "a daemon runs")

    def kill_daemon(self) -> int:
        pid = self.daemon()
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        until(lambda: not alive(pid), "the daemon is dead")
        return pid

    def passes(self) -> list[str]:
        """What the passes over the vault that found something said of it, by the daemon's log."""
        log = (self.vault / ".genesys" / "daemon.log").read_text(encoding="utf-8")
        return [line.rpartition(": ")[2] for line in log.splitlines() if " added, " in line]

    def until_recalled(self, session: Session, query: str, wanted: Callable[[list[str]], bool]) -> list[str]:
        """Recall again and again, as a client may whose answer says so, until it is what is wanted."""
        found: list[str] = []

        def asked() -> bool:
            nonlocal found
            result = session.call("memory_recall", query=query, read_only=True)
            body = result["structuredContent"]
            if result.get("isError"):
                assert body["retryable"] is True, body
                return False
            found = [hit["path"] for hit in body["hits"]]
            return wanted(found)

        until(asked, f"recall of {query!r}")
        return found
