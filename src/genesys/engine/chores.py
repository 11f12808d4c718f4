"""What the background thread is told, and what it says of itself."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field

from genesys.embed import Embedder
from genesys.reports import IndexReport

__all__ = ["Activity", "Order", "Owner"]


@dataclass(frozen=True, slots=True)
class Activity:
    """What the background does: idle, reading, loading, embedding; with how far it has come."""

    phase: str = "starting"
    done: int = 0
    total: int = 0

    def __str__(self) -> str:
        return f"{self.phase} ({self.done} of {self.total})" if self.total else self.phase


@dataclass(frozen=True, slots=True)
class Owner:
    """What the background needs of whoever holds the open memory.

    ``prepare`` sees to it that there is an index that opens; ``broken`` is told where one does not hold;
    ``model`` loads the model, once.
    """

    prepare: Callable[[], object]
    broken: Callable[[], object]
    model: Callable[[], Embedder]


@dataclass(slots=True)
class Order:
    """A pass that somebody waits for."""

    full: bool
    embed: bool
    result: Future[IndexReport] = field(default_factory=Future)
