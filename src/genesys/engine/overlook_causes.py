"""The graph of causes that fits on a page: the core and what is joined most, each with a neighbour."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from genesys.accounts import NoteRef
from genesys.engine.scoring import Columns
from genesys.engine.spoken import spoken
from genesys.model import CAUSAL, NEGATIVE, Edge, EdgeType, Status
from genesys.score.arrays import TYPE_CODE, Ints
from genesys.store.index import Index

__all__ = ["graph_of_causes"]

MOST = 48  # notes that a person still tells apart
EVIDENCE = 240  # characters of a reason
_SHOWN = CAUSAL | NEGATIVE
_LOUD = 3.0  # reasons that being core counts for


def graph_of_causes(
    index: Index, cols: Columns, refs: Sequence[NoteRef]
) -> tuple[tuple[NoteRef, ...], tuple[Edge, ...], int]:
    """Notes, what joins them (one edge a pair and type), and how many notes are joined in all."""
    kept = np.isin(cols.edges.type, [TYPE_CODE[kind] for kind in _SHOWN])
    kept &= cols.edges.source != cols.edges.target
    source, target = cols.edges.source[kept], cols.edges.target[kept]
    degree = np.bincount(np.concatenate((source, target)), minlength=len(cols))
    chosen = _chosen(cols, refs, degree, source, target)
    edges = _edges(index, [cols.rows[i].id for i in chosen])
    ends = {path for e in edges for path in (e.source, e.target)}
    return tuple(refs[i] for i in chosen if refs[i].path in ends), edges, int((degree > 0).sum())


def _chosen(cols: Columns, refs: Sequence[NoteRef], degree: Ints, source: Ints, target: Ints) -> list[int]:
    core = np.array([r.status is Status.CORE for r in cols.rows], dtype=np.bool_)
    rank = np.where(degree > 0, degree + np.where(core, _LOUD, 0.0), -1.0)
    order = sorted(np.flatnonzero(degree > 0).tolist(), key=lambda i: (-rank[i], refs[i].path))
    if len(order) <= MOST:
        return order
    chosen: dict[int, None] = {}
    for at in order:
        around = np.concatenate((target[source == at], source[target == at])).tolist()
        best = min(around, key=lambda i: (i not in chosen, -rank[i], refs[i].path))
        if len(chosen | {at: None, best: None}) > MOST:
            break
        chosen |= {at: None, best: None}
    return list(chosen)


def _edges(index: Index, ids: Sequence[int]) -> tuple[Edge, ...]:
    """The strongest edge of each pair and type, with the longest sentence among equals."""
    found: dict[tuple[str, str, EdgeType], Edge] = {}
    for edge in index.edges_among(ids, list(_SHOWN)) if ids else ():
        key = (edge.source, edge.target, edge.type)
        if edge.source != edge.target and (key not in found or _worth(edge) > _worth(found[key])):
            found[key] = edge
    return tuple(replace(found[key], evidence=spoken(found[key], EVIDENCE)) for key in sorted(found))


def _worth(edge: Edge) -> tuple[float, int]:
    return edge.weight, len(edge.evidence)
