"""Rescore a vault of 50,000 notes, beside the least that numpy could do.

    python benchmarks/scoring/rescore.py [--notes 50000] [--rounds 15] [--json result.json]

The lower bound is one power and one sum per access (``bincount(note, weight * age ** -d)``) and two sums
per edge (``bincount(source, weight)``, the same for targets): no minimum age, no closed form, no relevance,
no distinct neighbours, no lifecycle. The target is at most ten times that, with the accesses as the index
keeps them, by note and time; in any other order they are sorted first, which is measured beside it.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from genesys.model import AccessKind, ScoreParams
from genesys.score.arrays import ACCESS_CODE, DAY, KIND_CODE, STATUS_CODE, Accesses, Edges, history
from genesys.score.connectivity import support
from genesys.score.decay import score_vault
from genesys.score.lifecycle import Roster, changes

NOW = 1_800_000_000.0
ACCESSES_A_NOTE, EDGES_A_NOTE = 8, 5
TARGET_RATIO = 10.0


def vault(notes: int) -> tuple[Accesses, Edges, Roster]:
    """A made-up vault, always the same: use is skewed, so some notes have hundreds of accesses."""
    rng = np.random.default_rng(20270115)
    count = notes * ACCESSES_A_NOTE
    used = (rng.random(count - notes) ** 2.5 * notes).astype(np.int64)
    note = np.concatenate([np.arange(notes), used])
    age = np.concatenate([rng.uniform(700, 1500, notes), rng.uniform(0, 700, len(used))])
    pick = rng.integers(1, 5, count)
    pick[:notes] = ACCESS_CODE[AccessKind.CREATE]
    weight = np.array([1.0, 0.5, 1.0, 0.3, 1.0], dtype=np.float32)[pick]
    accesses = Accesses(note, NOW - age * DAY, weight, pick.astype(np.int8))
    m = notes * EDGES_A_NOTE
    target = (rng.random(m) ** 2 * notes).astype(np.int64)
    kind = rng.integers(0, 7, m).astype(np.int8)
    edges = Edges(rng.integers(0, notes, m), target, kind, rng.random(m, dtype=np.float32))
    none = np.zeros(notes, np.bool_)
    roster = Roster(
        np.full(notes, STATUS_CODE[next(iter(STATUS_CODE))], np.int8),
        rng.uniform(0, 400, notes),
        np.full(notes, next(iter(KIND_CODE.values())), np.int8),
        none,
        none,
        none,
    )
    return accesses, edges, roster


def best(call: Callable[[], object], rounds: int) -> float:
    """CPU seconds of the quickest of ``rounds`` calls: other processes only ever add."""
    times = []
    for _ in range(rounds):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times)


def measure(notes: int, rounds: int) -> dict[str, float]:
    shuffled, edges, roster = vault(notes)
    accesses = history(notes, shuffled).rows
    decay, held = ScoreParams().actr_decay, support(notes, edges)
    age, weight = (NOW - accesses.time) / DAY, accesses.weight.astype(np.float64)
    ends, tie = (edges.source, edges.target), edges.weight.astype(np.float64)
    scores = score_vault(notes, accesses, held, NOW)

    def bound() -> object:
        sums = [np.bincount(end, tie, notes) for end in ends]
        return np.bincount(accesses.note, weight * age**-decay, notes), sums

    def rescore(rows: Accesses) -> object:
        return score_vault(notes, rows, support(notes, edges), NOW)

    times = {
        "bound": best(bound, rounds),
        "rescore": best(lambda: rescore(accesses), rounds),
        "rescore_shuffled": best(lambda: rescore(shuffled), rounds),
        "support": best(lambda: support(notes, edges), rounds),
        "lifecycle": best(lambda: changes(roster, scores.score, scores.idle_days), rounds),
    }
    changed = len(changes(roster, scores.score, scores.idle_days))
    return {
        "notes": notes,
        "accesses": len(accesses),
        "edges": len(edges),
        **{f"{name}_us_per_note": 1e6 * spent / notes for name, spent in times.items()},
        "rescore_ms": 1e3 * times["rescore"],
        "ratio": times["rescore"] / times["bound"],
        "ratio_shuffled": times["rescore_shuffled"] / times["bound"],
        "target_ratio": TARGET_RATIO,
        "changed": changed,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--notes", type=int, default=50_000)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    result = measure(options.notes, options.rounds)
    for name, value in result.items():
        print(f"{name:>24} {value:12,.3f}" if isinstance(value, float) else f"{name:>24} {value:12,}")
    if options.json:
        options.json.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
