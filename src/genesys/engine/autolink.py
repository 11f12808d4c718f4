"""Links by meaning for memories that Genesys writes: a new memory is tied to what it is about."""

from __future__ import annotations

from collections import Counter

import numpy as np

from genesys.embed import Embedder
from genesys.model import CreatedBy, Edge, EdgeType
from genesys.store.index import Index

__all__ = ["link_waiting"]

PER_MEMORY = 3  # links a memory gets
PER_NODE = 10  # such links any note may have, so that no note becomes a hub by likeness alone
FLOOR = 0.45  # cosine below which MiniLM's likeness says little
LINKED_UPTO = "autolinked_upto"  # meta: the highest id of a memory that was looked at; ids only grow


def link_waiting(index: Index, embedder: Embedder) -> int:
    """Tie every memory that was not looked at yet to the nearest notes by cosine; how many edges.

    Those written while there was no model, and all of them after an index was made anew. Only where no edge
    exists; the weight of an edge is the cosine.
    """
    last = int(index.meta_get(LINKED_UPTO) or 0)
    count = 0
    for note, path in index.memories_after(last):
        _embed(index, embedder, note)
        edges = _edges(index, note, path, _nearest(index, embedder.model_id, note))
        with index.transaction():
            index.add_edges(edges)
            index.meta_set(LINKED_UPTO, str(note))
        count += len(edges)
    return count


def _embed(index: Index, embedder: Embedder, note: int) -> None:
    pending = index.pending_of(embedder.model_id, note)
    if pending:
        vectors = embedder.encode([text for _, text in pending])
        index.put_vectors(embedder.model_id, embedder.dim, [key for key, _ in pending], vectors)


def _nearest(index: Index, model: str, note: int) -> list[tuple[int, float]]:
    """(note, cosine) of the best passage of each other note, best first."""
    matrix = index.matrix(model)
    if matrix is None:
        return []
    own = matrix.vectors[matrix.note_id == note]
    if not len(own):
        return []
    cosine = (matrix.vectors @ own.T).max(axis=1)
    cosine[matrix.note_id == note] = -1.0
    best: dict[int, float] = {}
    for at in np.argsort(-cosine, kind="stable")[: 20 * PER_NODE].tolist():
        if cosine[at] < FLOOR:
            break
        best.setdefault(int(matrix.note_id[at]), float(cosine[at]))
    return list(best.items())


def _edges(index: Index, own: int, path: str, near: list[tuple[int, float]]) -> list[Edge]:
    rows = index.note_rows([n for n, _ in near])
    linked = {p for e in index.edges_of([own]) for p in (e.source, e.target)}
    found: list[Edge] = []
    for note, cosine in near:
        if len(found) == PER_MEMORY:
            break
        row = rows.get(note)
        if row is None or row.path in linked or _full(index, note):
            continue
        found.append(Edge(path, row.path, EdgeType.RELATED_TO, round(cosine, 4), CreatedBy.AUTO))
    return found


def _full(index: Index, note: int) -> bool:
    count = Counter(e.created_by for e in index.edges_of([note]))
    return count[CreatedBy.AUTO] >= PER_NODE
