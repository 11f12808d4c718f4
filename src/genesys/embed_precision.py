"""fp32 or bf16: chosen once per machine and model, by measuring, and remembered.

Where a processor has instructions for bf16 it embeds about three times as fast; where it has none, it is
slower. The vectors differ slightly, so a choice must last: it is part of the model's id.

Eight bits are not offered. Of the ten nearest passages by exact vectors ONNX Runtime's int8 model finds 0.81
and OpenVINO's 0.87, where bf16 finds 0.98; torch's own quantized tensors are about to be removed from it; and
to make an ONNX model of the installed weights takes packages larger than what they would save.
"""

from __future__ import annotations

import json
import os
import platform
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Trial = Callable[[str, Sequence[str]], NDArray[np.float32]]

__all__ = ["choose", "chosen", "measured"]

_FILE = "precision.json"
_FLAGS = frozenset({"amx_bf16", "avx512_bf16", "bf16"})  # x86 twice, then ARM
_SPEEDUP = 1.3  # less is not worth vectors of another kind
_FIDELITY = 0.995  # cosine of the two vectors of one text, at least
_TEXTS = (
    "We moved the launch to May because the supplier could not deliver the batteries in time.",
    "Spreading activation: recalling one idea makes the ideas linked to it easier to recall.",
    "Rezept: Linsensuppe mit Kreuzkümmel, Zitrone und gerösteten Zwiebeln.",
    "def retry(call, tries=3): return call() if tries == 1 else retry(call, tries - 1)",
    "| quarter | revenue | churn |\n| Q1 | 1.2 M | 3.1 % |\n| Q2 | 1.4 M | 2.8 % |",
    "The meeting with Ada ended without a decision; she will ask the board for another month. " * 8,
    "Why did we choose SQLite? One file, no server, and every language can read it. " * 6,
    "Sleep, exercise and light in the morning explain most of the good days in this journal. " * 7,
)


def chosen(setting: str, cache: Path, model: str) -> str:
    """The precision that :func:`choose` will give; a forecast where it has not measured yet."""
    if setting != "auto":
        return setting
    return _remembered(cache).get(_key(model)) or ("bf16" if _has_bf16() else "fp32")


def measured(cache: Path, model: str) -> bool:
    """Whether :func:`choose` has made its choice on this machine."""
    return _key(model) in _remembered(cache)


def choose(setting: str, cache: Path, model: str, trial: Trial) -> str:
    """The precision to use: the setting's, the remembered one, or the winner of a measurement."""
    if setting != "auto":
        return setting
    known = _remembered(cache).get(_key(model))
    if known:
        return known
    winner = _measure(trial) if _has_bf16() else "fp32"
    _remember(cache, _key(model), winner)
    return winner


def _measure(trial: Trial) -> str:
    """bf16 where it is faster by more than noise, and its vectors are as good."""
    import numpy as np

    exact, rough = trial("fp32", _TEXTS), trial("bf16", _TEXTS)
    if not np.isfinite(rough).all() or float((exact * rough).sum(axis=1).min()) < _FIDELITY:
        return "fp32"
    best = {"fp32": float("inf"), "bf16": float("inf")}
    for _ in range(3):
        for precision in best:
            start = time.thread_time()
            trial(precision, _TEXTS)
            best[precision] = min(best[precision], time.thread_time() - start)
    return "bf16" if best["fp32"] >= _SPEEDUP * best["bf16"] else "fp32"


def _key(model: str) -> str:
    """A choice holds for a model on a kind of processor: caches travel with home folders."""
    return f"{model} on {_processor()}"


def _processor() -> str:
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith(("model name", "CPU part")):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _has_bf16() -> bool:
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith(("flags", "Features")):
                return not _FLAGS.isdisjoint(line.partition(":")[2].split())
    return False


def _remembered(cache: Path) -> dict[str, str]:
    if cache == Path():
        return {}
    try:
        data: Any = json.loads((cache / _FILE).read_bytes())
    except (OSError, ValueError):
        return {}
    return {k: v for k, v in data.items() if v in ("fp32", "bf16")} if isinstance(data, dict) else {}


def _remember(cache: Path, key: str, precision: str) -> None:
    """Best effort: without a cache the measurement is simply made again."""
    if cache == Path():
        return
    with suppress(OSError):
        cache.mkdir(parents=True, exist_ok=True)
        temp = cache / f"{_FILE}.{os.getpid()}"
        temp.write_text(json.dumps({**_remembered(cache), key: precision}, indent=1), encoding="utf-8")
        os.replace(temp, cache / _FILE)
