"""The bare techniques beside which the product is measured: FTS5 BM25, exact cosine, and both by ranks.

They share nothing with the product but the model: one text a document, as a person would index it who writes
fifty lines for it.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["Bare"]

DEPTH = 100  # candidates of each ranking that are fused
RRF_K = 60
CHUNK = 700  # characters of a text embedded at once; a document is as near as its nearest piece
_STOP_WORDS = """
a an the of in on at to for from by with and or is are was were be been being do does did has have
had what which who whom whose when where why how that this these those it its as than then there
their they he she his her him you your i me my we our us about into over after before between during
would could should will can may might not no if so such
"""
_STOP = frozenset(_STOP_WORDS.split())
_CJK = re.compile("([\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff])")


def spaced(text: str) -> str:
    """CJK characters as words of their own: without that no FTS5 finds a Chinese word."""
    return _CJK.sub(r" \1 ", text)


def pieces(text: str) -> list[str]:
    """A text in pieces of whole lines of about :data:`CHUNK` characters."""
    out, held = [], ""
    for line in text.split("\n"):
        if held and len(held) + len(line) > CHUNK:
            out.append(held)
            held = ""
        held += line + "\n"
    return [*out, held]


class Bare:
    """The three baselines over one set of documents; ``vectors`` of their pieces come from the caller."""

    def __init__(
        self, ids: Sequence[str], texts: Sequence[str], owner: Sequence[int], vectors: NDArray[np.float32]
    ):
        self.ids = list(ids)
        self.owner = np.array(owner, dtype=np.int64)
        self.vectors = vectors
        self.db = sqlite3.connect(":memory:")
        self.db.execute("CREATE VIRTUAL TABLE f USING fts5(body, tokenize='porter unicode61')")
        self.db.executemany("INSERT INTO f(rowid, body) VALUES(?, ?)", enumerate(map(spaced, texts)))

    def bm25(self, query: str, k: int = DEPTH) -> list[str]:
        words = [
            w[:-2] if w.endswith("'s") else w for w in re.findall(r"[\w']+", _CJK.sub(" ", query.lower()))
        ]
        words = [w.strip("'") for w in dict.fromkeys(words)]
        terms = [w for w in words if w and w not in _STOP] or [w for w in words if w]
        chars = ["".join(run) for run in re.findall("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+", query)]
        terms += [" ".join(run[i : i + 2]) for run in chars for i in range(max(len(run) - 1, 1))]
        if not terms:
            return []
        match = " OR ".join('"' + t.replace('"', "") + '"' for t in dict.fromkeys(terms))
        sql = "SELECT rowid FROM f WHERE f MATCH ? ORDER BY bm25(f), rowid LIMIT ?"
        return [self.ids[r] for (r,) in self.db.execute(sql, (match, k))]

    def dense(self, vector: NDArray[np.float32], k: int = DEPTH) -> list[str]:
        near = np.full(len(self.ids), -2.0)
        np.maximum.at(near, self.owner, self.vectors @ vector)
        return [self.ids[i] for i in np.argsort(-near, kind="stable")[:k]]

    def rrf(self, query: str, vector: NDArray[np.float32], k: int = DEPTH) -> list[str]:
        score: dict[str, float] = {}
        for ranked in (self.bm25(query), self.dense(vector)):
            for rank, doc in enumerate(ranked):
                score[doc] = score.get(doc, 0.0) + 1.0 / (RRF_K + rank + 1)
        return sorted(score, key=lambda d: (-score[d], d))[:k]
