"""Two files trade names in one step, where the system can do that.

A rename over a note destroys what a person saved an instant before. A swap does not: what was displaced can
still be looked at, and put back.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from functools import cache

__all__ = ["swap"]

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2  # Linux 3.15, linux/fs.h
_RENAME_SWAP = 2  # macOS 10.12, sys/stdio.h
_UNABLE = frozenset({errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP})


def swap(one: str, other: str) -> bool:
    """Trade the names of two files on one disk; False where system or disk can't, and nothing was done.

    Raises :class:`FileNotFoundError` where one is gone, and :class:`OSError` as a rename would.
    """
    call = _call()
    if call is None:
        return False
    code = call(os.fsencode(one), os.fsencode(other))
    if code in _UNABLE:
        return False
    if code:
        raise OSError(code, os.strerror(code), one, None, other)
    return True


@cache
def _call() -> Callable[[bytes, bytes], int] | None:
    """The system's call, giving 0 or an error number; None where there is none."""
    if sys.platform not in ("linux", "darwin"):
        return None
    import ctypes  # only writing pays for it

    try:
        library = ctypes.CDLL(None, use_errno=True)
        function = library.renameat2 if sys.platform == "linux" else library.renamex_np
    except (OSError, AttributeError):  # an old C library
        return None

    def linux(one: bytes, other: bytes) -> int:
        at = ctypes.c_int(_AT_FDCWD)
        done = function(at, ctypes.c_char_p(one), at, ctypes.c_char_p(other), ctypes.c_uint(_RENAME_EXCHANGE))
        return ctypes.get_errno() if done else 0

    def mac(one: bytes, other: bytes) -> int:
        done = function(ctypes.c_char_p(one), ctypes.c_char_p(other), ctypes.c_uint(_RENAME_SWAP))
        return ctypes.get_errno() if done else 0

    return linux if sys.platform == "linux" else mac
