"""Cue phrases: what the words around a link say, and what they don't."""

from __future__ import annotations

import re
import time
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genesys.model import CreatedBy, EdgeType, Relation
from genesys.parse.cues import CUE_WEIGHT, relations

FILE = Path(__file__).with_name("cues.txt")
MARKED = re.compile(r"\[\[@[^\]]*\]\]|\[[^\]]*\]\(@[^)]*\)")


def _label(found: tuple[Relation, ...]) -> str:
    return "".join(f"{relation.type.value}{'>' if relation.forward else '<'}" for relation in found) or "-"


def _examples() -> list[tuple[str, str, str]]:
    language, found = "", []
    for line in FILE.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            language = line[3:]
        elif line and not line.startswith("#"):
            label, sentence = line.split(" | ", 1)
            found.append((language, label, sentence))
    return found


EXAMPLES = _examples()


def _said(sentence: str) -> str:
    link = MARKED.search(sentence)
    assert link is not None, sentence
    return _label(relations(sentence, link.start(), link.end()))


def test_there_are_enough_examples() -> None:
    """The set is large enough, and has enough that must give nothing, for its figures to mean something."""
    count = Counter((language, label == "-") for language, label, _ in EXAMPLES)
    assert count["en", False] + count["en", True] >= 120
    assert count["en", True] >= 40
    assert all(count[language, False] + count[language, True] >= 20 for language in ("de", "zh"))


@pytest.mark.parametrize("language", ["en", "de", "zh"])
def test_precision_and_recall(language: str) -> None:
    """At least 97 of 100 relations are right, and at least 80 of 100 that are there are found."""
    rows = [(label, _said(sentence), sentence) for known, label, sentence in EXAMPLES if known == language]
    said = [row for row in rows if row[1] != "-"]
    meant = [row for row in rows if row[0] != "-"]
    right = [row for row in said if row[0] == row[1]]
    wrong = [row for row in rows if row[0] != row[1]]
    print(
        f"{language}: precision {len(right)}/{len(said)}, recall {len(right)}/{len(meant)}",
        *wrong,
        sep="\n  ",
    )
    assert len(right) >= 0.97 * len(said)
    assert len(right) >= 0.8 * len(meant)


def test_a_relation_carries_weight_and_origin() -> None:
    """A cue weighs less than what a writer states in a property."""
    text = "It broke because of [[x]]."
    assert (Relation(EdgeType.CAUSED_BY, True, CUE_WEIGHT, CreatedBy.CUE),) == relations(text, 20, 25)


def test_only_the_own_sentence_counts() -> None:
    """A cue of the sentence before, of another list item or of another table cell is none of this link's."""
    for text in (
        "This is because of rain. [[x]] is fine.",
        "- because of\n- [[x]]",
        "| because of | [[x]] |",
        "because of\n\n[[x]]",
    ):
        assert () == relations(text, text.index("[["), text.index("]]") + 2)


def test_the_words_may_be_wrapped_and_marked_up() -> None:
    """A line break, emphasis, capitals and typographic quotes change nothing."""
    for text in (
        "It broke **because\nof** the [[x]].",
        "BECAUSE OF *[[x]]*, it broke.",
        "> It broke because of “[[x]]”.",
    ):
        assert "caused_by>" == _label(relations(text, text.index("[["), text.index("]]") + 2))


@settings(max_examples=300, derandomize=True, deadline=None, database=None)
@given(st.text(max_size=60), st.text(max_size=60))
def test_any_text_will_do(before: str, after: str) -> None:
    """No text makes it raise, with a cue in it or not."""
    for lead in (before, before + " because of ", before + "因为"):
        assert len(relations(f"{lead}[[x]]{after}", len(lead), len(lead) + 5)) <= 1


def test_long_text_stays_cheap() -> None:
    """A paragraph of ten thousand links costs no more for each of them than a sentence would."""
    text = "because of [[x]] and " * 10_000
    begin = time.perf_counter()
    for at in range(0, len(text), len(text) // 100):
        relations(text, at, at + 5)
    assert time.perf_counter() - begin < 1.0
