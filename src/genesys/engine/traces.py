"""The traces that use leaves, and that scoring lives on: access rows."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence

from genesys.model import SUPPORTIVE, AccessKind, ScoreParams
from genesys.score.activation import recall_weight
from genesys.score.cascade import cascade
from genesys.store.index import Index
from genesys.store.rows import AccessRow, StateChange

__all__ = ["record_pin", "record_recall"]

DAY_S = 86_400.0
SAME_QUERY_S = 60.0  # seconds in which the same question asked again is no new recall
LAST_QUERY = "last_query"


def record_recall(index: Index, query: str, paths: Sequence[str], now: float, params: ScoreParams) -> bool:
    """One access a returned note, weaker ones for its neighbours; False where it is a repetition.

    All rows go into one transaction: a recall is remembered whole or not at all.
    """
    if not paths:
        return False
    digest = hashlib.blake2b(
        " ".join(query.split()).casefold().encode("utf-8", "replace"), digest_size=8
    ).hexdigest()
    if _just_asked(index, digest, now):
        return False
    known = index.note_ids(list(paths))
    ids = [known[p] for p in paths if p in known]
    rows = index.note_rows(ids)
    earlier = _recalled_since(index, ids, now - DAY_S)
    accesses = [
        AccessRow(note, now, AccessKind.RECALL, recall_weight(rank, earlier[note], params))
        for rank, note in enumerate(ids)
    ]
    near = cascade(_around(index, ids, params.cascade_depth), ids, params)
    accesses += [AccessRow(note, now, AccessKind.CASCADE, weight) for note, weight in sorted(near.items())]
    with index.transaction():
        index.add_accesses(accesses)
        changes = [StateChange(r.id, recalls=r.recalls + 1, last_recalled=now) for r in rows.values()]
        index.set_states(changes, now)
        index.meta_set(LAST_QUERY, f"{digest} {now!r}")
    return True


def _recalled_since(index: Index, ids: Sequence[int], since: float) -> Counter[int]:
    """How often each note was recalled after ``since``: massed recalls count for less."""
    rows = index.accesses_of(ids)
    return Counter(r.note_id for r in rows if r.kind is AccessKind.RECALL and r.time > since)


def _just_asked(index: Index, digest: str, now: float) -> bool:
    last = (index.meta_get(LAST_QUERY) or "").split(" ")
    return len(last) == 2 and last[0] == digest and 0 <= now - float(last[1]) < SAME_QUERY_S


def _around(index: Index, ids: Sequence[int], depth: int) -> dict[int, set[int]]:
    """Supportive neighbours, both directions, of the notes up to one hop short of ``depth``."""
    adjacency: dict[int, set[int]] = {}
    level = set(ids)
    for _ in range(depth):
        edges = index.edges_of(sorted(level), SUPPORTIVE)
        known = index.note_ids({e.source for e in edges} | {e.target for e in edges})
        for edge in edges:
            if edge.source in known and edge.target in known:
                source, target = known[edge.source], known[edge.target]
                adjacency.setdefault(source, set()).add(target)
                adjacency.setdefault(target, set()).add(source)
        level = {n for i in level for n in adjacency.get(i, ())} - adjacency.keys()
    return adjacency


def record_pin(index: Index, note_id: int, now: float, params: ScoreParams) -> None:
    index.add_accesses([AccessRow(note_id, now, AccessKind.PIN, params.access_pin)])
