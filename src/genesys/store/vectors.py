"""Vectors in sqlite-vec: one table a model, keyed by the text that was embedded (P10)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw

from genesys.errors import IndexError_
from genesys.store import meta
from genesys.store.db import Db, listed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from genesys.store.rows import Matrix, PassageArrays

__all__ = [
    "blocks",
    "collect_garbage",
    "drop_model",
    "extension_version",
    "keep_counts",
    "kept",
    "knn",
    "matrix",
    "models",
    "pending",
    "pending_of",
    "put_vectors",
    "serving_model",
    "stored",
    "table_of",
    "vector_counts",
]

COUNTED = "counted:"  # meta, with a model's name: versions of passages and vectors, and the counts then

# Keys of passages without a vector, from two indexes alone: whoever asks rarely finds many.
_WAITING = "SELECT vec_key FROM passages EXCEPT SELECT vec_key FROM vectors WHERE model_id = ?"

SLOW_BLOCK = 8_192  # rows in one query where the fast path does not fit
FEW = 4_096  # passages that are looked up one by one
MAX_K = 4_096  # sqlite-vec's own limit of one query


def _model(db: Db, model: str) -> tuple[int, int] | None:
    """(id, dim)."""
    row = db.one("SELECT id, dim FROM models WHERE model = ?", (model,))
    return (int(row[0]), int(row[1])) if row else None


def _table(model_id: int) -> str:
    return f"vec_{int(model_id)}"


def table_of(db: Db, model: str) -> tuple[str, int] | None:
    """(name of the model's table, dimension); None where it has none."""
    known = _model(db, model)
    return (_table(known[0]), known[1]) if known else None


def stored(db: Db, model: str) -> int:
    """Vectors of the model, whether a passage has their text or not."""
    known = _model(db, model)
    return int(db.value("SELECT count(*) FROM vectors WHERE model_id = ?", (known[0],))) if known else 0


def models(db: Db) -> dict[str, int]:
    """Dimension of each model that has a table."""
    return dict(db.all("SELECT model, dim FROM models ORDER BY id"))


def pending(db: Db, model: str, limit: int) -> list[tuple[int, str]]:
    """(vec_key, text) of passages without a vector of this model, those of the newest notes first."""
    known = _model(db, model)
    rows = db.all(
        f"""SELECT p.vec_key, p.embed_text FROM passages p JOIN files f ON f.id = p.note_id
        WHERE p.vec_key IN ({_WAITING}) AND p.embed_text <> '' ORDER BY f.mtime_ns DESC LIMIT ?""",
        (known[0] if known else -1, limit),
    )
    return list(dict(rows).items())


def pending_of(db: Db, model: str, note_id: int) -> list[tuple[int, str]]:
    """The same for one note."""
    known = _model(db, model)
    rows = db.all(
        """SELECT p.vec_key, p.embed_text FROM passages p
        WHERE p.note_id = ? AND p.embed_text <> '' AND NOT EXISTS (
          SELECT 1 FROM vectors v WHERE v.model_id = ? AND v.vec_key = p.vec_key) ORDER BY p.ordinal""",
        (note_id, known[0] if known else -1),
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
        db.run(  # passages that went while their text was being embedded
            """INSERT OR IGNORE INTO loose_keys(vec_key) SELECT value FROM json_each(?) k
            WHERE NOT EXISTS (SELECT 1 FROM passages p WHERE p.vec_key = k.value)""",
            (listed(ids),),
        )
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
    kept = json.loads(meta.get(db, COUNTED + model) or "[]")
    if kept[:2] == _versions(db):
        return kept[2], kept[3]
    return _counted(db, model)


def keep_counts(db: Db, model: str) -> None:
    """Remember the counts with the versions they hold for: to count is to read every passage."""
    versions = _versions(db)
    if json.loads(meta.get(db, COUNTED + model) or "[]")[:2] != versions:
        meta.put(db, COUNTED + model, json.dumps([*versions, *_counted(db, model)]))


def _versions(db: Db) -> list[int]:
    return [meta.version(db, meta.PASSAGES_VERSION), meta.version(db, meta.VECTORS_VERSION)]


def _counted(db: Db, model: str) -> tuple[int, int]:
    known = _model(db, model)
    total = db.value("SELECT count(*) FROM passages WHERE embed_text <> ''")
    waiting = db.value(
        f"SELECT count(*) FROM passages WHERE vec_key IN ({_WAITING}) AND embed_text <> ''",
        (known[0] if known else -1,),
    )
    return int(total) - int(waiting), int(total)


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
    """The model's vectors in blocks: (vec_keys, float32[n, dim]).

    sqlite-vec keeps some thousand vectors in one blob, with the row ids and a bitmap of the rows in use
    beside it; reading the blobs is thirty times faster than asking for rows. :func:`matrix` notices a
    layout that has changed by the number of vectors.
    """
    import numpy as np

    known = _model(db, model)
    if not known:
        return
    model_id, dim = known
    table = _table(model_id)
    for (chunk,) in db.all(f"SELECT chunk_id FROM {table}_chunks ORDER BY chunk_id"):
        row = db.one(
            f"""SELECT c.validity, c.rowids, v.vectors FROM {table}_chunks c
            JOIN {table}_vector_chunks00 v ON v.rowid = c.chunk_id WHERE c.chunk_id = ?""",
            (chunk,),
        )
        if row is None:
            continue
        used = np.unpackbits(np.frombuffer(row[0], np.uint8), bitorder="little").astype(bool)
        keys = np.frombuffer(row[1], np.int64)[used]
        yield keys, np.frombuffer(row[2], np.float32).reshape(-1, dim)[used]


def _rows_one_by_one(db: Db, model: str) -> Iterator[tuple[NDArray[np.int64], NDArray[np.float32]]]:
    """The same by sqlite-vec's own interface."""
    import numpy as np

    known = _model(db, model)
    if not known:
        return
    db.load_vec()
    keys = [key for (key,) in db.all("SELECT vec_key FROM vectors WHERE model_id = ?", (known[0],))]
    for start in range(0, len(keys), SLOW_BLOCK):
        sql = (
            f"SELECT rowid, embedding FROM {_table(known[0])} WHERE rowid IN (SELECT value FROM json_each(?))"
        )
        rows = db.all(sql, (listed(keys[start : start + SLOW_BLOCK]),))
        found = np.frombuffer(b"".join(r[1] for r in rows), np.float32).reshape(len(rows), known[1])
        yield np.array([r[0] for r in rows], dtype=np.int64), found


def matrix(db: Db, model: str) -> Matrix | None:
    """A snapshot of every passage with its vector; None where the model has none."""

    with db.snapshot():
        known = _model(db, model)
        total = db.value("SELECT count(*) FROM vectors WHERE model_id = ?", (known[0],)) if known else 0
        if not known or not total:
            return None
        passages = db.all("SELECT id, note_id, vec_key FROM passages ORDER BY id")
        try:
            found, seen = _gather(passages, known[1], blocks(db, model))
        except (apsw.SQLError, ValueError):  # a version of sqlite-vec with another layout
            seen = -1
        if seen != total:
            found, _ = _gather(passages, known[1], _rows_one_by_one(db, model))
    return found


def kept(db: Db, model: str, old: Matrix, now: PassageArrays) -> Matrix | None:
    """What :func:`matrix` would give, from an earlier one, where passages came or went and no vector did.

    None where that can't be told cheaply: a passage that came has a vector already, or too many came.
    """
    import numpy as np

    known, came = _model(db, model), now.key[~np.isin(now.id, old.passage_id)]
    if not known or len(came) > FEW or _present(db, known[0], came.tolist()):
        return None
    keep = np.isin(old.passage_id, now.id)
    return old if keep.all() else type(old)(old.passage_id[keep], old.note_id[keep], old.vectors[keep])


def _gather(
    passages: Sequence[tuple[int, int, int]],
    dim: int,
    parts: Iterable[tuple[NDArray[np.int64], NDArray[np.float32]]],
) -> tuple[Matrix, int]:
    """Vectors in the order of ``passages`` (id, note, key), without those that have none; vectors seen."""
    import numpy as np

    table = np.array(passages, dtype=np.int64).reshape(len(passages), 3)
    order = np.argsort(table[:, 2], kind="stable")
    ordered = table[order, 2]
    vectors = np.empty((len(table), dim), dtype=np.float32)
    filled = np.zeros(len(table), dtype=bool)
    seen = 0
    for keys, block in parts:
        first, last = np.searchsorted(ordered, keys, "left"), np.searchsorted(ordered, keys, "right")
        count = last - first
        at = order[np.repeat(last - np.cumsum(count), count) + np.arange(count.sum())]
        vectors[at] = np.repeat(block, count, axis=0)
        filled[at] = True
        seen += len(keys)
    if not filled.all():
        table, vectors = table[filled], vectors[filled]
    from genesys.store.rows import Matrix

    return Matrix(table[:, 0].copy(), table[:, 1].copy(), vectors), seen


def collect_garbage(db: Db) -> int:
    """Drop vectors whose text no passage has any more; how many went.

    Looks only at keys that a passage has let go since the last time, so it may be called after every change.
    """
    if not db.value("SELECT EXISTS(SELECT 1 FROM loose_keys)"):
        return 0
    with db.transaction():
        rows = db.all(
            """SELECT v.model_id, v.vec_key FROM models m
            JOIN loose_keys k JOIN vectors v ON v.model_id = m.id AND v.vec_key = k.vec_key
            WHERE NOT EXISTS (SELECT 1 FROM passages p WHERE p.vec_key = k.vec_key)"""
        )
        if rows:
            db.load_vec()
            for model_id in {r[0] for r in rows}:
                keys = [(key,) for model, key in rows if model == model_id]
                db.many(f"DELETE FROM {_table(model_id)} WHERE rowid = ?", keys)
            db.many("DELETE FROM vectors WHERE model_id = ? AND vec_key = ?", rows)
            meta.bump(db, meta.VECTORS_VERSION)
        db.run("DELETE FROM loose_keys")
    return len(rows)


def extension_version() -> str:
    """The version of sqlite-vec, loaded to see that it loads.

    :raises IndexError_: it doesn't.
    """
    db = Db(Path(":memory:"), read_only=False, busy_ms=0)
    try:
        db.load_vec()
        return str(db.value("SELECT vec_version()"))
    finally:
        db.close()
