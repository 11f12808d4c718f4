"""Folding for search, keys for names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genesys.parse.text import digest, fold, name_key, stem, target_key
from genesys.parse.tokens import cut, estimate


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hello World", "hello world"),
        ("Straße Ёлка Район", "strasse елка раион"),
        ("Café naïve Ångström", "cafe naive angstrom"),
        ("ΟΔΌΣ", "οδοσ"),
        ("ＡＢＣ１２３ ﬁn", "abc123 fin"),
        ("日本語wow", " 日 本 語 wow"),
        ("がぎ", " が ぎ "),
        ("ﾊﾟﾝ", " パ ン "),
        ("한글 노트", "한글 노트"),
        ("हिन्दी", "हिन्दी"),
        ("שָׁלוֹם", "שלום"),
        ("İstanbul", "istanbul"),
    ],
)
def test_fold(text: str, expected: str) -> None:
    """Case and accents go, letters stay, ideographs and kana stand alone."""
    assert expected == fold(text)


@given(st.text())
def test_fold_settles(text: str) -> None:
    """Folding what is folded changes nothing but spaces, so index and query always meet."""
    once = fold(text)
    assert fold(once).split() == once.split()


@pytest.mark.parametrize(
    ("path", "key"),
    [
        ("a/Note.md", "note"),
        ("Note.MD", "note"),
        ("x.md.md", "x"),
        ("b.canvas", "b.canvas"),
        ("v1.2.md", "v1.2"),
    ],
)
def test_keys_meet(path: str, key: str) -> None:
    """A file's key is that of every way to write its name."""
    assert key == name_key(path) == target_key(path) == target_key(f" z/{key} ")


def test_stem_is_the_title() -> None:
    """One ``.md`` goes, in any case; nothing else does."""
    assert ["Dr. Fern", "README", "a.md", "Plan 2"] == [
        stem(p) for p in ("x/Dr. Fern.md", "README.MD", "a.md.md", "Plan 2.md")
    ]


def test_digest_is_blake2b() -> None:
    """The content hash is 16 bytes of BLAKE2b."""
    assert "cae66941d9efbd404e4d88758ea67670" == digest(b"")


@given(st.text(max_size=300), st.integers(1, 50))
def test_cut_fits(text: str, tokens: int) -> None:
    """What is cut is a beginning of the text and fits."""
    part = cut(text, tokens)
    assert text.startswith(part)
    assert estimate(part) <= tokens or part == text
