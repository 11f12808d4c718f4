"""Copies of a vault in the states that the benchmarks need, made once a run; and what machine this is."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from genesys.embed import Embedder
    from genesys.settings import Settings

__all__ = ["Setup", "alternately", "busy", "machine"]

VERSIONS = (
    "genesys-vault",
    "apsw",
    "sqlite-vec",
    "markdown-it-py",
    "numpy",
    "torch",
    "sentence-transformers",
)
FILL = 4_000  # made-up vectors a write


@dataclass
class Setup:
    """``source`` is copied below ``folder`` and never written to; each thing is measured ``rounds`` times."""

    source: Path
    folder: Path
    rounds: int = 3

    @cached_property
    def env(self) -> dict[str, str]:
        """Of a program that is installed and has no settings but these."""
        env = {name: value for name, value in os.environ.items() if not name.startswith("GENESYS_")}
        env.pop("PYTHONDONTWRITEBYTECODE", None)
        return env | {
            "HOME": str(self.folder),
            "XDG_RUNTIME_DIR": str(self.folder),
            "GENESYS_WRITEBACK": "off",
        }

    @cached_property
    def vault(self) -> Path:
        """The vault without an index."""
        return self.copied(self.source, "plain", ".genesys")

    @cached_property
    def indexed(self) -> Path:
        """The vault with words and links."""
        vault = self.copied(self.vault, "words")
        self.genesys("index", "--no-embed", vault=vault)
        return vault

    @cached_property
    def embedder(self) -> Embedder:
        """The real model, as this machine would run it."""
        from genesys.embed import load_embedder
        from genesys.settings import load_settings

        return load_embedder(load_settings(self.vault, self.env))

    @property
    def precision(self) -> str:
        return "bf16" if self.embedder.model_id.endswith("+bf16") else "fp32"

    @cached_property
    def model_env(self) -> dict[str, str]:
        """Settings under which every process gives the model the id that :attr:`filled` has vectors of."""
        return {"GENESYS_EMBEDDER": "local", "GENESYS_EMBED_PRECISION": self.precision}

    @cached_property
    def filled(self) -> Path:
        """The vault with a made-up vector for every passage: time and size do not depend on what they are."""
        from genesys.store.index import open_index

        vault = self.copied(self.indexed, "filled")
        with open_index(vault / ".genesys" / "index.db") as index:
            fill(index, self.embedder.model_id, self.embedder.dim)
        return vault

    def copied(self, vault: Path, name: str, *without: str) -> Path:
        """A copy of a vault, new even where an earlier attempt left one."""
        shutil.rmtree(self.folder / name, ignore_errors=True)
        ignored = shutil.ignore_patterns(*without)
        return Path(shutil.copytree(vault, self.folder / name, symlinks=True, ignore=ignored))

    def settings(self, vault: Path) -> Settings:
        from genesys.settings import load_settings

        return load_settings(vault, self.env | self.model_env)

    def genesys(self, *args: str, vault: Path, **env: str) -> bytes:
        """Standard output of a command."""
        command = [sys.executable, "-m", "genesys", *args]
        full = self.env | {"GENESYS_VAULT": str(vault), "GENESYS_EMBEDDER": "fake"} | env
        return subprocess.run(command, env=full, stdout=subprocess.PIPE, check=True).stdout


def fill(index: Any, model: str, dim: int) -> None:
    import numpy as np

    random = np.random.default_rng(7)
    while batch := index.pending(model, FILL):
        block = random.standard_normal((len(batch), dim), dtype=np.float32)
        block /= np.linalg.norm(block, axis=1, keepdims=True)
        index.put_vectors(model, dim, [key for key, _ in batch], block)


def alternately(rounds: int, *calls: Callable[[], float]) -> list[float]:
    """The least of each, measured in turn: what else the machine does falls on all of them alike."""
    least = [float("inf")] * len(calls)
    for _ in range(rounds):
        for at, call in enumerate(calls):
            least[at] = min(least[at], call())
    return least


def busy() -> float:
    """Processes that wanted a processor in the last minute, for each there is."""
    return os.getloadavg()[0] / (len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1)


def machine() -> dict[str, Any]:
    """What the figures were measured on."""
    found: dict[str, Any] = {"processor": platform.processor() or platform.machine()}
    info = Path("/proc/cpuinfo")
    if info.exists():
        lines = info.read_text(encoding="utf-8", errors="replace").splitlines()
        names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
        found = {"processor": names[0] if names else found["processor"], "processors": len(names)}
    found["python"] = platform.python_version()
    for name in VERSIONS:
        try:
            found[name] = version(name)
        except ModuleNotFoundError:
            continue
    found["load"] = round(os.getloadavg()[0], 2)
    return found
