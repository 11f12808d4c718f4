"""What the tests of this room share."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from genesys.engine.session import Genesys
from genesys.settings import Settings, load_settings

__all__ = ["DEADLINE_S", "settings_of", "snapshot", "until"]

T = TypeVar("T")
DEADLINE_S = 60.0  # far more than anything takes; a shared machine stalls
PAUSE_S = 0.02


def settings_of(vault: Path, **more: Any) -> Settings:
    """Settings that need no model and see nothing of this machine."""
    env = {"GENESYS_EMBEDDER": "fake", "HOME": str(vault.parent), "GENESYS_WORKERS": "1"}
    return load_settings(vault, env, **more)


def snapshot(memory: Genesys) -> dict[str, list[str]]:
    """What an index says of a vault, without what depends on the order of writing (edges by likeness to the
    memories of that time): two with the same notes are equal."""
    graph: dict[str, Any] = memory.graph(inferred=True)
    graph["edges"] = [edge for edge in graph["edges"] if edge.get("created_by") != "auto"]
    return {key: sorted(json.dumps(item, sort_keys=True) for item in graph[key]) for key in graph}


def until(ready: Callable[[], T], what: str = "", deadline_s: float = DEADLINE_S) -> T:
    """The first true value of ``ready``, asked again and again until the deadline."""
    end = time.monotonic() + deadline_s
    while True:
        value = ready()
        if value:
            return value
        assert time.monotonic() < end, f"it did not come true in {deadline_s:.0f} s: {what}"
        time.sleep(PAUSE_S)
