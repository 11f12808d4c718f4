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

__all__ = ["LOCK_NAME", "hold", "is_held"]

HAS_FLOCK = fcntl is not None
LOCK_NAME = "daemon.lock"
PATIENCE_S = 0.25  # a look by `is_held` has the lock for an instant; that must not turn a writer away
PAUSE_S = 0.02


@contextlib.contextmanager
def hold(folder: Path) -> Iterator[None]:
    """Hold the vault's lease while the block runs.

    Raises:
        BusyError: another process has it.
        IndexError_: the folder can't be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        fd = os.open(folder / LOCK_NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as e:
        raise IndexError_(
            f"the index can't be written: {folder}: {e.strerror or e}",
            hint="set GENESYS_INDEX to a place that can be written",
        ) from e
    try:
        if not _locked(fd, PATIENCE_S):
            raise BusyError(
                "another Genesys process is writing this vault's index",
                hint="wait until it is done, or see `genesys status`",
            )
        yield
    finally:
        os.close(fd)


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
