"""Find near-duplicates among 50,000 memories, beside the bare products of their vectors.

    python benchmarks/scoring/likeness.py [--notes 50000] [--rounds 3] [--json result.json]

The floor multiplies the same vectors with each other, a block of rows at a time, and looks at nothing. Only
the newest memories are compared (``likeness.MOST``), so that the cost stops growing there; CPU time counts.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from genesys.engine.likeness import BLOCK, MOST, near_pairs
from genesys.store.rows import Matrix

DIM = 384
TARGET_RATIO = 4.0


def memories(count: int) -> Matrix:
    """Made-up vectors, always the same; one in fifty is nearly another's."""
    rng = np.random.default_rng(20270115)
    vectors = rng.standard_normal((count, DIM), dtype=np.float32)
    twins = rng.choice(count, count // 50, replace=False)
    vectors[twins] = vectors[twins - 1] + 0.1 * rng.standard_normal((len(twins), DIM), dtype=np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    ids = np.arange(count)
    return Matrix(ids, ids, vectors)


def products(vectors: np.ndarray) -> None:
    for low in range(0, len(vectors), BLOCK):
        vectors[low : low + BLOCK] @ vectors[low:].T


def least(work: Callable[[], object], rounds: int) -> float:
    """CPU seconds of the quickest round."""
    times = []
    for _ in range(rounds):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--notes", type=int, default=50_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows = []
    for count in (MOST // 4, MOST, options.notes):
        matrix = memories(count)
        index: Any = SimpleNamespace(matrix=lambda model, matrix=matrix: matrix)
        compared = matrix.vectors[-MOST:]
        floor = least(lambda compared=compared: products(compared), options.rounds)
        figure = least(lambda i=index, n=count: near_pairs(i, "any", range(n), 0.7), options.rounds)
        rows.append({"memories": count, "floor_s": floor, "figure_s": figure, "ratio": figure / floor})
        print(f"{count:>7} memories  floor {floor:6.2f} s  found {figure:6.2f} s  {figure / floor:4.1f} ×")
    print(f"target: at most {TARGET_RATIO:g} ×; numpy {np.__version__}")
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
