"""Letters and names: the folded form that full text searches, the keys that links are looked up by.

``fold`` is applied to what is indexed and to what is asked, so both meet whatever the spelling.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from functools import lru_cache

__all__ = ["digest", "fold", "name_key", "path_key", "stem", "target_key"]

# Accents of alphabets that people search without them: Latin, Cyrillic, Greek, Hebrew points, Arabic
# vowel signs. Vowel signs of Indic scripts and the voicing marks of kana are letters, and stay.
_MARKS = re.compile(
    "[\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a"
    "\u064b-\u065f\u0670\u06d6-\u06dc\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe00-\ufe0f\ufe20-\ufe2f]"
)
# Characters of scripts that write no spaces; each becomes a word of its own, and a query a phrase.
_SINGLE = re.compile(
    "([\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff])"
)
_SPACES = re.compile("  +")
_NOTE_SUFFIX = ".md"
_DIGEST_BYTES = 16


def fold(text: str) -> str:
    """Return ``text`` without case and accents, CJK ideographs and kana set apart by spaces.

    >>> fold("Straße, Ёлка"), fold("日本 wow")
    ('strasse, елка', ' 日 本 wow')
    """
    if text.isascii():
        return text.lower()
    bare = _MARKS.sub("", unicodedata.normalize("NFKD", text))
    folded = unicodedata.normalize("NFC", bare).casefold()
    return _SPACES.sub(" ", _SINGLE.sub(r" \1 ", folded))


@lru_cache(maxsize=65536)
def path_key(path: str) -> str:
    """Return the form in which two paths are the same to Obsidian: composed, simple lower case.

    Python lowers a final sigma to ``ς`` by context; letter for letter it is ``σ``.
    """
    return unicodedata.normalize("NFC", path).lower().replace("ς", "σ")


def name_key(path: str) -> str:
    """Return the bucket in which the name table keeps a file: its name, for notes without ``.md``."""
    name = path_key(path).rpartition("/")[2]
    while name.endswith(_NOTE_SUFFIX):
        name = name[: -len(_NOTE_SUFFIX)]
    return name


def target_key(target: str) -> str:
    """Return the bucket in which to look for a link's target (without subpath)."""
    return name_key(target.strip())


def stem(path: str) -> str:
    """Return the file name, without ``.md`` in any case: Obsidian's only title."""
    name = path.rpartition("/")[2]
    return name[: -len(_NOTE_SUFFIX)] if name.lower().endswith(_NOTE_SUFFIX) else name


def digest(data: bytes) -> str:
    """Return the content hash of the index: BLAKE2b, 16 bytes, hexadecimal."""
    return hashlib.blake2b(data, digest_size=_DIGEST_BYTES).hexdigest()
