"""Recall by size of vault: search among vectors and whole answers beside numpy's exact scan, disk and memory.

    python -m benchmarks.speed.scale [--vault DIR] [--sizes 10000 100000 1000000] [--keep DIR] [--json FILE]

The vaults are made by repetition with noise from the passages of DIR (see :mod:`benchmarks.speed.vaults`); a
million passages take some minutes and 5 GB. ``--keep`` is a folder where they stay for the next run. Times
are CPU milliseconds of all threads, the model on one; floor and figure are measured in turn.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.speed.row import Row, as_json, table
from benchmarks.speed.setup import Setup, machine
from benchmarks.speed.vaults import NOW, Source, build, change, read_source
from genesys.embed import load_embedder
from genesys.engine.recall import recall
from genesys.settings import Settings, load_settings
from genesys.store.index import Index, open_index

__all__ = ["rows"]

SIZES = (10_000, 100_000, 1_000_000)
PASSAGES = 4_000  # of the vault that are embedded
HELD_BACK = 0.05  # of them, that questions are made of
QUESTIONS = 100
CHANGES = 5
KNN = {100_000: (0.4, 0.97), 1_000_000: (0.15, 0.95)}  # most of the exact scan, least recall@10
PER_PASSAGE_MB = 1e-3  # memory that a passage may take, beyond the model's
RECALL_MS = {10_000: 60.0, 100_000: 120.0}  # 95 in 100 answers, where the scan is no measure
LOADED = """
import sys; from pathlib import Path; from genesys.settings import load_settings
from genesys.embed import load_embedder
settings = load_settings(Path(sys.argv[1])); model = load_embedder(settings); model.encode_query("a question")
"""
ASKED = """
from genesys.store.index import open_index; from genesys.engine.recall import recall
with open_index(settings.index) as index:
    for question in sys.argv[2:]:
        recall(index, model, settings, question, 10, now=1.8e9)
"""
RSS = "print([l.split()[1] for l in open('/proc/self/status') if l.startswith('RssAnon')][0])"


@dataclass(frozen=True)
class Vault:
    """One made vault, open, with its model and questions."""

    size: int
    index: Index
    settings: Settings
    model: Any
    source: Source
    questions: Sequence[str]


def rows(setup: Setup, sizes: Sequence[int] = SIZES, keep: Path | None = None) -> Iterator[Row]:
    """The rows of every size, smallest first."""
    folder = keep or setup.folder
    folder.mkdir(parents=True, exist_ok=True)
    settings = load_settings(setup.vault, setup.env, threads="1")
    source = read_source(setup.vault, settings, PASSAGES, folder)
    questions = asked_of(source)
    kept = len(source.texts) - int(len(source.texts) * HELD_BACK)
    source = replace(source, texts=source.texts[:kept], vectors=source.vectors[:kept])
    for size in sizes:
        root = folder / f"made-{size}"
        root.mkdir(exist_ok=True)
        own = load_settings(root, setup.env | {"GENESYS_INDEX": str(root / "index.db")}, threads="1")
        with build(root / "index.db", source, size) as index:
            yield from _of(Vault(size, index, own, load_embedder(own), source, questions))


def asked_of(source: Source) -> list[str]:
    """Questions of 4 to 11 words, as they stand in the passages held back."""
    rng = np.random.default_rng(3)
    held = source.texts[-max(1, int(len(source.texts) * HELD_BACK)) :]
    found = []
    for number in range(QUESTIONS):
        words = re.findall(r"[\w'-]+", held[number % len(held)])
        at = int(rng.integers(0, max(1, len(words) - 11)))
        found.append(" ".join(words[at : at + int(rng.integers(4, 12))]) or "what is this")
    return found


def _of(vault: Vault) -> Iterator[Row]:
    exact, floor = _exact(vault)
    if vault.size > vault.settings.recall.exact_passages:
        yield from _knn(vault, exact, floor)
    del exact
    yield from _recall(vault, floor)
    yield from _changed(vault)
    vault.index.close()
    yield _disk(vault)
    yield _memory(vault)


def _exact(vault: Vault) -> tuple[list[float], float]:
    """The tenth best cosine of each question, and what numpy's scan for it takes."""
    with open_index(vault.settings.index, read_only=True) as other:  # which takes its matrix with it
        matrix = other.matrix(vault.source.model)
    assert matrix is not None
    tenth, times = [], []
    for question in vault.questions:
        query = vault.model.encode_query(question)
        best, ms = _timed(lambda query=query: _scan(matrix.vectors, query))
        tenth.append(float(best.min()))
        times.append(ms)
    return tenth, float(np.median(times))


def _scan(vectors: Any, query: Any) -> Any:
    cosine = vectors @ query
    return cosine[np.argpartition(cosine, -10)[-10:]]


def _knn(vault: Vault, tenth: Sequence[float], floor: float) -> Iterator[Row]:
    pack, pool = vault.index.packed(vault.source.model), vault.settings.recall.near_passages
    assert pack is not None
    found, times = [], []
    for question, least in zip(vault.questions, tenth, strict=True):
        query = vault.model.encode_query(question).astype(np.float32)
        (_, cosine), ms = _timed(lambda query=query: pack.nearest(query, 10, pool))
        found.append(float((cosine >= least - 1e-4).mean()))
        times.append(ms)
    most, least = KNN.get(vault.size, (1.0, 0.95))
    name, of = _named(vault), "numpy, exact"
    ours = float(np.median(times))
    yield Row("scale", f"10 nearest of {name}, CPU", of, floor, ours, unit="ms", most=most)
    share = float(np.mean(found))
    yield Row("scale", f"… recall@10 of {name}", of, 1.0, share, unit="", most=least, at_least=True)


def _recall(vault: Vault, floor: float) -> Iterator[Row]:
    for question in vault.questions[:3]:
        _ask(vault, question)
    times = [_timed(lambda q=q: _ask(vault, q))[1] for q in vault.questions[3:]]
    median, most = (float(np.percentile(times, share)) for share in (50, 95))
    name, note = _named(vault), f"median {median:.0f} ms"
    limit = {"slack": RECALL_MS[vault.size]} if vault.size in RECALL_MS else {"most": 1.0}
    yield Row(
        "scale", f"recall in {name}, 95 %, CPU", "numpy scan", floor, most, unit="ms", note=note, **limit
    )


def _changed(vault: Vault) -> Iterator[Row]:
    """What a changed note adds to the next answer."""
    usual, after = [], []
    for number in range(CHANGES):
        change(vault.index, vault.source, number, time.time_ns())
        question = vault.questions[number]
        after.append(_timed(lambda q=question: _ask(vault, q))[1])
        usual.append(_timed(lambda q=question: _ask(vault, q))[1])
    ms, first = float(np.median(after)), f"recall in {_named(vault)} after a change, CPU"
    yield Row(
        "scale", first, "the same again", float(np.median(usual)), ms, unit="ms", slack=1500.0, most=1.0
    )


def _ask(vault: Vault, question: str) -> object:
    return recall(vault.index, vault.model, vault.settings, question, 10, now=NOW)


def _timed(call: Callable[[], Any]) -> tuple[Any, float]:
    start = time.process_time()
    found = call()
    return found, (time.process_time() - start) * 1000


def _disk(vault: Vault) -> Row:
    folder = vault.settings.index.parent
    size = sum(f.stat().st_size for f in folder.rglob("*") if f.is_file()) / 1e6
    texts = float(np.mean([len(t.encode()) for t in vault.source.texts])) * vault.size
    floor = (texts + 4 * vault.source.vectors.shape[1] * vault.size) / 1e6
    packed = sum(f.stat().st_size for f in folder.rglob("packed/*")) / 1e6
    of, note = "texts and 4 bytes a dimension", f"{packed:.0f} MB of it packed"
    most = 1.8 if not packed else 2.2
    return Row("scale", f"index of {_named(vault)}", of, floor, size, unit="MB", most=most, note=note)


def _memory(vault: Vault) -> Row:
    """What a process that has answered holds for itself, without mapped files."""
    loaded = _rss(LOADED + RSS, vault, ())
    ours = _rss(LOADED + ASKED + RSS, vault, vault.questions[:30])
    slack = round(PER_PASSAGE_MB * vault.size, 1)
    of = "the model alone"
    return Row("scale", f"memory, {_named(vault)}", of, loaded, ours, unit="MB", most=1.3, slack=slack)


def _rss(code: str, vault: Vault, questions: Sequence[str]) -> float:
    command = [sys.executable, "-c", code, str(vault.settings.vault), *questions]
    env = {"GENESYS_INDEX": str(vault.settings.index), "GENESYS_THREADS": "1"}
    done = subprocess.run(command, env=os.environ | env, stdout=subprocess.PIPE, check=True)
    return float(done.stdout) / 1024


def _named(vault: Vault) -> str:
    return f"{vault.size:,} passages"


def main() -> int:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    root = Path(__file__).resolve().parents[2]
    parser.add_argument("--vault", type=Path, default=root / "fixtures" / "vault")
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES))
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="gs-") as folder:
        found = list(rows(Setup(given.vault, Path(folder)), given.sizes, given.keep))
    print(table(found))
    if given.json:
        made = {"machine": machine(), "rows": as_json(found)}
        given.json.write_text(json.dumps(made, indent=2) + "\n", encoding="utf-8")
    return 0 if all(row.met for row in found) else 1


if __name__ == "__main__":
    sys.exit(main())
