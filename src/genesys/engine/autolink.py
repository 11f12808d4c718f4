"""Links by meaning for memories that Genesys writes: a new memory is tied to what it is about."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from genesys.embed import Embedder
from genesys.engine.view import slots_of
from genesys.model import CreatedBy, Edge, EdgeType
from genesys.score.fuse import Ints
from genesys.store.index import Index
from genesys.store.rows import PassageArrays
from genesys.tuning import RecallParams

if TYPE_CHECKING:
    from genesys.store.packed import Packed

__all__ = ["link_waiting"]

PER_MEMORY = 3  # links a memory gets
PER_NODE = 10  # such links any note may have, so that no note becomes a hub by likeness alone
FLOOR = 0.45  # cosine below which MiniLM's likeness says little
NEAR, POOL = 400, 8_192  # vectors of a large vault that are looked at, and those nearest by sign bits
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
    rows = index.passage_arrays()
    pack = index.packed(model) if len(rows.id) > RecallParams().exact_passages else None
    if pack is not None:
        return _best(*_nearest_packed(rows, pack, note))
    matrix = index.matrix(model)
    if matrix is None:
        return []
    own = matrix.vectors[matrix.note_id == note]
    if not len(own):
        return []
    cosine = (matrix.vectors @ own.T).max(axis=1)
    cosine[matrix.note_id == note] = -1.0
    return _best(matrix.note_id, cosine)


def _nearest_packed(rows: PassageArrays, pack: Packed, note: int) -> tuple[Ints, NDArray[np.float32]]:
    """(note, cosine) of passages near those of a note, by the packed copy of a large vault."""
    slot = slots_of(rows.key, pack.keys)
    cosine = np.full(len(pack.keys) + 1, -1.0, dtype=np.float32)  # the last is for what has no vector
    own = slot[(rows.note_id == note) & (slot >= 0)].astype(np.int64)
    for query in pack.vectors(own):
        near, found = pack.nearest(query, NEAR, POOL)
        cosine[near] = np.maximum(cosine[near], found)
    others = np.nonzero((cosine[slot] >= FLOOR) & (rows.note_id != note))[0]
    return rows.note_id[others], cosine[slot[others]]


def _best(notes: Ints, cosine: NDArray[np.float32]) -> list[tuple[int, float]]:
    best: dict[int, float] = {}
    for at in np.argsort(-cosine, kind="stable")[: 20 * PER_NODE].tolist():
        if cosine[at] < FLOOR:
            break
        best.setdefault(int(notes[at]), float(cosine[at]))
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
