"""Renames in one step that destroy nothing, where the system can do them.

A rename over a note destroys what a person saved an instant before. A swap of two names does not: what was
displaced can still be looked at, and put back. A move that never replaces leaves no moment with two names.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from functools import cache

__all__ = ["move_new", "swap"]

_AT_FDCWD = -100
# Linux 3.15, linux/fs.h; macOS 10.12, sys/stdio.h
_EXCHANGE = 2
_NO_REPLACE = 4 if sys.platform == "darwin" else 1
_UNABLE = frozenset({errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP})


def swap(one: str, other: str) -> bool:
    """Trade the names of two files on one disk; False where system or disk can't, and nothing was done.

    Raises :class:`FileNotFoundError` where one is gone, and :class:`OSError` as a rename would.
    """
    return _rename(one, other, _EXCHANGE)


def move_new(source: str, target: str) -> bool:
    """Rename within one disk, never over an existing file; False where system or disk can't, and nothing
    was done.

    Raises :class:`FileExistsError`, and :class:`OSError` as a rename would.
    """
    return _rename(source, target, _NO_REPLACE)


def _rename(one: str, other: str, flag: int) -> bool:
    call = _call()
    if call is None:
        return False
    code = call(os.fsencode(one), os.fsencode(other), flag)
    if code in _UNABLE:
        return False
    if code:
        raise OSError(code, os.strerror(code), one, None, other)
    return True


@cache
def _call() -> Callable[[bytes, bytes, int], int] | None:
    """The system's call, giving 0 or an error number; None where there is none."""
    if sys.platform not in ("linux", "darwin"):
        return None
    import ctypes  # only writing pays for it

    try:
        library = ctypes.CDLL(None, use_errno=True)
        function = library.renameat2 if sys.platform == "linux" else library.renamex_np
    except (OSError, AttributeError):  # an old C library
        return None

    def linux(one: bytes, other: bytes, flag: int) -> int:
        at = ctypes.c_int(_AT_FDCWD)
        done = function(at, ctypes.c_char_p(one), at, ctypes.c_char_p(other), ctypes.c_uint(flag))
        return ctypes.get_errno() if done else 0

    def mac(one: bytes, other: bytes, flag: int) -> int:
        done = function(ctypes.c_char_p(one), ctypes.c_char_p(other), ctypes.c_uint(flag))
        return ctypes.get_errno() if done else 0

    return linux if sys.platform == "linux" else mac
