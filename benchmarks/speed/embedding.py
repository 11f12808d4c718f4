"""Rows about embedding, without the load of the model: CPU seconds of all threads for the same passages."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from benchmarks.speed.row import Row
from benchmarks.speed.setup import Setup, alternately

__all__ = ["embedding"]

PASSAGES = 512
BATCH = 32


def embedding(setup: Setup) -> Iterator[Row]:
    import torch
    from sentence_transformers import SentenceTransformer

    from genesys.embed import model_folder

    texts, ours = passages(setup), setup.embedder
    exact = SentenceTransformer(str(model_folder("")), device="cpu", local_files_only=True)
    peer = SentenceTransformer(str(model_folder("")), device="cpu", local_files_only=True)
    if setup.precision == "bf16":
        peer = peer.to(torch.bfloat16)

    def unsorted() -> Any:
        return [exact.encode(texts[at : at + BATCH], batch_size=BATCH) for at in range(0, len(texts), BATCH)]

    product, same, plain = alternately(
        max(2, setup.rounds - 1),
        lambda: spent(lambda: ours.encode(texts)),
        lambda: spent(lambda: peer.encode(texts, batch_size=BATCH)),
        lambda: spent(unsorted),
    )
    what, count = f"embed {len(texts)} passages, CPU", f"{len(texts) / product:.0f} a CPU second"
    sorted_ = f"SentenceTransformer, sorted, {setup.precision}"
    yield Row("embed", what, sorted_, same, product, most=1.10, note=count)
    most = 0.45 if setup.precision == "bf16" else 0.9
    yield Row("embed", what, "SentenceTransformer, fp32, unsorted, batch 32", plain, product, most=most)
    same_ten = overlap(exact.encode(texts, normalize_embeddings=True), ours.encode(texts))
    what = f"top 10 of fp32 kept by {setup.precision}"
    yield Row("embed", what, "fp32", 0, same_ten, unit="", slack=0.97, at_least=True)


def overlap(exact: Any, ours: Any) -> float:
    """The share of each passage's ten nearest, by exact vectors, that are among its ten nearest by ours."""
    import numpy as np

    nearest = [np.argsort(np.eye(len(v)) * 2 - v @ v.T, axis=1)[:, :10] for v in (exact, ours)]
    return float(np.mean([len(np.intersect1d(*pair)) / 10 for pair in zip(*nearest, strict=True)]))


def passages(setup: Setup) -> Sequence[str]:
    """As they stand in the vault, in a fixed order that knows nothing of their length."""
    from genesys.store.index import open_index

    with open_index(setup.indexed / ".genesys" / "index.db", read_only=True) as index:
        texts = [text for _, text in index.pending("none", 1_000_000)]
    return random.Random(7).sample(sorted(texts), min(PASSAGES, len(texts)))


def spent(call: Callable[[], object]) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start
