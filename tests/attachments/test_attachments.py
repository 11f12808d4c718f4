"""Text of PDF and Word files is found through the notes that embed them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attachments.files import docx, encrypted_pdf, pdf, slow_pdf, zip_bomb
from daemon.helpers import until
from engine.kit import TestVault
from genesys.engine import attaching
from genesys.engine.background import Background, Owner
from genesys.extract import Extract, Limits, extract
from genesys.parse.attached import attached_passages, plain_text
from support import run_cli

LIMITS = Limits(50 << 20, 300, 30)
PAPER = pdf("Sourdough rises slowly.", "The second page tells\nof marmalade from Seville (oranges).")


@pytest.fixture
def vault(tmp_path: Path) -> TestVault:
    """A note that embeds a paper."""
    root = tmp_path / "vault"
    root.mkdir()
    vault = TestVault(root)
    vault.write("Reading.md", "# Papers\n\nWorth a look:\n\n![[paper.pdf]]\n")
    vault.write("files/paper.pdf", PAPER)
    return vault


def hits(vault: TestVault, query: str) -> list[tuple[str, tuple[str, ...], int]]:
    return [
        (hit.path, hit.heading_path, hit.line_start)
        for hit in vault.recall(query).hits
        if query_in(hit, query)
    ]


def query_in(hit: Any, query: str) -> bool:
    return query.casefold() in hit.text.casefold()


def embedded(vault: TestVault) -> list[str]:
    """Texts of all passages that have a vector or wait for one."""
    with vault.memory(read_only=True) as memory:
        return [text for (text,) in memory._index._db.all("SELECT embed_text FROM passages ORDER BY id")]


def extractions(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Paths of the files that are really read from now on."""
    real, seen = attaching.extract, []

    def spy(path: str, raw: bytes, limits: Limits) -> Extract:
        seen.append(path)
        return real(path, raw, limits)

    monkeypatch.setattr(attaching, "extract", spy)
    return seen


def test_a_sentence_of_a_pdf_is_found_through_its_note(vault: TestVault) -> None:
    """The answer names the note, the file, the page, and the line of the embed."""
    vault.index()
    assert [("Reading.md", ("paper.pdf", "page 2"), 5)] == hits(vault, "marmalade")
    assert [] == [p for p in vault.paths() if p.endswith(".pdf")]


def test_word_files_are_read_by_their_headings(vault: TestVault) -> None:
    """What stands under a heading says so; tables are read row by row."""
    vault.write("x.docx", docx((1, "Plan"), (0, "We start in May."), (2, "Costs"), (0, "Nine euros.")))
    vault.write("Other.md", "![[x.docx]]")
    vault.index()
    assert ("Other.md", ("x.docx", "Plan"), 1) in hits(vault, "start in May")
    assert ("Other.md", ("x.docx", "Plan", "Costs"), 1) in hits(vault, "right cell")


def test_a_link_is_no_embed(vault: TestVault) -> None:
    """Only what a note shows is part of it."""
    vault.write("Reading.md", "[[paper.pdf]]")
    vault.index()
    assert [] == hits(vault, "marmalade")


def test_two_notes_share_one_file(vault: TestVault, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is read once and embedded once, and found through both."""
    read = extractions(monkeypatch)
    vault.write("Second.md", "![](files/paper.pdf#page=2)")
    report = vault.index()
    assert ["files/paper.pdf"] == read
    with vault.memory(read_only=True) as memory:
        notes = [p.path for i in (1, 2, 3) for p in memory._index.passages_of(i) if "marmalade" in p.text]
    assert {"Reading.md", "Second.md"} == set(notes)
    assert (6, report.embedded) == (report.passages, len(set(embedded(vault))))


def test_nothing_is_read_or_embedded_twice(vault: TestVault, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not for a touch, a rename of the file or of the note, an edit beside it, or a restart (P10)."""
    vault.index()
    read = extractions(monkeypatch)
    vault.touch("files/paper.pdf")
    assert 0 == vault.index().embedded
    vault.move("files/paper.pdf", "files/renamed.pdf")
    vault.write("Reading.md", "# Papers\n\nWorth a look:\n\n![[renamed.pdf]]\n")
    assert vault.index().embedded <= 1
    assert [("Reading.md", ("renamed.pdf", "page 2"), 5)] == hits(vault, "marmalade")
    vault.move("Reading.md", "Read.md")
    vault.index()
    vault.write("Read.md", "A new first line.\n\n\n\n\n![[renamed.pdf]]\n")
    assert vault.index().embedded <= 1
    assert [("Read.md", ("renamed.pdf", "page 2"), 6)] == hits(vault, "marmalade")
    assert [] == read


def test_a_changed_file_is_read_anew(vault: TestVault) -> None:
    """What it said is gone, what it says is found."""
    vault.index()
    vault.write("files/paper.pdf", pdf("Only about quinces now."))
    vault.touch("files/paper.pdf")
    vault.index()
    assert ([], 1) == (hits(vault, "marmalade"), len(hits(vault, "quinces")))


@pytest.mark.parametrize("change", ["unembed", "delete the file", "delete the note", "opt out", "off"])
def test_what_is_no_longer_embedded_leaves_nothing(vault: TestVault, change: str) -> None:
    """No passage, word or vector stays in any table."""
    vault.index()
    if change == "unembed":
        vault.write("Reading.md", "nothing")
    elif change == "delete the file":
        vault.remove("files/paper.pdf")
    elif change == "delete the note":
        vault.remove("Reading.md")
    elif change == "opt out":
        vault.write("Reading.md", "---\ngenesys: false\n---\n![[paper.pdf]]")
    else:
        vault.env["GENESYS_ATTACHMENTS"] = "off"
    vault.index()
    assert [] == hits(vault, "marmalade")
    assert not [text for text in embedded(vault) if "marmalade" in text]
    with vault.memory() as memory:
        db = memory._index._db
        assert [] == db.all("SELECT * FROM attached")
        assert [] == db.all("SELECT rowid FROM passages_fts WHERE passages_fts MATCH 'marmalade'")
        memory._index.collect_garbage()
        used = "SELECT vec_key FROM passages"
        assert 0 == db.value(f"SELECT count(*) FROM vectors WHERE vec_key NOT IN ({used})")


def test_a_new_index_says_the_same(vault: TestVault) -> None:
    """.genesys can be deleted (P1)."""
    vault.index()
    before = hits(vault, "marmalade"), sorted(embedded(vault)), vault.graph(inferred=True)
    vault.drop_index()
    vault.index()
    assert before == (hits(vault, "marmalade"), sorted(embedded(vault)), vault.graph(inferred=True))


def test_an_attachment_makes_no_edges(vault: TestVault) -> None:
    """What a PDF mentions is not what the note says: no mentions, no names, no titles come of it."""
    vault.write("Seville.md", "A town.")
    vault.write("Marmalade Season.md", "# 2024-01-01\n\ntext")
    before_paper = pdf("Seville and Marmalade Season are mentioned here.")
    vault.write("files/paper.pdf", before_paper)
    vault.index()
    assert '"inferred"' not in vault.graph(inferred=True)


@pytest.mark.parametrize(
    ("name", "raw", "problem"),
    [
        ("a.pdf", b"", "can't be read"),
        ("a.pdf", b"%PDF-1.4 rubbish", "can't be read"),
        ("a.pdf", PAPER[:300], "can't be read"),
        ("a.docx", b"PK\x03\x04 rubbish", "can't be read"),
        ("a.docx", zip_bomb(), "when unpacked"),
        ("a.pdf", encrypted_pdf("hidden"), "encrypted"),
        ("a.pdf", pdf(""), "no text in it"),
    ],
)
def test_a_bad_file_costs_only_itself(vault: TestVault, name: str, raw: bytes, problem: str) -> None:
    """It is named with its reason by status and doctor, not tried again, and everything else is found."""
    vault.write(f"files/{name}", raw)
    vault.write("Bad.md", f"![[{name}]] among oysters")
    vault.index()
    assert 1 == len(hits(vault, "oysters")) == len(hits(vault, "marmalade"))
    with vault.memory(read_only=True) as memory:
        found = {p.path: p.reason for p in memory.status().problems}
        assert problem in found[f"files/{name}"]
        assert [] == memory._index.unread_attachments(str(attaching._limits(memory.settings)), 9)
        line = next(c for c in memory.doctor() if c.name == "attachments")
    assert f"files/{name}" in line.detail


def test_a_file_that_takes_too_long_is_given_up() -> None:
    """A parser that does not end is ended."""
    found = extract("a.pdf", slow_pdf(), Limits(1 << 30, 10, 2))
    assert found.problem
    assert () == found.sections


def test_size_and_pages_are_bounded(vault: TestVault) -> None:
    """Only the first pages are read, and a file over the limit not at all."""
    two = extract("a.pdf", pdf("one", "two", "three"), Limits(1 << 20, 2, 30))
    assert ((("page 1",), ("page 2",)), "only its first 2 pages are read") == (
        tuple(head for head, _ in two.sections),
        two.problem,
    )
    assert "larger than" in extract("a.pdf", b"x" * (2 << 20), Limits(1 << 20, 2, 30)).problem


def test_without_the_extra_nothing_is_read(vault: TestVault, monkeypatch: pytest.MonkeyPatch) -> None:
    """Vaults are indexed as before, and doctor says what to install."""
    monkeypatch.setattr(attaching, "available", lambda: False)
    monkeypatch.setattr("genesys.extract.available", lambda: False)
    vault.index()
    assert [] == hits(vault, "marmalade")
    with vault.memory(read_only=True) as memory:
        assert (
            "genesys-vault[attachments]" in next(c for c in memory.doctor() if c.name == "attachments").detail
        )


def test_the_daemon_follows_a_changed_attachment(vault: TestVault) -> None:
    """What the watcher says has changed is read, one file at a time, while words and links are ready."""
    vault.index()
    background = Background(vault.settings(), _owner(vault))
    background.start()
    try:
        until(lambda: background.read_once and not background.busy)
        vault.write("files/paper.pdf", pdf("Only about quinces now."))
        vault.touch("files/paper.pdf")
        background.changed(["files/paper.pdf"])
        until(lambda: len(hits(vault, "quinces")) == 1)
        assert [] == hits(vault, "marmalade")
    finally:
        background.stop(10)


def _owner(vault: TestVault) -> Owner:
    from genesys.embed import load_embedder

    return Owner(lambda: None, lambda: None, lambda: load_embedder(vault.settings()))


texts = st.lists(
    st.sampled_from(["word", " ", "\n", "\n\n", "字", ". ", "```", "# ", "[[x]]", "^id", "|", "---"]),
    max_size=60,
)


@settings(max_examples=80)
@given(st.lists(texts.map("".join), max_size=4))
def test_every_word_of_an_attachment_is_in_a_passage(pages: list[str]) -> None:
    """Whatever the text looks like, nothing of it is read as Markdown's structure or lost."""
    sections = [((f"page {n}",), plain_text(page)) for n, page in enumerate(pages, 1)]
    found = attached_passages("a.pdf", 3, sections, 60)
    words = [w for _, text in sections for w in text.split()]
    assert words == [w for p in found for w in p.text.split()] or "^id" in "".join(pages)
    assert [*range(len(found))] == [p.ordinal for p in found]
    assert all(p.heading_path[0] == "a.pdf" and (p.line_start, p.line_end) == (3, 3) for p in found)


def test_words_cut_at_a_line_end_are_whole() -> None:
    """As a reader sees them; ligatures are spelled out."""
    assert "marmalade\neﬃcient".replace("ﬃ", "ffi") == plain_text("marma-\nlade\r\neﬃcient")


@pytest.mark.model
def test_a_question_is_answered_from_a_pdf(tmp_path: Path) -> None:
    """With the real model, in other words than the file's."""
    root = tmp_path / "vault"
    root.mkdir()
    vault = TestVault(root, env={})
    vault.write("Reading.md", "![[paper.pdf]]")
    vault.write("paper.pdf", PAPER)
    vault.write("Other.md", "Trains leave at noon.")
    assert 0 == run_cli("index", vault=root).code
    answer = json.loads(run_cli("recall", "citrus jam from Spain", "--json", vault=root).stdout)
    first = answer["hits"][0]
    assert ("Reading.md", ["paper.pdf", "page 2"]) == (first["path"], first["heading_path"])
