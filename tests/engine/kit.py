"""A vault in a temporary folder, and its memory with the toy embedder and a frozen clock."""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from genesys.engine.session import Genesys
from genesys.model import Answer
from genesys.reports import IndexReport
from genesys.settings import Settings, load_settings
from support import NOW, Result, child_env

__all__ = ["TestVault", "run_powerless"]

FAKE = {"GENESYS_EMBEDDER": "fake"}


@dataclass
class TestVault:
    """Write, move and remove notes; index them; ask."""

    __test__ = False

    root: Path
    env: dict[str, str] = field(default_factory=lambda: dict(FAKE))
    now: float = NOW

    def write(self, path: str, text: str | bytes = "") -> Path:
        """A file of the vault, its folders made."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode() if isinstance(text, str) else text)
        return file

    def write_all(self, notes: Mapping[str, str]) -> None:
        for path, text in notes.items():
            self.write(path, text)

    def move(self, old: str, new: str) -> None:
        (self.root / new).parent.mkdir(parents=True, exist_ok=True)
        (self.root / old).rename(self.root / new)

    def remove(self, path: str) -> None:
        (self.root / path).unlink()

    def touch(self, path: str, seconds: float = 60) -> None:
        """Another time stamp, the same bytes."""
        stat = (self.root / path).stat()
        os.utime(self.root / path, ns=(stat.st_atime_ns, stat.st_mtime_ns + int(seconds * 1e9)))

    def settings(self, **arguments: Any) -> Settings:
        return load_settings(self.root, {**os.environ, **self.env}, **arguments)

    @contextmanager
    def memory(self, *, read_only: bool = False, **arguments: Any) -> Iterator[Genesys]:
        with Genesys.open(self.settings(**arguments), read_only=read_only, clock=lambda: self.now) as memory:
            yield memory

    def index(self, *, full: bool = False, embed: bool = True, **arguments: Any) -> IndexReport:
        with self.memory(**arguments) as memory:
            return memory.index(full=full, embed=embed)

    def recall(self, query: str, k: int = 10) -> Answer:
        with self.memory(read_only=True) as memory:
            return memory.recall(query, k, read_only=True)

    def found(self, query: str, k: int = 10) -> list[str]:
        """Paths of the answer, best first."""
        return [hit.path for hit in self.recall(query, k).hits]

    def graph(self, *, inferred: bool = False) -> str:
        """The graph as text that two runs can be compared by."""
        with self.memory(read_only=True) as memory:
            data: Any = memory.graph(inferred=inferred)
        return json.dumps(
            {
                "notes": sorted(data["notes"], key=lambda n: n["path"]),
                "edges": sorted(json.dumps(e, sort_keys=True) for e in data["edges"]),
            },
            sort_keys=True,
        )

    def paths(self) -> list[str]:
        return [note["path"] for note in json.loads(self.graph())["notes"]]

    def drop_index(self) -> None:
        shutil.rmtree(self.root / ".genesys")


def run_powerless(*args: str, vault: Path) -> Result:
    """The command line without root's power to read what it may not, so that chmod 0 means it in CI too."""
    done = subprocess.run(
        [sys.executable, "-m", "genesys", *args],
        env=child_env(vault, FAKE),
        preexec_fn=_drop_power if sys.platform == "linux" and os.geteuid() == 0 else None,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    return Result(done.returncode, done.stdout, done.stderr)


def _drop_power() -> None:
    """CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH leave the bounding set (24 is PR_CAPBSET_DROP)."""
    libc = ctypes.CDLL(None)
    for capability in (1, 2):
        libc.prctl(24, capability, 0, 0, 0)
