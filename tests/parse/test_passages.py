"""Passages: under one heading, within the model's window, and nothing lost."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from genesys.model import Note, ParseOptions
from genesys.parse.note import parse_note
from genesys.parse.tokens import estimate

LONG = "The mill by the river turned grain into flour for the whole valley. " * 3


def read(text: str, path: str = "Mill.md") -> Note:
    return parse_note(path, text.encode(), ParseOptions())


def test_a_passage_never_crosses_a_heading() -> None:
    """Each section has its own passages, with the path of headings above them."""
    note = read("Intro.\n\n# A\n\none\n\n## B\n\ntwo\n\n# A\n\nthree\n")
    assert [((), "Intro."), (("A",), "one"), (("A", "B"), "two"), (("A",), "three")] == [
        (p.heading_path, p.text) for p in note.passages
    ]
    assert [1, 5, 9, 13] == [p.line_start for p in note.passages]


def test_what_the_model_reads() -> None:
    """Title and headings lead, once; links read as their text, marks and addresses go."""
    note = read(
        "# Mill\n\nSee **[[Water Wheel|the wheel]]** and [[Rain#Spring]] `x <y>` [here](https://a.b/c)"
        " https://www.ex.org/page <b>bold</b> ^id1\n"
    )
    (passage,) = note.passages
    assert "Mill\nSee the wheel and Rain > Spring x <y> here ex.org bold" == passage.embed_text
    assert "id1" == passage.block_id
    assert "^id1" not in passage.text
    assert "[[Water Wheel|the wheel]]" in passage.text
    assert "www.ex.org/page" in passage.search_text


def test_dates_lead_the_text_of_dated_notes() -> None:
    """A daily note says its day in words and not twice; the hash does not cover it, nor the title."""
    note, other = read("Rain.\n", "2023-05-07.md"), read("Rain.\n", "Mill.md")
    assert "[7 May 2023] Rain." == note.passages[0].embed_text
    assert note.passages[0].text_hash == other.passages[0].text_hash


def test_a_note_without_text_can_be_found() -> None:
    """Title and readable properties make its one passage."""
    for text in ("", " \n\n\t\n", "---\nspeaker: Maria\n---\n"):
        (passage,) = read(text).passages
        assert passage.embed_text.startswith("Mill")
    assert "speaker: maria" in passage.search_text


def test_a_heading_alone_is_a_line_of_the_section_around_it() -> None:
    """Headings with nothing under them are found as text."""
    note = read("# A\n\ntext\n\n## One\n## Two\n# Last\n")
    assert [("A",), ()] == [p.heading_path for p in note.passages]
    assert "text\n\n## One\n\n## Two" == note.passages[0].text
    assert "# Last" == note.passages[1].text


def test_small_blocks_merge_and_long_ones_split() -> None:
    """Neighbours make one passage; a long paragraph is cut between sentences."""
    assert 1 == len(read("one\n\ntwo\n\n- three\n- four\n").passages)
    passages = read(LONG * 12).passages
    assert len(passages) > 2
    assert all(p.text.endswith(".") for p in passages)
    assert LONG * 12 == " ".join(p.text for p in passages) + " "


def test_code_and_tables_stay_whole_where_they_fit() -> None:
    """A block of code is not cut between its lines as long as the model can read it all."""
    code = "```python\n" + "value = compute(1)\n" * 24 + "```"
    assert [code] == [p.text for p in read(code).passages]
    long_code = read("```\n" + "value = compute(1)\n" * 200 + "```").passages
    assert len(long_code) > 5
    assert 200 == sum(p.text.count("compute") for p in long_code)


def test_data_is_not_embedded() -> None:
    """Drawings and base64 keep their place, not their letters."""
    blob = "\n".join(["N4KAkARALgngDgUwgLgAQQQDwMYEMA2AlgCYBOuA7hADTgQBuCpAzoQPYB2KqATL"] * 500)
    assert 1 == len(read(f"# D\n\n```compressed-json\n{blob}\n```\n").passages)
    drawing = (
        '---\nexcalidraw-plugin: parsed\n---\n# T\ntext\n```json\n{"points": [' + "1, " * 3000 + "2]}\n```\n"
    )
    (passage,) = read(drawing).passages
    assert "text" in passage.search_text
    assert "points" not in passage.search_text


def test_an_edit_of_one_section_leaves_the_hashes_of_others() -> None:
    """Unchanged passages keep their hash, so they keep their vectors."""
    before = read(f"# A\n\n{LONG}\n\n# B\n\n{LONG}\n").passages
    after = read(f"---\nx: 1\n---\n# A\n\n{LONG} More.\n\n# B\n\n{LONG}\n").passages
    assert before[0].text_hash != after[0].text_hash
    assert before[1].text_hash == after[1].text_hash
    assert before[0].text_hash != before[1].text_hash


BLOCK = st.one_of(
    st.text(alphabet="ab c.\n#-`>|*_[]()!$%^:…字한é", max_size=120),
    st.sampled_from(
        [
            "# H",
            "## K\n",
            "- a\n- b",
            "> q\n> r",
            "```\nx y\n```",
            "| a | b |\n|-|-|\n| c | d |",
            "x\n---",
            LONG,
        ]
    ),
)


@settings(max_examples=150)
@given(st.lists(BLOCK, max_size=8).map("\n\n".join))
def test_every_line_is_in_a_passage_and_fits(text: str) -> None:
    """Whatever the text: no line is lost (headings may be carried by their sections), none is too long."""
    note = read(text)
    covered = {n for p in note.passages for n in range(p.line_start, p.line_end + 1)}
    for number, line in enumerate(note_lines(text), 1):
        if line.strip() and not re.match(r"[\s>]*#|\s*(=+|-+)\s*$", line):
            titles = {t for p in note.passages for t in p.heading_path}
            assert number in covered or any(line.strip()[:1] in t for t in titles)
    for passage in note.passages:
        assert estimate(passage.embed_text) <= 225
        assert passage.line_start <= passage.line_end
    assert list(range(len(note.passages))) == [p.ordinal for p in note.passages]


def note_lines(text: str) -> list[str]:
    return [] if text.startswith("---\n") else text.split("\n")


@given(st.text(alphabet="a b.!?字 ", min_size=1, max_size=3000))
def test_no_letter_of_a_long_paragraph_is_lost(text: str) -> None:
    """Passages of a paragraph hold all its letters, in order."""
    words = "".join("".join(p.text for p in read("x " + text).passages).split())
    assert "".join(("x" + text).split()) == words
