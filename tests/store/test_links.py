"""Resolving links and the edges that follow from them."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genesys.model import CreatedBy, Edge, EdgeType, Move, Relation
from genesys.store import links as links_module
from genesys.store.index import Index, open_index
from genesys.store.keys import name_key, target_key
from store.factory import NOW, attachment, canvas, link, record, simple_resolver
from support import ROOT, child_env


def edges(index: Index) -> set[tuple[str, str, str, float]]:
    return {(e.source, e.target, e.type.value, e.weight) for e in index.all_edges()}


def test_links_become_edges(index: Index) -> None:
    """A plain link is related_to; the sentence around it is the evidence."""
    index.put([record("a.md", links=["b"]), record("b.md")], NOW)
    report = index.resolve(simple_resolver)
    assert (1, 1) == (report.checked, report.changed)
    assert [Edge("a.md", "b.md", EdgeType.RELATED_TO, 1.0, CreatedBy.LINK, "see b")] == index.all_edges()


def test_relations_give_type_direction_and_creator(index: Index) -> None:
    """One link may say several things; a backward relation turns the edge round."""
    relations = (
        Relation(EdgeType.CAUSED_BY, False, 0.7, CreatedBy.CUE),
        Relation(EdgeType.SUPPORTS, True, 1.0, CreatedBy.FIELD),
    )
    index.put([record("a.md", links=[link("b", relations=relations)]), record("b.md")], NOW)
    index.resolve(simple_resolver)
    assert {("b.md", "a.md", "caused_by", 0.7), ("a.md", "b.md", "supports", 1.0)} == edges(index)
    assert ["supports"] == [e.type.value for e in index.all_edges(include_inferred=False)]


def test_an_alias_halves_the_weight(index: Index) -> None:
    """Obsidian would not follow it: we do where no file has the name and one note has the alias."""
    index.put([record("a.md", links=["AI"]), record("b.md", aliases=("ai",))], NOW)
    index.resolve(simple_resolver)
    assert {("a.md", "b.md", "related_to", 0.5)} == edges(index)
    assert [True] == [x.via_alias for x in index.links_from(1)]
    index.put([record("AI.md")], NOW)
    index.resolve(simple_resolver)
    assert {("a.md", "AI.md", "related_to", 1.0)} == edges(index)


def test_an_alias_that_comes_or_goes_moves_links(index: Index) -> None:
    """A change of aliases makes links to them dirty; a second owner makes them ambiguous."""
    index.put([record("a.md", links=["nick"]), record("b.md")], NOW)
    index.resolve(simple_resolver)
    index.put([record("b.md", aliases=("Nick",))], NOW)
    index.resolve(simple_resolver)
    assert 1 == len(edges(index))
    index.put([record("c.md", aliases=("nick",))], NOW)
    index.resolve(simple_resolver)
    assert set() == edges(index)
    index.put([record("c.md")], NOW)
    index.resolve(simple_resolver)
    assert {("a.md", "b.md", "related_to", 0.5)} == edges(index)


def test_an_alias_with_a_slash_is_one_name(index: Index) -> None:
    """``TCP/IP`` is no path."""
    owners: list[Sequence[str]] = []

    def resolver(
        target: str, source: str, candidates: Sequence[str], aliases: Sequence[str]
    ) -> tuple[str | None, bool]:
        owners.append(aliases)
        return (aliases[0], True) if aliases else (None, False)

    index.put([record("a.md", links=["TCP/IP", "IP"]), record("b.md", aliases=("TCP/IP",))], NOW)
    index.resolve(resolver)
    assert [["b.md"], []] == [list(x) for x in owners]


def test_no_edge_to_itself_or_to_an_attachment(index: Index) -> None:
    """Such links resolve, and stand in no graph of notes."""
    index.put(
        [record("a.md", links=["a", "", "p.png"]), attachment("p.png"), canvas("c.canvas", ["a.md"])], NOW
    )
    index.resolve(simple_resolver)
    assert [] == index.unresolved()
    assert {("c.canvas", "a.md", "related_to", 1.0)} == edges(index)
    assert ["a.md"] == [
        x.source for x in index.links_to(index._db.value("SELECT id FROM files WHERE path='p.png'"))
    ]


def test_the_strongest_of_several_edges_counts(index: Index) -> None:
    """Several links between the same notes are one edge a type, with the strongest one's evidence."""
    weak = link("b", relations=(Relation(EdgeType.SUPPORTS, True, 0.7, CreatedBy.CUE),), sentence="weak")
    strong = link(
        "b", relations=(Relation(EdgeType.SUPPORTS, True, 1.0, CreatedBy.FIELD),), sentence="strong"
    )
    index.put([record("a.md", links=[weak, strong, weak]), record("b.md")], NOW)
    index.resolve(simple_resolver)
    assert [Edge("a.md", "b.md", EdgeType.SUPPORTS, 1.0, CreatedBy.FIELD, "strong")] == index.all_edges()
    assert [1.0] == index.edge_arrays().weight.tolist()


def test_edges_are_found_by_end_type_and_set(index: Index) -> None:
    """out, in, both, by type, and the induced subgraph."""
    index.put(
        [
            record("a.md", links=[link("b", type=EdgeType.CAUSED_BY), "c"]),
            record("b.md", links=["c"]),
            record("c.md"),
        ],
        NOW,
    )
    index.resolve(simple_resolver)

    def pairs(found: list[Edge]) -> list[str]:
        return [e.source[0] + e.target[0] for e in found]

    assert ["ab", "ac"] == pairs(index.edges_of([1], direction="out"))
    assert [] == pairs(index.edges_of([1], direction="in"))
    assert ["ab", "bc"] == pairs(index.edges_of([2]))
    assert ["ab"] == pairs(index.edges_of([1], [EdgeType.CAUSED_BY]))
    assert ["bc"] == pairs(index.edges_among([2, 3]))


def test_an_unchanged_note_keeps_its_links(index: Index) -> None:
    """A re-put with the same links has nothing to resolve and drops no edge on the way."""
    rec = record("a.md", links=["b"])
    index.put([rec, record("b.md")], NOW)
    index.resolve(simple_resolver)
    index.put([record("a.md", ["new text"], links=["b"])], NOW)
    assert 1 == len(edges(index))
    assert 0 == index.resolve(simple_resolver).checked


# ------------------------------------------------------------------ inferred edges


def test_inferred_edges_are_replaced_as_a_set(index: Index) -> None:
    """Only the difference is written; edges of links and of other creators stay."""
    index.put([record("a.md", links=["b"]), record("b.md"), record("c.md")], NOW)
    index.resolve(simple_resolver)

    def mention(source: str, target: str, weight: float = 0.5) -> Edge:
        return Edge(source, target, EdgeType.RELATED_TO, weight, CreatedBy.MENTION)

    auto = Edge("c.md", "a.md", EdgeType.RELATED_TO, 0.6, CreatedBy.AUTO)
    assert 1 == index.add_edges([auto])
    new = [
        mention("a.md", "c.md"),
        mention("b.md", "c.md"),
        mention("a.md", "a.md"),
        mention("a.md", "gone.md"),
    ]
    assert (2, 0) == index.replace_inferred(CreatedBy.MENTION, new)
    assert (0, 0) == index.replace_inferred(CreatedBy.MENTION, new)
    assert (1, 1) == index.replace_inferred(CreatedBy.MENTION, [mention("a.md", "c.md", 0.4)], sources=[1])
    assert (0, 2) == index.replace_inferred(CreatedBy.MENTION, [])
    assert {("a.md", "b.md", "related_to", 1.0), ("c.md", "a.md", "related_to", 0.6)} == edges(index)
    index.remove_edges([auto])
    assert {("a.md", "b.md", "related_to", 1.0)} == edges(index)


def test_adding_an_edge_twice_keeps_one(index: Index) -> None:
    """The later weight counts."""
    index.put([record("a.md"), record("b.md")], NOW)
    for weight in (0.5, 0.6):
        index.add_edges([Edge("a.md", "b.md", EdgeType.SUPPORTS, weight, CreatedBy.TOOL, "because")])
    assert [Edge("a.md", "b.md", EdgeType.SUPPORTS, 0.6, CreatedBy.TOOL, "because")] == index.all_edges()


# ------------------------------------------------------------------ staleness


def test_bulk_and_single_resolution_agree(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    """The whole name table and the part of it give the same edges."""
    notes = [record(f"f{i % 3}/n{i % 20}.md", links=[f"n{i * 7 % 25}", f"x{i}"]) for i in range(60)]
    index.put([*notes, record("owner.md", aliases=tuple(f"x{i}" for i in range(5)))], NOW)
    index.resolve(simple_resolver)
    single = edges(index)
    assert single
    index._db.run("UPDATE links SET stale = 1, target_id = NULL")
    index._db.run("DELETE FROM edges")
    monkeypatch.setattr(links_module, "BULK", 1)
    monkeypatch.setattr(links_module, "CHUNK", 7)
    index.resolve(simple_resolver)
    assert single == edges(index)


KILLED = """
import os, signal, sys
sys.path.insert(0, sys.argv[2])
from store.factory import simple_resolver
from genesys.store import links
from genesys.store.index import open_index
links.CHUNK = 10
calls = 0
def resolver(*args):
    global calls
    calls += 1
    if calls == 35:
        os.kill(os.getpid(), signal.SIGKILL)
    return simple_resolver(*args)
open_index(sys.argv[1]).resolve(resolver)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is POSIX")
def test_a_killed_resolution_continues(path: Path) -> None:
    """kill -9 in the middle loses nothing: what was resolved stays, the rest is found stale."""
    with open_index(path) as index:
        index.put([record(f"n{i}.md", links=[f"n{i + 1}"]) for i in range(100)], NOW)
    command = [sys.executable, "-c", KILLED, str(path), str(ROOT / "tests")]
    done = subprocess.run(command, env=child_env(), check=False)
    assert -signal.SIGKILL == done.returncode
    with open_index(path) as index:
        assert 30 == len(edges(index))
        assert 70 == index.resolve(simple_resolver).checked
        assert 99 == len(edges(index))
        assert 0 == index.resolve(simple_resolver).checked
        assert [] == index.check()


NAMES = st.sampled_from(["a", "b", "c", "x/a", "x/b", "y/a", "y/c"])
STEPS = st.one_of(
    st.tuples(st.just("put"), NAMES, st.lists(st.sampled_from(["a", "b", "c", "x/a", "al", ""]), max_size=3)),
    st.tuples(st.just("alias"), NAMES, st.lists(st.sampled_from(["al", "b"]), max_size=2)),
    st.tuples(st.just("remove"), NAMES, st.just([])),
    st.tuples(st.just("move"), NAMES, st.lists(NAMES, min_size=1, max_size=1)),
)


def apply(
    index: Index, step: tuple[str, str, list[str]], notes: dict[str, tuple[list[str], list[str]]]
) -> None:
    """One change, to the index and to a plain picture of the vault (links, aliases)."""
    kind, name, values = step
    links, aliases = notes.get(name, ([], []))
    if kind in ("put", "alias"):
        notes[name] = (values, aliases) if kind == "put" else (links, values)
        index.put([record(f"{name}.md", links=notes[name][0], aliases=notes[name][1])], NOW)
    elif kind == "remove":
        notes.pop(name, None)
        index.remove([f"{name}.md"])
    elif name in notes and values[0] != name:
        notes[values[0]] = notes.pop(name)
        index.move([Move(f"{name}.md", f"{values[0]}.md")])


@settings(max_examples=60)
@given(st.lists(st.tuples(STEPS, st.booleans()), max_size=12))
def test_any_history_gives_the_graph_of_a_fresh_index(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[tuple[str, str, list[str]], bool]]
) -> None:
    """However the vault came to be, links lead where they would lead had it been indexed at once."""
    folder = tmp_path_factory.mktemp("graph")
    notes: dict[str, tuple[list[str], list[str]]] = {}
    with open_index(folder / "grown.db") as grown, open_index(folder / "fresh.db") as fresh:
        for step, resolving in steps:
            apply(grown, step, notes)
            if resolving:
                grown.resolve(simple_resolver)
        grown.resolve(simple_resolver)
        assert 0 == grown.resolve(simple_resolver).checked
        fresh.put([record(f"{n}.md", links=x, aliases=y) for n, (x, y) in notes.items()], NOW)
        fresh.resolve(simple_resolver)
        assert sorted(map(repr, fresh.written_graph()[1])) == sorted(map(repr, grown.written_graph()[1]))
        assert fresh.all_edges() == grown.all_edges()
        assert [] == grown.check()


@given(st.text(max_size=12))
def test_a_name_and_a_link_to_it_share_a_key(name: str) -> None:
    """With or without .md, in a folder or not, composed or not, in any simple case."""
    key = name_key(f"x/{name}.md")
    assert {key} == {target_key(name + ".md"), name_key(f"{name}.md")} or name != name.strip() or "/" in name


def test_the_keys_are_no_finer_than_the_parser_s() -> None:
    """What the parser would compare as equal must land in one bucket here."""
    text = pytest.importorskip("genesys.parse.text")
    for name in ("Note", "ΣΟΦΟΣ", "a.md.md", "Straße", "e\u0301", "İ", "v1.2 x", "日本", "x.png"):
        for other in (name.lower(), name.upper(), name + ".md"):
            if text.name_key(name) == text.target_key(other):
                assert name_key(name) == target_key(other)
