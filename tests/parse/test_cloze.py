"""Questions from links and from files of pairs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genesys.parse.cloze import Cloze, clozes, spread_out
from genesys.parse.pairs import read_pairs

PATHS = ["Pump.md", "Log.md", "Deep/Filter.md", "A/Twin.md", "B/Twin.md"]


def asked(text: str, source: str = "Log.md") -> list[tuple[str, str]]:
    return [(c.target, c.query) for c in clozes(PATHS, [(source, text)])]


def test_a_sentence_asks_for_the_note_it_links_to() -> None:
    """The sentence around the link and no other, without the link and without marks."""
    text = "# Log\n\nRain all day. We **repaired** [[Pump|the machine]] with a new seal. Then tea.\n"
    assert [("Pump.md", "We repaired with a new seal.")] == asked(text)
    chinese = "下雨了。我们昨天修好了[[Pump]]它的密封圈。喝茶。\n"
    assert [("Pump.md", "我们昨天修好了 它的密封圈。")] == asked(chinese)


@pytest.mark.parametrize(
    "text",
    [
        "[[Pump]]\n",
        "see [[Pump]]\n",
        "The pump was repaired with [[Pump]] and a new seal.\n",
        "We repaired [[Pump]] with a seal, and [[Pump]] thanked us.\n",
        "We repaired [[Nowhere]] with a new seal today.\n",
        "We repaired [[Twin]] with a new seal today.\n",
        "We looked at ![[Pump]] with a new seal today.\n",
        '---\nup: "we repaired [[Pump]] with a seal"\n---\n',
        "```\nWe repaired [[Pump]] with a new seal today.\n```\n",
    ],
    ids=["bare", "short", "named", "twice", "nowhere", "namesakes", "embed", "property", "code"],
)
def test_a_link_that_tells_nothing_asks_nothing(text: str) -> None:
    """Too few words, a target that is named otherwise or is none or is two, an embed, a property, code."""
    assert [] == asked(text)


def test_a_note_asks_nothing_about_itself() -> None:
    """A link to its own note makes no question."""
    assert [] == asked("We repaired [[Pump]] with a new seal today.\n", "Pump.md")


@given(st.text(alphabet="[]|#!. \nab。中`-Pump", max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    """Whatever the marks, a question never holds its target's link."""
    assert all("[[Pump" not in query for _, query in asked(text))


def test_questions_come_from_as_many_notes_as_there_are() -> None:
    """One of each note first; more of one note, and at most four, only where there are too few."""
    many = [Cloze("A.md", "T.md", line, 0, 1, "q") for line in range(9)]
    other = [Cloze("B.md", "T.md", 0, 0, 1, "q")]
    assert ["A.md", "B.md"] == [c.source for c in spread_out([*many, *other], 2)]
    assert 4 + 1 == len(spread_out([*many, *other], 50))


@pytest.mark.parametrize(
    ("ending", "text"),
    [
        ("csv", 'question,note\n"who sells seals, and where",[[Pump]]\n\nwhat clogs,Filter\n'),
        ("tsv", "who sells seals, and where\t[[Pump]]\nwhat clogs\tFilter\n"),
        (
            "jsonl",
            '{"question": "who sells seals, and where", "note": "[[Pump]]"}\n'
            '{"query": "what clogs", "gold": ["Filter"]}\n',
        ),
    ],
)
@pytest.mark.parametrize("told", [True, False])
def test_pairs_are_read_in_three_forms(ending: str, text: str, told: bool) -> None:
    """CSV, TSV and JSON lines say the same, by their ending or by how they begin."""
    pairs = read_pairs("\ufeff" + text, ending if told else "")
    assert [("who sells seals, and where", ("[[Pump]]",)), ("what clogs", ("Filter",))] == [
        (p.question, p.notes) for p in pairs
    ]


def test_a_line_that_is_no_pair_says_so_and_costs_no_other() -> None:
    """Each with its line number and what is wrong."""
    text = '{"question": "a", "note": "B"}\nnonsense\n[1]\n{"note": "B"}\n{"question": "c", "note": 5}\n'
    assert [(1, ""), (2, "not JSON"), (3, 'not an object: {"question", "note"}')] == [
        (p.line, p.problem) for p in read_pairs(text)
    ][:3]
    assert ["there is no question", "there is no note"] == [p.problem for p in read_pairs(text)][3:]
    rows = read_pairs("alone\na,B\n", "csv")
    assert [(1, "there is no note"), (2, "")] == [(p.line, p.problem) for p in rows]


@given(st.text(max_size=300), st.sampled_from(["", "csv", "tsv", "jsonl"]))
def test_any_file_can_be_read(text: str, ending: str) -> None:
    """No text raises; every pair has a question and a note, or a problem."""
    assert all(p.problem or (p.question and p.notes) for p in read_pairs(text, ending))
