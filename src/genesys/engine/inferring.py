"""Edges that nobody wrote, kept in the sidecar only: order in time, and titles named in texts."""

from __future__ import annotations

from collections.abc import Collection

from genesys.engine.mentions import refresh_mentions
from genesys.engine.sequence import refresh_sequence
from genesys.store.index import Index

__all__ = ["refresh"]


def refresh(index: Index, notes: Collection[int] | None = None) -> None:
    """Bring the inferred edges up to date with the notes; both cost what changed, not what there is.

    ``notes`` are all that can be called otherwise than before, where the caller knows.
    """
    refresh_sequence(index)
    refresh_mentions(index, notes)
