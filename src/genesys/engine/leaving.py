"""What would be lost with an index."""

from __future__ import annotations

from genesys.errors import GenesysError
from genesys.settings import Settings
from genesys.store.index import open_index

__all__ = ["only_read"]

DERIVED = {"status"}  # events that the next index would have again


def only_read(settings: Settings) -> bool:
    """Whether the vault was read and asked, and nothing was written, pinned or forgotten by its memory:
    then the index holds nothing that reading the vault again would not give."""
    try:
        with open_index(settings.index, read_only=True) as index:
            return not set(index.event_counts()) - DERIVED
    except GenesysError:
        return False
