"""Which notes have changed since, so that columns of a whole vault need not be read anew for one of them.

Triggers write down whose passages or outgoing edges come and go, in order; the last some thousand are kept. A
cache remembers how far it has read, and what came later it reads again; where that is no longer known, or too
much, it reads everything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from genesys.store import graph, lookup
from genesys.store.db import Db
from genesys.store.rows import EdgeArrays, PassageArrays

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["all_since", "edges", "moment", "passages", "since"]

SHARE = 20  # one note in so many changed: reading everything is cheaper
FEW = 500  # notes that are always read by themselves


def moment(db: Db) -> int:
    """How far the list of touches reaches: it never falls."""
    return int(db.value("SELECT max(id) FROM touches") or 0)


def since(db: Db, then: int, total: int) -> list[int] | None:
    """Notes touched after :func:`moment` ``then``; None where that is unknown, or too many of ``total``."""
    limit = max(FEW, total // SHARE)
    found = all_since(db, then, limit + 1)
    return None if found is None or len(found) > limit else found


def all_since(db: Db, then: int, limit: int = -1) -> list[int] | None:
    """The same, however many; of more than ``limit`` only so many."""
    first, last = db.all("SELECT min(id), max(id) FROM touches")[0]
    if last is None:
        return None if then else []
    if then > last or then < first - 1:
        return None
    rows = db.all("SELECT DISTINCT note_id FROM touches WHERE id > ? LIMIT ?", (then, limit))
    return [int(note) for (note,) in rows]


def passages(db: Db, old: PassageArrays, then: int) -> PassageArrays:
    """The columns as they are now, from what they were at ``then``."""
    notes = since(db, then, len(old.id))
    if notes is None:
        return lookup.passage_arrays(db)
    new = lookup.passage_arrays(db, notes)
    order, keep = _merged(old.note_id, new.note_id, notes)
    columns = zip(_columns(old), _columns(new), strict=True)
    return PassageArrays(*(_joined(a[keep], b, order) for a, b in columns))


def edges(db: Db, old: EdgeArrays, then: int) -> EdgeArrays:
    """The same for edges, by the note they leave."""
    notes = since(db, then, len(old.source))
    if notes is None:
        return graph.edge_arrays(db)
    new = graph.edge_arrays(db, notes)
    order, keep = _merged(old.source, new.source, notes)
    columns = zip(_columns(old), _columns(new), strict=True)
    return EdgeArrays(*(_joined(a[keep], b, order) for a, b in columns))


def _columns(arrays: PassageArrays | EdgeArrays) -> list[NDArray[Any]]:
    return [getattr(arrays, name) for name in arrays.__slots__]


def _merged(
    old: NDArray[np.int64], new: NDArray[np.int64], notes: list[int]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """(order of the kept old rows and the new ones by note, which old rows are kept)."""
    import numpy as np

    keep = ~np.isin(old, np.array(notes, dtype=np.int64))
    return np.argsort(np.concatenate([old[keep], new]), kind="stable"), keep


def _joined(old: NDArray[Any], new: NDArray[Any], order: NDArray[np.int64]) -> Any:
    import numpy as np

    return np.concatenate([old, new])[order]
