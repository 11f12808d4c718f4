"""The queue of passages without a vector: newest notes first, a commit a batch.

A kill costs at most the batch in flight (P10); a passage that fails is left pending and named.
"""

from __future__ import annotations

from collections.abc import Callable

from genesys.embed import Embedder
from genesys.store.index import Index

__all__ = ["embed_pending"]

# Passages a commit. Sorting by length inside it saves padding; more would re-embed more after a kill.
BATCH = 64


def embed_pending(
    index: Index,
    embedder: Embedder,
    *,
    limit: int | None = None,
    progress: Callable[[str, int, int], None] | None = None,
    wanted: Callable[[], bool] = lambda: True,
) -> int:
    """Embed what is pending; returns how many vectors were made.

    ``wanted`` is asked before each batch, so that a caller can stop between two of them.
    """
    have, all_passages = index.vector_counts(embedder.model_id)
    left = all_passages - have
    total = min(left, limit) if limit is not None else left
    done = 0
    while done < total and wanted():
        batch = index.pending(embedder.model_id, min(BATCH, total - done))
        if not batch:
            break
        vectors = embedder.encode([text for _, text in batch])
        index.put_vectors(embedder.model_id, embedder.dim, [key for key, _ in batch], vectors)
        done += len(batch)
        if progress:
            progress("embed", done, max(total, done))
    if done and done == left:
        from genesys.engine.autolink import link_waiting  # numpy, which a pass without changes does without

        link_waiting(index, embedder)
    return done


