"""Hints at contradictions: how many are right, how many are found, and where they show."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genesys.model import NEGATIVE
from genesys.parse.conflicts import conflict
from memory.helpers import Clock, make_vault, memory_of
from support import tree_bytes

PAIRS = [
    json.loads(line) for line in Path(__file__).with_name("conflicts.jsonl").read_text("utf-8").splitlines()
]


def test_hints_are_precise_and_find_most_of_a_labelled_set() -> None:
    """85 pairs in three languages: nine hints in ten are right, and nine contradictions in ten are found.

    The last 24 were written after the rules: there all hints were right, and 10 of 12 contradictions found.
    """
    hinted = [bool(conflict(pair["new"], pair["old"])) for pair in PAIRS]
    true = sum(hint and pair["conflict"] for hint, pair in zip(hinted, PAIRS, strict=True))
    precision, recall = true / sum(hinted), true / sum(pair["conflict"] for pair in PAIRS)
    print(f"precision {precision:.2f}, recall {recall:.2f} of {len(PAIRS)} pairs")
    wrong = [pair for hint, pair in zip(hinted, PAIRS, strict=True) if hint != pair["conflict"]]
    assert precision >= 0.9, wrong
    assert recall >= 0.9, wrong


@pytest.mark.parametrize("pair", PAIRS, ids=lambda p: p["new"][:30])
def test_a_hint_does_not_depend_on_who_said_it_first(pair: dict[str, str]) -> None:
    """Old and new may trade places."""
    assert bool(conflict(pair["new"], pair["old"])) == bool(conflict(pair["old"], pair["new"]))


@given(st.text(max_size=300), st.text(max_size=300))
def test_any_two_texts_can_be_compared(one: str, other: str) -> None:
    """Whatever the characters; a text never contradicts itself."""
    assert isinstance(conflict(one, other), str)
    assert "" == conflict(one, one)


@pytest.mark.parametrize(
    ("one", "other", "hinted"),
    [
        ("My favourite tea is Earl Grey.", "My favourite tea is Assam.", True),
        ("I prefer tabs for indentation.", "I prefer spaces for indentation.", True),
        ("Unsere Standardschrift ist Inter.", "Unsere Standardschrift ist Lato.", True),
        ("我们的默认数据库是MySQL。", "我们的默认数据库是Postgres。", True),
        ("My favourite tea is Earl Grey.", "Her favourite tea is Assam.", False),
        ("My favourite tea is Earl Grey.", "My favourite tea is the Earl Grey in the tin.", False),
        ("I prefer tabs for indentation.", "I prefer Inter for headings.", False),
        ("I prefer tea.", "I prefer jazz.", False),
    ],
)
def test_another_choice_for_the_same_thing_is_hinted_at(one: str, other: str, hinted: bool) -> None:
    """One favourite, preference or default a topic; other topics and other people have their own."""
    assert hinted == bool(conflict(one, other)) == bool(conflict(other, one))


def test_a_memory_that_contradicts_a_stored_number_returns_the_hint(tmp_path: Path) -> None:
    """The hint names the note and both sentences; it is no edge, and nothing of the old note changes."""
    note = "# Pump house\n\nThe pump runs at 40 bar. It was built in 1998.\n"
    vault = make_vault(tmp_path / "vault", {"Pump.md": note, "Other.md": "Frogs sing.\n"})
    with memory_of(vault, Clock()) as memory:
        memory.index()
        before = tree_bytes(vault)
        done = memory.remember("The pump runs at 55 bar.")
        assert ["Pump.md"] == [hit.path for hit in done.possible_conflicts]
        [reason] = done.conflict_reasons
        assert (
            "Pump.md: other numbers: “The pump runs at 55 bar.” against “The pump runs at 40 bar.”" == reason
        )
        assert not [e for e in memory._index.all_edges() if e.type in NEGATIVE]
        assert () == memory.remember("Frogs sing at night.").possible_conflicts
        amended = memory.amend(done.path, "The pump runs at 50 bar.")
        assert {"Pump.md"} == {hit.path for hit in amended.possible_conflicts}, (
            "not the note that it replaces"
        )
    after = tree_bytes(vault)
    assert before == {path: after[path] for path in before}
