"""How good recall is on a person's own vault, and what each signal brings. Reads only.

The vault stays as it is, so for a question that was taken from a note the links of that note are left out of
the graph, and the note is no answer.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from genesys.engine.questions import Asked, from_links, from_pairs
from genesys.engine.recall import recall
from genesys.engine.view import View, view_of
from genesys.errors import UsageError
from genesys.evaluation import Effect, Evaluation, Figure, Ranking, Verdict
from genesys.model import WRITTEN, CreatedBy
from genesys.parse.query import ask
from genesys.score.quality import by_ranks, difference, hit_at, interval, ndcg_at, recall_at, reciprocal_rank
from genesys.score.signals import SIGNALS, Signal, without

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from genesys.embed import Embedder
    from genesys.engine.base import Progress
    from genesys.settings import Settings
    from genesys.store.index import Index
    from genesys.tuning import RecallParams

__all__ = ["Once", "evaluate", "run"]

DEPTH = 20  # notes an answer is looked through
BARE_DEPTH = 200  # passages of a bare ranking
PLAIN = (1.0, 1.0, 1.0, 1.0)  # bare BM25: title, aliases, heading and text count alike
_MAKERS = tuple(CreatedBy)


def evaluate(
    index: Index,
    embedder: Embedder | None,
    settings: Settings,
    asked: Sequence[Asked],
    k: int,
    *,
    now: float,
    signals: bool,
    progress: Progress | None = None,
) -> tuple[tuple[Ranking, ...], tuple[Effect, ...]]:
    """Rankings of recall and of its bare parts; with ``signals`` what each signal brings at ``k``."""
    bench = _Bench(index, Once(embedder) if embedder else None, settings, asked, max(k, DEPTH), now)
    params = settings.recall
    off = [s for s in SIGNALS if signals and bench.telling(s, params)]
    total = len(asked) * (2 + len(off))
    tell = progress or (lambda phase, done, total: None)
    with index.snapshot():
        whole = bench.answers(params)
        tell("asked", len(asked), total)
        bare = bench.bare()
        tell("asked", 2 * len(asked), total)
        effects = []
        for number, signal in enumerate(off, 3):
            effects.append(_effect(signal, asked, whole, bench.answers(without(params, signal)), k))
            tell("asked", number * len(asked), total)
    rankings = {"recall": whole, **bare}
    return tuple(_ranking(name, asked, found, k) for name, found in rankings.items()), tuple(effects)


# ------------------------------------------------------------------ answers


class Once:
    """An embedder that embeds no question twice."""

    def __init__(self, embedder: Embedder) -> None:
        self.model_id, self.dim = embedder.model_id, embedder.dim
        self.window, self.floor = embedder.window, embedder.floor
        self.encode = embedder.encode
        self.encode_query = lru_cache(maxsize=None)(embedder.encode_query)


@dataclass
class _Bench:
    index: Index
    embedder: Once | None
    settings: Settings
    asked: Sequence[Asked]
    depth: int
    now: float

    def telling(self, signal: Signal, params: RecallParams) -> bool:
        """Whether leaving the signal out changes anything here."""
        if without(params, signal) == params:
            return False
        return self.embedder is not None or signal.name not in ("meaning", "words", "context: meaning")

    def answers(self, params: RecallParams) -> list[list[str]]:
        """Paths for every question, best first."""
        settings = replace(self.settings, recall=params)
        view = view_of(self.index, params)
        return [self._answer(a, settings, view) for a in self.asked]

    def _answer(self, asked: Asked, settings: Settings, view: View) -> list[str]:
        parted = _parted(view, self.index, asked.source) if asked.source else view
        count = self.depth + bool(asked.source)
        answer = recall(
            self.index, self.embedder, settings, asked.query, count, now=self.now, view=parted
        )  # fmt: skip
        return [hit.path for hit in answer.hits if hit.path != asked.source][: self.depth]

    def bare(self) -> dict[str, list[list[str]]]:
        """Full text alone, nearest passages alone, and both fused by ranks."""
        owner = dict(zip(*(a.tolist() for a in self._owners()), strict=True))
        paths = self.index.file_paths(sorted(set(owner.values())))
        words = [self._paths(a, self._by_words(a.query), owner, paths) for a in self.asked]
        if self.embedder is None:
            return {"words alone": words}
        meaning = [self._paths(a, self._by_meaning(a.query), owner, paths) for a in self.asked]
        both = [by_ranks(pair)[: self.depth] for pair in zip(words, meaning, strict=True)]
        return {
            "words alone": [found[: self.depth] for found in words],
            "meaning alone": [found[: self.depth] for found in meaning],
            "both by rank": both,
        }

    def _owners(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        rows = self.index.passage_arrays()
        return rows.id, rows.note_id

    def _by_words(self, query: str) -> list[int]:
        match = " OR ".join(term.match for term in ask(query, self.now).terms)
        return [row[0] for row in self.index.search_text(match, PLAIN, BARE_DEPTH)]

    def _by_meaning(self, query: str) -> list[int]:
        assert self.embedder is not None
        vector = self.embedder.encode_query(query).astype(np.float32)
        return [row[0] for row in self.index.knn(self.embedder.model_id, vector, BARE_DEPTH)]

    def _paths(
        self, asked: Asked, passages: Sequence[int], owner: Mapping[int, int], paths: Mapping[int, str]
    ) -> list[str]:
        found = dict.fromkeys(paths.get(owner.get(p, -1), "") for p in passages)
        return [path for path in found if path not in ("", asked.source)]


def _parted(view: View, index: Index, source: str) -> View:
    """The view without any link of the note that the question was taken from.

    All of them, and not that one alone: the note says the question word for word, so it would lift the notes
    that it still links to above the one it links to no more.
    """
    ids = index.note_ids([source])
    place = view.notes(np.array([ids[source]], dtype=np.int64)) if source in ids else np.zeros(0, np.int64)
    if not len(place):
        return view
    graph, note = view.graph, int(place[0])
    strength = np.where(graph.target == note, 0.0, graph.strength)
    strength[graph.start[note] : graph.start[note + 1]] = 0.0
    linked = np.maximum(view.linked - _links_of(view, note), 0.0)
    return replace(view, graph=replace(graph, strength=strength), linked=linked)


def _links_of(view: View, note: int) -> NDArray[np.float64]:
    """Written links of a note to each other note, float64[n]."""
    edges = view.edges
    rows = np.nonzero(edges.source == view.note_ids[note])[0]
    rows = rows[np.isin(edges.created_by[rows], [_MAKERS.index(m) for m in WRITTEN])]
    places = view.notes(edges.target[rows])
    return np.bincount(places, minlength=len(view.note_ids)).astype(np.float64)


# ------------------------------------------------------------------ figures


def _figure(values: tuple[float, float, float]) -> Figure:
    return Figure(*(round(v, 6) for v in values))


def _ranking(name: str, asked: Sequence[Asked], found: Sequence[Sequence[str]], k: int) -> Ranking:
    rows = [(ranked, a.gold) for ranked, a in zip(found, asked, strict=True)]
    values = {"hit@1": [hit_at(r, g, 1) for r, g in rows]}
    for at in sorted({5, 10, 20, k}):
        values[f"recall@{at}"] = [recall_at(r, g, at) for r, g in rows]
    values["mrr"] = [reciprocal_rank(r, g) for r, g in rows]
    values["ndcg@10"] = [ndcg_at(r, g, 10) for r, g in rows]
    return Ranking(name, {key: _figure(interval(v)) for key, v in values.items()})


def _effect(
    signal: Signal,
    asked: Sequence[Asked],
    whole: Sequence[Sequence[str]],
    part: Sequence[Sequence[str]],
    k: int,
) -> Effect:
    gold = [a.gold for a in asked]
    recalls = [[recall_at(r, g, k) for r, g in zip(found, gold, strict=True)] for found in (whole, part)]
    ranks = [[reciprocal_rank(r, g) for r, g in zip(found, gold, strict=True)] for found in (whole, part)]
    share, order = _figure(difference(*recalls)), _figure(difference(*ranks))
    off = tuple(f"GENESYS_{name.upper()}={value:g}" for name, value in signal.off.items())
    return Effect(signal.name, share, order, _verdict((share, order)), off)


def _verdict(figures: Collection[Figure]) -> Verdict:
    """By the first figure whose interval leaves no doubt on which side of nothing it lies."""
    for figure in figures:
        if figure.low > 0:
            return Verdict.HELPS
        if figure.high < 0:
            return Verdict.HURTS
    return Verdict.UNSEEN


def run(
    index: Index,
    embedder: Embedder | None,
    settings: Settings,
    pairs: tuple[str, str] | None,
    *,
    n: int,
    seed: int,
    k: int,
    signals: bool,
    now: float,
    notices: tuple[str, ...] = (),
    progress: Progress | None = None,
) -> Evaluation:
    """See :meth:`genesys.engine.session.Genesys.evaluate`."""
    skipped: tuple[str, ...] = ()
    if pairs is None:
        asked = from_links(index, settings, n, seed)
        if not asked:
            raise UsageError(
                "no link of this vault makes a question: it takes a sentence around a link",
                hint="give pairs of question and note: genesys eval pairs.csv",
            )
        if len(asked) < n:
            notices += (f"the vault has {len(asked)} such links, fewer than {n}",)
    else:
        asked, skipped = from_pairs(index, *pairs)
        if not asked:
            first = f" ({skipped[0]})" if skipped else ""
            raise UsageError(
                f"the file has no pair of a question and a note of this vault{first}",
                hint='a line is: question,note - or {"question": "…", "note": "…"}',
            )
    rankings, effects = evaluate(
        index, embedder, settings, asked, k, now=now, signals=signals, progress=progress
    )  # fmt: skip
    made = "links" if pairs is None else "pairs"
    return Evaluation(len(asked), made, seed, k, rankings, effects, skipped, notices)
