"""Edges that nobody wrote, kept in the sidecar only: order in time, and titles named in texts."""

from __future__ import annotations

from genesys.engine.mentions import refresh_mentions
from genesys.engine.sequence import refresh_sequence
from genesys.settings import Settings
from genesys.store.index import Index

__all__ = ["refresh"]


def refresh(index: Index, settings: Settings) -> None:
    """Bring the inferred edges up to date with the notes."""
    refresh_sequence(index)
    refresh_mentions(index)
