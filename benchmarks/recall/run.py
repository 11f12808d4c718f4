"""Recall of the product, by its command line, beside bare BM25, cosine and rank fusion in the same run.

    python -m benchmarks.recall.run --data locomo-dev.json [--work DIR] [--set KEY=VALUE …]
    python -m benchmarks.recall.run --cloze VAULT [--n 500] [--seed 7] [--work DIR]

Each group of the data becomes a vault (or the given vault is copied and its links cut), ``genesys index``
reads it, ``genesys recall --batch --read-only --json`` answers. ``--set spread_weight=0`` sets
GENESYS_SPREAD_WEIGHT, for ablations; ``--work`` keeps vaults and indexes for the next run.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.recall import cloze, vaults
from benchmarks.recall.baselines import Bare, pieces
from benchmarks.recall.figures import interval, mean, percentile, recall_at

K = 20
SYSTEMS = ("genesys", "bm25", "dense", "rrf")


@dataclass
class Results:
    """Ranked ids of each system by question, with what was asked for."""

    ranked: dict[str, dict[str, list[str]]] = field(default_factory=lambda: {s: {} for s in SYSTEMS})
    gold: dict[str, list[str]] = field(default_factory=dict)
    category: dict[str, str] = field(default_factory=dict)
    ms: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class Task:
    """One vault and its questions; ``ids`` maps a note's path to the id that gold answers use."""

    name: str
    vault: Path
    ids: Mapping[str, str]
    texts: Mapping[str, str]
    questions: Sequence[Mapping[str, Any]]


def data_tasks(file: Path, work: Path) -> Iterator[Task]:
    for group in vaults.load(file):
        name = f"{file.stem}-{vaults.safe(group['id'])}"
        root = work / name
        ids = vaults.write_vault(group, root)
        texts = {d["id"]: vaults.human_text(d) for d in group["docs"]}
        asked = [dict(q, query=q["text"]) for q in group["queries"]]
        yield Task(name, root, ids, texts, asked)


def cloze_task(vault: Path, work: Path, n: int, seed: int) -> Task:
    out = work / f"cloze-{vault.name}-{n}-{seed}"
    if not (out / "questions.jsonl").exists():
        out.mkdir(parents=True, exist_ok=True)
        cloze.build(vault, out, n, seed)
    notes = cloze.read_notes(out / "vault")
    texts = {
        p: p.rpartition("/")[2][:-3] + "\n" + readable(t) for p, t in notes.items() if ".excalidraw" not in p
    }
    asked = [json.loads(line) for line in (out / "questions.jsonl").read_text(encoding="utf-8").splitlines()]
    return Task(
        out.name, out / "vault", {p: p for p in notes}, texts, [dict(q, category="cloze") for q in asked]
    )


def readable(text: str) -> str:
    return cloze.ANY_LINK.sub(lambda m: m.group(2) or m.group(1).split("/")[-1], text)


# ------------------------------------------------------------------ the product


def genesys(args: Sequence[str], env: Mapping[str, str]) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "genesys", *args], env=env, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"genesys {' '.join(args)}: {done.stderr.strip()}")
    return done.stdout


def ask_product(task: Task, env: Mapping[str, str], results: Results) -> None:
    genesys(["index", "--vault", str(task.vault)], env)
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as f:
        for q in task.questions:
            row = {
                "id": q["id"],
                "query": q["query"],
                "k": K + len(q.get("exclude", ())),
                "date": q.get("date", ""),
            }
            f.write(json.dumps(row, ensure_ascii=False) + "\n")
        f.flush()
        out = genesys(["recall", "--batch", f.name, "--json", "--vault", str(task.vault), "--read-only"], env)
    for line in out.splitlines():
        row = json.loads(line)
        results.ranked["genesys"][row["id"]] = [task.ids.get(h["path"], h["path"]) for h in row["hits"]]
        results.ms.append(row["ms"])


# ------------------------------------------------------------------ the baselines


def encoder() -> Any:
    from genesys.embed import load_embedder
    from genesys.settings import Settings

    return load_embedder(Settings(Path("."), embed_precision="fp32"))


class Vectors:
    """Vectors of texts, kept in a file between runs; made with the product's model in fp32."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.known: dict[str, np.ndarray] = {}
        self.model: Any = None
        if file.exists():
            stored = np.load(file)
            self.known = dict(zip(stored["keys"].tolist(), stored["vectors"], strict=True))

    def of(self, texts: Sequence[str]) -> np.ndarray:
        keys = [hashlib.blake2b(t.encode(), digest_size=12).hexdigest() for t in texts]
        todo = {k: t for k, t in zip(keys, texts, strict=True) if k not in self.known}
        if todo:
            self.model = self.model or encoder()
            self.known.update(zip(todo, self.model.encode(list(todo.values())), strict=True))
            np.savez(self.file, keys=np.array(list(self.known)), vectors=np.stack(list(self.known.values())))
        return np.stack([self.known[k] for k in keys])


def ask_bare(task: Task, vectors: Vectors, results: Results) -> None:
    parts = [(i, piece) for i, text in enumerate(task.texts.values()) for piece in pieces(text)]
    block = vectors.of([piece for _, piece in parts])
    bare = Bare(list(task.texts), list(task.texts.values()), [i for i, _ in parts], block)
    asked = vectors.of([q["query"] for q in task.questions])
    for q, vector in zip(task.questions, asked, strict=True):
        results.ranked["bm25"][q["id"]] = bare.bm25(q["query"])
        results.ranked["dense"][q["id"]] = bare.dense(vector)
        results.ranked["rrf"][q["id"]] = bare.rrf(q["query"], vector)


# ------------------------------------------------------------------ the table


def report(name: str, results: Results, settings: Sequence[str]) -> None:
    print(f"\n{name}: {len(results.gold)} questions {' '.join(settings)}")
    systems = [s for s in SYSTEMS if results.ranked[s]]
    values = {
        s: {k: [recall_at(results.ranked[s][q], g, k) for q, g in results.gold.items()] for k in (5, 10, 20)}
        for s in systems
    }
    for s in systems:
        ratio = (
            ""
            if s == "rrf" or "rrf" not in systems
            else "  × rrf "
            + " ".join(f"{mean(values[s][k]) / max(mean(values['rrf'][k]), 1e-9):.2f}" for k in (5, 10))
        )
        print(f"  {s:8s} " + "  ".join(f"R@{k} {mean(values[s][k]):.4f}" for k in (5, 10, 20)) + ratio)
    if "rrf" in systems:
        for k in (5, 10):
            middle, low, high = interval(values["genesys"][k], values["rrf"][k], 2_000)
            print(f"  genesys − rrf at {k}: {middle:+.3f} [{low:+.3f}, {high:+.3f}]")
    for category in sorted(set(results.category.values())):
        ids = [q for q in results.gold if results.category[q] == category]
        row = [
            mean([recall_at(results.ranked["genesys"][q], results.gold[q], k) for q in ids]) for k in (5, 10)
        ]
        print(f"    {category:12s} n {len(ids):4d}  R@5 {row[0]:.4f}  R@10 {row[1]:.4f}")
    print(f"  ms a question: p50 {percentile(results.ms, 50):.1f}  p95 {percentile(results.ms, 95):.1f}")


def main() -> None:
    ap = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    ap.add_argument("--data", type=Path, action="append", default=[])
    ap.add_argument("--cloze", type=Path, action="append", default=[])
    ap.add_argument("--n", type=int, default=500)
    ap.add_argument("--seed", type=int, default=7)
    ap.add_argument("--work", type=Path)
    ap.add_argument("--set", action="append", default=[], help="FIELD=VALUE of the recall settings")
    ap.add_argument("--no-baselines", action="store_true")
    a = ap.parse_args()
    env = dict(os.environ) | {f"GENESYS_{s.split('=')[0].upper()}": s.split("=")[1] for s in a.set}
    with tempfile.TemporaryDirectory() as scratch:
        work = a.work or Path(scratch)
        work.mkdir(parents=True, exist_ok=True)
        vectors = Vectors(work / "baseline-vectors.npz")
        jobs: list[tuple[str, list[Task]]] = [(f.stem, list(data_tasks(f, work))) for f in a.data]
        jobs += [(f"cloze {v.name}", [cloze_task(v, work, a.n, a.seed)]) for v in a.cloze]
        for name, tasks in jobs:
            results = Results()
            for task in tasks:
                ask_product(task, env, results)
                if not a.no_baselines:
                    ask_bare(task, vectors, results)
                for q in task.questions:
                    ban = set(q.get("exclude", ()))
                    key = f"{task.name}/{q['id']}"
                    results.gold[key], results.category[key] = list(q["gold"]), q["category"]
                    for ranked in results.ranked.values():
                        if q["id"] in ranked:
                            ranked[key] = [x for x in ranked.pop(q["id"]) if x not in ban]
            report(name, results, a.set)


if __name__ == "__main__":
    main()
