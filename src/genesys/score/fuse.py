"""From signals to one score a passage: BM25 with neighbours as lighter fields, smoothed cosines, their sum.

Passages are numbered 0 … n−1 so that those of a note stand together in order. ``near[k]`` says for each
passage which one stands ``k`` places further on (negative: before), ``n`` where none does; notes joined
in time follow each other. Everything is computed on arrays; nothing here knows a table or a text.

Sources: BM25F (Robertson, Zaragoza, Taylor 2004) for fields of different weight before saturation; convex
combination instead of rank fusion (Bruch, Gai, Ingber 2023).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = [
    "FTS_K1",
    "Floats",
    "Ints",
    "TermRows",
    "agreement",
    "best_of_notes",
    "chain",
    "combine",
    "found_rows",
    "lexical",
    "near_places",
    "note_words",
    "smooth",
    "term_rows",
    "unit",
]

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]

FTS_B = 0.75  # its b: how much length counts
FTS_K1 = 1.2  # k1 of SQLite's bm25()
_TINY = 1e-9


@dataclass(frozen=True, slots=True)
class TermRows:
    """One term of a query: ``rows`` int64[m] are the passages that have it, ``tf`` float64[m] how often,
    in units of an average passage; ``idf`` ≥ 0 is how much the term tells."""

    rows: Ints
    tf: Floats
    idf: float


def term_rows(rows: Ints, bm25: Floats, total: int, found: int | None = None) -> TermRows:
    """Take SQLite's BM25 of a one-term query apart again.

    ``bm25 = idf · tf·(k1+1) / (tf+k1)`` with ``idf = ln((N−n+½)/(n+½))``, at least 10⁻⁶; so tf, in which
    SQLite has put the weights of columns and the length of the passage, follows from the score. ``found`` is
    n where ``rows`` are only the best of more.
    """
    idf = _idf(total, len(rows) if found is None else found)
    ratio = np.clip(bm25 / idf, 0.0, FTS_K1 + 1 - 1e-6)
    return TermRows(rows, FTS_K1 * ratio / (FTS_K1 + 1 - ratio), idf)


def found_rows(rows: Ints, total: int, found: int) -> TermRows:
    """A term of which only is known which passages have it: each has it once, at average length."""
    return TermRows(rows, np.ones(len(rows)), _idf(total, found))


def _idf(total: int, found: int) -> float:
    return max(math.log((total - found + 0.5) / (found + 0.5)) if found < total else 0.0, 1e-6)


def chain(following: Ints) -> Ints:
    """The passage before each, from the one after (n where none); no two share a successor."""
    n = len(following)
    before = np.full(n, n, dtype=np.int64)
    has = following < n
    before[following[has]] = np.nonzero(has)[0]
    return before


def near_places(following: Ints, before: Ints, reach: int) -> dict[int, Ints]:
    """``near`` for offsets −reach … reach, 0 left out; the value n stands for "no such passage"."""
    n = len(following)
    near: dict[int, Ints] = {}
    for sign, step in ((1, following), (-1, before)):
        step = np.append(step, n)
        place = step
        for k in range(1, reach + 1):
            near[sign * k] = place[:n]
            place = step[place]
    return near


def lexical(
    terms: Sequence[TermRows], n: int, near: Mapping[int, Ints], weights: Mapping[int, float], k1: float
) -> Floats:
    """BM25F over a passage and its neighbours, float64[n]; ``weights[k]`` is the weight of offset k.

    For each term the weighted frequencies are added up before they saturate, so a word that a
    neighbour says again adds little.
    """
    total = np.zeros(n)
    for term in terms:
        tf = np.zeros(n + 1)
        tf[term.rows] += term.tf
        for offset, weight in weights.items():
            if -offset in near:  # what p sees at +k is what the passage at p+k hands back by −k
                tf[near[-offset][term.rows]] += weight * term.tf
        some = np.nonzero(tf[:n])[0]
        total[some] += term.idf * tf[some] * (k1 + 1) / (tf[some] + k1)
    return total


def note_words(
    terms: Sequence[TermRows], start: Ints, n: int, k1: float, average: float | None = None
) -> Floats:
    """BM25 of whole notes, float64[m]: frequencies of all passages of a note, over its length in passages.

    ``start`` int64[m] is the first passage of each note, ``average`` the passages of an average note (these
    notes', unless given). Words that meet in a note but in no passage of it.
    """
    size = np.diff(np.append(start, n)).astype(np.float64)
    average = float(size.mean()) if average is None and len(size) else average or 1.0
    length = 1.0 - FTS_B + FTS_B * size / max(average, 1.0)
    note_of = np.repeat(np.arange(len(start)), size.astype(np.int64))
    total = np.zeros(len(start))
    for term in terms:
        tf = np.bincount(note_of[term.rows], weights=term.tf, minlength=len(start)) / length
        some = np.nonzero(tf)[0]
        total[some] += term.idf * tf[some] * (k1 + 1) / (tf[some] + k1)
    return total


def agreement(
    cosine: Floats, words: Floats, top: int = 10, *, background: tuple[float, float] | None = None
) -> float:
    """How far the best passages by words lie above the others in cosine, in standard deviations.

    ``background`` is (mean, deviation) of all cosines, where ``cosine`` are not all. About 0 where the model
    does not understand the language of the question, above 1 where it does.
    """
    best = np.argsort(-words, kind="stable")[:top]
    best = best[words[best] > 0]
    if not len(best):
        return 0.0
    mean, spread = background or (float(cosine.mean()), float(cosine.std()))
    return (float(cosine[best].mean()) - mean) / spread if spread > _TINY else 0.0


def smooth(values: Floats, near: Mapping[int, Ints], weights: Mapping[int, float], fill: float) -> Floats:
    """``values`` plus weighted values of neighbours; a missing neighbour counts as ``fill`` times oneself."""
    out = values.copy()
    padded = np.append(values, 0.0)
    n = len(values)
    for offset, weight in weights.items():
        place = near.get(offset)
        if place is None:
            out += weight * fill * values
        else:
            out += weight * np.where(place < n, padded[place], fill * values)
    return out


def unit(values: Floats) -> Floats:
    """``values`` moved and scaled to [0, 1]; all zero where they don't differ."""
    if not len(values):
        return values
    low, high = float(values.min()), float(values.max())
    return (values - low) / (high - low) if high - low > _TINY else np.zeros_like(values)


def combine(dense: Floats | None, words: Floats, weight: float) -> tuple[Floats, Floats]:
    """The shares of meaning and of words in each passage's score: ``weight`` · unit(dense) and
    (1 − ``weight``) · words / max(words). Without vectors the words have it all."""
    top = float(words.max()) if len(words) else 0.0
    scaled = words / top if top > _TINY else np.zeros_like(words)
    if dense is None:
        return np.zeros_like(words), scaled
    return weight * unit(dense), (1.0 - weight) * scaled


def best_of_notes(scores: Floats, start: Ints) -> tuple[Floats, Ints]:
    """Best passage of each note: (its score, its number). ``start`` int64[m] is the first passage of each
    note; every note has at least one. The first of equals wins."""
    if not len(start):
        return np.zeros(0), np.zeros(0, dtype=np.int64)
    best = np.maximum.reduceat(scores, start)
    size = np.diff(np.append(start, len(scores)))
    winners = np.nonzero(scores >= np.repeat(best, size))[0]
    note = np.repeat(np.arange(len(start)), size)[winners]
    _, first = np.unique(note, return_index=True)
    return best, winners[first].astype(np.int64)
