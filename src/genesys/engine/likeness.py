"""Which memories say nearly the same, by the vectors that are there already: nothing is embedded."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import numpy as np
from numpy.typing import NDArray

from genesys.store.index import Index

__all__ = ["MOST", "near_pairs"]

MOST = 20_000  # memories compared with each other: some seconds
PAIRS = 2_000  # the most alike that are looked at word by word
PER_NOTE = 3  # of one memory; more of the same come at the next pass
BLOCK = 512  # memories at a time: their cosines with all others are 40 MB at most


def near_pairs(
    index: Index, model: str, notes: Collection[int], least: float
) -> list[tuple[int, int, float]]:
    """(note, note, cosine) of at least ``least`` among ``notes``, the most alike first; the last
    :data:`MOST` ids are looked at."""
    matrix = index.matrix(model)
    wanted = np.sort(np.fromiter(notes, dtype=np.int64))[-MOST:]
    if matrix is None or len(wanted) < 2:
        return []
    kept = np.isin(matrix.note_id, wanted)
    ids, vectors = _means(matrix.note_id[kept], matrix.vectors[kept])
    found: list[tuple[float, int, int]] = []
    for low in range(0, len(ids), BLOCK):
        cosine = vectors[low : low + BLOCK] @ vectors[low:].T
        near = [(-c, int(ids[low + a]), int(ids[low + b])) for a, b, c in _nearest(cosine, least)]
        found = sorted([*found, *near])[:PAIRS]
    return [(a, b, -c) for c, a, b in found]


def _nearest(cosine: NDArray[np.float32], least: float) -> Iterator[tuple[int, int, float]]:
    """(row, later column, cosine) of at least ``least``, the :data:`PER_NOTE` highest of each row."""
    size = len(cosine)
    near = cosine >= least
    near[:, :size] = np.triu(near[:, :size], k=1)
    for row in np.flatnonzero(near.any(axis=1)).tolist():
        cols = np.flatnonzero(near[row])
        if len(cols) > PER_NOTE:  # of equal ones the first: the next row's are others
            values = cosine[row, cols]
            cols = cols[values >= np.partition(values, -PER_NOTE)[-PER_NOTE]][:PER_NOTE]
        for col in cols.tolist():
            yield row, col, float(cosine[row, col])


def _means(
    note: NDArray[np.int64], vectors: NDArray[np.float32]
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Each note's mean vector, of length 1."""
    order = np.argsort(note, kind="stable")
    ids, start = np.unique(note[order], return_index=True)
    if not len(ids):
        return ids, vectors
    total = np.add.reduceat(vectors[order], start, axis=0)
    return ids, total / np.maximum(np.linalg.norm(total, axis=1, keepdims=True), 1e-12)
