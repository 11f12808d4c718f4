"""Vectors in sqlite-vec: one table a model, keyed by the text that was embedded (P10)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from genesys.errors import IndexError_
from genesys.store import meta
from genesys.store.db import Db, listed
from genesys.store.rows import Matrix

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "collect_garbage",
    "drop_model",
    "knn",
    "matrix",
    "models",
    "pending",
    "put_vectors",
    "serving_model",
    "vector_counts",
]

MAX_K = 4_096  # sqlite-vec's own limit of one query


def _model(db: Db, model: str) -> tuple[int, int] | None:
    """(id, dim)."""
    row = db.one("SELECT id, dim FROM models WHERE model = ?", (model,))
    return (int(row[0]), int(row[1])) if row else None


def _table(model_id: int) -> str:
    return f"vec_{int(model_id)}"


def models(db: Db) -> dict[str, int]:
    """Dimension of each model that has a table."""
    return dict(db.all("SELECT model, dim FROM models ORDER BY id"))


def pending(db: Db, model: str, limit: int) -> list[tuple[int, str]]:
    """(vec_key, text) of passages without a vector of this model, those of the newest notes first."""
    known = _model(db, model)
    rows = db.all(
        """SELECT p.vec_key, p.embed_text FROM files f JOIN passages p ON p.note_id = f.id
        WHERE p.embed_text <> '' AND NOT EXISTS (
          SELECT 1 FROM vectors v WHERE v.model_id = ? AND v.vec_key = p.vec_key)
        ORDER BY f.mtime_ns DESC LIMIT ?""",
        (known[0] if known else -1, limit),
    )
    return list(dict(rows).items())


def put_vectors(db: Db, model: str, dim: int, keys: Sequence[int], vectors: NDArray[np.float32]) -> None:
    """Store one batch, committed as a whole. ``vectors`` has shape (len(keys), dim), rows of length 1.

    A model that comes back with another dimension is another model: its old vectors go.
    """
    import numpy as np

    block = np.ascontiguousarray(vectors, dtype=np.float32)
    if block.shape != (len(keys), dim):
        raise IndexError_(
            f"the embedder gave an array of shape {block.shape}, not {(len(keys), dim)}",
            hint="check GENESYS_EMBED_MODEL",
        )
    db.load_vec()
    with db.transaction():
        model_id = _ensure_model(db, model, dim)
        table = _table(model_id)
        ids = [int(key) for key in keys]
        db.many(f"DELETE FROM {table} WHERE rowid = ?", _present(db, model_id, ids))
        unique = dict(zip(ids, block, strict=True))
        db.many(f"INSERT INTO {table}(rowid, embedding) VALUES(?, ?)", list(unique.items()))
        db.many("INSERT OR IGNORE INTO vectors VALUES(?, ?)", [(model_id, key) for key in unique])
        meta.bump(db, meta.VECTORS_VERSION)


def _present(db: Db, model_id: int, keys: Sequence[int]) -> list[tuple[Any, ...]]:
    return db.all(
        "SELECT vec_key FROM vectors WHERE model_id = ? AND vec_key IN (SELECT value FROM json_each(?))",
        (model_id, listed(int(k) for k in keys)),
    )


def _ensure_model(db: Db, model: str, dim: int) -> int:
    known = _model(db, model)
    if known and known[1] == dim:
        return known[0]
    if known:
        drop_model(db, model)
    model_id = meta.reserve(db, "models", 1)
    db.run("INSERT INTO models(id, model, dim) VALUES(?, ?, ?)", (model_id, model, int(dim)))
    column = f"embedding float[{int(dim)}] distance_metric=cosine"
    db.run(f"CREATE VIRTUAL TABLE {_table(model_id)} USING vec0({column})")
    return model_id


def drop_model(db: Db, model: str) -> None:
    """Forget a model and its vectors."""
    known = _model(db, model)
    if not known:
        return
    db.load_vec()
    with db.transaction():
        db.run(f"DROP TABLE {_table(known[0])}")
        db.run("DELETE FROM models WHERE id = ?", (known[0],))
        meta.bump(db, meta.VECTORS_VERSION)


def vector_counts(db: Db, model: str) -> tuple[int, int]:
    """(passages that have a vector of this model, passages that should have one)."""
    known = _model(db, model)
    total = db.value("SELECT count(*) FROM passages WHERE embed_text <> ''")
    have = db.value(
        """SELECT count(*) FROM passages p JOIN vectors v ON v.model_id = ? AND v.vec_key = p.vec_key
        WHERE p.embed_text <> ''""",
        (known[0] if known else -1,),
    )
    return int(have), int(total)


def serving_model(db: Db, preferred: str) -> str | None:
    """The model whose vectors answer now: the preferred one as soon as it covers as much as any other."""
    best, most = None, 0
    names = models(db)
    for name in sorted(names, key=lambda n: n != preferred):
        have, _ = vector_counts(db, name) if len(names) > 1 else (1, 0)
        if have > most:
            best, most = name, have
    return best


def knn(db: Db, model: str, query: NDArray[np.float32], k: int) -> list[tuple[int, float]]:
    """(passage id, cosine) of the ``k`` nearest passages, nearest first; exact.

    Vectors that no passage refers to any more don't use up the ``k``; a model without
    vectors, or a query of another dimension, finds nothing.
    """
    import numpy as np

    known = _model(db, model)
    if not known or query.shape != (known[1],) or k <= 0:
        return []
    db.load_vec()
    with db.snapshot():
        total = db.value("SELECT count(*) FROM vectors WHERE model_id = ?", (known[0],))
        ask = min(k, MAX_K)
        blob = np.ascontiguousarray(query, dtype=np.float32).tobytes()
        while True:
            rows = _nearest(db, _table(known[0]), blob, ask)
            if len(rows) >= k or ask >= min(total, MAX_K):
                return [(int(p), 1.0 - float(d)) for p, d in rows[:k]]
            ask = min(ask * 2 + 16, MAX_K)


def _nearest(db: Db, table: str, blob: bytes, ask: int) -> list[tuple[Any, ...]]:
    return db.all(
        f"""SELECT p.id, v.distance FROM (
          SELECT rowid AS vec_key, distance FROM {table} WHERE embedding MATCH ? AND k = ?) v
        JOIN passages p ON p.vec_key = v.vec_key ORDER BY v.distance, p.id""",
        (blob, ask),
    )


def blocks(db: Db, model: str) -> Iterator[tuple[NDArray[np.int64], NDArray[np.float32]]]:
    """The model's vectors in blocks: (vec_keys, float32[n, dim])."""
    import numpy as np

    known = _model(db, model)
    if not known:
        return
    db.load_vec()
    last, size = -1, 8_192
    while True:
        sql = f"SELECT rowid, embedding FROM {_table(known[0])} WHERE rowid IN (SELECT vec_key FROM vectors"
        rows = db.all(
            f"{sql} WHERE model_id = ? AND vec_key > ? ORDER BY vec_key LIMIT ?)", (known[0], last, size)
        )
        if not rows:
            return
        keys = np.array([r[0] for r in rows], dtype=np.int64)
        yield keys, np.frombuffer(b"".join(r[1] for r in rows), dtype=np.float32).reshape(len(rows), known[1])
        last = int(keys.max())


def matrix(db: Db, model: str) -> Matrix | None:
    """A snapshot of every passage with its vector; None where the model has none."""
    import numpy as np

    with db.snapshot():
        parts = list(blocks(db, model))
        rows = db.all("SELECT id, note_id, vec_key FROM passages ORDER BY id") if parts else []
    if not parts:
        return None
    keys = np.concatenate([p[0] for p in parts])
    vectors = np.concatenate([p[1] for p in parts])
    order = np.argsort(keys)
    wanted = np.array([r[2] for r in rows], dtype=np.int64)
    place = np.searchsorted(keys, wanted, sorter=order)
    place = order[np.minimum(place, len(keys) - 1)]
    hit = keys[place] == wanted
    ids = np.array([r[:2] for r in rows], dtype=np.int64).reshape(len(rows), 2)[hit]
    return Matrix(ids[:, 0].copy(), ids[:, 1].copy(), vectors[place[hit]])


def collect_garbage(db: Db) -> int:
    """Drop vectors whose text no passage has any more; how many went. Nothing changed since: costs a read."""
    stamp = f"{meta.version(db, meta.PASSAGES_VERSION)}:{meta.version(db, meta.VECTORS_VERSION)}"
    if meta.get(db, "collected") == stamp:
        return 0
    with db.transaction():
        rows = db.all(
            """SELECT v.model_id, v.vec_key FROM vectors v
            WHERE NOT EXISTS (SELECT 1 FROM passages p WHERE p.vec_key = v.vec_key)"""
        )
        if rows:
            db.load_vec()
            for model_id in {r[0] for r in rows}:
                keys = [(key,) for model, key in rows if model == model_id]
                db.many(f"DELETE FROM {_table(model_id)} WHERE rowid = ?", keys)
            db.many("DELETE FROM vectors WHERE model_id = ? AND vec_key = ?", rows)
            meta.bump(db, meta.VECTORS_VERSION)
        stamp = f"{meta.version(db, meta.PASSAGES_VERSION)}:{meta.version(db, meta.VECTORS_VERSION)}"
        meta.put(db, "collected", stamp)
    return len(rows)
