"""An index that can't be used is set aside, so that a full pass makes it anew: the vault has everything."""

from __future__ import annotations

import logging

from genesys.engine import lease
from genesys.errors import IndexCorrupt, IndexForeign
from genesys.settings import Settings, machine_id
from genesys.store.index import open_index
from genesys.store.index import set_aside as move_aside

__all__ = ["set_aside", "set_aside_if_broken"]

log = logging.getLogger(__name__)


def set_aside(settings: Settings) -> None:
    """Move a damaged index out of the way; the notes are in the vault, so nothing is lost (P1).

    Raises:
        BusyError: another process writes it.
    """
    with lease.hold(settings.index.parent):
        aside = move_aside(settings.index)
    log.warning("the index was damaged: it is set aside as %s and made anew", aside)


def set_aside_if_broken(settings: Settings) -> str:
    """Move a damaged index, or one of another machine, out of the way; why, or "" where it is sound.

    Reads all of the file.

    Raises:
        BusyError: another process writes it.
    """
    trouble = _trouble(settings) if settings.index.exists() else ""
    if trouble:
        with lease.hold(settings.index.parent):
            move_aside(settings.index)
    return trouble


def _trouble(settings: Settings) -> str:
    try:
        with open_index(settings.index, read_only=True, machine_id=machine_id()) as index:
            problems = index.check()
    except (IndexCorrupt, IndexForeign) as e:
        return e.message
    return f"the index was damaged ({problems[0]})" if problems else ""
