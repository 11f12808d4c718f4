"""Recall as a use case: rank, then leave the trace that scoring lives on."""

from __future__ import annotations

import time
from dataclasses import replace

from genesys.embed import Embedder
from genesys.engine.names import well_formed
from genesys.engine.recall import recall as rank
from genesys.engine.traces import record_recall
from genesys.errors import IndexError_
from genesys.model import Answer, Filters
from genesys.settings import Settings
from genesys.store.index import Index

__all__ = ["recall"]

TRACE_WAIT_MS = 250  # a person waits for the answer, and a recall more or less in the record is no loss


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
    query = well_formed(query)
    answer = rank(index, embedder, settings, query, k, filters, now=now, query_date=query_date)
    unmet = index.unmet(filters) if not answer.hits else ()
    ms = (time.perf_counter() - start) * 1000
    answer = replace(answer, notices=(*answer.notices, *unmet), ms=ms)
    return _traced(index, settings, answer, now) if leave_trace else answer


def _traced(index: Index, settings: Settings, answer: Answer, now: float) -> Answer:
    """Remember the recall. Should that fail (disk full, locked), the answer is given all the same."""
    try:
        with index.waiting(TRACE_WAIT_MS):
            record_recall(index, answer.query, [hit.path for hit in answer.hits], now, settings.score)
    except IndexError_ as e:
        return replace(answer, notices=(*answer.notices, f"this recall could not be noted: {e.message}"))
    return answer
