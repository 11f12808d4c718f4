"""Recall beside its parts called bare: the question's vector, one full-text query, one matrix product.

    python -m benchmarks.recall.latency --vault VAULT [--questions 100]

VAULT has an index with vectors. Parts and whole take turns, question by question, in one process; only the
ratio means something on a machine that does other things too. The target is 1.5 times the sum of the parts.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from benchmarks.speed.answering import questions
from genesys.engine.session import Genesys
from genesys.parse.query import ask
from genesys.score.quality import percentile
from genesys.settings import load_settings

PLAIN = (1.0, 1.0, 1.0, 1.0)
NEAREST = 50
WARM = 10  # questions that are not counted
TARGET = 1.5


def parts_of(memory: Genesys) -> dict[str, Callable[[str], object]]:
    """The bare parts by name; each is given the question."""
    index, model = memory._index, memory.warm()
    matrix = index.matrix(model.model_id)
    assert matrix is not None, "this vault has no vectors: genesys index"
    vectors = np.asarray(matrix.vectors, dtype=np.float32)
    known: dict[str, np.ndarray] = {}

    def embed(question: str) -> object:
        known[question] = model.encode_query(question)
        return None

    def words(question: str) -> object:
        match = " OR ".join(term.match for term in ask(question, 0.0).terms)
        return index.search_text(match, PLAIN, NEAREST)

    def near(question: str) -> object:
        return np.argpartition(vectors @ known[question], -NEAREST)[-NEAREST:]

    return {"query embedding": embed, "full text": words, "matrix product": near}


Ms = dict[str, list[float]]


def measured(calls: dict[str, Callable[[str], object]], asked: Sequence[str]) -> dict[str, Ms]:
    """Milliseconds of each call for each question, in turns: of the processor, and by the clock."""
    clocks = {"processor": time.process_time, "clock": time.perf_counter}
    ms: dict[str, Ms] = {kind: {name: [] for name in calls} for kind in clocks}
    for number, question in enumerate(asked):
        for name, call in calls.items():
            start = {kind: now() for kind, now in clocks.items()}
            call(question)
            for kind, now in clocks.items():
                if number >= WARM:
                    ms[kind][name].append((now() - start[kind]) * 1000)
    return ms


def table(kind: str, ms: Ms) -> Iterator[str]:
    whole = ms.pop("recall")
    total = [sum(row) for row in zip(*ms.values(), strict=True)]
    yield f"  {kind:<18}{'p50':>9}{'p95':>9}"
    for name, rows in {**ms, "sum of the parts": total, "recall": whole}.items():
        yield f"  {name:<18}" + "".join(f"{percentile(rows, p):9.2f}" for p in (50, 95))
    ratios = [percentile(whole, p) / max(percentile(total, p), 1e-9) for p in (50, 95)]
    yield f"  {'recall / sum':<18}" + "".join(f"{r:9.2f}" for r in ratios) + f"   target ≤ {TARGET}"


def main() -> None:
    ap = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    ap.add_argument("--vault", type=Path, required=True)
    ap.add_argument("--questions", type=int, default=100)
    a = ap.parse_args()
    with Genesys.open(load_settings(a.vault), read_only=True) as memory:
        parts = parts_of(memory)
        pool = questions(memory._index)
        asked = [pool[i % len(pool)] + " " * (i // len(pool)) for i in range(a.questions + WARM)]
        calls = {**parts, "recall": lambda question: memory.recall(question, read_only=True)}
        ms = measured(calls, asked)
        counts = memory._index.counts()
    print(f"{counts.notes} notes, {counts.passages} passages, {a.questions} questions, milliseconds")
    for kind, rows in ms.items():
        print("\n".join(table(kind, rows)))


if __name__ == "__main__":
    main()
