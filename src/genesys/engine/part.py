"""A part of a view: some notes with all their passages, numbered anew, so that ranking costs what they cost.

Arrays of a part mean what those of a whole view mean; what lies outside (a neighbour in time, a link's other
end) is not there.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from genesys.engine.view import View
from genesys.score.fuse import Ints, TermRows
from genesys.score.spread import Graph

__all__ = ["local", "part_of", "ranges", "terms_in"]


def ranges(start: Ints, end: Ints) -> Ints:
    """All numbers of the half-open ranges, one range after the other."""
    size = end - start
    before = np.cumsum(size) - size
    found: Ints = np.repeat(start - before, size) + np.arange(int(size.sum()))
    return found


def local(kept: Ints, numbers: Ints) -> tuple[Ints, Ints]:
    """(places in ``kept``, which of the numbers they are); ``kept`` is sorted, others are left out."""
    if not len(kept):
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    at = np.minimum(np.searchsorted(kept, numbers), len(kept) - 1)
    hit = np.nonzero(kept[at] == numbers)[0]
    return at[hit].astype(np.int64), hit


def part_of(view: View, notes: Ints) -> tuple[View, Ints]:
    """The notes (numbers, sorted, distinct) as a view of their own, and the numbers of their passages."""
    start = view.start[notes]
    size = np.append(view.start, len(view.passage_ids))[notes + 1] - start
    places = ranges(start, start + size)
    ids = view.passage_ids[places]
    order = np.argsort(ids, kind="stable").astype(np.int64)
    part = replace(
        view,
        passage_ids=ids,
        note_ids=view.note_ids[notes],
        start=np.cumsum(size) - size,
        note_of=np.repeat(np.arange(len(notes)), size),
        near={k: _near(places, near[places]) for k, near in view.near.items()},
        graph=_graph(view.graph, notes),
        told=view.told[notes],
        linked=view.linked[notes],
        keys=view.keys[places],
        _by_id=(ids[order], order),
        _lazy={"superseded": _superseded(view, notes)},
    )
    return part, places


def _superseded(view: View, notes: Ints) -> dict[int, int]:
    replaced, numbers = view.superseded(), {note: i for i, note in enumerate(notes.tolist())}
    pairs = ((i, replaced[note]) for note, i in numbers.items() if note in replaced)
    return {old: numbers[new] for old, new in pairs if new in numbers}


def _near(places: Ints, near: Ints) -> Ints:
    found = np.full(len(places), len(places), dtype=np.int64)
    at, hit = local(places, near)
    found[hit] = at
    return found


def _graph(graph: Graph, notes: Ints) -> Graph:
    """The arcs among ``notes``."""
    size = graph.start[notes + 1] - graph.start[notes]
    arcs = ranges(graph.start[notes], graph.start[notes + 1])
    target, hit = local(notes, graph.target[arcs])
    arcs = arcs[hit]
    count = np.bincount(np.repeat(np.arange(len(notes)), size)[hit], minlength=len(notes))
    start = np.zeros(len(notes) + 1, dtype=np.int64)
    np.cumsum(count, out=start[1:])
    return Graph(start, target, graph.strength[arcs], graph.edge[arcs])


def terms_in(places: Ints, terms: TermRows) -> TermRows:
    """A term's matches within a part whose passages are ``places``."""
    at, hit = local(places, terms.rows)
    return TermRows(at, terms.tf[hit], terms.idf)
