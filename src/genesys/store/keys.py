"""Bucket keys of names: two spellings that a link may treat as one name share a key.

A key only gathers candidates; the resolver decides among them by the exact rules. So a key may be
coarser than Obsidian's comparison, never finer: case, Unicode composition and the final sigma are
levelled, every trailing ``.md`` is dropped.
"""

from __future__ import annotations

import unicodedata

__all__ = ["ATTACHED", "alias_key", "level", "name_key", "stem", "target_key"]

#: Ordinals from here on are of passages that a note has from an attachment, below it of its own.
ATTACHED = 1_000_000


def level(name: str) -> str:
    """A name without what a file system may treat alike: case, Unicode composition, the final sigma."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).lower()).replace("ς", "σ")


def _bare(name: str) -> str:
    while name.endswith(".md") and len(name) > 3:
        name = name[:-3]
    return name


def name_key(path: str) -> str:
    """The key of a file: its last segment, levelled, without any trailing ``.md``."""
    return _bare(level(path[path.rfind("/") + 1 :]))


def target_key(target: str) -> str:
    """The key of the file that a link target could mean; equal to that file's :func:`name_key`."""
    return _bare(level(target[target.rfind("/") + 1 :].strip()))


def alias_key(alias: str) -> str:
    """An alias is compared whole: ``TCP/IP`` is one name, not a path."""
    return level(alias.strip())


def stem(path: str) -> str:
    """The file name as a note's title: without folders and without one ``.md`` of any case."""
    name = path[path.rfind("/") + 1 :]
    return name[:-3] if name[-3:].lower() == ".md" and len(name) > 3 else name
