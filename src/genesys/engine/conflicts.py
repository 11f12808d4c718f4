"""Hints at contradictions between a new memory and what the vault says already. Hints, never edges."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from genesys.embed import Embedder
from genesys.engine.recall import recall
from genesys.model import Filters, Hit
from genesys.parse.conflicts import conflict
from genesys.settings import Settings
from genesys.store.index import Index

__all__ = ["Hints", "find_conflicts"]

NEAR = 8  # notes looked at: a contradiction is about the same thing, so it is among the nearest
QUERY_CHARS = 500  # of the memory's text asked with: its beginning says what it is about


@dataclass(frozen=True, slots=True)
class Hints:
    hits: tuple[Hit, ...] = ()
    reasons: tuple[str, ...] = ()


def find_conflicts(
    index: Index,
    settings: Settings,
    content: str,
    embedder: Embedder | None,
    now: float,
    replaced: Collection[str] = (),
) -> Hints:
    """Notes near ``content`` that state other numbers or the opposite about the same thing.

    One that is superseded, by this memory (``replaced``) or before, has had its answer.
    """
    answer = recall(index, embedder, settings, content[:QUERY_CHARS], NEAR, Filters(), now=now)
    open_ = [hit for hit in answer.hits if not hit.superseded_by and hit.path not in replaced]
    pairs = [(hit, reason) for hit in open_ if (reason := conflict(content, hit.text))]
    return Hints(tuple(h for h, _ in pairs), tuple(f"{h.path}: {r}" for h, r in pairs))
