"""Which passages have the words of a question. In a large vault the rarest words count first.

To weigh a match costs SQLite five times what finding it does, so a question of a large vault has a budget:
the rarest words are weighed, commoner ones only found, and what most passages have is left out.
"""

from __future__ import annotations

from collections.abc import Sequence

from genesys.engine.view import View
from genesys.parse.query import Term
from genesys.score.fuse import TermRows, found_rows, term_rows
from genesys.store.index import Index
from genesys.tuning import RecallParams

__all__ = ["matches"]

_Found = tuple[Term, TermRows]


def matches(index: Index, view: View, terms: Sequence[Term], params: RecallParams) -> list[_Found]:
    """The passages of each term, the rarest terms where there are too many."""
    if len(view.passage_ids) > params.exact_passages:
        return _within_budget(index, view, terms, params)
    if len(terms) > params.max_terms:
        counts = index.doc_frequency([t.text for t in terms])
        ranked = sorted((t for t in terms if counts[t.text]), key=lambda t: counts[t.text])
        kept = set(ranked[: params.max_terms])
        terms = [t for t in terms if t in kept]
    found = []
    for term in terms:
        weighed = _weighed(index, view, term, params) or _weighed(index, view, _inflected(term), params)
        if weighed:
            found.append(weighed)
    return found


def _weighed(
    index: Index, view: View, term: Term, params: RecallParams, count: int | None = None
) -> _Found | None:
    """The passages that have a term, or the best of too many, with their BM25; None where none has it."""
    weights = (params.title_weight, params.alias_weight, params.heading_weight, 1.0)
    ids, bm25 = index.match_rows(term.match, weights, params.term_rows, count)
    places, hit = view.known(ids)
    if not len(places):
        return None
    if count is None:
        count = len(ids) if len(ids) < params.term_rows else index.doc_frequency([term.text])[term.text]
    return term, term_rows(places, bm25[hit], max(len(view.passage_ids), count), max(count, len(places)))


def _inflected(term: Term) -> Term:
    """A word that nothing has, asked by its beginning."""
    if len(term.text) < 6 or not term.text.isalpha():
        return term
    return Term(term.text, f'"{term.text[:-2]}"*')


# ------------------------------------------------------------------ large vaults


def _within_budget(index: Index, view: View, terms: Sequence[Term], params: RecallParams) -> list[_Found]:
    counted = [(*_counted(index, term), place) for place, term in enumerate(terms)]
    ranked = sorted((c for c in counted if c[1]), key=lambda c: c[1])[: params.max_terms]
    weigh, find = params.weighed_rows, params.found_rows
    found: dict[int, _Found | None] = {}
    for term, count, place in ranked:
        if count <= weigh:
            weigh -= count
            found[place] = _weighed(index, view, term, params, count)
        elif count <= find:
            find -= count
            found[place] = _present(index, view, term, count)
    if ranked and not found:
        term, count, place = ranked[0]
        found[place] = _weighed(index, view, term, params, count)
    return [f for _, f in sorted(found.items()) if f]


def _counted(index: Index, term: Term) -> tuple[Term, int]:
    count = index.match_count(term.match)
    if not count:
        term = _inflected(term)
        count = index.match_count(term.match)
    return term, count


def _present(index: Index, view: View, term: Term, count: int) -> _Found | None:
    """The passages that have a term, each as if it had it once."""
    places, _ = view.known(index.match_ids(term.match))
    if not len(places):
        return None
    return term, found_rows(places, max(len(view.passage_ids), count), max(count, len(places)))
