"""An open vault memory: how it is opened and closed, its model, its index."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Self

from genesys.accounts import IndexReport
from genesys.engine import lease
from genesys.engine.blocks import Blocks, Given
from genesys.engine.embedding import embed_pending, model_of
from genesys.engine.names import resolve_name
from genesys.errors import IndexMissing, ModelError, VaultNotFound
from genesys.model import Filters
from genesys.settings import Settings, machine_id

if TYPE_CHECKING:
    from genesys.embed import Embedder
    from genesys.store.index import Index

__all__ = ["NO_FILTERS", "Progress", "Session"]

Progress = Callable[[str, int, int], None]  # phase, done, total
NO_FILTERS = Filters()


class Session:
    """A vault's memory, open. Methods may be called from any thread; each runs alone.

    Use :meth:`open`; the object is a context manager.
    """

    def __init__(
        self, settings: Settings, index: Index, *, read_only: bool, clock: Callable[[], float]
    ) -> None:
        self.settings = settings
        self.read_only = read_only
        self._index = index
        self._clock = clock
        self._lock = threading.RLock()
        self._model_lock = threading.Lock()
        self._embedder: Embedder | None = None
        self._blocks = Blocks()
        self._given = Given()

    @classmethod
    def open(
        cls,
        settings: Settings,
        *,
        read_only: bool = False,
        missing_ok: bool = False,
        clock: Callable[[], float] = time.time,
    ) -> Self:
        """Open the index of ``settings.vault``, making it where there is none (unless ``read_only``).

        With ``read_only`` and ``missing_ok``, an index that is not there reads as an empty one: a dry run
        of a new vault.

        Raises:
            VaultNotFound: the vault's folder is not there.
            IndexError_: index.db can't be used; the hint says what to do.
        """
        from genesys.store.index import open_index  # a client of the daemon does without

        if not settings.vault.is_dir():
            raise VaultNotFound(f"{settings.vault} is not a folder", hint="name your vault with --vault")
        if read_only and not settings.index.exists():
            if not missing_ok:
                raise IndexMissing("this vault has no index yet", hint="genesys index")
            return cls(settings, open_index(":memory:"), read_only=True, clock=clock)
        index = open_index(settings.index, read_only=read_only, machine_id=machine_id())
        return cls(settings, index, read_only=read_only, clock=clock)

    def close(self) -> None:
        with self._lock:
            self._index.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # ------------------------------------------------------------------ the model

    @property
    def warmed(self) -> bool:
        """Whether the embedding model is in memory."""
        return self._embedder is not None

    def warm(self) -> Embedder:
        """Load the embedding model (seconds, the first time).

        Raises:
            ModelError: it can't be loaded; the hint says how to get it.
        """
        with self._model_lock:
            if self._embedder is None:
                from genesys.embed import load_embedder

                self._embedder = load_embedder(self.settings)
            return self._embedder

    # ------------------------------------------------------------------ index

    def index(
        self,
        *,
        full: bool = False,
        dry_run: bool = False,
        embed: bool = True,
        progress: Progress | None = None,
    ) -> IndexReport:
        """Bring the index up to date with the vault; see :class:`~genesys.reports.IndexReport`.

        Raises:
            BusyError: another process is at it.
        """
        from genesys.engine import attaching, indexing

        if dry_run:
            return indexing.run(
                self.settings, self._index, now=self._clock(), full=full, dry_run=True, progress=progress
            )
        with self._lock, lease.hold(self.settings.index.parent):
            report = indexing.run(self.settings, self._index, now=self._clock(), full=full, progress=progress)
            if attaching.read_all(self._index, self.settings, progress):
                report = replace(report, passages=self._index.counts().passages)
            return self._embed_after(report, embed, progress)

    def _embed_after(self, report: IndexReport, embed: bool, progress: Progress | None) -> IndexReport:
        start = time.perf_counter()
        name, _ = model_of(self.settings)
        have, total = self._index.vector_counts(name)
        embedded, notices = 0, report.notices
        if embed and have < total:
            try:
                embedded = embed_pending(self._index, self.warm(), progress=progress)
            except ModelError as e:
                notices += (f"words and links are indexed, vectors are not: {e.message} ({e.hint})",)
        if embedded:  # loading it may have chosen its arithmetic, which is part of the name
            name, _ = model_of(self.settings)
            have, total = self._index.vector_counts(name)
        self._index.keep_vector_counts(name)
        seconds = {**report.seconds, "embed": round(time.perf_counter() - start, 4)}
        return replace(
            report,
            embedded=embedded,
            reused=have - embedded,
            pending=total - have,
            notices=notices,
            seconds=seconds,
        )

    def embed_pending(self, *, limit: int | None = None, progress: Progress | None = None) -> int:
        """Embed passages that have no vector yet; returns how many were made."""
        embedder = self.warm()
        return embed_pending(self._index, embedder, limit=limit, progress=progress, guard=self._lock)

    def resolve(self, name: str) -> str:
        """The path of the note that ``name`` means: anything a wikilink accepts.

        Raises:
            NoteNotFound, AmbiguousNote
        """
        with self._lock:
            return resolve_name(self._index, name)

    def _embedder_for(self, wanted: bool | None) -> tuple[Embedder | None, tuple[str, ...]]:
        """The model, where it is wanted and of use; and a line where it was not to be had."""
        if self._embedder is not None:
            return self._embedder, ()
        if wanted is False:
            return None, ("the model is still loading: answered from words and links",)
        with self._lock:
            have, total = self._index.vector_counts(model_of(self.settings)[0])
        if not have:
            return None, ("nothing is embedded yet: answered from words and links",) if total else ()
        try:
            return self.warm(), ()
        except ModelError as e:
            return None, (f"answered from words and links only: {e.message}",)
