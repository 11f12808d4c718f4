"""Recall as a whole: what is found, in which order, why, and what an answer says of itself."""

from __future__ import annotations

import shutil

import pytest

from engine.kit import TestVault
from genesys.model import Filters, Status
from genesys.store.index import open_index
from genesys.store.rows import StateChange
from support import VAULT as FIXTURE

FILLER = {
    f"Filler/{i}.md": f"An ordinary note number {i} about gardens, bread and weather." for i in range(25)
}
PUMP = {
    **FILLER,
    "Pump.md": "# Pump\n\nThe water pump in the cellar failed because the filter clogged.\n",
    "Filter.md": "The mesh is cleaned every spring. Led to trouble: [[Pump]].\n",
    "Storm.md": "A storm.\n\ncaused_by:: [[Cold Front]], which nobody had forecast\n",
    "Cold Front.md": "Air from the north.\n",
}


@pytest.fixture
def pump(vault: TestVault) -> TestVault:
    vault.write_all(PUMP)
    vault.index()
    return vault


def test_signals_add_up_to_the_score(pump: TestVault) -> None:
    """score = sum of signals × prior, for every hit of every question."""
    for query in ("water pump", "storm", "what did the filter lead to", "gardens"):
        for hit in pump.recall(query).hits:
            assert hit.score == pytest.approx(sum(hit.signals.values()) * hit.prior)


def test_the_right_note_comes_first_and_says_why(pump: TestVault) -> None:
    """Matched words, passage, lines and a link that opens Obsidian."""
    first = pump.recall("why did the water pump fail").hits[0]
    assert "Pump.md" == first.path
    assert "“pump”" in first.why
    assert {"water", "pump"} <= set(first.matched)
    assert "clogged" in first.text
    assert "obsidian://open?vault=vault&file=Pump.md" == first.uri


def test_a_note_that_only_links_found_carries_its_path(pump: TestVault) -> None:
    """The cause of the storm shares no word with the question; the step that led to it is told."""
    hit = next(h for h in pump.recall("storm").hits if h.path == "Cold Front.md")
    (step,) = hit.via
    assert ("Storm.md", "caused_by") == (step.path, step.edge.type.value)
    assert "nobody had forecast" in step.edge.evidence
    assert "[[Storm]]" in hit.why


def test_words_and_links_answer_without_vectors(vault: TestVault) -> None:
    """An index that was never embedded says what it could not use."""
    vault.write_all(PUMP)
    vault.index(embed=False)
    answer = vault.recall("water pump")
    assert "Pump.md" == answer.hits[0].path
    assert "vectors" not in answer.signals


@pytest.mark.parametrize("query", ["", "  \n\t", "?!", "\x00", "🙂"])
def test_nothing_asked_nothing_answered(pump: TestVault, query: str) -> None:
    """No words: an empty answer and a line that says so."""
    answer = pump.recall(query)
    assert () == answer.hits
    assert answer.notices


@pytest.mark.parametrize(
    "query",
    [
        '" OR 1=1 --',
        "title:pump",
        "pump*",
        "NEAR(pump water)",
        "[[Pump]]",
        "%_%",
        "a" * 1_000_000,
        "(" * 5000,
    ],
)
def test_a_query_has_no_syntax(pump: TestVault, query: str) -> None:
    """Operators, wildcards, a megabyte: all of it is just words."""
    pump.recall(query)


def test_a_superseded_note_falls_behind_and_names_its_successor(vault: TestVault) -> None:
    """× 0.3, with superseded_by."""
    vault.write_all(FILLER)
    vault.write("Plan A.md", "We heat with oil in the winter house.\n")
    vault.write("Plan B.md", "supersedes:: [[Plan A]]\n\nWe heat with wood in the winter house.\n")
    vault.index()
    hits = {h.path: h for h in vault.recall("how do we heat the winter house with oil").hits}
    assert hits["Plan B.md"].score > hits["Plan A.md"].score
    assert "Plan B.md" == hits["Plan A.md"].superseded_by
    assert "superseded by [[Plan B]]" in hits["Plan A.md"].why


def test_a_turn_of_phrase_alone_demotes_no_note(vault: TestVault) -> None:
    """What the words around a link suggest is a path; to be superseded a note must be said to be."""
    vault.write_all(FILLER)
    vault.write("Plan A.md", "We heat with oil in the winter house.\n")
    vault.write("Plan B.md", "This replaces [[Plan A]]. We heat with wood in the winter house.\n")
    vault.index()
    with open_index(vault.settings().index, read_only=True) as index:
        assert [("supersedes", "cue")] == [
            (e.type.value, e.created_by.value) for e in index.all_edges() if e.type.value == "supersedes"
        ]
    hits = {h.path: h for h in vault.recall("how do we heat the winter house with oil").hits}
    assert "" == hits["Plan A.md"].superseded_by
    assert hits["Plan A.md"].prior > 0.9
    assert hits["Plan A.md"].score > hits["Plan B.md"].score


def test_a_note_asked_for_by_its_name_comes_first(vault: TestVault) -> None:
    """Whatever links to it and is closer in meaning: title or alias, in any case, as a link too."""
    shutil.copytree(FIXTURE, vault.root, dirs_exist_ok=True)
    vault.write("Wire.md", "---\naliases: [TCP/IP]\n---\nTwo pairs, twisted.\n")
    for i in range(3):
        vault.write(f"Net {i}.md", f"TCP/IP over TCP/IP over [[Wire|TCP/IP]].\n\nEdition {i}.\n")
    vault.index()
    for query in ("ADR-005 Pressure Sensors", "adr-005 pressure sensors", "[[ADR-005 Pressure Sensors]]"):
        assert "Decisions/ADR-005 Pressure Sensors.md" == vault.found(query)[0]
    assert "Wire.md" == vault.found("TCP/IP")[0]


def test_pruned_notes_are_never_returned(pump: TestVault) -> None:
    """Whatever they say."""
    with open_index(pump.settings().index) as index:
        note = index.note_id("Pump.md")
        assert note is not None
        index.set_states([StateChange(note, status=Status.PRUNED)], pump.now)
    assert "Pump.md" not in pump.found("water pump cellar filter")


def test_filters_hold_and_the_rest_still_answers(pump: TestVault) -> None:
    """A folder filter leaves only its notes, however weak."""
    with pump.memory(read_only=True) as memory:
        answer = memory.recall("water pump gardens", 5, Filters(folder="Filler"), read_only=True)
    assert answer.hits
    assert {"Filler"} == {h.path.partition("/")[0] for h in answer.hits}


def test_copies_are_one_hit(vault: TestVault) -> None:
    """The same paragraph filed twice is told once."""
    text = "The harbour pump was replaced in March after three seasons of salt water.\n"
    vault.write_all({**FILLER, "A.md": text, "B.md": text})
    vault.index()
    assert 1 == len([p for p in vault.found("harbour pump replaced") if p in ("A.md", "B.md")])


def test_neighbours_in_time_are_context(vault: TestVault) -> None:
    """The answer to a question in the note before is found by the question's words."""
    vault.write_all(FILLER)
    vault.write("Talk/1.md", '---\nnext: "[[2]]"\n---\nAna: Where did you buy the accordion?\n')
    vault.write(
        "Talk/2.md", '---\nprev: "[[1]]"\n---\nBen: In a tiny shop behind the old station in Porto.\n'
    )
    vault.index()
    assert {"Talk/1.md", "Talk/2.md"} == set(vault.found("where was the accordion bought", 2))


def test_a_person_named_in_the_question_lifts_that_person_s_notes(vault: TestVault) -> None:
    """``speaker``, ``author`` and the like."""
    vault.write_all(FILLER)
    for who in ("Ana", "Ben"):
        vault.write(
            f"Talk/{who}.md", f"---\nspeaker: {who}\n---\nI bought a green canoe last summer.\n{who}\n"
        )
    vault.index()
    assert "Talk/Ben.md" == vault.found("Did Ben buy a canoe?")[0]


def test_notes_of_the_day_asked_about_come_first(vault: TestVault) -> None:
    """A date in the question against the date of the note."""
    for day in ("2023-05-08", "2023-05-28", "2023-08-08"):
        vault.write(f"Diary/{day}.md", f"Swam in the lake with the neighbours, entry {day[-2:]}.\n")
    vault.index()
    assert "Diary/2023-05-28.md" == vault.found("When did we swim in the lake, on 28 May 2023?")[0]


def test_a_note_of_the_day_is_found_among_many_with_the_words(vault: TestVault) -> None:
    """Its date speaks for it even where its text says nothing that was asked."""
    for day in range(1, 29):
        for part in range(4):
            vault.write(
                f"Diary/2023-05-{day:02} {part}.md", f"The choir sang at the market, verse {day} {part}.\n"
            )
    vault.write("Diary/2023-06-20.md", "Rain all morning; mended the fence.\n")
    vault.index()
    assert "Diary/2023-06-20.md" in vault.found("What did the choir do on 20 June 2023?", 10)


def test_an_unlinked_mention_is_a_path(vault: TestVault) -> None:
    """A note that the text names without a link is reached through it, and forgotten with it."""
    vault.write_all(FILLER)
    vault.write("Vessel.md", "The survey was led from Aurora Station that year.\n")
    vault.write("Aurora Station.md", "Built on stilts above the ice.\n")
    vault.index()
    with open_index(vault.settings().index, read_only=True) as index:
        assert [("Vessel.md", "Aurora Station.md")] == [
            (e.source, e.target) for e in index.all_edges() if e.created_by.value == "mention"
        ]
    vault.write("Vessel.md", "The survey was led from a tent that year.\n")
    vault.index()
    with open_index(vault.settings().index, read_only=True) as index:
        assert [] == [e for e in index.all_edges() if e.created_by.value == "mention"]


def test_the_heading_over_a_whole_note_is_a_name_of_it(vault: TestVault) -> None:
    """Files named by a number are mentioned by what stands at their top; a section's heading is no name."""
    vault.write("202401051200.md", "# Aurora Station\n\nOn stilts.\n\n## Crew Quarters\n\nWarm.\n")
    vault.write("Parts.md", "# Drill Tower\n\nSteel.\n\n# Snow Tractor\n\nRed.\n")
    vault.write("Log.md", "From Aurora Station, past the Drill Tower and the Crew Quarters.\n")
    vault.write_all(FILLER)
    vault.index()
    with open_index(vault.settings().index, read_only=True) as index:
        assert ["202401051200.md"] == [e.target for e in index.edges_of([index.note_id("Log.md") or 0])]
    vault.write("202401051200.md", "# Borealis Station\n\nOn stilts.\n")
    vault.index()
    with open_index(vault.settings().index, read_only=True) as index:
        assert [] == index.edges_of([index.note_id("Log.md") or 0])


def test_a_new_name_is_found_in_old_texts(vault: TestVault) -> None:
    """And a rename moves the mention."""
    vault.write("Log.md", "We passed Cape Horn at noon.\n")
    vault.write_all(FILLER)
    vault.index()
    vault.write("Cape Horn.md", "Wind.\n")
    vault.index()
    with open_index(vault.settings().index, read_only=True) as index:
        assert ["Cape Horn.md"] == [e.target for e in index.edges_of([index.note_id("Log.md") or 0])]
    vault.move("Cape Horn.md", "Kap Hoorn.md")
    vault.index()
    with open_index(vault.settings().index, read_only=True) as index:
        assert [] == index.edges_of([index.note_id("Log.md") or 0])


def test_daily_notes_follow_each_other(vault: TestVault) -> None:
    """In order, not across a gap, and a person's own ``next`` has precedence."""
    for day in ("2024-01-01", "2024-01-02", "2024-06-01"):
        vault.write(f"Daily/{day}.md", f"Entry of {day}.\n")
    vault.index()
    with open_index(vault.settings().index, read_only=True) as index:
        assert [("Daily/2024-01-01.md", "Daily/2024-01-02.md")] == [
            (e.source, e.target) for e in index.all_edges()
        ]


def test_the_same_question_has_the_same_answer(pump: TestVault) -> None:
    """Also after the index was made anew."""
    before = [(h.path, h.score) for h in pump.recall("water in the gardens").hits]
    pump.index(full=True)
    assert before == [(h.path, h.score) for h in pump.recall("water in the gardens").hits]


def test_an_empty_vault_answers_nothing(vault: TestVault) -> None:
    """No notes, no error."""
    vault.index()
    assert () == vault.recall("anything").hits
