"""Recall of the product, by its command line, beside bare BM25, cosine and rank fusion in the same run.

    python -m benchmarks.recall.run --data locomo-dev.json [--work DIR] [--set KEY=VALUE …] [--json FILE]
    python -m benchmarks.recall.run --cloze VAULT [--n 500] [--seed 7] [--work DIR]
    python -m benchmarks.recall.run --all DATA_FOLDER [--cloze VAULT …]      every data set of the folder
    python -m benchmarks.recall.run --all DATA_FOLDER --ablate               each signal off in turn

Each group of the data becomes a vault (or the given vault is copied and its links cut), ``genesys index``
reads it, ``genesys recall --batch --read-only --json`` answers. ``--set spread_weight=0`` sets
GENESYS_SPREAD_WEIGHT; ``--ablate`` does that for every signal, in a table of what each brings;
``--limit 100`` asks the first questions of a vault only. ``--work`` keeps vaults and indexes for later.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.recall import cloze, vaults
from benchmarks.recall.baselines import Bare, pieces
from genesys.parse.cloze import links_as_words
from genesys.score.quality import (
    difference,
    hit_at,
    interval,
    mean,
    ndcg_at,
    percentile,
    recall_at,
    reciprocal_rank,
)
from genesys.score.signals import SIGNALS, without

K = 20
SYSTEMS = ("genesys", "bm25", "dense", "rrf")
FIGURES: dict[str, Callable[[Sequence[str], Sequence[str]], float]] = {
    "R@5": lambda ranked, gold: recall_at(ranked, gold, 5),
    "R@10": lambda ranked, gold: recall_at(ranked, gold, 10),
    "R@20": lambda ranked, gold: recall_at(ranked, gold, 20),
    "hit@1": lambda ranked, gold: hit_at(ranked, gold, 1),
    "hit@5": lambda ranked, gold: hit_at(ranked, gold, 5),
    "hit@10": lambda ranked, gold: hit_at(ranked, gold, 10),
    "nDCG@10": lambda ranked, gold: ndcg_at(ranked, gold, 10),
    "MRR": reciprocal_rank,
}
Values = dict[str, list[float]]  # by figure, one a question


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
    shown = {p: t for p, t in notes.items() if ".excalidraw" not in p}
    texts = {p: p.rpartition("/")[2][:-3] + "\n" + links_as_words(t) for p, t in shown.items()}
    asked = [json.loads(line) for line in (out / "questions.jsonl").read_text(encoding="utf-8").splitlines()]
    return Task(
        out.name, out / "vault", {p: p for p in notes}, texts, [dict(q, category="cloze") for q in asked]
    )


# ------------------------------------------------------------------ the product


def genesys(args: Sequence[str], env: Mapping[str, str]) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "genesys", *args], env=env, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"genesys {' '.join(args)}: {done.stderr.strip()}")
    return done.stdout


def ask_product(task: Task, env: Mapping[str, str], results: Results, *, index: bool = True) -> None:
    if index:
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


# ------------------------------------------------------------------ figures


def settle(task: Task, results: Results) -> None:
    """Name the answers of a task by vault and question, without the notes that are no answer."""
    for q in task.questions:
        ban = set(q.get("exclude", ()))
        key = f"{task.name}/{q['id']}"
        results.gold[key], results.category[key] = list(q["gold"]), q["category"]
        for ranked in results.ranked.values():
            if q["id"] in ranked:
                ranked[key] = [x for x in ranked.pop(q["id"]) if x not in ban]


def ask_all(
    tasks: Sequence[Task], env: Mapping[str, str], vectors: Vectors | None, *, index: bool = True
) -> Results:
    """All questions of a set; the baselines too where ``vectors`` are given."""
    results = Results()
    for task in tasks:
        ask_product(task, env, results, index=index)
        if vectors is not None:
            ask_bare(task, vectors, results)
        settle(task, results)
    return results


def values_of(results: Results, system: str, questions: Sequence[str] | None = None) -> Values:
    asked = list(results.gold) if questions is None else questions
    ranked = results.ranked[system]
    return {name: [figure(ranked[q], results.gold[q]) for q in asked] for name, figure in FIGURES.items()}


def with_interval(values: Values) -> dict[str, list[float]]:
    """(mean, low, high) by figure."""
    return {name: [round(x, 4) for x in interval(rows)] for name, rows in values.items()}


def report(name: str, results: Results, settings: Sequence[str]) -> dict[str, Any]:
    """Print a set's tables; the same as data."""
    print(f"\n{name}: {len(results.gold)} questions {' '.join(settings)}")
    systems = [s for s in SYSTEMS if results.ranked[s]]
    values = {s: values_of(results, s) for s in systems}
    data: dict[str, Any] = {"set": name, "questions": len(results.gold), "settings": list(settings)}
    data["systems"] = {s: with_interval(v) for s, v in values.items()}
    beside = "   × rrf at 5, 10" if "rrf" in systems else ""
    print(f"  {'':8s}" + "".join(f"{f:>9s}" for f in FIGURES) + beside)
    for s in systems:
        print(f"  {s:8s}" + "".join(f"{mean(values[s][f]):9.4f}" for f in FIGURES) + _ratio(s, values))
    low_high = data["systems"]["genesys"]
    print("  95 %    " + "".join(f" ±{(low_high[f][2] - low_high[f][1]) / 2:7.4f}" for f in FIGURES))
    if "rrf" in systems:
        data["genesys − rrf"] = _against(values)
    data["categories"] = _categories(results)
    data["ms"] = {f"p{p}": round(percentile(results.ms, p), 2) for p in (50, 95)}
    print(f"  ms a question: p50 {data['ms']['p50']:.1f}  p95 {data['ms']['p95']:.1f}")
    return data


def _ratio(system: str, values: Mapping[str, Values]) -> str:
    if system == "rrf" or "rrf" not in values:
        return ""
    ratios = [mean(values[system][f]) / max(mean(values["rrf"][f]), 1e-9) for f in ("R@5", "R@10")]
    return "   " + "  ".join(f"{r:.2f}" for r in ratios)


def _against(values: Mapping[str, Values]) -> dict[str, list[float]]:
    found = {}
    for f in ("R@5", "R@10"):
        middle, low, high = difference(values["genesys"][f], values["rrf"][f])
        print(f"  genesys − rrf, {f}: {middle:+.3f} [{low:+.3f}, {high:+.3f}]")
        found[f] = [round(x, 4) for x in (middle, low, high)]
    return found


def _categories(results: Results) -> dict[str, Any]:
    found = {}
    for category in sorted(set(results.category.values())):
        asked = [q for q in results.gold if results.category[q] == category]
        figures = with_interval(values_of(results, "genesys", asked))
        found[category] = {"questions": len(asked), "genesys": figures}
        shown = "  ".join(f"{f} {figures[f][0]:.4f}" for f in ("R@5", "R@10", "nDCG@10", "MRR"))
        print(f"    {category:12s} n {len(asked):4d}  {shown}")
    return found


# ------------------------------------------------------------------ each signal off in turn


def ablate(name: str, tasks: Sequence[Task], env: Mapping[str, str]) -> list[dict[str, Any]]:
    """What is lost without each signal, with minus without, and the standard error of that difference.

    In one process, so that the model is loaded once and no question is embedded twice.
    """
    found: dict[str, Results] = {s: Results() for s in ("", *(signal.name for signal in SIGNALS))}
    model = None
    for task in tasks:
        model = ask_without(task, env, found, model)
    print(f"\n{name}: each signal off in turn; points that it brings ± standard error")
    print(f"  {'signal':<20s}{'ΔR@5':>14s}{'ΔR@10':>14s}{'ΔMRR':>14s}")
    values = {signal: values_of(results, "genesys") for signal, results in found.items()}
    rows = []
    for signal in SIGNALS:
        row: dict[str, Any] = {"signal": signal.name, "off": dict(signal.off)}
        for f in ("R@5", "R@10", "MRR"):
            row[f] = [round(x, 5) for x in _paired(values[""][f], values[signal.name][f])]
        rows.append(row)
        cells = (f"{100 * row[f][0]:+8.2f} ±{100 * row[f][1]:4.2f}" for f in ("R@5", "R@10", "MRR"))
        print(f"  {signal.name:<20s}" + "".join(cells))
    return rows


def ask_without(task: Task, env: Mapping[str, str], found: Mapping[str, Results], model: Any) -> Any:
    """Add the answers of a vault, by the name of the signal that is off; "" is recall as it is.

    Hands back the model, for the next vault.
    """
    from genesys.engine.evaluating import Once
    from genesys.engine.recall import recall
    from genesys.engine.session import Genesys
    from genesys.settings import load_settings

    settings = load_settings(task.vault, env)
    with Genesys.open(settings, read_only=True) as memory:
        model, now = model or Once(memory.warm()), time.time()
        for signal in (None, *SIGNALS):
            params = without(settings.recall, signal) if signal else settings.recall
            results, own = found[signal.name if signal else ""], replace(settings, recall=params)
            for q in task.questions:
                k, day = K + len(q.get("exclude", ())), q.get("date") or ""
                hits = recall(memory._index, model, own, q["query"], k, now=now, query_date=day).hits
                results.ranked["genesys"][q["id"]] = [task.ids.get(h.path, h.path) for h in hits]
            settle(task, results)
    return model


def _paired(a: Sequence[float], b: Sequence[float]) -> tuple[float, float]:
    rows = np.array(a) - np.array(b)
    return float(rows.mean()), float(rows.std() / max(len(rows), 1) ** 0.5)


def main() -> None:
    ap = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    ap.add_argument("--data", type=Path, action="append", default=[])
    ap.add_argument("--cloze", type=Path, action="append", default=[])
    ap.add_argument("--all", type=Path, help="a folder: every data set in it")
    ap.add_argument("--n", type=int, default=500)
    ap.add_argument("--seed", type=int, default=7)
    ap.add_argument("--limit", type=int, help="questions of a vault that are asked")
    ap.add_argument("--work", type=Path)
    ap.add_argument("--set", action="append", default=[], help="FIELD=VALUE of the recall settings")
    ap.add_argument("--no-baselines", action="store_true")
    ap.add_argument("--ablate", action="store_true", help="each signal off in turn")
    ap.add_argument("--json", type=Path, help="write the figures there, too")
    a = ap.parse_args()
    env = dict(os.environ) | {f"GENESYS_{s.split('=')[0].upper()}": s.split("=")[1] for s in a.set}
    found = []
    with tempfile.TemporaryDirectory() as scratch:
        work = a.work or Path(scratch)
        work.mkdir(parents=True, exist_ok=True)
        vectors = None if a.no_baselines else Vectors(work / "baseline-vectors.npz")
        for name, tasks in _jobs(a, work):
            results = ask_all(tasks, env, vectors)
            found.append(report(name, results, a.set))
            if a.ablate:
                found[-1]["ablation"] = ablate(name, tasks, env)
    if a.json:
        a.json.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _jobs(a: argparse.Namespace, work: Path) -> Iterator[tuple[str, list[Task]]]:
    for file in [*a.data, *(sorted(a.all.glob("*.json")) if a.all else [])]:
        yield file.stem, [cut(task, a.limit) for task in data_tasks(file, work)]
    for vault in a.cloze:
        yield f"cloze {vault.name}", [cut(cloze_task(vault, work, a.n, a.seed), a.limit)]


def cut(task: Task, limit: int | None) -> Task:
    return replace(task, questions=task.questions[:limit]) if limit else task


if __name__ == "__main__":
    main()
