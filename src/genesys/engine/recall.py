"""Recall: look signals up, fuse them, spread, rank, and say why. Reads only; the caller leaves the trace.

One pass over the index a question: each term's matches from full text, one product with the matrix of
vectors; neighbours, people, names and links are arrays held in memory (:mod:`genesys.engine.view`); the
text of a few hundred candidates is read to weigh it.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from genesys.engine.answer import Found, hits_of
from genesys.engine.mentions import matcher_of
from genesys.engine.view import REACH, View, view_of
from genesys.model import Answer, Filters
from genesys.parse.mentions import find_names
from genesys.parse.query import Question, Term, as_told, ask, named_people
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
    term_rows,
)
from genesys.score.rank import time_match, traits
from genesys.score.spread import spread, top_of
from genesys.store.index import Index
from genesys.store.rows import PassageRow
from genesys.tuning import RecallParams

if TYPE_CHECKING:
    from genesys.embed import Embedder
    from genesys.settings import Settings

__all__ = ["keyword_notes", "recall"]

SPARE = 20  # notes looked at beyond those asked for, as doubles and weak hits fall away
QUERY_CHARS = 2_000  # of a question that the model is given; it reads some 1,000
LINKED_LOG = 5.0  # ln of the links (some 150) from which more of them add nothing
SURE = 1.5  # agreement of words and cosines from which a foreign script is trusted to the model
ASKED_FOR = 1.0  # for the note whose name is all that is asked: above whatever only speaks of it
NAME_CHARS = 250  # of a question that may be a name; file systems end there
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
) -> Answer:
    """The ``k`` notes that answer ``query`` best, best first.

    Without ``embedder``, or while the index has none of its vectors, words and links answer alone;
    ``signals`` and ``notices`` say so. ``now`` is UNIX seconds, ``query_date`` an ISO date that "last week"
    counts from.
    """
    start = time.perf_counter()
    question = ask(query, now, query_date)
    if not question.words:
        return Answer(query, (), (), ("nothing was asked",))
    with index.snapshot():
        params = settings.recall
        view = view_of(index, params)
        found = _rank(index, embedder, view, question, params, filters, k)
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
) -> Found:
    terms = _matches(index, view, question.terms, params)
    people = named_people(question.text, view.people(index))
    told = as_told(question.text, people[0]) if len(people) == 1 else question.text
    cosine, notices = _cosines(index, embedder, view, told)
    rows = [r for _, r in terms]
    meaning, words = _passage_scores(view, rows, cosine, question, params)
    _, best = best_of_notes(meaning + words, view.start)
    shares = {"meaning": meaning[best], "words": _with_note(view, rows, words[best], params)}
    shares |= _note_bonuses(index, view, question, people, params)
    allowed = _allowed(index, view, filters)
    base = _total(shares, len(view.note_ids))
    candidates = top_of(np.where(allowed, base, FAR), max(params.candidates, k + SPARE))
    texts = _texts(index, view, best[candidates])
    shares |= _text_bonuses(index, view, candidates, best, texts, question, params)
    scores = _total(shares, len(view.note_ids))
    first = spread(view.graph, scores, params.spread_seeds, params.spread_weight, params.spread_power)
    half = params.spread_seeds // 2
    second = spread(view.graph, scores + first.gain, half, params.second_hop, params.spread_power)
    shares["graph"] = first.gain + second.gain
    total = np.where(allowed, scores + shares["graph"], FAR)
    pool = [int(i) for i in top_of(total, k + SPARE) if total[i] > 0]
    missing = [best[i] for i in pool if int(best[i]) not in texts]
    texts |= _texts(index, view, np.array(missing, dtype=np.int64))
    return Found(
        pool=pool,
        best=best,
        shares=shares,
        cosine=cosine,
        floor=embedder.floor if embedder and cosine is not None else 0.0,
        terms=terms,
        texts=texts,
        first=first,
        second=second,
        signals=_signals(cosine),
        notices=notices,
    )


def _total(shares: Mapping[str, Floats], n: int) -> Floats:
    return sum(shares.values(), np.zeros(n))


def _signals(cosine: Floats | None) -> tuple[str, ...]:
    """What the answer could use."""
    return ("words", "vectors", "links") if cosine is not None else ("words", "links")


# ------------------------------------------------------------------ signals


def _matches(
    index: Index, view: View, terms: Sequence[Term], params: RecallParams
) -> list[tuple[Term, TermRows]]:
    """The passages of each term, the rarest terms where there are too many."""
    if len(terms) > params.max_terms:
        counts = index.doc_frequency([t.text for t in terms])
        ranked = sorted((t for t in terms if counts[t.text]), key=lambda t: counts[t.text])
        kept = set(ranked[: params.max_terms])
        terms = [t for t in terms if t in kept]
    weights = (params.title_weight, params.alias_weight, params.heading_weight, 1.0)
    found = []
    for term in terms:
        ids, bm25 = index.match_rows(term.match, weights, params.term_rows)
        if not len(ids):
            term = _inflected(term)
            ids, bm25 = index.match_rows(term.match, weights, params.term_rows)
        places, hit = view.known(ids)
        if len(places):
            count = len(ids) if len(ids) < params.term_rows else index.doc_frequency([term.text])[term.text]
            rows = term_rows(places, bm25[hit], max(len(view.passage_ids), count), max(count, len(places)))
            found.append((term, rows))
    return found


def _inflected(term: Term) -> Term:
    """A word that nothing has, asked by its beginning."""
    if len(term.text) < 6 or not term.text.isalpha():
        return term
    return Term(term.text, f'"{term.text[:-2]}"*')


def _cosines(
    index: Index, embedder: Embedder | None, view: View, text: str
) -> tuple[Floats | None, tuple[str, ...]]:
    """Cosine of every passage with the question; a passage that waits for its vector stands in the middle."""
    if embedder is None:
        return None, ()
    matrix = index.matrix(embedder.model_id)
    if matrix is None or not len(matrix.passage_id):
        return None, ("no vectors yet: answered from words and links",) if len(view.passage_ids) else ()
    places, hit = view.vector_places(matrix.passage_id)
    near = matrix.vectors @ embedder.encode_query(text[:QUERY_CHARS]).astype(np.float32)
    waiting = len(view.passage_ids) - len(places)
    cosine = np.full(len(view.passage_ids), float(near.mean()))
    cosine[places] = near[hit]
    return cosine, (f"{waiting} passages wait for their vector",) if waiting else ()


def _falloff(first: float, factor: float) -> list[float]:
    return [first * factor**k for k in range(REACH)]


def _offsets(before: float, after: float, factor: float, reach: int) -> dict[int, float]:
    weights = {-k - 1: w for k, w in enumerate(_falloff(before, factor)[:reach])}
    return weights | {k + 1: w for k, w in enumerate(_falloff(after, factor)[:reach])}


def _passage_scores(
    view: View, terms: Sequence[TermRows], cosine: Floats | None, question: Question, params: RecallParams
) -> tuple[Floats, Floats]:
    """Shares of meaning and words of every passage, with its neighbours as context."""
    near = _offsets(params.context_before, params.context_after, params.context_falloff, REACH)
    words = lexical(terms, len(view.passage_ids), view.near, near, params.word_saturation)
    trust = 1.0
    if cosine is not None:
        if question.foreign:
            trust = min(max(agreement(cosine, words) / SURE, 0.0), 1.0) ** 2
        weights = _offsets(params.smooth_before, params.smooth_after, params.smooth_falloff, REACH - 1)
        cosine = smooth(cosine, view.near, weights, params.smooth_alone)
    return combine(cosine, words, params.meaning_weight * trust)


def _with_note(view: View, terms: Sequence[TermRows], words: Floats, params: RecallParams) -> Floats:
    """Words of a note's best passage, mixed with those of the whole note where it has several passages."""
    whole = note_words(terms, view.start, len(view.passage_ids), params.word_saturation)
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
    return {"person": person, "named": named, "linked": linked}


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
    index: Index,
    view: View,
    candidates: Ints,
    best: Ints,
    texts: Mapping[int, PassageRow],
    question: Question,
    params: RecallParams,
) -> dict[str, Floats]:
    """What the best passage of each candidate says for itself."""
    n = len(view.note_ids)
    text, when, date = np.zeros(n), np.zeros(n), np.zeros(n)
    ranges = [(d.start, d.end) for d in question.dates]
    known = view.person_words(index)
    for note in candidates:
        row = texts.get(int(best[note]))
        if row is None:
            continue
        seen = traits(row.text, known)
        if view.told[note]:
            text[note] = params.length_bonus * seen.length + params.names_bonus * seen.names
            text[note] -= params.question_malus * seen.question
        when[note] = params.when_bonus * (question.when and seen.time)
        date[note] = params.date_bonus * time_match(row.note_date, ranges, params.date_spread_days)
    return {"text": text, "when": when, "date": date}


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


def keyword_notes(index: Index, query: str, filters: Filters, limit: int) -> list[tuple[str, str]]:
    """(path, best passage) of notes by the query's words alone: those with most of them first."""
    params = RecallParams()
    view = view_of(index, params)
    terms = _matches(index, view, ask(query, 0.0).terms, params)
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
