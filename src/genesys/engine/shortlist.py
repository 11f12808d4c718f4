"""What a question has to look at. Of a small vault everything; of a large one a few thousand passages.

A large vault is weighed coarsely first: likeness from sign bits (:mod:`genesys.store.packed`), words of each
passage without its neighbours. The best by that, what stands next to them in time, what the best are linked
to and what the question names are then ranked as a vault of their own, with true cosines, by the very code
that ranks a small vault whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from genesys.engine.part import part_of, ranges, terms_in
from genesys.engine.view import REACH, View
from genesys.parse.query import Term
from genesys.score.fuse import Floats, Ints, TermRows
from genesys.score.spread import top_of
from genesys.store.bits import nearest
from genesys.store.index import Index
from genesys.tuning import RecallParams

if TYPE_CHECKING:
    from genesys.embed import Embedder
    from genesys.store.packed import Packed

__all__ = ["Scene", "look", "offsets", "smoothing"]

QUERY_CHARS = 2_000  # of a question that the model is given; it reads some 1,000
SAMPLE = 2_048  # vectors that stand for all, to tell what a distance in bits means
FARTHEST = 4_096  # passages least like the question by bits, and
LOWEST = 64  # of them those least like it with their neighbours: where the scale of likeness begins
SEEDS = 64  # coarsely best notes whose links are followed
ARCS = 2_048  # of those links, the strongest to the best
PASSAGES_A_NOTE = 4  # times as many passages as asked for may come in with their notes

_Mask: TypeAlias = NDArray[np.bool_]
_Single: TypeAlias = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Scene:
    """What is ranked. ``cosine`` is that of each passage of ``view``, None without vectors; ``background``
    the mean and the deviation of all cosines where ``view`` is a part, None where it is the whole."""

    view: View
    terms: list[tuple[Term, TermRows]]
    bonuses: dict[str, Floats]
    allowed: _Mask
    cosine: Floats | None = None
    background: tuple[float, float] | None = None
    notices: tuple[str, ...] = ()


def look(index: Index, embedder: Embedder | None, text: str, whole: Scene, params: RecallParams) -> Scene:
    """The scene for a question, with cosines of ``text``; ``whole`` is all there is, without them.

    A passage that waits for its vector stands in the middle.
    """
    view = whole.view
    large = len(view.passage_ids) > params.exact_passages
    if embedder is None:
        return _narrowed(whole, None, params) if large else whole
    pack = index.packed(embedder.model_id) if large else None
    matrix = index.matrix(embedder.model_id) if pack is None else None
    if pack is None and (matrix is None or not len(matrix.passage_id)):
        notices = ("no vectors yet: answered from words and links",) if len(view.passage_ids) else ()
        return replace(_narrowed(whole, None, params) if large else whole, notices=notices)
    query = embedder.encode_query(text[:QUERY_CHARS]).astype(np.float32)
    if pack is not None:
        return _narrowed(whole, _likeness(index, view, pack, query, params), params)
    assert matrix is not None
    places, hit = view.vector_places(matrix.passage_id)
    near = matrix.vectors @ query
    cosine = np.full(len(view.passage_ids), float(near.mean()))
    cosine[places] = near[hit]
    return replace(whole, cosine=cosine, notices=_waiting(len(view.passage_ids) - len(places)))


def offsets(before: float, after: float, falloff: float, reach: int) -> dict[int, float]:
    """Weights of the passages before (−1, −2 …) and after, each ``falloff`` times the nearer one's."""
    weights = {-k - 1: before * falloff**k for k in range(reach)}
    return weights | {k + 1: after * falloff**k for k in range(reach)}


def smoothing(params: RecallParams) -> dict[int, float]:
    """How much the likeness of its neighbours counts for a passage."""
    return offsets(params.smooth_before, params.smooth_after, params.smooth_falloff, REACH - 1)


def _waiting(count: int) -> tuple[str, ...]:
    return (f"{count} passages wait for their vector",) if count else ()


# ------------------------------------------------------------------ likeness in bits


@dataclass(frozen=True, slots=True)
class _Likeness:
    """``coarse`` is about the cosine of each passage, true for the nearest of them; ``lowest`` passages
    are the farthest. ``slot`` int32[n] is where each passage's vector lies, −1 where it waits."""

    pack: Packed
    query: _Single
    slot: NDArray[np.int32]
    coarse: _Single
    lowest: Ints
    mean: float
    spread: float

    def true(self, places: Ints) -> Floats:
        """Cosines of these passages; of one that waits the mean."""
        slots = self.slot[places]
        cosine = np.full(len(places), self.mean)
        has = slots >= 0
        cosine[has] = self.pack.cosines(slots[has].astype(np.int64), self.query)
        return cosine


def _likeness(index: Index, view: View, pack: Packed, query: _Single, params: RecallParams) -> _Likeness:
    slot = view.slots(pack)
    bits = pack.distances(query)
    some = np.arange(0, len(bits), max(1, len(bits) // SAMPLE))
    some = some[pack.keys[some] >= 0]
    cosine = pack.cosines(some, query)
    mean, spread = float(cosine.mean()), float(cosine.std())
    far = np.append(bits, np.uint16(np.median(bits[some])))[slot]  # −1 is the last: what waits is average
    near = nearest(far, params.near_passages)
    found = _Likeness(pack, query, slot, np.zeros(0, np.float32), _farthest(far, pack.dim), mean, spread)
    true = found.true(near)
    slope, base = np.polyfit(
        np.concatenate([bits[some], far[near]]).astype(np.float64), np.concatenate([cosine, true]), 1
    )
    coarse = far.astype(np.float32)
    coarse *= np.float32(slope)
    coarse += np.float32(base)
    coarse[near] = true
    coarse[found.lowest] = found.true(found.lowest)
    return replace(found, coarse=coarse, lowest=_lowest(view, found.lowest, coarse, params))


def _farthest(far: NDArray[np.uint16], dim: int) -> Ints:
    return nearest(np.uint16(dim) - np.minimum(far, np.uint16(dim)), FARTHEST)[: 2 * FARTHEST]


def _lowest(view: View, places: Ints, coarse: _Single, params: RecallParams) -> Ints:
    """Of these passages those least like the question with their neighbours: where the scale begins."""
    own = coarse[places]
    total = own.copy()
    for offset, weight in smoothing(params).items():
        near = view.near[offset][places]
        there = near < len(coarse)
        other = np.where(there, coarse[np.where(there, near, 0)], params.smooth_alone * own)
        total += np.float32(weight) * other
    return places[np.argsort(total, kind="stable")[:LOWEST]]


# ------------------------------------------------------------------ narrowing


def _narrowed(whole: Scene, like: _Likeness | None, params: RecallParams) -> Scene:
    """The part of ``whole`` that can hold the answer, with its true cosines."""
    coarse = _coarse(whole, like, params)
    notes = _notes(whole, coarse, like, params)
    view, places = part_of(whole.view, notes)
    return Scene(
        view=view,
        terms=[(term, part) for term, rows in whole.terms if len((part := terms_in(places, rows)).rows)],
        bonuses={name: share[notes] for name, share in whole.bonuses.items()},
        allowed=whole.allowed[notes],
        cosine=like.true(places) if like else None,
        background=(like.mean, like.spread) if like else None,
        notices=_waiting(int(np.count_nonzero(like.slot < 0))) if like else (),
    )


def _coarse(whole: Scene, like: _Likeness | None, params: RecallParams) -> Floats:
    """A score of every note, much like the true one but without context."""
    view = whole.view
    n = len(view.passage_ids)
    words = _plain_words([rows for _, rows in whole.terms], n, params.word_saturation)
    top = float(words.max()) if n else 0.0
    share = 1.0 - params.meaning_weight if like else 1.0
    if top > 0:
        words *= np.float32(share / top)
    if like:
        low, high = float(like.coarse.min()), float(like.coarse.max())
        scale = np.float32(params.meaning_weight / max(high - low, 1e-9))
        words += (like.coarse - np.float32(low)) * scale
    bonus = sum(whole.bonuses.values(), np.zeros(len(view.note_ids)))
    return np.maximum.reduceat(words, view.start).astype(np.float64) + bonus if n else bonus


def _plain_words(terms: Sequence[TermRows], n: int, k1: float) -> _Single:
    """BM25 of every passage, float32[n]."""
    total = np.zeros(n, dtype=np.float32)
    for term in terms:
        total[term.rows] += (term.idf * term.tf * (k1 + 1) / (term.tf + k1)).astype(np.float32)
    return total


def _notes(whole: Scene, coarse: Floats, like: _Likeness | None, params: RecallParams) -> Ints:
    """Numbers of the notes to look at, sorted."""
    view, count = whole.view, params.shortlist
    best = _fitting(view, top_of(coarse, count), count)
    groups = [best, _led_to(view, coarse, best[:SEEDS], params)]
    if not whole.allowed.all():
        asked = np.where(whole.allowed, coarse, -1e9)
        groups.append(_fitting(view, top_of(asked, count), count))
    if like:
        groups.append(view.note_of[like.lowest])
    notes = np.unique(np.concatenate(groups))
    notes = np.union1d(notes, _beside(view, notes))
    replaced = view.superseded()
    newer = [replaced[note] for note in notes.tolist() if note in replaced] if replaced else []
    return np.union1d(notes, np.array(newer, dtype=np.int64)).astype(np.int64)


def _fitting(view: View, notes: Ints, count: int) -> Ints:
    """The first of ``notes``, as many as hold few enough passages."""
    size = np.append(view.start, len(view.passage_ids))[notes + 1] - view.start[notes]
    return notes[: max(1, int(np.searchsorted(np.cumsum(size), PASSAGES_A_NOTE * count)))]


def _led_to(view: View, coarse: Floats, seeds: Ints, params: RecallParams) -> Ints:
    """Notes that links of the seeds are likely to lift into the answer."""
    graph = view.graph
    arcs = ranges(graph.start[seeds], graph.start[seeds + 1])
    if not len(arcs):
        return arcs
    share = coarse[seeds] * (coarse[seeds] / max(float(coarse[seeds[0]]), 1e-9)) ** params.spread_power
    loud = np.repeat(share, graph.start[seeds + 1] - graph.start[seeds])
    gain = params.spread_weight * loud * graph.strength[arcs] + coarse[graph.target[arcs]]
    return graph.target[arcs[top_of(gain, ARCS)]]


def _beside(view: View, notes: Ints) -> Ints:
    """Notes that stand next to these in time."""
    told = notes[view.told[notes]]
    if not len(told):
        return told
    places = ranges(view.start[told], np.append(view.start, len(view.passage_ids))[told + 1])
    around = np.concatenate([near[places] for near in view.near.values()])
    found: Ints = np.unique(view.note_of[around[around < len(view.passage_ids)]])
    return found
