"""A packed copy of a model's vectors, for vaults too large to compare a question with every vector.

sqlite-vec keeps some thousand vectors in one blob, a chunk; a vector's place in it is its slot. The copy
has the same slots: sign bits in memory, which are scanned, and 16-bit integers in a file mapped into
memory, of which only the rows of near vectors are read. Bringing it up to date is comparing the keys of all
slots and copying those that differ, so one changed note costs its own chunks.

The copy lies in ``packed/`` beside the index and may be deleted at any time. A process that finds it in
use by another keeps its own in memory.
"""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw
import numpy as np

from genesys.store import meta, vectors
from genesys.store.bits import FAR, differing, nearest, sign_words, words_of
from genesys.store.db import Db

try:
    import fcntl
except ImportError:  # Windows: the copy stays in memory
    fcntl = None  # type: ignore[assignment]

HAS_FLOCK = fcntl is not None

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["FOLDER", "Packed", "current", "folder_of", "forget"]

FOLDER = "packed"
LAYOUT = 1
FREE = -1  # key of a slot without a vector
SCALE = 32_767.0  # a component of 1 as a 16-bit integer
GROWTH = 1.25
RECENTRE = 4  # times as many vectors as when the mean was taken: take it again
SWEEP = 16_384  # rows looked at at once
SAMPLE = 32  # chunks whose mean stands for all
_FILES = ("rows", "bits", "keys")


class Packed:
    """The copy of one model. ``keys`` int64[slots]; ``stamp`` changes with every change of them."""

    def __init__(self, table: str, model: str, dim: int, folder: Path | None) -> None:
        self.table, self.model, self.dim = table, model, dim
        self.stamp = 0
        self._used = self._centred = 0
        self._chunks: list[int] = []
        self._centre: NDArray[np.float32] = np.zeros(dim, dtype=np.float32)
        self._free: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self._arrays: dict[str, NDArray[Any]] = {}
        self._folder = folder
        self._lock = -1 if folder is None else _lock(folder, table)
        if self._lock < 0:
            self._folder = None
        if not self._load():
            self._clear()

    def close(self) -> None:
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    def __len__(self) -> int:
        """Vectors that it holds."""
        return self._used - len(self._free)

    # ------------------------------------------------------------------ asking

    @property
    def keys(self) -> NDArray[np.int64]:
        return self._keys[: self._used]

    def distances(self, query: NDArray[np.float32]) -> NDArray[np.uint16]:
        """In how many of ``dim`` signs each slot's vector differs from the query; FAR where it has none."""
        words = sign_words(query.reshape(1, -1), self._centre)[0]
        distance = differing(self._planes, words, self._used)
        distance[self._free] = FAR
        return distance

    def cosines(self, slots: NDArray[np.int64], query: NDArray[np.float32]) -> NDArray[np.float32]:
        """Cosine of the vectors in ``slots`` with the query, to 4 digits."""
        rows = np.take(self._rows, slots, axis=0).astype(np.float32)
        # Row by row: a product as a whole would wake BLAS's threads, which takes longer than the work.
        found: NDArray[np.float32] = np.vecdot(rows, query / np.float32(SCALE))
        return found

    def vectors(self, slots: NDArray[np.int64]) -> NDArray[np.float32]:
        """The vectors themselves, to 4 digits."""
        found: NDArray[np.float32] = np.take(self._rows, slots, axis=0).astype(np.float32)
        return found / np.float32(SCALE)

    def sweep(self, query: NDArray[np.float32]) -> NDArray[np.float32]:
        """Cosine of every slot's vector with the query, 0 where there is none; reads all of the copy."""
        parts = [np.arange(at, min(at + SWEEP, self._used)) for at in range(0, self._used, SWEEP)]
        return np.concatenate([np.zeros(0, np.float32), *(self.cosines(part, query) for part in parts)])

    def nearest(
        self, query: NDArray[np.float32], k: int, pool: int
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """(slots, cosines) of the ``k`` nearest among the ``pool`` nearest by signs, nearest first."""
        slots = nearest(self.distances(query), min(pool, self._used))
        cosine = self.cosines(slots, query)
        best = np.lexsort((slots, -cosine))[:k]
        return slots[best], cosine[best]

    # ------------------------------------------------------------------ keeping up

    def sync(self, db: Db) -> bool:
        """Copy what has changed; False where sqlite-vec's layout is not the one known here."""
        try:
            chunks, keys = _layout(db, self.table)
            known = len(self._chunks)
            if chunks[:known] != self._chunks or len(keys) > RECENTRE * max(self._centred, 1):
                self._clear()
                self._take_centre(db, chunks, len(keys))
            self._reserve(len(keys))
            changed = np.nonzero(keys != self._keys[: len(keys)])[0]
            if len(changed):
                self._copy(db, chunks, keys, changed)
            self._chunks = chunks
        except (apsw.SQLError, ValueError, IndexError):
            return False
        return True

    def _copy(self, db: Db, chunks: list[int], keys: NDArray[np.int64], changed: NDArray[np.int64]) -> None:
        self._mark(None)
        size = len(keys) // len(chunks)
        for number in np.unique(changed // size):
            slots = changed[changed // size == number]
            block = _vectors(db, self.table, chunks[number], self.dim)[slots - number * size]
            block[keys[slots] == FREE] = 0.0
            words = sign_words(block, self._centre)
            self._rows[slots] = np.rint(block * SCALE)
            self._bits[slots] = words
            self._planes[:, slots] = words.T
            self._keys[slots] = keys[slots]
        self._used = len(keys)
        self._free = np.nonzero(self.keys == FREE)[0]
        self.stamp += 1
        self._mark(chunks)

    def _take_centre(self, db: Db, chunks: list[int], slots: int) -> None:
        some = chunks[:: max(1, len(chunks) // SAMPLE)]
        some = some[:-1] or some  # the last chunk may be all but empty
        if some:
            means = [_vectors(db, self.table, chunk, self.dim).mean(axis=0) for chunk in some]
            self._centre = np.asarray(np.mean(means, axis=0), dtype=np.float32)
        self._centred = slots

    # ------------------------------------------------------------------ where it lies

    def _clear(self) -> None:
        self._mark(None)
        self._chunks, self._used, self._centred = [], 0, 0
        self._free = np.zeros(0, dtype=np.int64)
        self._allocate(0)
        if self._folder is not None:
            for kind in _FILES:
                self._path(kind).unlink(missing_ok=True)
        self.stamp += 1

    def _shapes(self, slots: int) -> dict[str, tuple[tuple[int, ...], Any]]:
        shapes = ((slots, self.dim), np.int16), ((slots, words_of(self.dim)), np.uint64), ((slots,), np.int64)
        return dict(zip(_FILES, shapes, strict=True))

    def _path(self, kind: str) -> Path:
        assert self._folder is not None
        return self._folder / f"{self.table}.{kind}"

    def _allocate(self, slots: int) -> None:
        """Arrays for ``slots`` slots, in files where there is a folder; what they hold stays."""
        old = self._arrays
        arrays = {k: self._array(k, shape, kind) for k, (shape, kind) in self._shapes(slots).items()}
        kept = min(slots, self._used)
        if self._folder is None and old:
            for kind, array in arrays.items():
                array[:kept] = old[kind][:kept]
        arrays["keys"][kept:] = FREE
        self._arrays = arrays
        self._rows, self._bits, self._keys = (arrays[kind] for kind in _FILES)
        self._planes = np.ascontiguousarray(self._bits.T)

    def _array(self, kind: str, shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
        if self._folder is None or not shape[0]:
            return np.zeros(shape, dtype=dtype)
        size = int(np.prod(shape)) * np.dtype(dtype).itemsize
        with open(self._path(kind), "ab") as file:
            _grow(file.fileno(), size)
        mode: Any = "r+"
        return np.memmap(self._path(kind), dtype=dtype, mode=mode, shape=shape)

    def _reserve(self, slots: int) -> None:
        if slots > len(self._keys):
            try:
                self._allocate(max(slots, int(len(self._keys) * GROWTH)))
            except OSError:  # no room on the disk: the copy lives in memory from here on
                self._folder = None
                self._allocate(max(slots, int(len(self._keys) * GROWTH)))

    def _load(self) -> bool:
        """Take up the files of an earlier process, where they are whole."""
        if self._folder is None:
            return False
        try:
            head = json.loads(self._path("json").read_text(encoding="utf-8"))
            if [LAYOUT, self.model, self.dim] != [head["layout"], head["model"], head["dim"]]:
                return False
            self._used, self._centred, self._chunks = head["used"], head["centred"], head["chunks"]
            self._centre = np.array(head["centre"], dtype=np.float32)
            if len(self._centre) != self.dim or self._path("keys").stat().st_size < self._used * 8:
                return False
            self._allocate(self._path("keys").stat().st_size // 8)
        except (OSError, ValueError, KeyError, TypeError):
            return False
        self._free = np.nonzero(self.keys == FREE)[0]
        return True

    def _mark(self, chunks: list[int] | None) -> None:
        """Say that the files are whole, or (None) that they are being written."""
        if self._folder is None:
            return
        mark = self._path("json")
        with contextlib.suppress(OSError):
            if chunks is None:
                mark.unlink(missing_ok=True)
                return
            for array in self._arrays.values():
                if isinstance(array, np.memmap):
                    array.flush()
            head = {"layout": LAYOUT, "model": self.model, "dim": self.dim, "used": self._used}
            head |= {"centred": self._centred, "chunks": chunks, "centre": self._centre.tolist()}
            part = mark.with_suffix(".part")
            part.write_text(json.dumps(head), encoding="utf-8")
            os.replace(part, mark)


def current(db: Db, kept: dict[str, tuple[int, Packed | None]], model: str) -> Packed | None:
    """The copy of a model as it is now, from ``kept`` where it has been made before.

    None where the model has no vectors, or sqlite-vec keeps them in a way not known here.
    """
    version = meta.version(db, meta.VECTORS_VERSION)
    cached = kept.get(model)
    if cached and cached[0] == version:
        return cached[1]
    with db.snapshot():
        known = vectors.table_of(db, model)
        pack = cached[1] if cached else None
        if pack and known != (pack.table, pack.dim):
            pack.close()
            pack = None
        if known:
            folder = None if db.read_only or db.in_memory else folder_of(db.path)
            pack = pack or Packed(known[0], model, known[1], folder)
            if not pack.sync(db) or len(pack) != vectors.stored(db, model):
                pack.close()
                pack = None
    kept[model] = (version, pack)
    return pack


def folder_of(index: Path) -> Path:
    """Where the copies of an index lie: two indexes in one folder have one each."""
    return index.parent / (FOLDER if index.name == "index.db" else f"{index.stem}.{FOLDER}")


def forget(index: Path, table: str) -> None:
    """Remove the files of one table's copy."""
    for path in folder_of(index).glob(f"{table}.*"):
        with contextlib.suppress(OSError):
            path.unlink()


def _grow(fd: int, size: int) -> None:
    """Make a file ``size`` bytes long, with room for all of them: writing to a hole on a full disk kills.

    :raises OSError: there is no room.
    """
    if os.fstat(fd).st_size < size and hasattr(os, "posix_fallocate"):
        os.posix_fallocate(fd, 0, size)
    os.ftruncate(fd, size)


def _lock(folder: Path, table: str) -> int:
    """A descriptor that holds the files for this process, or −1 where they can't be had."""
    if not HAS_FLOCK:
        return -1
    try:
        folder.mkdir(exist_ok=True)
        fd = os.open(folder / f"{table}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError:
        return -1
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(fd)
        return -1
    return fd


def _layout(db: Db, table: str) -> tuple[list[int], NDArray[np.int64]]:
    """Ids of the chunks, and the key of every slot in their order."""
    rows = db.all(f"SELECT chunk_id, validity, rowids FROM {table}_chunks ORDER BY chunk_id")
    if not rows:
        return [], np.zeros(0, dtype=np.int64)
    used = np.unpackbits(np.frombuffer(b"".join(r[1] for r in rows), np.uint8), bitorder="little")
    keys = np.frombuffer(b"".join(r[2] for r in rows), np.int64)
    if len(used) != len(keys) or len({len(r[2]) for r in rows}) != 1:
        raise ValueError("chunks of unequal size")
    return [int(r[0]) for r in rows], np.where(used.astype(np.bool_), keys, FREE)


def _vectors(db: Db, table: str, chunk: int, dim: int) -> NDArray[np.float32]:
    blob = db.value(f"SELECT vectors FROM {table}_vector_chunks00 WHERE rowid = ?", (chunk,))
    return np.frombuffer(blob, np.float32).reshape(-1, dim)
