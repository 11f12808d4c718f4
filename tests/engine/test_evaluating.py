"""``genesys eval``: what it asks, what it leaves alone, and what it says of each signal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.kit import TestVault
from genesys.engine.evaluating import _parted
from genesys.engine.questions import from_links
from genesys.engine.view import view_of
from genesys.errors import UsageError
from genesys.evaluation import Evaluation, Verdict
from genesys.settings import load_settings
from support import invoke, run_cli, tree_bytes

SUBJECTS = [
    "pump",
    "boiler",
    "ladder",
    "kettle",
    "saddle",
    "violin",
    "anchor",
    "lantern",
    "compass",
    "hammer",
]


def words(i: int) -> str:
    return f"{SUBJECTS[i]} maintenance {SUBJECTS[i]} repair {SUBJECTS[i - 1]}"


@pytest.fixture
def workshop(vault: TestVault) -> TestVault:
    """Ten notes that say what they are about under names that don't, and a diary that links to them."""
    for i in range(10):
        vault.write(f"Things/T{i:03}.md", f"All about {words(i)} in the shop.\n")
        vault.write(f"Diary/Day {i}.md", f"Nothing else today. We saw {words(i)} in [[T{i:03}]] again.\n")
    vault.index()
    return vault


def evaluated(vault: TestVault, pairs: tuple[str, str] | None = None, **options: int | bool) -> Evaluation:
    with vault.memory(read_only=True) as memory:
        return memory.evaluate(pairs, **options)  # type: ignore[arg-type]


def test_links_become_questions_and_nothing_is_changed(workshop: TestVault) -> None:
    """Every link asks once; figures are beside words alone and meaning alone; not a byte changes anywhere."""
    before = tree_bytes(workshop.root, skip="nothing")
    report = evaluated(workshop, n=50)
    assert (10, "links") == (report.asked, report.made_from)
    assert ["recall", "words alone", "meaning alone", "both by rank"] == [r.name for r in report.rankings]
    for ranking in report.rankings:
        for figure in ranking.figures.values():
            assert 0.0 <= figure.low <= figure.mean <= figure.high <= 1.0
    assert report.rankings[0].figures["recall@10"].mean == 1.0
    assert any("fewer than 50" in notice for notice in report.notices)
    after = tree_bytes(workshop.root, skip="nothing")
    assert {p: b for p, b in before.items() if not p.endswith(("-shm", "-wal"))} == {
        p: b for p, b in after.items() if not p.endswith(("-shm", "-wal"))
    }


def test_the_note_that_asks_is_no_answer_and_its_links_say_nothing(vault: TestVault) -> None:
    """A target that only its link could find is not found, and the diary is not in the answer."""
    vault.write("Target.md", "zzz\n")
    vault.write("Diary.md", "Yesterday the roofers mended gutters near [[Target]] cheaply.\n")
    for i in range(5):
        vault.write(f"Filler/{i}.md", f"roofers gutters number {i}\n")
    vault.index()
    assert {"Diary.md", "Target.md"} <= set(vault.found("roofers mended gutters cheaply"))
    report = evaluated(vault, n=1)
    assert 1 == report.asked
    assert 0.0 == report.rankings[0].figures["recall@20"].mean


def test_a_view_without_a_note_s_links_is_otherwise_the_same(workshop: TestVault) -> None:
    """Only arcs from and to the note lose their strength, and only its targets a link."""
    with workshop.memory(read_only=True) as memory:
        index, params = memory._index, memory.settings.recall
        whole = view_of(index, params)
        part = _parted(whole, index, "Diary/Day 3.md")
        ids = index.note_ids(["Diary/Day 3.md", "Things/T003.md"])
        place = {path: int(whole.note_ids.searchsorted(note)) for path, note in ids.items()}
        silent = part.graph.strength < whole.graph.strength
        start = whole.graph.start.searchsorted(silent.nonzero()[0], side="right") - 1
        ends = set(zip(start.tolist(), whole.graph.target[silent].tolist(), strict=True))
        assert ends
        assert all(place["Diary/Day 3.md"] in pair for pair in ends)
        assert 1.0 == whole.linked[place["Things/T003.md"]] - part.linked[place["Things/T003.md"]]
        assert 1.0 == whole.linked.sum() - part.linked.sum()
        assert whole is view_of(index, params), "the view that recall uses is untouched"


def test_the_same_seed_asks_the_same(workshop: TestVault) -> None:
    """Four of ten links: the same four twice, others with another seed."""
    with workshop.memory(read_only=True) as memory:
        draws = [from_links(memory._index, memory.settings, 4, seed) for seed in (1, 1, 2)]
    assert draws[0] == draws[1] != draws[2]


def test_a_signal_that_finds_everything_is_said_to_help(vault: TestVault) -> None:
    """Notes that only their title names: without words they are lost, and the settings say how to try it."""
    for i in range(30):
        vault.write(f"N/Thing {i}.md", f"the code of this one is q{i}x\n")
    vault.index()
    pairs = "\n".join(f"where is q{i}x,Thing {i}" for i in range(30))
    report = evaluated(vault, (pairs, "csv"), signals=True, k=1)
    effects = {e.signal: e for e in report.effects}
    assert Verdict.HELPS is effects["words"].verdict
    assert effects["words"].recall.low > 0
    assert ("GENESYS_MEANING_WEIGHT=1",) == effects["words"].off
    assert Verdict.UNSEEN is effects["people"].verdict


def test_pairs_name_notes_as_links_do_and_bad_ones_are_listed(workshop: TestVault) -> None:
    """Link, path and alias are accepted; what no note is called is named with its line, and left out."""
    text = "boiler repair,[[T001]]\nkettle,Things/T003.md\nkettle,T002\nwhat,Nothing Here\nlonely\n"
    report = evaluated(workshop, (text, "csv"))
    assert (2, "pairs") == (report.asked, report.made_from)
    assert ["line 4: no note is called 'Nothing Here'", "line 5: there is no note"] == list(report.skipped)


def test_what_cannot_be_asked_is_said(vault: TestVault) -> None:
    """A vault without links, and a file without a pair: one line, and what to do."""
    vault.write("A.md", "No link at all.\n")
    vault.index()
    with pytest.raises(UsageError, match="no link of this vault"):
        evaluated(vault)
    with pytest.raises(UsageError, match="no pair"):
        evaluated(vault, ("", "csv"))


def test_the_command_prints_tables_and_json(
    workshop: TestVault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both tables for a person, one document for a program, a clear line for a file that is not there."""
    monkeypatch.setenv("GENESYS_EMBEDDER", "fake")
    said = invoke("eval", "--signals", "--n", "5", vault=workshop.root)
    assert (0, "") == (said.code, said.stderr)
    assert "5 questions from the vault's links, asked read-only, without the daemon" in said.stdout
    assert "words alone" in said.stdout
    assert "verdict" in said.stdout
    file = tmp_path / "pairs.tsv"
    file.write_text("boiler repair\tT001\n", encoding="utf-8")
    data = json.loads(invoke("eval", str(file), "--json", vault=workshop.root).stdout)
    assert (1, "pairs", "recall") == (data["asked"], data["made_from"], data["rankings"][0]["name"])
    missing = invoke("eval", str(tmp_path / "none.csv"), vault=workshop.root)
    assert 2 == missing.code
    assert "can't read" in missing.stderr


def test_without_vectors_words_are_measured_alone(vault: TestVault) -> None:
    """An index that was never embedded: no ranking by meaning, and a line that says so."""
    vault.write("Target.md", "gutters\n")
    vault.write("Diary.md", "Yesterday the roofers mended gutters near [[Target]] cheaply.\n")
    vault.index(embed=False)
    report = evaluated(vault)
    assert ["recall", "words alone"] == [r.name for r in report.rankings]
    assert any("nothing is embedded" in notice for notice in report.notices)


@pytest.mark.model
@pytest.mark.slow
def test_the_real_model_is_measured_on_the_fixture_vault(fixture_vault: Path) -> None:
    """Index, then evaluate pairs by the command line: recall and meaning alone find the note."""
    assert run_cli("index", vault=fixture_vault).code == 0
    pairs = fixture_vault.parent / "pairs.csv"
    pairs.write_text(
        "question,note\nswitching the radios to a mesh,[[ADR-003 LoRa Mesh]]\n", encoding="utf-8"
    )
    done = run_cli("eval", str(pairs), "--json", vault=fixture_vault)
    data = json.loads(done.stdout)
    assert (1, []) == (data["asked"], data["skipped"])
    figures = {r["name"]: r["figures"]["recall@10"]["mean"] for r in data["rankings"]}
    assert (1.0, 1.0) == (figures["recall"], figures["meaning alone"])


def test_settings_are_those_of_the_vault(workshop: TestVault) -> None:
    """A signal that a person has switched off is not switched off again."""
    workshop.env["GENESYS_PERSON_BONUS"] = "0"
    assert 0 == load_settings(workshop.root, workshop.env).recall.person_bonus
    names = [e.signal for e in evaluated(workshop, signals=True, n=3).effects]
    assert "people" not in names
    assert "words" in names
