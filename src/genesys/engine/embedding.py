"""The queue of passages without a vector: newest notes first, a commit a batch.

A kill costs at most the batch in flight (P10); a passage that fails is left pending and named.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from genesys.errors import ModelError
from genesys.settings import Settings

if TYPE_CHECKING:
    from genesys.embed import Embedder
    from genesys.store.index import Index

__all__ = ["embed_pending", "model_of"]

# Passages a commit. Sorting by length inside it saves padding; more would re-embed more after a kill.
BATCH = 64


def embed_pending(
    index: Index,
    embedder: Embedder,
    *,
    limit: int | None = None,
    progress: Callable[[str, int, int], None] | None = None,
    wanted: Callable[[], bool] = lambda: True,
    guard: AbstractContextManager[object] | None = None,
) -> int:
    """Embed what is pending; returns how many vectors were made.

    ``wanted`` is asked before each batch, so that a caller can stop between two of them. ``guard`` is held
    while the index is read or written, and not while the model works: others may ask meanwhile.
    """
    guard = guard or nullcontext()
    have, all_passages = index.vector_counts(embedder.model_id)
    left = all_passages - have
    total = min(left, limit) if limit is not None else left
    done = 0
    while done < total and wanted():
        with guard:
            batch = index.pending(embedder.model_id, min(BATCH, total - done))
        if not batch:
            break
        vectors = embedder.encode([text for _, text in batch])
        with guard:
            index.put_vectors(embedder.model_id, embedder.dim, [key for key, _ in batch], vectors)
        done += len(batch)
        if progress:
            progress("embed", done, max(total, done))
    if done and done == left:
        from genesys.engine.autolink import link_waiting  # numpy, which a pass without changes does without

        with guard:
            link_waiting(index, embedder)
    return done


def model_of(settings: Settings) -> tuple[str, ModelError | None]:
    """The id of the model in force; where it is not to be had, what was asked for and why that failed."""
    from genesys.embed import model_name

    try:
        return model_name(settings), None
    except ModelError as e:
        return settings.embed_model or settings.embedder, e
