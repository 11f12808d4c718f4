"""Recall as a use case: rank, then leave the trace that scoring lives on."""

from __future__ import annotations

import time
from dataclasses import replace

from genesys.embed import Embedder
from genesys.engine.recall import recall as rank
from genesys.model import Answer, Filters
from genesys.settings import Settings
from genesys.store.index import Index

__all__ = ["recall"]


def recall(
    index: Index,
    embedder: Embedder | None,
    settings: Settings,
    query: str,
    k: int,
    filters: Filters,
    *,
    now: float,
    query_date: str,
    leave_trace: bool,
) -> Answer:
    """Rank the vault for ``query``; unless told not to, each returned note is accessed once."""
    start = time.perf_counter()
    answer = rank(index, embedder, settings, query, k, filters, now=now, query_date=query_date)
    return replace(answer, ms=(time.perf_counter() - start) * 1000)
