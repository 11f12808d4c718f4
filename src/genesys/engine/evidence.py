"""How much speaks for a hit by itself: a recall's shares can't say, since they are scaled to its best."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from genesys.model import Hit
from genesys.parse.query import ask
from genesys.score.worth import worth

if TYPE_CHECKING:
    from genesys.engine.session import Genesys

__all__ = ["Weighed", "weigh"]


@dataclass(frozen=True, slots=True)
class Weighed:
    """A hit with its worth; ``nearness`` None without vectors, ``coverage`` in [0, 1]."""

    hit: Hit
    worth: float
    nearness: float | None
    coverage: float


def weigh(memory: Genesys, text: str, hits: Sequence[Hit]) -> list[Weighed]:
    """The hits of a recall of ``text``, each with what speaks for it, in the order they came."""
    if not hits:
        return []
    with memory._lock, memory._index.snapshot():
        information = _information(memory, text)
        near = _nearness(memory, text, hits)
    whole = sum(information.values()) or 1.0
    weighed = []
    for hit in hits:
        told = sum(information.get(word, 0.0) for word in hit.matched)
        nearness, coverage = near.get(hit.path), told / whole
        value = worth(nearness, coverage, told, hit.signals.get("named", 0.0) > 0)
        weighed.append(Weighed(hit, value, nearness, coverage))
    return weighed


def _information(memory: Genesys, text: str) -> dict[str, float]:
    """What each word of the text tells, in nats: −ln of the share of passages that have it."""
    words = [term.text for term in ask(text, 0.0).terms]
    counts = memory._index.doc_frequency(words)
    total = max(len(memory._index.passage_arrays().id), 1)
    return {word: max(0.0, math.log((total + 0.5) / (counts.get(word, 0) + 0.5))) for word in words}


def _nearness(memory: Genesys, text: str, hits: Sequence[Hit]) -> dict[str, float]:
    """Cosine of text and nearest passage of each note, above the vault's mean; {} without vectors."""
    model = memory._embedder
    matrix = memory._index.matrix(model.model_id) if model else None
    if model is None or matrix is None or not len(matrix.passage_id):
        return {}
    cosine = matrix.vectors @ model.encode_query(text)
    mean = float(cosine.mean())
    ids = memory._index.note_ids([hit.path for hit in hits])
    of_note = {path: cosine[matrix.note_id == note] for path, note in ids.items()}
    return {path: float(found.max()) - mean for path, found in of_note.items() if len(found)}
