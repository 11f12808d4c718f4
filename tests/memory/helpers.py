"""A small vault, a clock that only moves when told, and the engine over both."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from genesys.engine.session import Genesys
from genesys.settings import load_settings
from genesys.store.rows import NoteRow
from support import NOW

__all__ = ["DAY", "Clock", "make_vault", "memory_of", "row", "settings_of"]

DAY = 86_400.0


class Clock:
    """UNIX seconds, frozen."""

    def __init__(self, now: float = NOW) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now

    def later(self, days: float) -> None:
        self.now += days * DAY


def make_vault(folder: Path, notes: dict[str, str | bytes], *, at: float = NOW) -> Path:
    """A vault with these notes, last changed ``at``."""
    import os

    (folder / ".obsidian").mkdir(parents=True)
    for path, text in notes.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        os.utime(file, (at, at))
    return folder


def settings_of(vault: Path, **overrides: Any) -> Any:
    env = {"GENESYS_EMBEDDER": "fake", "HOME": str(vault.parent), "GENESYS_WORKERS": "1"}
    return load_settings(vault, env, **overrides)


def memory_of(vault: Path, clock: Clock, **overrides: Any) -> Genesys:
    """The engine with the deterministic embedder; ``overrides`` are settings."""
    return Genesys.open(settings_of(vault, **overrides), clock=clock)


def row(memory: Genesys, path: str) -> NoteRow:
    found = memory._index.note_row(path)
    assert found, f"{path} is not in the index"
    return found
