"""Working memory: the blocks of text that were asked for a moment ago, for whoever asks again.

A block is handed out again only while nothing in the index has changed, so it is what a new one would be.
It is kept for a few minutes all the same: "last week" in a question moves with the clock.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable

from genesys.reports import ContextBlock

__all__ = ["KEPT_S", "MOST", "Blocks"]

KEPT_S = 300.0
MOST = 32  # blocks; the one used longest ago goes first


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
