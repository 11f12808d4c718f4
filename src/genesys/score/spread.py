"""Spreading activation: what the best notes lead to, along the strongest single path.

The strongest path and not the sum, so that a hub that everything links to gains nothing by it; strength
falls with a power of the seed's relative score, so that only good seeds speak (Collins & Loftus 1975 for the
idea; the shape is what measured best).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from genesys.score.fuse import Floats, Ints

__all__ = ["Graph", "Spread", "build_graph", "spread", "top_of"]

NONE = -1
LONE = 0.5  # share of its score with which a seed far above the rest speaks


@dataclass(frozen=True, slots=True)
class Graph:
    """Arcs of notes numbered 0 … n−1 by source: those of note i are ``start[i]:start[i+1]``.

    ``target`` int64[m], ``strength`` float64[m] in [0, 1], ``edge`` int64[m] which edge an arc came from.
    """

    start: Ints
    target: Ints
    strength: Floats
    edge: Ints


@dataclass(frozen=True, slots=True)
class Spread:
    """``gain`` float64[n] is what spreading adds to each note; ``via`` int64[n] the seed it came from and
    ``arc`` int64[n] the arc, both −1 where nothing came."""

    gain: Floats
    via: Ints
    arc: Ints


def build_graph(n: int, source: Ints, target: Ints, strength: Floats, edge: Ints) -> Graph:
    """Sort arcs by source; arcs without strength and loops are left out."""
    keep = (strength > 0) & (source != target)
    source, target, strength, edge = source[keep], target[keep], strength[keep], edge[keep]
    order = np.argsort(source * n + target, kind="stable")
    start = np.zeros(n + 1, dtype=np.int64)
    np.cumsum(np.bincount(source, minlength=n), out=start[1:])
    return Graph(start, target[order], strength[order], edge[order])


def top_of(scores: Floats, count: int) -> Ints:
    """Numbers of the ``count`` best, best first; equals by number."""
    n = len(scores)
    if count < n:
        cut = np.partition(scores, n - count)[n - count]
        some = np.nonzero(scores >= cut)[0]
    else:
        some = np.arange(n)
    return some[np.lexsort((some, -scores[some]))][:count].astype(np.int64)


def spread(graph: Graph, scores: Floats, seeds: int, weight: float, power: float) -> Spread:
    """One hop from the ``seeds`` best notes.

    A note reached gains ``weight · s · (s/r)^power · strength`` of the best arc that reaches it, where s is
    the seed's score, at most r, and r that of the runner-up, at least half the best: a note that is the
    question word for word must not silence all others.
    """
    n = len(scores)
    gain, via, arc = np.zeros(n), np.full(n, NONE, dtype=np.int64), np.full(n, NONE, dtype=np.int64)
    best = top_of(scores, seeds)
    if not len(best) or scores[best[0]] <= 0:
        return Spread(gain, via, arc)
    top, second = float(scores[best[0]]), float(scores[best[min(1, len(best) - 1)]])
    loud = max(second, LONE * top)
    for seed in best:
        share = min(float(scores[seed]), loud)
        if share <= 0:
            break
        arcs = np.arange(graph.start[seed], graph.start[seed + 1])
        value = weight * share * (share / loud) ** power * graph.strength[arcs]
        at = graph.target[arcs]
        order = np.argsort(value, kind="stable")  # of two arcs to one note the stronger is written last
        arcs, at, value = arcs[order], at[order], value[order]
        better = value > gain[at]
        gain[at[better]], via[at[better]], arc[at[better]] = value[better], seed, arcs[better]
    return Spread(gain, via, arc)
