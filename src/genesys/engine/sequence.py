"""Order in time as edges: daily notes day by day, notes of one session in turn.

What a person wrote as ``prev``/``next`` is an edge already and is never doubled here.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from genesys.model import CreatedBy, Edge, EdgeType
from genesys.store.index import Index

__all__ = ["MAX_GAP_DAYS", "refresh_sequence", "sequence_edges"]

MAX_GAP_DAYS = 31  # daily notes further apart than this tell two stories
TURN, DAY = 1.0, 0.5  # weight of turns of one session, and of days: a day is a context of its own
_DAILY = re.compile(r"(?:^|/)(\d{4}-\d{2}-\d{2})[^/]*\.md$", re.IGNORECASE)


def refresh_sequence(index: Index) -> tuple[int, int]:
    """Bring the edges of order up to date; (added, removed)."""
    sessions = [list(_paths(index, notes)) for notes in index.sessions().values()]
    daily = sorted((m.group(1), path) for path in index.daily_notes() if (m := _DAILY.search(path)))
    written = index.written_sequence()
    return index.replace_inferred(CreatedBy.SEQUENCE, sequence_edges(daily, sessions, written))


def _paths(index: Index, notes: Sequence[int]) -> Iterator[str]:
    for note in notes:
        path = index.file_path(note)
        if path is not None:
            yield path


def sequence_edges(
    daily: Sequence[tuple[str, str]], sessions: Sequence[Sequence[str]], written: set[tuple[str, str]]
) -> list[Edge]:
    """Edges between neighbours. ``daily`` are (ISO date, path) in order, ``sessions`` paths in order.

    A note that has a written predecessor or successor keeps to it.
    """
    before = {target for _, target in written}
    after = {source for source, _ in written}
    pairs = dict.fromkeys(_pairs_of_days(daily), DAY)
    pairs |= dict.fromkeys((pair for session in sessions for pair in pairwise(session)), TURN)
    return [
        Edge(a, b, EdgeType.TEMPORAL_SEQUENCE, weight, CreatedBy.SEQUENCE)
        for (a, b), weight in pairs.items()
        if a != b and a not in after and b not in before
    ]


def _pairs_of_days(daily: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    for (day, path), (next_day, next_path) in pairwise(daily):
        try:
            gap = datetime.date.fromisoformat(next_day) - datetime.date.fromisoformat(day)
        except ValueError:
            continue
        if 0 < gap.days <= MAX_GAP_DAYS:
            yield path, next_path
