"""Recall: look signals up, fuse them, spread, rank, and say why. Reads only; the caller leaves the trace.

One pass over the index a question: each term's matches from full text, one product with the matrix of
vectors; neighbours, people, names and links are arrays held in memory (:mod:`genesys.engine.view`); the
text of a few hundred candidates is read to weigh it.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from genesys.engine.answer import Found, hits_of
from genesys.engine.matching import matches
from genesys.engine.mentions import matcher_of
from genesys.engine.shortlist import Scene, look, offsets, smoothing
from genesys.engine.view import REACH, View, view_of
from genesys.model import Answer, Filters
from genesys.parse.mentions import find_names
from genesys.parse.query import Question, as_told, ask, named_people
from genesys.parse.text import target_key
from genesys.score.fuse import (
    Floats,
    Ints,
    TermRows,
    agreement,
    best_of_notes,
    combine,
    lexical,
    note_words,
    smooth,
)
from genesys.score.rank import around, sharpness, time_match, traits
from genesys.score.spread import spread, top_of
from genesys.store.index import Index
from genesys.store.rows import PassageRow
from genesys.tuning import RecallParams

if TYPE_CHECKING:
    from genesys.embed import Embedder
    from genesys.settings import Settings

__all__ = ["keyword_notes", "recall"]

SPARE = 20  # notes looked at beyond those asked for, as doubles and weak hits fall away
LINKED_LOG = 5.0  # ln of the links (some 150) from which more of them add nothing
SURE = 1.5  # agreement of words and cosines from which a foreign script is trusted to the model
ASKED_FOR = 1.0  # for the note whose name is all that is asked: above whatever only speaks of it
NAME_CHARS = 250  # of a question that may be a name; file systems end there
FAR_DAYS = 60  # from the days asked for at which a note gains nothing by its date
FAR = -1e9  # score of a note that a filter leaves out


def recall(
    index: Index,
    embedder: Embedder | None,
    settings: Settings,
    query: str,
    k: int = 10,
    filters: Filters = Filters(),  # noqa: B008 - frozen
    *,
    now: float,
    query_date: str = "",
    view: View | None = None,
) -> Answer:
    """The ``k`` notes that answer ``query`` best, best first.

    Without ``embedder``, or while the index has none of its vectors, words and links answer alone;
    ``signals`` and ``notices`` say so. ``now`` is UNIX seconds, ``query_date`` an ISO date that "last week"
    counts from. ``view`` is what the index is taken for, where that is not all of it.
    """
    start = time.perf_counter()
    question = ask(query, now, query_date)
    if not question.words:
        return Answer(query, (), (), ("nothing was asked",))
    with index.snapshot():
        params = settings.recall
        view = view or view_of(index, params)
        view, found = _rank(index, embedder, view, question, params, filters, k)
        hits = hits_of(index, view, found, params, settings.vault.name, k)
    ms = (time.perf_counter() - start) * 1000
    return Answer(query, hits, found.signals, found.notices, ms)


def _rank(
    index: Index,
    embedder: Embedder | None,
    view: View,
    question: Question,
    params: RecallParams,
    filters: Filters,
    k: int,
) -> tuple[View, Found]:
    """What is ranked (of a large vault a part) and how."""
    people = named_people(question.text, view.people(index))
    told = as_told(question.text, people[0]) if len(people) == 1 else question.text
    known = view.person_words(index)
    whole = Scene(
        view,
        matches(index, view, question.terms, params),
        _note_bonuses(index, view, question, people, params),
        _allowed(index, view, filters),
    )
    scene = look(index, embedder, told, whole, params)
    view, terms, allowed = scene.view, scene.terms, scene.allowed
    rows = [r for _, r in terms]
    meaning, words = _passage_scores(scene, rows, question, params)
    _, best = best_of_notes(meaning + words, view.start)
    shares = {"meaning": meaning[best], "words": _with_note(view, rows, words[best], params)}
    shares |= scene.bonuses
    base = _total(shares, len(view.note_ids))
    candidates = top_of(np.where(allowed, base, FAR), max(params.candidates, k + SPARE))
    if not question.when:
        candidates = candidates[view.told[candidates]]  # of others no text is weighed
    texts = _texts(index, view, best[candidates])
    shares |= _text_bonuses(view, known, candidates, best, texts, question, params)
    scores = _total(shares, len(view.note_ids))
    first = spread(view.graph, scores, params.spread_seeds, params.spread_weight, params.spread_power)
    half = params.spread_seeds // 2
    second = spread(view.graph, scores + first.gain, half, params.second_hop, params.spread_power)
    shares["graph"] = first.gain + second.gain
    total = np.where(allowed, scores + shares["graph"], FAR)
    pool = [int(i) for i in top_of(total, k + SPARE) if total[i] > 0]
    missing = [best[i] for i in pool if int(best[i]) not in texts]
    texts |= _texts(index, view, np.array(missing, dtype=np.int64))
    return view, Found(
        pool=pool,
        best=best,
        shares=shares,
        cosine=scene.cosine,
        floor=embedder.floor if embedder and scene.cosine is not None else 0.0,
        terms=terms,
        texts=texts,
        first=first,
        second=second,
        signals=_signals(scene.cosine),
        notices=scene.notices,
    )


def _total(shares: Mapping[str, Floats], n: int) -> Floats:
    return sum(shares.values(), np.zeros(n))


def _signals(cosine: Floats | None) -> tuple[str, ...]:
    """What the answer could use."""
    return ("words", "vectors", "links") if cosine is not None else ("words", "links")


# ------------------------------------------------------------------ signals


def _passage_scores(
    scene: Scene, terms: Sequence[TermRows], question: Question, params: RecallParams
) -> tuple[Floats, Floats]:
    """Shares of meaning and words of every passage, with its neighbours as context."""
    view, cosine = scene.view, scene.cosine
    near = offsets(params.context_before, params.context_after, params.context_falloff, REACH)
    words = lexical(terms, len(view.passage_ids), view.near, near, params.word_saturation)
    trust = 1.0
    if cosine is not None:
        if question.foreign:
            trust = min(max(agreement(cosine, words, background=scene.background) / SURE, 0.0), 1.0) ** 2
        weights = smoothing(params)
        cosine = smooth(cosine, view.near, weights, params.smooth_alone)
    return combine(cosine, words, params.meaning_weight * trust)


def _with_note(view: View, terms: Sequence[TermRows], words: Floats, params: RecallParams) -> Floats:
    """Words of a note's best passage, mixed with those of the whole note where it has several passages."""
    whole = note_words(terms, view.start, len(view.passage_ids), params.word_saturation, view.note_size)
    top = float(whole.max()) if len(whole) else 0.0
    if top <= 0:
        return words
    several = np.diff(np.append(view.start, len(view.passage_ids))) > 1
    share = params.note_words * several
    return (1.0 - share) * words + share * (float(words.max()) * whole / top)


def _note_bonuses(
    index: Index, view: View, question: Question, people: Sequence[str], params: RecallParams
) -> dict[str, Floats]:
    """What is known without reading a text: the question names a person of the note, or the note itself."""
    n = len(view.note_ids)
    person, named = np.zeros(n), np.zeros(n)
    if len(people) == 1:
        person[view.people(index)[people[0]]] = params.person_bonus
    names = matcher_of(index)
    for mention in {m.name for m in find_names(names, question.text, need_capital=False)}:
        owners = names.owners[mention]
        named[view.notes(np.array(owners, dtype=np.int64))] += params.named_bonus / len(owners) ** 0.5
    named[view.notes(_called(index, question.text))] += ASKED_FOR
    linked = params.linked_bonus * np.minimum(np.log1p(view.linked) / LINKED_LOG, 1.0)
    date = _of_days(index, view, question, params)
    return {"person": person, "named": named, "linked": linked, "date": date}


def _of_days(index: Index, view: View, question: Question, params: RecallParams) -> Floats:
    """What notes gain that are about the days asked for, or about days near them."""
    gain = np.zeros(len(view.note_ids))
    for asked in question.dates:
        first, last = around(asked.start, asked.end, FAR_DAYS)
        notes: dict[str, list[int]] = defaultdict(list)
        for note, date in index.notes_by_date(first, last):
            notes[date[:10]].append(note)
        sure = params.date_bonus * sharpness(asked.start, asked.end)
        for day, ids in notes.items():
            fit = sure * time_match(day, [(asked.start, asked.end)], params.date_spread_days)
            at = view.notes(np.array(ids, dtype=np.int64))
            gain[at] = np.maximum(gain[at], fit)
    return gain


def _called(index: Index, text: str) -> Ints:
    """Ids of the notes whose title or alias is the question and nothing more."""
    name = text.strip('[]"“”「」 ')
    if not name or len(name) > NAME_CHARS:
        return np.zeros(0, dtype=np.int64)
    titled = [] if "/" in name else index.notes_by_key(target_key(name))
    paths = {*titled, *index.notes_by_alias(name)}
    ids = [note for path in sorted(paths) if (note := index.note_id(path)) is not None]
    return np.array(ids, dtype=np.int64)


def _texts(index: Index, view: View, places: Ints) -> dict[int, PassageRow]:
    """Passages by their number."""
    ids = view.passage_ids[places]
    rows = {row.id: row for row in index.passages([int(i) for i in ids])}
    return {int(p): rows[int(i)] for p, i in zip(places, ids, strict=True) if int(i) in rows}


def _text_bonuses(
    view: View,
    known: frozenset[str],
    candidates: Ints,
    best: Ints,
    texts: Mapping[int, PassageRow],
    question: Question,
    params: RecallParams,
) -> dict[str, Floats]:
    """What the best passage of each candidate says for itself."""
    n = len(view.note_ids)
    text, when = np.zeros(n), np.zeros(n)
    for note in candidates:
        row = texts.get(int(best[note]))
        if row is None:
            continue
        seen = traits(row.text, known)
        if view.told[note]:
            text[note] = params.length_bonus * seen.length + params.names_bonus * seen.names
            text[note] -= params.question_malus * seen.question
        when[note] = params.when_bonus * (question.when and seen.time)
    return {"text": text, "when": when}


def _allowed(index: Index, view: View, filters: Filters) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    ids = index.matching(filters)
    if ids is None:
        return np.ones(len(view.note_ids), dtype=np.bool_)
    mask = np.zeros(len(view.note_ids), dtype=np.bool_)
    mask[view.notes(np.array(sorted(ids), dtype=np.int64))] = True
    return mask


# ------------------------------------------------------------------ words alone


@dataclass(frozen=True, slots=True)
class _Keyword:
    note: int
    hits: int
    score: float


def keyword_notes(
    index: Index, query: str, filters: Filters, limit: int, params: RecallParams
) -> list[tuple[str, str]]:
    """(path, best passage) of notes by the query's words alone: those with most of them first."""
    view = view_of(index, params)
    terms = matches(index, view, ask(query, 0.0).terms, params)
    n = len(view.passage_ids)
    scores = lexical([rows for _, rows in terms], n, {}, {}, params.word_saturation)
    score, best = best_of_notes(scores, view.start)
    count = np.zeros(len(view.note_ids), dtype=np.int64)
    for _, rows in terms:
        count[np.unique(view.note_of[rows.rows])] += 1
    keep = np.nonzero(_allowed(index, view, filters) & (count > 0))[0]
    order = keep[np.lexsort((keep, -score[keep], -count[keep]))][:limit]
    texts = _texts(index, view, best[order])
    return [(texts[int(p)].path, texts[int(p)].text) for p in best[order] if int(p) in texts]
