"""Columns of the whole vault, kept up to date by what was touched: always what reading them anew gives."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from genesys.model import CreatedBy, Edge, EdgeType
from genesys.store import graph, lookup, touched
from genesys.store.index import Index, open_index
from store.factory import NOW, record, simple_resolver


def same(index: Index) -> None:
    """What the index hands out equals a fresh look."""
    for kept, fresh in (
        (index.passage_arrays(), lookup.passage_arrays(index._db)),
        (index.edge_arrays(), graph.edge_arrays(index._db)),
    ):
        for name in kept.__slots__:
            np.testing.assert_array_equal(getattr(kept, name), getattr(fresh, name), name)
            assert getattr(kept, name).dtype == getattr(fresh, name).dtype


STEP = st.tuples(
    st.sampled_from(["put", "remove", "edge", "unedge", "infer", "look"]),
    st.integers(0, 7),
    st.lists(st.integers(0, 7), max_size=3),
)


@settings(max_examples=25)
@given(st.lists(STEP, max_size=14))
def test_columns_follow_any_change(steps: list[tuple[str, int, list[int]]]) -> None:
    """Notes written and removed, links resolved, edges added and taken, looked at or not in between."""
    with open_index(":memory:") as index:
        for number, (what, note, others) in enumerate(steps):
            edges = [
                Edge(f"{note}.md", f"{o}.md", EdgeType.RELATED_TO, 0.5, CreatedBy.MENTION) for o in others
            ]
            if what == "put":
                texts, links = [f"{number} {o}" for o in others], [str(o) for o in others]
                index.put([record(f"{note}.md", texts, links=links)], NOW)
                index.resolve(simple_resolver)
            elif what == "remove":
                index.remove([f"{note}.md"])
                index.resolve(simple_resolver)
            elif what == "edge":
                index.add_edges(edges)
            elif what == "unedge":
                index.remove_edges(edges)
            elif what == "infer":
                index.replace_inferred(CreatedBy.MENTION, edges)
            else:
                same(index)
        same(index)


def test_passages_that_change_places_are_noticed(path: Path) -> None:
    """Nothing came or went, and yet what stands after what is another thing."""
    with open_index(path) as index:
        index.put([record("a.md", ["one", "two", "three"]), record("b.md", ["four"])], NOW)
        same(index)
        index.put([record("a.md", ["two", "three", "one"])], NOW)
        same(index)


def test_another_process_is_noticed(path: Path) -> None:
    """Columns of a reader follow what a writer does."""
    with open_index(path) as writer:
        writer.put([record(f"{i}.md", [f"text {i}", "more"]) for i in range(30)], NOW)
        with open_index(path, read_only=True) as reader:
            same(reader)
            writer.put([record("3.md", ["another", "and", "more"], links=["5"])], NOW)
            writer.resolve(simple_resolver)
            same(reader)


def test_only_what_changed_is_read(path: Path) -> None:
    """One note of many, not all of them; after a bulk change everything."""
    with open_index(path) as index:
        index.put([record(f"{i}.md", [f"text {i}"]) for i in range(900)], NOW)
        before = touched.moment(index._db)
        index.put([record("4.md", ["yet another"])], NOW)
        assert [index.note_id("4.md")] == touched.since(index._db, before, 900)
        index.put([record(f"{i}.md", [f"new {i}"]) for i in range(900)], NOW)
        assert touched.since(index._db, before, 900) is None
