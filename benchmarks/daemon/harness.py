"""A daemon on a copy of a vault, and clients that speak MCP to it over the pipes of ``genesys serve``."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Bench", "Client", "bench", "cpu_s", "options", "report", "rss_mb", "until"]

ROOT = Path(__file__).resolve().parents[2]
HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}


class Client:
    """One session."""

    def __init__(self, env: dict[str, str]) -> None:
        self.start = time.perf_counter()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "genesys", "serve"], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._number = 0
        self.ask("initialize", HELLO)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def _send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self._number += 1
        self._send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        assert self.process.stdout
        while True:
            answer = json.loads(self.process.stdout.readline())
            if answer.get("id") == self._number:
                return dict(answer["result"])

    def call(self, tool: str, **given: Any) -> dict[str, Any]:
        result = self.ask("tools/call", {"name": tool, "arguments": given})
        assert not result.get("isError"), result
        return dict(result["structuredContent"])

    def recall(self, query: str, **given: Any) -> list[str]:
        return [hit["path"] for hit in self.call("memory_recall", query=query, **given)["hits"]]

    def close(self) -> None:
        self.process.kill()
        self.process.wait()


@dataclass
class Bench:
    vault: Path
    env: dict[str, str]

    def status(self) -> dict[str, Any]:
        command = [sys.executable, "-m", "genesys", "daemon", "status", "--json"]
        return dict(json.loads(subprocess.run(command, env=self.env, capture_output=True, check=True).stdout))

    def settled(self) -> dict[str, Any]:
        """The daemon's status once it has nothing left to do."""

        def idle() -> dict[str, Any] | None:
            status = self.status()
            return status if status.get("activity") == "idle" else None

        return until(idle, 3600)

    def log(self) -> str:
        return (self.vault / ".genesys" / "daemon.log").read_text(encoding="utf-8")

    def stop(self) -> None:
        command = [sys.executable, "-m", "genesys", "daemon", "stop"]
        subprocess.run(command, env=self.env, stdout=subprocess.DEVNULL, check=False)


def options(description: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--vault", type=Path, default=ROOT / "fixtures" / "vault", help="copied, then used")
    parser.add_argument("--embedder", default="fake", help="fake, or local for the real model")
    return parser


@contextlib.contextmanager
def bench(vault: Path, embedder: str, **extra: str) -> Iterator[Bench]:
    """A copy of the vault (with its index, if it has one) and nothing of this machine's settings."""
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        tempfile.TemporaryDirectory(prefix="gs-") as runtime,
    ):
        copy = Path(shutil.copytree(vault, Path(folder) / "vault", symlinks=True))
        env = {name: value for name, value in os.environ.items() if not name.startswith("GENESYS_")}
        env.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed program is compiled once
        env |= {"HOME": folder, "XDG_RUNTIME_DIR": runtime, "GENESYS_VAULT": str(copy)}
        made = Bench(copy, env | {"GENESYS_EMBEDDER": embedder, **extra})
        try:
            yield made
        finally:
            made.stop()


def until(ready: Callable[[], Any], deadline_s: float = 120.0) -> Any:
    """The first true value; asked again and again."""
    end = time.monotonic() + deadline_s
    while not (value := ready()):
        if time.monotonic() > end:
            raise TimeoutError
        time.sleep(0.005)
    return value


def cpu_s(pid: int) -> float:
    """Processor seconds that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def rss_mb(pid: int) -> float:
    text = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return int(next(x.split()[1] for x in text.splitlines() if x.startswith("VmRSS"))) / 1024


def report(name: str, figures: dict[str, Any]) -> None:
    """Figures for a reader, and the same as JSON in the last line."""
    for key, value in figures.items():
        print(f"{key:<42} {value}")
    print(json.dumps({"benchmark": name, **figures}))
