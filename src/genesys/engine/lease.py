"""One writer per vault (P6): an advisory lock on a file beside the index.

The kernel drops the lock with the process, so a lock file left behind never blocks a start.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path

from genesys.errors import BusyError, IndexError_

try:
    import fcntl
except ImportError:  # Windows has no flock; SQLite's own locking still keeps the index whole
    fcntl = None  # type: ignore[assignment]

__all__ = ["LOCK_NAME", "Lease", "hold", "is_held", "keep"]

HAS_FLOCK = fcntl is not None
LOCK_NAME = "daemon.lock"
PATIENCE_S = 0.25  # a look by `is_held` has the lock for an instant; that must not turn a writer away
PAUSE_S = 0.02

_ours: dict[str, Lease] = {}  # leases that this process holds for good, by the real path of their folder


class Lease:
    """The lease of a process that keeps it until :meth:`release`: the daemon.

    Inside that process :func:`hold` has nothing left to wait for.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._fd = -1

    def take(self, note: bytes = b"") -> bool:
        """Take it, or find that it is still ours; False where another process has it.

        ``note`` is written into the file, for whoever asks who holds it. A file that was exchanged (with
        the disk it is on, say) is locked anew.

        Raises:
            IndexError_: the folder can't be written.
        """
        if self._fd >= 0 and self._same_file():
            return True
        self.release()
        fd = _opened(self.folder)
        if not _locked(fd, 0.0):
            os.close(fd)
            return False
        self._fd = fd
        _ours[os.path.realpath(self.folder)] = self
        with contextlib.suppress(OSError):  # a full disk; the lock is what counts
            os.ftruncate(fd, 0)
            os.pwrite(fd, note, 0)
        return True

    def release(self) -> None:
        if self._fd >= 0:
            _ours.pop(os.path.realpath(self.folder), None)
            with contextlib.suppress(OSError):
                os.ftruncate(self._fd, 0)
            os.close(self._fd)
            self._fd = -1

    def _same_file(self) -> bool:
        try:
            there = os.stat(self.folder / LOCK_NAME)
        except OSError:
            return True  # away with its disk: nobody else can have it
        ours = os.fstat(self._fd)
        return (there.st_dev, there.st_ino) == (ours.st_dev, ours.st_ino)


@contextlib.contextmanager
def hold(folder: Path) -> Iterator[None]:
    """Hold the vault's lease while the block runs.

    Raises:
        BusyError: another process has it.
        IndexError_: the folder can't be written.
    """
    if os.path.realpath(folder) in _ours:
        yield
        return
    fd = _opened(folder)
    try:
        if not _locked(fd, PATIENCE_S):
            raise _busy()
        yield
    finally:
        os.close(fd)


@contextlib.contextmanager
def keep(folder: Path, patience_s: float) -> Iterator[None]:
    """The lease for a block in which :func:`hold` is called again; waits so long for whoever has it.

    Raises:
        BusyError: another process still has it.
        IndexError_: the folder can't be written.
    """
    if os.path.realpath(folder) in _ours:
        yield
        return
    mine = Lease(folder)
    end = time.monotonic() + patience_s
    while not mine.take():
        if time.monotonic() >= end:
            raise _busy()
        time.sleep(PAUSE_S)
    try:
        yield
    finally:
        mine.release()


def _busy() -> BusyError:
    return BusyError(
        "another Genesys process is writing this vault's index",
        hint="wait until it is done, or see `genesys status`",
    )


def _opened(folder: Path) -> int:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return os.open(folder / LOCK_NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as e:
        raise IndexError_(
            f"the index can't be written: {folder}: {e.strerror or e}",
            hint="set GENESYS_INDEX to a place that can be written",
        ) from e


def _locked(fd: int, patience_s: float) -> bool:
    if not HAS_FLOCK:
        return True
    end = time.monotonic() + patience_s
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            if time.monotonic() >= end:
                return False
            time.sleep(PAUSE_S)
        else:
            return True


def is_held(folder: Path) -> bool:
    """Whether a living process holds the lease. Looks only: works on a read-only disk too."""
    if not HAS_FLOCK:
        return False
    try:
        fd = os.open(folder / LOCK_NAME, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    else:
        return False
    finally:
        os.close(fd)
