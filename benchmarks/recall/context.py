"""How much of the evidence is inside a context of 800 tokens, as ``memory_context`` gives it.

    python -m benchmarks.recall.context --data locomo-dev.json [--budget 800] [--limit N] [--work DIR]

Of every gold note: whether the block has it, and whether its text stands there whole. Beside them recall of
the eight notes that a block is made from.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.recall.run import Task, cut, data_tasks, genesys
from genesys.engine.session import Genesys
from genesys.score.quality import interval, mean, recall_at
from genesys.settings import load_settings

SHARES = ("in the block", "in full", "recall at 8")
_QUOTE = re.compile(r"^>+ ?", re.MULTILINE)


def bare(text: str) -> str:
    """Words of a text, without marks of quotation."""
    return " ".join(re.findall(r"\w+", _QUOTE.sub("", text).casefold()))


def ask(task: Task, texts: dict[str, str], budget: int, rows: dict[str, list[float]]) -> None:
    """Add the figures of each question of a vault."""
    genesys(["index", "--vault", str(task.vault)], dict(os.environ))
    with Genesys.open(load_settings(task.vault), read_only=True) as memory:
        for q in task.questions:
            block = memory.context(q["query"], budget, wait=True)
            gold, said = list(q["gold"]), bare(block.text)
            held = [task.ids.get(path, path) for path in block.paths]
            rows["in the block"].append(recall_at(held, gold, len(held) or 1))
            rows["in full"].append(mean([float(bare(texts[g]) in said and g in held) for g in gold]))
            ranked = memory.recall(q["query"], 8, read_only=True).hits
            found = [task.ids.get(hit.path, hit.path) for hit in ranked]
            rows["recall at 8"].append(recall_at(found, gold, 8))
            rows["tokens"].append(float(block.tokens))
            rows["notes"].append(float(len(held)))


def measured(file: Path, tasks: Sequence[Task], budget: int) -> None:
    rows: dict[str, list[float]] = {
        n: [] for n in ("in the block", "in full", "recall at 8", "tokens", "notes")
    }
    groups = json.loads(file.read_text(encoding="utf-8"))["groups"]
    texts = {doc["id"]: doc["text"] for group in groups for doc in group["docs"]}
    for task in tasks:
        ask(task, texts, budget, rows)
    print(f"{file.stem}: {len(rows['tokens'])} questions, a context of {budget} tokens")
    print(f"  tokens {mean(rows['tokens']):.0f}, notes {mean(rows['notes']):.1f}, on average")
    for name in SHARES:
        middle, low, high = interval(rows[name])
        print(f"  gold evidence {name:<13s} {middle:.3f} [{low:.3f}, {high:.3f}]")


def main() -> None:
    ap = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    ap.add_argument("--data", type=Path, action="append", required=True)
    ap.add_argument("--budget", type=int, default=800)
    ap.add_argument("--limit", type=int, help="questions of a vault that are asked")
    ap.add_argument("--work", type=Path, help="keeps vaults and indexes for the next run")
    a = ap.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        for file in a.data:
            tasks = [cut(task, a.limit) for task in data_tasks(file, a.work or Path(scratch))]
            measured(file, tasks, a.budget)


if __name__ == "__main__":
    main()
