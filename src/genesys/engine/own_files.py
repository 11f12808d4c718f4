"""Files of the vault that are Genesys' own: drawn anew as long as nobody else has changed them."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from genesys.errors import FileGone, PathEscape, WriteRefused
from genesys.paths import OUTSIDE_HINT, check_path
from genesys.vault import content_hash, read
from genesys.write import create, write_if

__all__ = ["inner_path", "save_own"]

Ours = Callable[[bytes], bool]


def inner_path(root: Path, given: str, extension: str) -> str:
    """The vault path that a person means by a path from the vault's root, or by a complete one.

    Raises:
        PathEscape: it lies outside the vault.
    """
    path = given if given.lower().endswith(extension) else given + extension
    if os.path.isabs(path):
        folder = os.path.realpath(os.path.dirname(path))
        inner = os.path.relpath(os.path.join(folder, os.path.basename(path)), os.path.realpath(root))
        if inner.split(os.sep)[0] == os.pardir:
            raise PathEscape(f"{path} is not inside the vault", hint="Give a path relative to the vault.")
        path = inner.replace(os.sep, "/")
    return check_path(path.removeprefix("./"))


def save_own(root: Path, path: str, raw: bytes, ours: Ours) -> bool:
    """Write a file, over nothing but one that ``ours`` knows; False where it stands there as it is.

    Raises:
        WriteRefused: a person's file has that name, or the path is hidden or can't be written. PathEscape,
        DiskFull.
    """
    try:
        old = read(root, path)
    except FileGone:
        create(root, path, raw)
        return True
    if os.path.islink(root / path):
        raise WriteRefused(f"{path} is a symlink", hint=OUTSIDE_HINT)
    if not ours(old):
        raise WriteRefused(f"{path} is there, and it is yours", hint="name another file, or move it away")
    if old == raw:
        return False
    if write_if(root, path, content_hash(old), raw) is None:
        raise WriteRefused(f"{path} was changed a moment ago", hint="look at it, and try again")
    return True
