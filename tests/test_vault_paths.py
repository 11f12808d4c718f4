"""Names for new notes, and which path on disk a vault path means."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genesys.paths import check_path, file_type, locate, printable, safe_name, unique_path
from genesys.vault import create, read


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Plain title", "Plain title"),
        ("a/b\\c: d*e?", "a b c d e"),
        ("[[Link]] #tag ^id | alias", "Link tag id alias"),
        ("  .hidden. ", "hidden"),
        ("line\none\ttab\x00nul", "line one tab nul"),
        ("Cafe\u0301", "Café"),
        ("日記 2026", "日記 2026"),
        ("", "Untitled"),
        ("???", "Untitled"),
        ("CON", "CON note"),
        ("nul.txt", "note nul.txt"),
        ("lone \udce9 byte", "lone byte"),
    ],
)
def test_a_title_becomes_a_file_name(title: str, expected: str) -> None:
    """Readable, and legal everywhere Obsidian runs."""
    assert expected == safe_name(title)


@given(st.text(max_size=400))
def test_any_title_becomes_a_legal_name(title: str) -> None:
    """Whatever the title: short enough, composed, visible, no character Obsidian or Windows forbids."""
    name = safe_name(title)
    assert 0 < len(name) <= 125
    assert len(name.encode()) <= 205
    assert unicodedata.is_normalized("NFC", name)
    assert name == name.strip(". ")
    assert not set('\\/:*?"<>|#^[]\n\0') & set(name)
    assert name == safe_name(name)
    assert name == check_path(name)


def test_long_titles_are_cut_between_characters() -> None:
    """Bytes count too: a Chinese title of 120 characters would not fit with a counter and an extension."""
    assert 120 == len(safe_name("x" * 300))
    assert 66 == len(safe_name("漢" * 300))


def test_a_taken_name_gets_a_number() -> None:
    """As a person would number it, before the extension, in the same folder."""
    taken = {"a/n.md", "a/n 2.md", "b", ".x"}
    assert ["a/n 3.md", "c.md", "b 2", ".x 2"] == [
        unique_path(path, taken.__contains__) for path in ("a/n.md", "c.md", "b", ".x")
    ]


def test_file_types_go_by_extension() -> None:
    """In any case of letters; a name that only ends in the letters is none."""
    types = [str(file_type(p)) for p in ("a.md", "a.MD", "a.canvas", "a.Canvas", "amd", "a.md.png", "b")]
    assert ["note", "note", "canvas", "canvas", "attachment", "attachment", "attachment"] == types


def test_new_files_go_into_the_folder_that_exists(tmp_path: Path) -> None:
    """A composed path below a decomposed folder must not make a second folder that looks the same."""
    (tmp_path / "Ko\u0308ln").mkdir()
    create(tmp_path, "Köln/n.md", b"x")
    assert 1 == len(list(tmp_path.iterdir()))
    assert b"x" == read(tmp_path, "Köln/n.md")
    assert locate(tmp_path, "Köln/none/m.md").endswith("none/m.md")


def test_bytes_that_are_not_utf8_can_be_printed() -> None:
    """As escapes, so a report can hold them."""
    assert "caf\\xe9.md" == printable("caf\udce9.md")
