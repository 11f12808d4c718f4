"""Working memory: what was asked for a moment ago, and what conversations were given already.

A block is handed out again only while nothing in the index has changed, so it is what a new one would be.
It is kept for a few minutes all the same: "last week" in a question moves with the clock.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from typing import TYPE_CHECKING

from genesys.reports import ContextBlock

if TYPE_CHECKING:
    from genesys.model import Hit

__all__ = ["KEPT_S", "MOST", "Blocks", "Given"]

KEPT_S = 300.0
MOST = 32  # blocks; the one used longest ago goes first
SESSIONS = 64  # conversations remembered at once
EACH = 1_000  # passages remembered of one


class Blocks:
    """Blocks by what was asked, of one state of the index."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._state: Hashable = None
        self._kept: OrderedDict[Hashable, tuple[float, ContextBlock]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._kept)

    def get(
        self, asked: Hashable, state: Hashable, now: float, make: Callable[[], ContextBlock]
    ) -> ContextBlock:
        """The block for ``asked``; made where none of this ``state`` is at hand. ``now`` in UNIX seconds.

        ``state`` is the index's before the block is made: what changes meanwhile makes it an old one.
        """
        with self._lock:
            if state != self._state:
                self._kept.clear()
                self._state = state
            made_at, block = self._kept.get(asked, (0.0, None))
            if block is not None and 0.0 <= now - made_at < KEPT_S:
                self._kept.move_to_end(asked)
                return block
        block = make()
        with self._lock:
            if state == self._state:
                self._kept[asked] = (now, block)
                self._kept.move_to_end(asked)
                while len(self._kept) > MOST:
                    self._kept.popitem(last=False)
        return block


class Given:
    """What conversations were given already. It lives as long as the open memory, which is long enough."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._by_session: OrderedDict[str, OrderedDict[tuple[str, str], None]] = OrderedDict()

    def knows(self, session: str, hit: Hit) -> bool:
        with self._lock:
            return (hit.path, hit.text) in self._by_session.get(session, ())

    def add(self, session: str, hits: Iterable[Hit]) -> None:
        if not session:
            return
        with self._lock:
            mine = self._by_session.setdefault(session, OrderedDict())
            self._by_session.move_to_end(session)
            mine.update({(hit.path, hit.text): None for hit in hits})
            while len(mine) > EACH:
                mine.popitem(last=False)
            while len(self._by_session) > SESSIONS:
                self._by_session.popitem(last=False)

    def forget(self, session: str) -> None:
        """The conversation begins, or was summarised: it knows nothing any more."""
        with self._lock:
            self._by_session.pop(session, None)
