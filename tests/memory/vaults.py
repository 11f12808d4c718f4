"""Write-back on a real vault under git: ``python tests/memory/vaults.py garden-en`` prints the figures."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from genesys.engine.session import Genesys
from genesys.settings import load_settings

__all__ = ["Figures", "archive", "exercise", "folder"]


@dataclass(frozen=True, slots=True)
class Figures:
    """What one round did; ``foreign`` are changed lines not ours, ``left`` is git status at the end."""

    notes: int
    written: int
    refused: dict[str, int]
    changed: int
    foreign: list[str]
    left: str
    decay_s: float
    unwrite_s: float


def folder() -> Path:
    return Path(os.environ.get("GENESYS_VAULTS") or Path(__file__).parents[3] / "shared" / "vaults")


def archive(name: str) -> Path:
    return folder() / f"{name}.tar.xz"


def git(vault: Path, *args: str) -> str:
    config = [
        "-c",
        "core.autocrlf=false",
        "-c",
        "core.quotepath=false",
        "-c",
        "user.name=t",
        "-c",
        "user.email=t@t",
    ]
    done = subprocess.run(
        ["git", *config, *args],
        cwd=vault,
        capture_output=True,
        encoding="utf-8",
        errors="surrogateescape",
        check=True,
    )
    return done.stdout


def exercise(name: str, work: Path) -> Figures:
    """Unpack, commit, index, write back everything, look at the difference, take it all back."""
    with tarfile.open(archive(name)) as tar:
        tar.extractall(work, filter="data")
    vault = next(p for p in work.iterdir() if p.is_dir())
    (vault / ".gitattributes").write_text("* -text diff\n")
    git(vault, "init", "-q")
    (vault / ".git" / "info" / "exclude").write_text(".genesys/\n")
    git(vault, "add", "-A", "-f")
    git(vault, "commit", "-q", "-m", "before")
    settings = load_settings(
        vault, {"GENESYS_EMBEDDER": "fake"}, writeback="all", writeback_max=1_000_000, writeback_quiet_s=0.0
    )
    with Genesys.open(settings) as memory:
        notes = memory.index(embed=False).notes
        assert git(vault, "status", "--porcelain") == "", "the first index wrote into the vault"
        start = time.perf_counter()
        report = memory.decay()
        decay_s = time.perf_counter() - start
        changed, foreign = difference(vault)
        start = time.perf_counter()
        memory.unwrite()
        unwrite_s = time.perf_counter() - start
    reasons = Counter(r.reason.rpartition(": ")[2] for r in report.writes.refused)
    left = git(vault, "status", "--porcelain")
    return Figures(
        notes, len(report.writes.written), dict(reasons), changed, foreign, left, decay_s, unwrite_s
    )


def difference(vault: Path) -> tuple[int, list[str]]:
    """(changed files, changed lines that are not ours): a new block's fences are, where a note had none."""
    foreign: list[str] = []
    files = 0
    for part in git(vault, "diff", "--unified=0", "--text", "--no-color", "--no-renames").split(
        "diff --git "
    )[1:]:
        files += 1
        body = part.split("\n@@", 1)[1].split("\n")[1:]
        lines = [line for line in body if line[:1] in "+-" and line]
        fences = [line for line in lines if line.rstrip("\r") == "+---"]
        ours = [line for line in lines if line.startswith("+genesys_")]
        new_block = len(fences) == 2 and lines[0] == fences[0] and lines[len(ours) + 1] == fences[1]
        foreign += [x for x in lines if x not in ours and not (new_block and x in fences)]
    return files, foreign


if __name__ == "__main__":
    for wanted in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as place:
            print(wanted, exercise(wanted, Path(place)))
