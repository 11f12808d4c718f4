"""Real vaults, where they are at hand: ``GENESYS_VAULTS``, else ``shared/vaults`` beside the checkout."""

from __future__ import annotations

import os
import tarfile
from pathlib import Path

import pytest

from support import ROOT

__all__ = ["NAMES", "unpacked"]

# Read when the tests are collected: each test runs without GENESYS_* variables.
FOLDER = Path(os.environ.get("GENESYS_VAULTS") or ROOT.parent / "shared" / "vaults")
NAMES = sorted(p.name.removesuffix(".tar.xz") for p in FOLDER.glob("*.tar.xz")) if FOLDER.is_dir() else []


def unpacked(name: str, into: Path) -> Path:
    """A copy of the vault that a test may do with what it likes; skips where there is none."""
    if name not in NAMES:
        pytest.skip(f"the vault {name} is not here: set GENESYS_VAULTS")
    with tarfile.open(FOLDER / f"{name}.tar.xz") as archive:
        top = {member.name.split("/")[0] for member in archive.getmembers()} - {".", ""}
        archive.extractall(into, filter="data")
    return into / top.pop() if len(top) == 1 else into
