"""Full text: ranking, quoting, frequencies, garbage."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genesys.errors import UsageError
from genesys.store import text as text_module
from genesys.store.index import Index, open_index
from genesys.store.text import fts_quote
from store.factory import NOW, record

ALL = (1.0, 1.0, 1.0, 1.0)


def test_weights_decide_between_columns(index: Index) -> None:
    """A word in the title counts as much more as its weight says."""
    index.put(
        [record("apple.md", ["pear"]), record("x.md", ["apple pie with cream"]), record("y.md", ["z"])], NOW
    )
    assert [1, 2] == [note for _, note, _ in index.search_text('"apple"', (9.0, 1.0, 1.0, 1.0), 5)]
    assert [2, 1] == [note for _, note, _ in index.search_text('"apple"', (0.01, 1.0, 1.0, 1.0), 5)]
    assert all(score > 0 for *_, score in index.search_text('"apple"', ALL, 5))
    assert 1 == len(index.search_text('"apple"', ALL, 1))


def test_stems_are_found(index: Index) -> None:
    """Porter's stems: a search for one form finds the others."""
    index.put([record("a.md", ["decisions were made"])], NOW)
    assert 1 == len(index.search_text('"decision"', ALL, 5))
    assert ["decis", "made"] == index.stems("decisions made")


def test_single_characters_are_found_as_phrases(index: Index) -> None:
    """Chinese, spaced by the parser, needs no segmenter."""
    index.put([record("a.md", [" 知 识 管 理 "]), record("b.md", [" 理 管 "])], NOW)
    assert [1] == [note for _, note, _ in index.search_text(fts_quote(" 管  理 "), ALL, 5)]
    assert {"管 理": 1, "理": 2} == index.doc_frequency(["管 理", "理"])


def test_frequencies_count_passages(index: Index) -> None:
    """In any column, by stem; unknown words and bare punctuation are 0."""
    index.put([record("word.md", ["one word", "two words", "three"]), record("b.md", ["word"])], NOW)
    counts = index.doc_frequency(["words", "three", "nothing", "…", "one word"])
    assert {"words": 4, "three": 1, "nothing": 0, "…": 0, "one word": 1} == counts


def test_a_bad_expression_is_a_usage_error(index: Index) -> None:
    """Unquoted operators are the caller's mistake, not a damaged index."""
    with pytest.raises(UsageError):
        index.search_text('AND (" NEAR', ALL, 5)
    assert [] == index.search_text("  ", ALL, 5)


@given(st.text(max_size=30))
def test_a_quoted_term_is_data(tmp_path_factory: pytest.TempPathFactory, term: str) -> None:
    """Whatever it holds: quotes, operators, columns, stars, NUL."""
    folder = tmp_path_factory.getbasetemp() / "quoting"
    with open_index(folder / "index.db") as index:
        if not index.file_states():
            index.put([record("a.md", ["some text"])], NOW)
        index.search_text(fts_quote(term), ALL, 5)
        index.doc_frequency([term])


def test_a_large_index_is_cleaned_bit_by_bit(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bounded merges end, and then the words of deleted passages are gone from the file."""
    monkeypatch.setattr(text_module, "SMALL", 0)
    for start in range(0, 300, 50):
        index.put(
            [record(f"{i}.md", [f"unique{i} " + "filler " * 50]) for i in range(start, start + 50)], NOW
        )
    index.remove([f"{i}.md" for i in range(0, 300, 2)])
    for _ in range(100):
        index.collect_garbage()
        if index.meta_get("fts_garbage") is None:
            break
    assert index.meta_get("fts_garbage") is None
    blocks = [block for (block,) in index._db.all("SELECT block FROM passages_fts_data")]
    assert not any(b"nique0" in block for block in blocks)
    assert 150 == index.doc_frequency(["filler"])["filler"]


def test_words_of_edits_wait_for_company(index: Index) -> None:
    """One edit does not rewrite the full-text index; enough of them, or a removal, do."""
    index.put([record("a.md", ["before"]), record("b.md")], NOW)
    index.put([record("a.md", ["after"])], NOW)
    index.collect_garbage()
    assert "1" == index.meta_get("fts_garbage")
    index.put([record("a.md", [f"p{i}" for i in range(100)])], NOW)
    index.put([record("a.md")], NOW)
    index.collect_garbage()
    assert index.meta_get("fts_garbage") is None
    assert 0 == index.doc_frequency(["before"])["before"]
