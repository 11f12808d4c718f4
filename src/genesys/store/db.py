"""A thin wrapper over one apsw connection: transactions, mapped errors, and nothing that knows a table."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import apsw

from genesys.errors import IndexError_
from genesys.store.faults import translated

__all__ = ["Db", "Row", "connect", "listed", "sqlite_version", "vec_version"]

Row = tuple[Any, ...]

CACHE_KIB = 4_000  # page cache of one connection: the system keeps the file, and more made nothing faster
CHECKPOINT_PAGES = 4_000  # pages in the log before they are copied back: a bulk write rewrites the same ones
JOURNAL_LIMIT = 64 * 1024 * 1024  # bytes the write-ahead log may keep after a large batch


def listed(values: Iterable[int | str]) -> str:
    """Many values as one bound parameter: ``x IN (SELECT value FROM json_each(?))`` has no limit on them."""
    return json.dumps(list(values))


class Db:
    """One connection. Calls are serialised by a lock, so several threads may share it."""

    def __init__(self, path: Path, *, read_only: bool, busy_ms: int) -> None:
        self.path = path
        self.read_only = read_only
        self.lock = threading.RLock()
        self.depth = 0
        self.vec_loaded = False
        self._busy_ms = busy_ms
        self._seen: tuple[int, int] | None = None  # (size, mtime_ns) of an immutable file, else None
        self._opened_times = 0
        self.con = self._open()

    @property
    def in_memory(self) -> bool:
        return str(self.path) == ":memory:"

    # -------------------------------------------------------------- queries

    def all(self, sql: str, args: Sequence[Any] = ()) -> list[Row]:
        """Every row of one statement."""
        with self.lock:
            self._refresh()
            try:
                return self.con.execute(sql, args).fetchall()
            except apsw.Error as error:
                raise translated(error, str(self.path)) from error

    def one(self, sql: str, args: Sequence[Any] = ()) -> Row | None:
        """The first row, or None."""
        rows = self.all(sql, args)
        return rows[0] if rows else None

    def value(self, sql: str, args: Sequence[Any] = ()) -> Any:
        """The first column of the first row, or None."""
        rows = self.all(sql, args)
        return rows[0][0] if rows else None

    def run(self, sql: str, args: Sequence[Any] = ()) -> int:
        """Execute one statement; the number of rows it changed."""
        with self.lock:
            try:
                self.con.execute(sql, args).fetchall()
                return self.con.changes()
            except apsw.Error as error:
                raise translated(error, str(self.path)) from error

    def many(self, sql: str, rows: Sequence[Sequence[Any]]) -> None:
        """Execute one statement for each row of bindings."""
        if not rows:
            return
        with self.lock:
            try:
                self.con.executemany(sql, rows)
            except apsw.Error as error:
                raise translated(error, str(self.path)) from error

    def script(self, sql: str) -> None:
        """Several statements without bindings, all of them executed."""
        self.run(sql)

    # -------------------------------------------------------------- transactions

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """``BEGIN IMMEDIATE`` … ``COMMIT``; nested calls join the outer one through savepoints.

        :raises IndexLocked: another process kept writing for longer than the busy timeout.
        """
        with self.lock:
            outer = self.depth == 0
            name = f"nested{self.depth}"
            self.run("BEGIN IMMEDIATE" if outer else f"SAVEPOINT {name}")
            self.depth += 1
            try:
                yield
                self.run("COMMIT" if outer else f"RELEASE {name}")
            except BaseException:
                self._undo(outer, name)
                raise
            finally:
                self.depth -= 1

    def _undo(self, outer: bool, name: str) -> None:
        if not self.con.in_transaction:
            return  # SQLite has rolled back by itself (disk full, I/O error)
        self.run("ROLLBACK" if outer else f"ROLLBACK TO {name}")
        if not outer:
            self.run(f"RELEASE {name}")

    def state(self) -> tuple[int, int, int]:
        """Another value after any change of the database, by this connection or another process."""
        with self.lock:
            version = int(self.value("PRAGMA data_version"))  # which may open the file anew
            return self._opened_times, version, self.con.total_changes()

    @contextmanager
    def waiting(self, busy_ms: int) -> Iterator[None]:
        """Wait no longer than this for another writer, for what is not worth waiting for."""
        with self.lock:
            self.con.set_busy_timeout(busy_ms)
            try:
                yield
            finally:
                self.con.set_busy_timeout(self._busy_ms)

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Several reads that see one state of the database."""
        with self.lock:
            if self.depth or self.con.in_transaction:
                yield
                return
            self._refresh()
            self.run("BEGIN")
            try:
                yield
            finally:
                self.run("COMMIT")

    # -------------------------------------------------------------- opening

    def close(self) -> None:
        with self.lock:
            self.con.close()

    def load_vec(self) -> None:
        """Load sqlite-vec, once, when vectors are first touched: it is no part of a quick start."""
        with self.lock:
            if self.vec_loaded:
                return
            import sqlite_vec

            try:
                self.con.enable_load_extension(True)
                self.con.load_extension(sqlite_vec.loadable_path())
                self.con.enable_load_extension(False)
            except apsw.Error as error:
                raise IndexError_(
                    f"sqlite-vec can't be loaded ({error})",
                    hint="reinstall it: pip install --force-reinstall sqlite-vec",
                ) from error
            self.vec_loaded = True

    def _open(self) -> apsw.Connection:
        self._opened_times += 1
        try:
            return self._reader() if self.read_only else self._writer()
        except apsw.Error as error:
            raise translated(error, str(self.path)) from error

    def _writer(self) -> apsw.Connection:
        con = apsw.Connection(str(self.path))
        try:
            con.set_busy_timeout(self._busy_ms)
            con.pragma("journal_mode", "wal")
            con.pragma("journal_size_limit", JOURNAL_LIMIT)
            con.pragma("synchronous", "normal")
            con.wal_autocheckpoint(CHECKPOINT_PAGES)
            con.pragma("foreign_keys", True)
            con.pragma("secure_delete", "fast")
            con.pragma("temp_store", "memory")
            con.pragma("cache_size", -CACHE_KIB)
        except BaseException:
            con.close()
            raise
        return con

    def _reader(self) -> apsw.Connection:
        """Read without leaving a trace.

        SQLite creates ``-wal`` and ``-shm`` beside a database that nobody has open, even to read it.
        A file that is at rest (no log beside it) is therefore opened as immutable, and
        :meth:`_refresh` opens it anew as soon as a writer appears or the file has changed.
        """
        at_rest = not self._log().exists()
        if not at_rest:
            try:
                return self._opened(immutable=False)
            except (apsw.CantOpenError, apsw.ReadOnlyError, apsw.IOError, apsw.PermissionsError):
                pass  # a read-only disk where the log can't be shared: what was checkpointed can be read
        return self._opened(immutable=True)

    def _opened(self, *, immutable: bool) -> apsw.Connection:
        self._seen = self._stamp() if immutable else None
        options = "?mode=ro&immutable=1" if immutable else "?mode=ro"
        uri = "file:" + quote(str(self.path.absolute())) + options
        con = apsw.Connection(uri, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
        try:
            con.set_busy_timeout(self._busy_ms)
            con.pragma("query_only", True)
            con.pragma("temp_store", "memory")
            con.pragma("cache_size", -CACHE_KIB)
            con.execute("SELECT count(*) FROM sqlite_schema").fetchall()
        except BaseException:
            con.close()
            raise
        return con

    def _refresh(self) -> None:
        """Re-open an immutable database that has begun to change."""
        if self._seen is None or self.depth or self.con.in_transaction:
            return
        written = self._log().exists() and os.access(self.path.parent, os.W_OK)
        if self._stamp() == self._seen and not written:
            return
        self.con.close()
        self.con = self._open()
        if self.vec_loaded:
            self.vec_loaded = False
            self.load_vec()

    def _log(self) -> Path:
        return self.path.with_name(self.path.name + "-wal")

    def _stamp(self) -> tuple[int, int]:
        stat = self.path.stat()
        return stat.st_size, stat.st_mtime_ns


def connect(path: Path, *, read_only: bool, busy_ms: int) -> Db:
    """Open a connection, and for a writer the folder it lies in.

    :raises IndexError_: there is no index yet and ``read_only`` forbids to make one.
    """
    if read_only:
        if not path.is_file():
            raise IndexError_(f"there is no index at {path}", hint="run `genesys index` first")
    else:
        _prepare(path.parent)
    return Db(path, read_only=read_only, busy_ms=busy_ms)


def _prepare(folder: Path) -> None:
    """Make the folder, hidden from git. A folder of another name that was there before is left as it is."""
    fresh = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        ignore = folder / ".gitignore"
        if (fresh or folder.name == ".genesys") and not ignore.exists():
            ignore.write_text("*\n", encoding="utf-8")
    except OSError as error:
        raise IndexError_(
            f"the folder {folder} can't be made ({error.strerror})",
            hint="set GENESYS_INDEX to a place that can be written",
        ) from error


def sqlite_version() -> tuple[str, bool]:
    """The version of SQLite, and whether it has FTS5."""
    return apsw.sqlite_lib_version(), "ENABLE_FTS5" in apsw.compile_options


def vec_version() -> str:
    """The version of sqlite-vec, loaded for real.

    :raises IndexError_: it can't be loaded.
    """
    db = Db(Path(":memory:"), read_only=False, busy_ms=0)
    try:
        db.load_vec()
        return str(db.value("SELECT vec_version()"))
    finally:
        db.close()
