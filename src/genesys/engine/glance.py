"""A look at a few paths that are said to have changed, instead of a walk through the whole vault."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Mapping
from pathlib import Path

from genesys.errors import PathEscape
from genesys.ignore import Rules
from genesys.model import FileStat
from genesys.paths import locate, nfc
from genesys.vault import Walk, file_stat

__all__ = ["glance"]

MOST = 64  # paths; for more a walk costs about the same and sees everything
# Where a name stands for several spellings, a rename that only changes case looks like two files.
_SPELLINGS = sys.platform in ("darwin", "win32")


def glance(
    root: Path,
    rules: Rules,
    paths: Collection[str],
    known: Mapping[str, FileStat],
    folder_known: Callable[[str], bool],
) -> tuple[Walk, dict[str, FileStat]] | None:
    """What :func:`genesys.vault.walk` would say of these paths, and what the index knows of them.

    ``known`` is of these paths; ``folder_known`` says whether the index has a file below one of them. None
    where only a walk can tell: folders came or went, links, too many paths, odd names.
    """
    if _SPELLINGS or len(paths) > MOST:
        return None
    files: list[FileStat] = []
    concerned: dict[str, FileStat] = {}
    for path in sorted(paths):
        if nfc(path) != path or not _plain(root, path):
            return None
        if path in known:
            concerned[path] = known[path]
        if rules.ignored(path):
            if path in known:
                return None  # the rules changed
            continue
        stat = file_stat(root, path, follow=rules.follow)
        if stat is not None:
            files.append(stat)
        elif path not in known and folder_known(path):
            return None  # a folder went
    return Walk(tuple(files)), concerned


def _plain(root: Path, path: str) -> bool:
    """Whether the path is an ordinary file below ordinary folders, or plainly not there."""
    try:
        real = locate(root, path)
    except PathEscape:
        return False
    here = str(root)
    if not os.path.isdir(here):
        return False
    for part in Path(real).relative_to(here).parts if real.startswith(here) else ():
        here = os.path.join(here, part)
        if os.path.islink(here):
            return False
    try:
        return not os.path.isdir(real) and (os.path.isfile(real) or _gone(real))
    except OSError:
        return False


def _gone(real: str) -> bool:
    """Not there for sure: its folder can be read and does not have it."""
    try:
        os.lstat(real)
    except FileNotFoundError:
        # A folder that vanished with it may be a disk that was taken away: a walk knows how to tell.
        return os.path.isdir(os.path.dirname(real))
    except OSError:
        return False
    return False
