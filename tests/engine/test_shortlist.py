"""Large vaults: a part is ranked as the whole would be, and below the threshold nothing is left out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.kit import TestVault
from genesys.embed import load_embedder
from genesys.engine import autolink, scoring
from genesys.engine.part import part_of, ranges
from genesys.engine.recall import recall
from genesys.engine.view import View, view_of
from genesys.model import Answer, Filters
from genesys.settings import Settings, load_settings
from genesys.store.index import Index, open_index
from support import NOW, QUESTIONS, VAULT

ASKED = [json.loads(line)["query"] for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Index, Settings]]:
    """The fixture vault, and the settings under which it counts as a large one."""
    import shutil

    root = tmp_path_factory.mktemp("large") / "vault"
    shutil.copytree(VAULT, root, symlinks=True)
    vault = TestVault(root)
    vault.index()
    settings = load_settings(vault=root, env=vault.env)
    with open_index(settings.index) as index:
        yield index, replace(settings, recall=replace(settings.recall, exact_passages=0))


def asked(index: Index, settings: Settings, query: str, filters: Filters = Filters()) -> Answer:  # noqa: B008
    return recall(index, load_embedder(settings), settings, query, 10, filters, now=NOW)


def told(answer: Answer) -> list[tuple[str, str, str]]:
    return [(hit.path, hit.text, hit.why) for hit in answer.hits]


@pytest.mark.parametrize("filters", [Filters(), Filters(folder="Projects")], ids=["all", "filtered"])
def test_a_shortlist_gives_the_answers_of_the_whole(large: tuple[Index, Settings], filters: Filters) -> None:
    """Same notes, same passages, same reasons, scores alike: for every question of the fixture."""
    index, settings = large
    exact = replace(settings, recall=replace(settings.recall, exact_passages=1_000_000))
    for query in ASKED:
        part, whole = (asked(index, s, query, filters) for s in (settings, exact))
        assert told(whole) == told(part), query
        assert (whole.signals, whole.notices) == (part.signals, part.notices)
        np.testing.assert_allclose([h.score for h in whole.hits], [h.score for h in part.hits], atol=2e-3)


@pytest.mark.model
@pytest.mark.slow
def test_a_shortlist_gives_the_answers_of_the_whole_with_the_real_model(fixture_vault: Path) -> None:
    """Same notes in the same order, by true sign bits."""
    vault = TestVault(fixture_vault, env={})
    vault.index()
    settings = load_settings(vault=vault.root, env={})
    tight = replace(settings.recall, exact_passages=0, shortlist=40, near_passages=100)
    with open_index(settings.index) as index:
        answers = [
            (asked(index, settings, q), asked(index, replace(settings, recall=tight), q)) for q in ASKED[:12]
        ]
    shared = [len({h.path for h in a.hits} & {h.path for h in b.hits}) / len(a.hits) for a, b in answers]
    assert sum(shared) / len(shared) >= 0.9
    assert all(a.hits[0].path == b.hits[0].path for a, b in answers)


def test_a_short_shortlist_still_finds_the_best(large: tuple[Index, Settings]) -> None:
    """A tenth of the notes is enough for the note that comes first."""
    index, settings = large
    small = replace(settings, recall=replace(settings.recall, shortlist=12, near_passages=100))
    first = [(asked(index, s, q).hits[:1] for s in (settings, small)) for q in ASKED]
    same = sum(a == b or (a and b and a[0].path == b[0].path) for a, b in first)
    assert same >= 0.9 * len(ASKED)


def test_a_large_vault_without_vectors_answers_from_words(vault: TestVault) -> None:
    """And says what it could not use."""
    vault.write_all({f"{i}.md": f"Note {i} about bread and weather.\n" for i in range(20)})
    vault.write("Pump.md", "The water pump failed.\n")
    vault.index(embed=False)
    settings = load_settings(vault=vault.root, env=vault.env | {"GENESYS_EXACT_PASSAGES": "0"})
    with open_index(settings.index) as index:
        answer = asked(index, settings, "water pump")
    assert "Pump.md" == answer.hits[0].path
    assert ("words", "links") == answer.signals
    assert answer.notices


def test_words_beyond_the_budget_are_left_out_the_commonest_first(vault: TestVault) -> None:
    """A word that every note has costs nothing; alone it still answers."""
    vault.write_all({f"{i}.md": f"Bread and weather, number {i}.\n" for i in range(30)})
    vault.write("Pump.md", "The bread of the water pump.\n")
    vault.index(embed=False)
    settings = load_settings(vault=vault.root, env=vault.env | {"GENESYS_EXACT_PASSAGES": "0"})
    tight = replace(settings, recall=replace(settings.recall, weighed_rows=5, found_rows=5))
    with open_index(settings.index) as index:
        hit = asked(index, tight, "bread pump").hits[0]
        assert ("Pump.md", ("pump",)) == (hit.path, hit.matched)
        assert 10 == len(asked(index, tight, "bread").hits)


def test_a_large_vault_scores_and_links_alike(
    large: tuple[Index, Settings], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Closeness to recent work and links by likeness do not hang on where the vectors are read from."""
    index, settings = large
    exact = replace(settings, recall=replace(settings.recall, exact_passages=1_000_000))
    cols = scoring.columns(index)
    part, whole = (scoring.scores(index, s, cols, NOW).score for s in (settings, exact))
    np.testing.assert_allclose(whole, part, atol=1e-3)
    model = load_embedder(settings).model_id
    note = next(iter(index.passage_arrays().note_id.tolist()))
    near = autolink._nearest(index, model, note)
    monkeypatch.setattr(autolink, "RecallParams", lambda: settings.recall)
    packed = autolink._nearest(index, model, note)
    assert [n for n, _ in near] == [n for n, _ in packed]
    np.testing.assert_allclose([c for _, c in near], [c for _, c in packed], atol=1e-3)


@given(st.data())
def test_ranges_are_all_numbers_in_turn(data: st.DataObject) -> None:
    """As a loop over the ranges would give them."""
    pairs = data.draw(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 5)), max_size=20))
    start = np.array([a for a, _ in pairs], dtype=np.int64)
    end = np.array([a + n for a, n in pairs], dtype=np.int64)
    assert [i for a, n in pairs for i in range(a, a + n)] == ranges(start, end).tolist()


@given(st.data())
def test_a_part_means_what_the_whole_means(large: tuple[Index, Settings], data: st.DataObject) -> None:
    """Passages, neighbours, arcs and successors of the notes taken, under their new numbers."""
    view = view_of(large[0], large[1].recall)
    m = len(view.note_ids)
    notes = np.array(sorted(data.draw(st.sets(st.integers(0, m - 1), max_size=m))), dtype=np.int64)
    part, places = part_of(view, notes)
    assert view.passage_ids[places].tolist() == part.passage_ids.tolist()
    assert np.isin(view.note_of, notes).sum() == len(places)
    assert view.note_of[places].tolist() == notes[part.note_of].tolist()
    known, hit = part.known(part.passage_ids)
    assert list(range(len(places))) == known.tolist() == hit.tolist()
    for offset, near in view.near.items():
        inside = {int(p): i for i, p in enumerate(places)}
        want = [inside.get(int(near[p]), len(places)) for p in places]
        assert want == part.near[offset].tolist()
    assert _arcs(view, notes.tolist()) == _arcs(part, range(len(notes)), notes)


def _arcs(view: View, notes: object, names: object = None) -> set[tuple[int, int, int]]:
    name = (lambda i: int(i)) if names is None else (lambda i: int(names[i]))  # type: ignore[index]
    inside = set(notes)  # type: ignore[call-overload]
    graph = view.graph
    return {
        (name(i), name(graph.target[a]), int(graph.edge[a]))
        for i in inside
        for a in range(graph.start[i], graph.start[i + 1])
        if int(graph.target[a]) in inside
    }
