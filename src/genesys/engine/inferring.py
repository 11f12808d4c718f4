"""Edges that nobody wrote, kept in the sidecar only: order in time, and titles named in texts."""

from __future__ import annotations

from genesys.engine.mentions import refresh_mentions
from genesys.engine.sequence import refresh_sequence
from genesys.store.index import Index

__all__ = ["refresh"]


def refresh(index: Index) -> None:
    """Bring the inferred edges up to date with the notes; both cost what changed, not what there is."""
    refresh_sequence(index)
    refresh_mentions(index)
