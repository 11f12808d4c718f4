"""``why --canvas``: a valid canvas of the chain, beside the note, over nothing but one of ours."""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.kit import TestVault
from genesys.accounts import NoteRef
from genesys.engine.canvas import STYLE, draw
from genesys.errors import PathEscape, WriteRefused
from genesys.model import CreatedBy, Edge, EdgeType, Step
from genesys.parse.canvas import is_drawn, parse_canvas
from genesys.reports import WhyReport
from support import invoke, tree_bytes

SIDES, ENDS = {"top", "right", "bottom", "left"}, {"none", "arrow"}
NEEDS = {"text": "text", "file": "file", "link": "url"}  # type of card → the attribute it must have
HOSTILE = 'Bad "name" (100%) & <b>'


def check_canvas(raw: bytes) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Cards by id, and arrows, of a file that keeps to JSON Canvas 1.0; fails where it doesn't."""
    data = json.loads(raw)
    assert set(data) <= {"nodes", "edges"}
    ids = [item["id"] for item in (*data["nodes"], *data["edges"])]
    assert all(isinstance(name, str) and name for name in ids)
    assert len(ids) == len(set(ids))
    cards = {card["id"]: card for card in data["nodes"]}
    for item in (*data["nodes"], *data["edges"]):
        assert re.fullmatch(r"[1-6]|#[0-9A-Fa-f]{6}", item.get("color", "1"))
    for card in cards.values():
        assert all(type(card[key]) is int for key in ("x", "y", "width", "height"))
        assert isinstance(card[NEEDS[card["type"]]], str)
    for arrow in data["edges"]:
        assert {arrow["fromNode"], arrow["toNode"]} <= set(cards)
        assert {arrow.get("fromSide", "top"), arrow.get("toSide", "top")} <= SIDES
        assert {arrow.get("fromEnd", "none"), arrow.get("toEnd", "arrow")} <= ENDS
    return cards, data["edges"]


def overlapping(cards: dict[str, Any]) -> list[tuple[str, str]]:
    """Pairs of cards of which one covers a part of the other."""

    def apart(a: Any, b: Any, at: str, size: str) -> bool:
        return bool(a[at] + a[size] <= b[at] or b[at] + b[size] <= a[at])

    return [
        (a["id"], b["id"])
        for a, b in itertools.combinations(cards.values(), 2)
        if not (apart(a, b, "x", "width") or apart(a, b, "y", "height"))
    ]


def by_note(cards: dict[str, Any]) -> dict[str, Any]:
    return {card["file"]: card for card in cards.values() if card["type"] == "file"}


def test_the_chain_runs_from_cause_to_effect(story: TestVault) -> None:
    """Notes as cards, causes at the left, each reason on a card between the two notes it joins."""
    story.index(embed=False)
    with story.memory(read_only=True) as memory:
        drawing = memory.canvas("ADR-003 LoRa Mesh")
        chain = memory.why("ADR-003 LoRa Mesh")
    assert "Decisions/ADR-003 LoRa Mesh causes.canvas" == drawing.path
    cards, arrows = check_canvas((story.root / drawing.path).read_bytes())
    assert [] == overlapping(cards)
    notes = by_note(cards)
    here = notes["Decisions/ADR-003 LoRa Mesh.md"]["x"]
    assert {s.path for s in (*chain.upstream, *chain.downstream)} <= set(notes)
    assert all(notes[s.path]["x"] < here for s in chain.upstream)
    assert all(notes[s.path]["x"] > here for s in chain.downstream)
    cause = notes["Incidents/Winter Outage 2026.md"]["id"]
    first = next(a for a in arrows if a["fromNode"] == cause and "reason" in a["toNode"])
    assert "led to" == first["label"]
    assert "modems" in cards[first["toNode"]]["text"]
    assert any(a["fromNode"] == first["toNode"] and a["toEnd"] == "arrow" for a in arrows)


def test_notes_change_by_no_byte_and_the_canvas_is_no_evidence(story: TestVault) -> None:
    """Only the canvas is new, and the next pass takes no link from it: it would prove itself."""
    story.index(embed=False)
    before, graph = tree_bytes(story.root), story.graph(inferred=True)
    with story.memory(read_only=True) as memory:
        path = memory.canvas("ADR-003 LoRa Mesh").path
    story.index(embed=False)
    after = tree_bytes(story.root)
    after.pop(path)
    assert before == after
    kept = json.loads(story.graph(inferred=True))
    kept["notes"] = [n for n in kept["notes"] if n["path"] != path]
    assert json.loads(graph) == kept


def test_ours_is_drawn_anew_and_a_person_s_is_left_alone(story: TestVault) -> None:
    """A second call writes nothing, a changed vault draws anew, one moved card makes the canvas theirs."""
    story.index(embed=False)
    with story.memory() as memory:
        first = memory.canvas("ADR-003 LoRa Mesh")
        assert first.written
        assert not memory.canvas("ADR-003 LoRa Mesh").written
        story.write("Decisions/ADR-010.md", "(caused_by:: [[ADR-003 LoRa Mesh]], which was slow)\n")
        memory.index(embed=False)
        assert memory.canvas("ADR-003 LoRa Mesh").notes == first.notes + 1
        file = story.root / first.path
        data = json.loads(file.read_bytes())
        data["nodes"][1]["x"] += 20
        file.write_text(json.dumps(data), encoding="utf-8")
        mine = file.read_bytes()
        with pytest.raises(WriteRefused, match="yours"):
            memory.canvas("ADR-003 LoRa Mesh")
        assert mine == file.read_bytes()
        assert "Other.canvas" == memory.canvas("ADR-003 LoRa Mesh", "Other").path


@pytest.mark.parametrize("file", ["../out", "a/../../out", "/tmp/out.canvas", "x\0y", ".obsidian/out"])
def test_a_canvas_stays_in_the_vault(story: TestVault, file: str) -> None:
    """A path outside, or hidden from Obsidian, is refused, and nothing is written."""
    story.index(embed=False)
    before = tree_bytes(story.root.parent)
    with story.memory(read_only=True) as memory, pytest.raises((PathEscape, WriteRefused)):
        memory.canvas("ADR-003 LoRa Mesh", file)
    assert before == tree_bytes(story.root.parent)


def test_a_link_out_of_the_vault_is_not_followed(story: TestVault, tmp_path: Path) -> None:
    """A symlink in the canvas's place, or above it, is no way out."""
    story.index(embed=False)
    outside = tmp_path / "outside"
    outside.mkdir()
    (story.root / "Away").symlink_to(outside)
    (story.root / "Here.canvas").symlink_to(outside / "x.canvas")
    with story.memory(read_only=True) as memory:
        for file in ("Away/x", "Here"):
            with pytest.raises((PathEscape, WriteRefused)):
                memory.canvas("ADR-003 LoRa Mesh", file)
    assert [] == list(outside.iterdir())


def test_odd_names_and_words_are_data(vault: TestVault) -> None:
    """Names with every odd character stand as they are; a reason can embed, link and format nothing."""
    vault.write(f"{HOSTILE}.md", "# One\n")
    vault.write("猫の日記.md", "x\n")
    evil = "![[Secret]] <img src=x> # head **b** [[Secret]] `c` ![p](//x.org/a.png) $x$ %%y%% #tag"
    vault.write("B.md", f"caused_by:: [[{HOSTILE}]] since {evil}\n\nbecause of [[猫の日記]] we went\n")
    vault.index(embed=False)
    with vault.memory(read_only=True) as memory:
        cards, _ = check_canvas((vault.root / memory.canvas("B").path).read_bytes())
        odd = memory.canvas(HOSTILE)
    assert {f"{HOSTILE}.md", "猫の日記.md", "B.md"} == set(by_note(cards))
    texts = [card["text"] for key, card in cards.items() if key.startswith("reason")]
    assert any("head" in text for text in texts)
    for text in texts:
        assert not re.search(r"(?<!\\)[\[\]<>`*#$%]", text)
    assert f"{HOSTILE}.md" in by_note(check_canvas((vault.root / odd.path).read_bytes())[0])


def test_a_cause_of_a_cause_stands_left_of_it(vault: TestVault) -> None:
    """Also where it is a cause of the note itself: its arrow to the other cause runs to the right."""
    vault.write("Storm.md", "x\n")
    vault.write("Flood.md", "(caused_by:: [[Storm]], the river rose)\n")
    vault.write("Move.md", "(caused_by:: [[Flood]], the cellar was wet)\n(caused_by:: [[Storm]], no roof)\n")
    vault.index(embed=False)
    with vault.memory(read_only=True) as memory:
        cards, _ = check_canvas((vault.root / memory.canvas("Move").path).read_bytes())
    x = {path: card["x"] for path, card in by_note(cards).items()}
    assert x["Storm.md"] < x["Flood.md"] < x["Move.md"] == 0
    assert 3 == sum(key.startswith("reason") for key in cards)
    assert [] == overlapping(cards)


TEXT = st.text(max_size=60)


@given(st.lists(st.tuples(TEXT, TEXT, st.sampled_from(sorted(STYLE))), max_size=8), st.data())
def test_whatever_notes_say_the_canvas_is_valid_and_ours(
    steps: list[tuple[str, str, EdgeType]], data: st.DataObject
) -> None:
    """Any title, any sentence, any tangle of edges: the format holds, nothing overlaps, and one changed
    character makes it a person's."""
    paths = [f"{at} {name}.md" for at, (name, _, _) in enumerate(steps)] or ["A.md"]
    some = st.sampled_from(paths)
    ends = {(data.draw(some), data.draw(some), kind): said for _, said, kind in steps}
    edges = [Edge(a, b, kind, 1.0, CreatedBy.FIELD, said) for (a, b, kind), said in ends.items() if a != b]
    chain = tuple(Step(e.target, e.target, e, 1) for e in edges)
    report = WhyReport(NoteRef(paths[0], steps[0][0] if steps else "A"), chain, ())
    known = {paths[0], *(s.path for s in chain)}
    raw = draw(report, [e for e in edges if {e.source, e.target} <= known])
    cards, _ = check_canvas(raw)
    assert [] == overlapping(cards)
    assert is_drawn(raw)
    assert () == parse_canvas("x.canvas", raw)
    at = data.draw(st.integers(0, len(raw) - 1))
    changed = raw[:at] + bytes([raw[at] ^ 1]) + raw[at + 1 :]
    try:
        same = json.loads(changed) == json.loads(raw)
    except ValueError:
        same = False
    assert is_drawn(changed) is same


def test_a_forged_mark_proves_nothing() -> None:
    """A canvas with our mark and other content is a person's, however deep or odd it is."""
    for nodes in ('[{"id": "genesys-0"}]', '[{"id": "genesys-0"}, {"id": "genesys-1"}]', '[1, {"id": 5}]'):
        assert not is_drawn(f'{{"nodes": {nodes}}}'.encode())
    deep = "[" * 900 + "]" * 900
    assert not is_drawn(f'{{"nodes": [{{"id": "genesys-0", "x": {deep}}}]}}'.encode())


def test_a_cycle_and_a_note_without_causes(vault: TestVault) -> None:
    """Notes that cause each other are drawn once each; a lonely note is a valid canvas that says so."""
    vault.write("A.md", "caused_by:: [[B]]\n")
    vault.write("B.md", "caused_by:: [[A]]\n")
    vault.write("C.md", "alone\n")
    vault.index(embed=False)
    with vault.memory(read_only=True) as memory:
        cards, arrows = check_canvas((vault.root / memory.canvas("A").path).read_bytes())
        assert {"A.md", "B.md"} == set(by_note(cards))
        assert 2 == len(arrows)
        lonely, none = check_canvas((vault.root / memory.canvas("C").path).read_bytes())
    assert [] == none
    assert any("No cause" in card.get("text", "") for card in lonely.values())


def test_the_command_draws_and_says_where(fixture_vault: Path) -> None:
    """One line with the path, one that opens it; a FILE without --canvas is a usage error."""
    assert invoke("index", "--no-embed", vault=fixture_vault).code == 0
    done = invoke("why", "ADR-003 LoRa Mesh", "Maps/Mesh", "--canvas", vault=fixture_vault)
    assert done.code == 0, done.stderr
    assert done.stdout.startswith("drew Maps/Mesh.canvas: ")
    assert "obsidian://open?vault=" in done.stdout
    check_canvas((fixture_vault / "Maps/Mesh.canvas").read_bytes())
    assert 2 == invoke("why", "ADR-003 LoRa Mesh", "Maps/Mesh", vault=fixture_vault).code
