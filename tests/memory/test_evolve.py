"""Evolve: near-duplicates merged without a loss, decisions gone stale, lessons shared; all with an undo."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genesys.engine.likeness import PAIRS, near_pairs
from genesys.engine.session import Genesys
from genesys.errors import UsageError, WriteRefused
from genesys.model import EdgeType, MemoryType
from genesys.reports import EvolveKind, EvolveReport, Proposal
from genesys.store.rows import Matrix
from memory.helpers import Clock, make_vault, memory_of, row
from support import invoke, tree_bytes

SHORT = "We chose LoRa because the ice storm took the masts down."
LONG = f"{SHORT} The vote of the cooperative was unanimous."
SENTENCES = st.lists(
    st.sampled_from(["We chose LoRa.", "We chose RaLo.", "The pump was late.", "水泵坏了。"]),
    min_size=1,
    max_size=3,
)
ALIKE = "We chose LoRa because the ice storm took the antennas down."


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    return make_vault(tmp_path / "vault", {"Storm.md": "The ice storm of 2026.\n", "Mine.md": f"{SHORT}\n"})


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def memory(vault: Path, clock: Clock) -> Iterator[Genesys]:
    with memory_of(vault, clock) as opened:
        opened.index()
        yield opened


def told(memory: Genesys, *texts: str, **more: object) -> list[str]:
    """Remember, each in a session of its own and a day after the other; embed; the paths."""
    paths = []
    for number, text in enumerate(texts):
        paths.append(memory.remember(text, source_session=f"s{number}", **more).path)  # type: ignore[arg-type]
        memory._clock.later(1)  # type: ignore[attr-defined]
    memory.index()
    return paths


def only(report: EvolveReport, kind: EvolveKind) -> Proposal:
    """The one proposal, which is of this kind."""
    (found,) = report.proposals
    assert kind is found.kind
    return found


# ------------------------------------------------------------------ merging


def test_without_apply_nothing_changes(memory: Genesys, vault: Path) -> None:
    """Proposals say what and why; not a byte, no event."""
    short, long = told(memory, SHORT, LONG)
    before, events = tree_bytes(vault), memory.stats().events
    found = only(memory.evolve(), EvolveKind.MERGE)
    assert (long, short, True, False) == (found.path, found.other, found.sure, found.done)
    assert "says all" in found.reason
    assert (before, events) == (tree_bytes(vault), memory.stats().events)


def test_a_merge_keeps_what_says_more_and_its_undo_brings_all_back(memory: Genesys, vault: Path) -> None:
    """The other is in the trash, its uses count for the one that stays, which names it; undone, every note
    says what it said, and it is not proposed again."""
    short, long = told(memory, SHORT, LONG)
    memory.recall("ice storm masts", k=5)
    texts = {path: (vault / path).read_bytes() for path in (short, long)}
    uses = {path: memory._index.accesses_of([row(memory, path).id]) for path in (short, long)}
    recalls = row(memory, short).recalls + row(memory, long).recalls
    done = only(memory.evolve(apply=True), EvolveKind.MERGE)
    assert done.done
    assert not (vault / short).exists()
    assert (vault / ".trash" / short).read_bytes() == texts[short]
    assert recalls == row(memory, long).recalls
    assert len(uses[short]) + len(uses[long]) == len(memory._index.accesses_of([row(memory, long).id]))
    assert 'genesys_supersedes: "We chose LoRa' in (vault / long).read_text("utf-8").replace(": W", ': "W')
    assert LONG in (vault / long).read_text("utf-8")
    assert not memory.evolve().proposals
    assert (short,) == memory.undo_evolve(done.undo)
    assert texts[short] == (vault / short).read_bytes()
    assert "genesys_supersedes" not in (vault / long).read_text("utf-8")
    assert uses[long] == memory._index.accesses_of([row(memory, long).id])
    assert not memory.evolve().proposals
    with pytest.raises(UsageError):
        memory.undo_evolve(done.undo)


def test_a_merged_memory_can_be_brought_back_like_a_forgotten_one(memory: Genesys, vault: Path) -> None:
    """`forget --undo` knows it, too."""
    short, _ = told(memory, SHORT, LONG)
    memory.evolve(apply=True)
    assert short == memory.undo_forget(short)
    assert (vault / short).is_file()


def test_a_persons_words_are_never_touched(memory: Genesys, vault: Path) -> None:
    """A note that says the same is no candidate, nor is a memory that a person has edited."""
    told(memory, SHORT)
    assert not memory.evolve().proposals  # Mine.md says the very same
    _, long = told(memory, SHORT, LONG)
    edited = vault / long
    edited.write_bytes(edited.read_bytes() + b"\nI was there.\n")
    memory._clock.later(1)  # type: ignore[attr-defined]
    memory.index()
    before = tree_bytes(vault)
    assert not memory.evolve(apply=True).proposals
    assert before == tree_bytes(vault)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The north field is flooded in spring.", "The south field is flooded in spring."),
        ("The pump costs 300 euro.", "The pump costs 400 euro."),
        ("The relay works in the cold.", "The relay never works in the cold."),
    ],
)
def test_facts_that_differ_in_a_word_are_not_merged_unasked(memory: Genesys, one: str, other: str) -> None:
    """They may be proposed to be joined; --apply leaves them alone."""
    paths = told(memory, one, other)
    report = memory.evolve(apply=True)
    assert all(not p.done and not p.sure for p in report.proposals)
    assert all(row(memory, path) for path in paths)


def test_what_is_linked_pinned_or_says_more_elsewhere_stays(memory: Genesys, vault: Path) -> None:
    """A note that links to the shorter one, a pin on it, a tag or a typed link of its own: no merge."""
    for more in ({"tags": ["radio"]}, {"related": [("Storm", EdgeType.CAUSED_BY)]}, {"category": "decision"}):
        for file in (vault / "Memories").rglob("*.md") if (vault / "Memories").exists() else ():
            file.unlink()
        memory.index()
        told(memory, LONG)
        path = memory.remember(SHORT, source_session="x", **more).path  # type: ignore[arg-type]
        memory.index()
        assert EvolveKind.MERGE not in {p.kind for p in memory.evolve().proposals}, more
    memory.unpin(path)
    short, _ = told(memory, f"{SHORT} Yes.", f"{LONG} Yes.")
    memory.pin(short)
    assert all(short != p.other for p in memory.evolve().proposals)


def test_a_memory_that_is_linked_to_is_the_one_that_stays(memory: Genesys, vault: Path) -> None:
    """Of two that say the same; no link of a person breaks."""
    first, second = told(memory, SHORT, SHORT)
    name = Path(first).stem
    (vault / "Links.md").write_text(f"See [[{name}]].\n", encoding="utf-8")
    memory.index()
    found = only(memory.evolve(), EvolveKind.MERGE)
    assert (first, second) == (found.path, found.other)


def test_a_join_holds_both_texts_links_and_tags(memory: Genesys, vault: Path) -> None:
    """Only when it is named; the new memory says all that both said, and the undo takes it apart again."""
    one = memory.remember(SHORT, source_session="a", tags=["radio"]).path
    memory._clock.later(1)  # type: ignore[attr-defined]
    two = memory.remember(ALIKE, source_session="b", related=[("Storm", EdgeType.CAUSED_BY)]).path
    memory.index()
    texts = {path: (vault / path).read_bytes() for path in (one, two)}
    found = only(memory.evolve(apply=True), EvolveKind.JOIN)
    assert (False, False) == (found.sure, found.done)
    done = only(memory.evolve(apply=True, only=[found.id]), EvolveKind.JOIN)
    assert done.done, done.refused
    (made,) = (vault / "Memories").rglob("*.md")
    text = made.read_text("utf-8")
    for part in (SHORT, ALIKE, "radio", "caused_by:: [[Storm]]"):
        assert part in text
    assert {one, two} == set(memory.undo_evolve(done.undo))
    assert texts == {path: (vault / path).read_bytes() for path in (one, two)}
    assert 2 == len(list((vault / "Memories").rglob("*.md")))


def test_a_join_that_a_person_edited_is_not_undone(memory: Genesys, vault: Path) -> None:
    """Their words would go; it is said, and nothing happens."""
    told(memory, SHORT, ALIKE)
    found = only(memory.evolve(), EvolveKind.JOIN)
    done = only(memory.evolve(apply=True, only=[found.id]), EvolveKind.JOIN)
    (made,) = (vault / "Memories").rglob("*.md")
    made.write_bytes(made.read_bytes() + b"\nMine.\n")
    memory._clock.later(1)  # type: ignore[attr-defined]
    memory.index()
    before = tree_bytes(vault)
    with pytest.raises(WriteRefused):
        memory.undo_evolve(done.undo)
    assert before == tree_bytes(vault)


@pytest.mark.parametrize("other", [LONG, ALIKE])
def test_where_nothing_can_be_trashed_nothing_changes(memory: Genesys, vault: Path, other: str) -> None:
    """A merge or a join that fails half-way leaves each memory as it was, on disk and in the index."""
    paths = told(memory, SHORT, other)
    (vault / ".trash").write_text("a file in the way", encoding="utf-8")
    (found,) = memory.evolve().proposals
    before, uses = tree_bytes(vault), memory.stats().accesses
    (refused,) = memory.evolve(apply=True, only=[found.id]).proposals
    assert refused.refused
    assert not refused.done
    assert (before, uses) == (tree_bytes(vault), memory.stats().accesses)
    assert all(row(memory, path).recalls == 0 for path in paths)
    assert found == memory.evolve().proposals[0]


def test_an_unknown_id_changes_nothing(memory: Genesys, vault: Path) -> None:
    """Also beside one that is known."""
    told(memory, SHORT, LONG)
    found = only(memory.evolve(), EvolveKind.MERGE)
    before = tree_bytes(vault)
    with pytest.raises(UsageError):
        memory.evolve(apply=True, only=[found.id, "00000000"])
    with pytest.raises(UsageError):
        memory.undo_evolve(12345)
    assert before == tree_bytes(vault)


@settings(max_examples=12)
@given(st.lists(SENTENCES, min_size=2, max_size=4))
def test_no_statement_is_ever_lost(tmp_path_factory: pytest.TempPathFactory, texts: list[list[str]]) -> None:
    """Whatever memories there are: after any number of passes each sentence is still in the vault, and after
    every undo each memory is as it was."""
    vault = make_vault(tmp_path_factory.mktemp("p") / "vault", {"Storm.md": "x\n"})
    with memory_of(vault, Clock(), writeback="off") as memory:
        memory.index()
        told(memory, *("\n".join(lines) for lines in texts))
        before = tree_bytes(vault, skip=".genesys")
        undos: list[int] = []
        for _ in range(4):
            undos += [p.undo for p in memory.evolve(apply=True).proposals if p.done]
        left = "\n".join(f.read_text("utf-8") for f in (vault / "Memories").rglob("*.md"))
        assert all(line in left for lines in texts for line in lines)
        for number in reversed(undos):
            memory.undo_evolve(number)
        after = {p: b for p, b in tree_bytes(vault).items() if not p.startswith(".trash")}
        assert before == after
    shutil.rmtree(vault.parent)


def test_likeness_takes_what_is_embedded_and_nothing_else(memory: Genesys) -> None:
    """Pairs of the notes asked for, each once, the most alike first, no note with itself."""
    told(memory, SHORT, LONG, "Quinces ripen late.")
    model = memory.warm().model_id
    notes = [r.id for r in memory._index.all_notes()]
    pairs = near_pairs(memory._index, model, notes, -1.0)
    assert set(notes) == {note for pair in pairs for note in pair[:2]}
    assert len(pairs) == len({frozenset(p[:2]) for p in pairs})
    assert all(a != b for a, b, _ in pairs)
    assert [c for _, _, c in pairs] == sorted((c for _, _, c in pairs), reverse=True)
    assert not near_pairs(memory._index, model, notes[:1], -1.0)
    assert not near_pairs(memory._index, "another model", notes, -1.0)


def test_a_thousand_of_the_same_are_few_pairs_at_a_time() -> None:
    """Work and memory stay bounded, and nearly every one of them is in a pair."""
    vectors = np.tile(np.eye(1, 8, dtype=np.float32), (1_500, 1))
    matrix = Matrix(np.arange(1_500), np.arange(1_500), vectors)
    index: Any = SimpleNamespace(matrix=lambda model: matrix)
    pairs = near_pairs(index, "any", range(1_500), 0.9)
    assert len(pairs) <= PAIRS
    taken: set[int] = set()
    for one, other, _ in pairs:
        if not {one, other} & taken:
            taken |= {one, other}
    assert len(taken) > 200


def test_without_vectors_it_says_so(vault: Path, clock: Clock) -> None:
    """Nothing is embedded for it; the rest works."""
    with memory_of(vault, clock) as memory:
        memory.index(embed=False)
        assert "embedded" in memory.evolve().notices[0]


# ------------------------------------------------------------------ stale decisions


def test_an_untouched_decision_is_marked_and_a_used_one_unmarked(
    memory: Genesys, vault: Path, clock: Clock
) -> None:
    """After 180 days, in the memory and in recall; a recall makes it fresh again; nothing else is marked."""
    path = memory.remember("We buy seed from Ostrava.", category="Decision").path
    other = memory.remember("The fair is in May.", category="event").path
    memory.index()
    clock.later(179)
    assert not memory.evolve().proposals
    clock.later(2)
    text = (vault / path).read_bytes()
    done = only(memory.evolve(apply=True), EvolveKind.STALE)
    assert done.done, done.refused
    assert "genesys_stale: true" in (vault / path).read_text("utf-8")
    assert "genesys_stale" not in (vault / other).read_text("utf-8")
    assert not memory.evolve().proposals
    memory.decay()
    assert "genesys_stale: true" in (vault / path).read_text("utf-8")
    hits = {h.path: h for h in memory.recall("seed from Ostrava", read_only=True).hits}
    assert hits[path].stale
    assert text in (vault / path).read_bytes() or b"genesys_status" in (vault / path).read_bytes()
    memory.recall("seed from Ostrava")
    fresh = only(memory.evolve(apply=True), EvolveKind.FRESH)
    assert fresh.done
    assert "genesys_stale" not in (vault / path).read_text("utf-8")


def test_a_mark_survives_an_index_made_anew_and_goes_with_unwrite(
    memory: Genesys, vault: Path, clock: Clock
) -> None:
    """P1 and P2: it stands in the note, as one of our own lines."""
    path = memory.remember("We buy seed from Ostrava.", category="decision").path
    memory.index()
    before = (vault / path).read_bytes()
    clock.later(200)
    done = only(memory.evolve(apply=True), EvolveKind.STALE)
    memory.close()
    for file in (vault / ".genesys").glob("index.db*"):
        file.unlink()
    with memory_of(vault, clock) as again:
        again.index()
        assert row(again, path).own.stale
        again.unwrite()
        assert before == (vault / path).read_bytes()
        with pytest.raises(UsageError):
            again.undo_evolve(done.undo)


def test_a_mark_that_was_undone_comes_only_after_new_use(memory: Genesys, vault: Path, clock: Clock) -> None:
    """To undo is to say that it holds; used and left alone again, it grows stale again."""
    path = memory.remember("We buy seed from Ostrava.", category="decision").path
    memory.index()
    clock.later(200)
    memory.undo_evolve(only(memory.evolve(apply=True), EvolveKind.STALE).undo)
    assert "genesys_stale" not in (vault / path).read_text("utf-8")
    assert not memory.evolve().proposals
    memory.recall("seed from Ostrava")
    clock.later(200)
    assert only(memory.evolve(), EvolveKind.STALE)


@pytest.mark.parametrize("off", [{"stale_days": 0}, {"stale_categories": "rule"}])
def test_staleness_is_a_setting(vault: Path, clock: Clock, off: dict[str, object]) -> None:
    """Zero days, or another category, and nothing is marked."""
    with memory_of(vault, clock, **off) as memory:
        memory.index()
        memory.remember("We buy seed from Ostrava.", category="decision")
        clock.later(400)
        assert not memory.evolve().proposals


def test_a_pin_or_write_back_switched_off_keeps_the_mark_out(vault: Path, clock: Clock) -> None:
    """A pinned decision holds; with GENESYS_WRITEBACK=off it is said and not written."""
    with memory_of(vault, clock, writeback="off") as memory:
        memory.index()
        kept = memory.remember("We never sell the spring.", category="decision").path
        path = memory.remember("We buy seed from Ostrava.", category="decision").path
        memory.pin(kept)
        clock.later(200)
        before = tree_bytes(vault)
        refused = only(memory.evolve(apply=True), EvolveKind.STALE)
        assert path == refused.path
        assert "GENESYS_WRITEBACK" in refused.refused
        assert before == tree_bytes(vault)


# ------------------------------------------------------------------ sharing


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    folder = tmp_path / "shared"
    folder.mkdir()
    return folder


def test_lessons_are_only_proposed_without_a_shared_vault(memory: Genesys) -> None:
    """A line says which setting is missing; --apply does nothing."""
    path = memory.remember("When the relay hangs, cycle its power.", memory_type=MemoryType.PROCEDURAL).path
    report = memory.evolve(apply=True)
    found = only(report, EvolveKind.SHARE)
    assert (path, False, False) == (found.path, found.sure, found.done)
    assert any("GENESYS_ORG_VAULT" in line for line in report.notices)


def test_lessons_are_shared_once_without_the_links_of_their_vault(
    vault: Path, clock: Clock, shared: Path
) -> None:
    """Errors, lessons and procedures, no other memory; an undo takes the copy away, for good."""
    with memory_of(vault, clock, org_vault=str(shared)) as memory:
        memory.index()
        related = [("Storm", EdgeType.CAUSED_BY)]
        lesson = memory.remember("Ground the mast first.", category="Lesson", related=related).path
        memory.remember("Cycle its power.", memory_type=MemoryType.PROCEDURAL)
        memory.remember("The fair is in May.", category="event")
        memory.index()
        done = memory.evolve(apply=True).proposals
        assert [EvolveKind.SHARE] * 2 == [p.kind for p in done]
        assert all(p.done for p in done)
        assert 2 == len(list(shared.rglob("*.md")))
        copy = (shared / lesson).read_text("utf-8")
        assert "Ground the mast first." in copy
        assert "Storm" not in copy
        assert not memory.evolve().proposals
        number = next(p.undo for p in done if p.path == lesson)
        assert (lesson,) == memory.undo_evolve(number)
        assert not (shared / lesson).exists()
        assert not memory.evolve().proposals
    with memory_of(vault, clock) as memory:
        assert not memory.evolve().proposals


def test_a_copy_that_the_team_changed_is_not_taken_away(vault: Path, clock: Clock, shared: Path) -> None:
    """It is theirs now; the undo says so."""
    with memory_of(vault, clock, org_vault=str(shared)) as memory:
        memory.index()
        path = memory.remember("Ground the mast first.", category="lesson").path
        done = only(memory.evolve(apply=True), EvolveKind.SHARE)
        (shared / path).write_text("Ours.\n", encoding="utf-8")
        with pytest.raises(WriteRefused):
            memory.undo_evolve(done.undo)
        assert "Ours.\n" == (shared / path).read_text("utf-8")


def registered(home: Path, *vaults: Path) -> None:
    """Obsidian's list of vaults."""
    file = home / ".config" / "obsidian" / "obsidian.json"
    file.parent.mkdir(parents=True)
    listed = {str(n): {"path": str(v), "ts": n} for n, v in enumerate(vaults)}
    file.write_text(json.dumps({"vaults": listed}), encoding="utf-8")


def test_what_is_recalled_in_three_vaults_is_shared(tmp_path: Path, clock: Clock, shared: Path) -> None:
    """The same words, recalled in each; stored in three and recalled in two is not enough."""
    import os

    vaults = [make_vault(tmp_path / name, {"N.md": "x\n"}) for name in ("a", "b", "c")]
    registered(Path(os.environ["HOME"]), *vaults)
    for number, vault in enumerate(vaults):
        with memory_of(vault, clock, org_vault=str(shared)) as memory:
            memory.index()
            path = memory.remember("The tax office closes at noon.", source_session=f"v{number}").path
            memory.index()
            assert not memory.evolve().proposals
            memory.recall("tax office noon")
            found = memory.evolve().proposals
    (last,) = found
    assert (EvolveKind.SHARE, path) == (last.kind, last.path)
    assert "3 of your vaults" in last.reason
    with memory_of(vaults[0], clock, org_vault=str(shared), promote_vaults=0) as memory:
        assert not memory.evolve().proposals


def test_a_secret_that_a_person_wrote_into_a_lesson_is_not_shared(
    vault: Path, clock: Clock, shared: Path
) -> None:
    """Nor a lesson that is superseded."""
    with memory_of(vault, clock, org_vault=str(shared)) as memory:
        memory.index()
        path = memory.remember("How to log in to the relay.", category="lesson").path
        old = memory.remember("Ground the mast last.", category="lesson").path
        memory.amend(old, "Ground the mast first.")
        with (vault / path).open("a", encoding="utf-8") as file:
            file.write("\npassword: hunter2hunter2hunter2\n")
        clock.later(1)
        memory.index()
        shares = [p.path for p in memory.evolve(apply=True).proposals if p.kind is EvolveKind.SHARE]
        assert path not in shares
        assert old not in shares


# ------------------------------------------------------------------ the command


def test_the_command_lists_applies_and_undoes(
    memory: Genesys, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Text and JSON; ids as listed; the undo as told."""
    monkeypatch.setenv("GENESYS_EMBEDDER", "fake")
    short, long = told(memory, SHORT, LONG)
    memory.close()
    listed = invoke("evolve", vault=vault)
    assert 0 == listed.code, listed.stderr
    assert "nothing was changed" in listed.stdout
    asked = json.loads(invoke("evolve", "--json", vault=vault).stdout)
    (proposal,) = asked["proposals"]
    assert ("merge", long, short) == (proposal["kind"], proposal["path"], proposal["other"])
    assert proposal["id"] in listed.stdout
    done = json.loads(invoke("evolve", proposal["id"], "--apply", "--json", vault=vault).stdout)
    number = done["proposals"][0]["undo"]
    assert not (vault / short).exists()
    assert 2 == invoke("evolve", "--apply", "--undo", str(number), vault=vault).code
    undone = invoke("evolve", "--undo", str(number), vault=vault)
    assert short in undone.stdout
    assert (vault / short).is_file()


def test_an_ordinary_pass_neither_merges_nor_marks(memory: Genesys, vault: Path, clock: Clock) -> None:
    """decay is not evolve."""
    told(memory, SHORT, LONG)
    memory.remember("We buy seed.", category="decision")
    clock.later(200)
    memory.decay()
    assert 3 == len(list((vault / "Memories").rglob("*.md")))
    assert "genesys_stale" not in "".join(f.read_text("utf-8") for f in vault.rglob("Memories/*/*.md"))


def test_proposals_go_to_the_daemon_and_back() -> None:
    """As themselves, kind and all."""
    from genesys.remote import decode, encode

    report = EvolveReport((Proposal("a1", EvolveKind.STALE, "x.md", "why", undo=3),), ("n",), True, 0.5)
    assert report == decode(EvolveReport, json.loads(json.dumps(encode(report))))
