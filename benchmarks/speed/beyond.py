"""Search by sign bits at sizes for which no index is made: the vectors pass by once and only bits are kept.

    python -m benchmarks.speed.beyond [--vault DIR] [--size 10000000] [--questions 20]

Prints what a scan takes and which share of the true ten nearest is among the nearest by bits. True cosines
are taken while the vectors pass by, so memory is what a packed copy would hold: 56 bytes a passage.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.speed.vaults import noisy_vectors, read_source
from genesys.embed import load_embedder
from genesys.settings import load_settings
from genesys.store.bits import differing, nearest, sign_words, words_of

BLOCK = 50_000
POOLS = (8_192, 16_384, 32_768, 65_536)


def passed_by(
    real: NDArray[np.float32], size: int, asked: NDArray[np.float32]
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """(bits in planes, the ten nearest of each question) of ``size`` noisy vectors."""
    rng, dim, centre = np.random.default_rng(11), real.shape[1], real.mean(axis=0)
    planes = np.zeros((words_of(dim), size), dtype=np.uint64)
    best = np.full((len(asked), 10), -1, dtype=np.int64)
    cosine = np.full((len(asked), 10), -1.0, dtype=np.float32)
    for at in range(0, size, BLOCK):
        count = min(BLOCK, size - at)
        block = noisy_vectors(real, rng.integers(0, len(real), count), rng)
        planes[:, at : at + count] = sign_words(block, centre).T
        found = asked @ block.T
        top = np.argpartition(found, -10, axis=1)[:, -10:]
        both = np.concatenate([cosine, np.take_along_axis(found, top, axis=1)], axis=1)
        places = np.concatenate([best, top + at], axis=1)
        kept = np.argsort(-both, axis=1)[:, :10]
        cosine, best = np.take_along_axis(both, kept, axis=1), np.take_along_axis(places, kept, axis=1)
    return planes, best


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    root = Path(__file__).resolve().parents[2]
    parser.add_argument("--vault", type=Path, default=root / "fixtures" / "vault")
    parser.add_argument("--size", type=int, default=10_000_000)
    parser.add_argument("--questions", type=int, default=20)
    parser.add_argument("--keep", type=Path)
    given = parser.parse_args()
    settings = load_settings(given.vault, threads="1")
    with tempfile.TemporaryDirectory() as folder:
        source = read_source(given.vault, settings, 4_000, given.keep or Path(folder))
    model, real = load_embedder(settings), source.vectors[: -given.questions]
    asked = np.stack([model.encode_query(" ".join(t.split()[:9])) for t in source.texts[-given.questions :]])
    start = time.process_time()
    planes, best = passed_by(real, given.size, asked.astype(np.float32))
    print(f"{given.size:,} vectors made and packed in {time.process_time() - start:.0f} s CPU")
    words, times = sign_words(asked.astype(np.float32), real.mean(axis=0)), []
    shares = dict.fromkeys(POOLS, 0.0)
    for query, ten in zip(words, best, strict=True):
        start = time.process_time()
        distance = differing(planes, query, given.size)
        times.append((time.process_time() - start) * 1000)
        for pool in POOLS:
            shares[pool] += float(np.isin(ten, nearest(distance, pool)).mean()) / len(words)
    print(f"scan {np.median(times):.0f} ms CPU; planes {planes.nbytes / 1e6:.0f} MB")
    for pool, share in shares.items():
        print(f"of the true ten nearest among the {pool:,} nearest by bits: {share:.3f}")


if __name__ == "__main__":
    main()
