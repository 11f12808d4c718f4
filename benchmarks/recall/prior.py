"""What the prior (status and decay score) costs: recall with it on against off, where both are random.

    python -m benchmarks.recall.prior --data locomo-dev.json [--data …] [--seed 7] [--limit N] [--work DIR]

Statuses and scores are drawn at random and have nothing to do with the questions, so whatever the prior moves
is a loss. At most 0.5 points of recall at 10 may go. That it orders equal matches by retention is a test,
``tests/engine/test_prior.py``.
"""

from __future__ import annotations

import argparse
import os
import random
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.recall.run import Task, ask_all, cut, data_tasks, genesys, values_of
from genesys.model import Status
from genesys.score.quality import difference, mean
from genesys.settings import load_settings
from genesys.store.index import open_index
from genesys.store.rows import StateChange

SHARES = {Status.ACTIVE: 50, Status.DORMANT: 28, Status.FADING: 20, Status.CORE: 2}  # of an aged vault
MOST_POINTS = 0.5


def give_states(vault: Path, seed: int) -> None:
    """A random status and score for every note, in the index only."""
    draw = random.Random(seed)
    with open_index(load_settings(vault).index) as index:
        notes = sorted((row.path, row.id) for row in index.all_notes())
        statuses = draw.choices(list(SHARES), list(SHARES.values()), k=len(notes))
        rows = zip(notes, statuses, strict=True)
        index.set_states([StateChange(note, status, draw.random()) for (_, note), status in rows], 0.0)


def compared(name: str, tasks: Sequence[Task], seed: int) -> bool:
    """Print a set's figures; whether the cost is small enough."""
    env = dict(os.environ)
    for task in tasks:
        genesys(["index", "--vault", str(task.vault)], env)
        give_states(task.vault, seed)
    on = values_of(ask_all(tasks, env, None, index=False), "genesys")
    off = values_of(ask_all(tasks, {**env, "GENESYS_PRIOR_WEIGHT": "0"}, None, index=False), "genesys")
    print(f"{name}: {len(on['R@10'])} questions, notes with random status and score")
    for figure in ("R@5", "R@10", "MRR"):
        middle, low, high = (100 * x for x in difference(off[figure], on[figure]))
        print(
            f"  {figure:5s} with {mean(on[figure]):.4f}  without {mean(off[figure]):.4f}"
            f"  it costs {middle:+.2f} points [{low:+.2f}, {high:+.2f}]"
        )
    cost = round(100 * (mean(off["R@10"]) - mean(on["R@10"])), 2)
    print(f"  target: at most {MOST_POINTS} points of R@10: {'met' if cost <= MOST_POINTS else 'missed'}")
    return cost <= MOST_POINTS


def main() -> None:
    ap = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    ap.add_argument("--data", type=Path, action="append", required=True)
    ap.add_argument("--seed", type=int, default=7)
    ap.add_argument("--limit", type=int, help="questions of a vault that are asked")
    ap.add_argument("--work", type=Path, help="keeps the vaults; their indexes keep the random states")
    a = ap.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        work = a.work or Path(scratch)
        met = [compared(f.stem, [cut(task, a.limit) for task in data_tasks(f, work)], a.seed) for f in a.data]
    raise SystemExit(0 if all(met) else 1)


if __name__ == "__main__":
    main()
