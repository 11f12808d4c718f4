"""Vectors: pending, search, snapshots, models, garbage."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from genesys.errors import IndexError_
from genesys.store import vectors as vectors_module
from genesys.store.index import Index, open_index
from genesys.store.vectors import _WAITING
from store.factory import NOW, record


def unit(count: int, dim: int, seed: int = 0) -> NDArray[np.float32]:
    block = np.random.default_rng(seed).standard_normal((count, dim)).astype(np.float32)
    normed: NDArray[np.float32] = block / np.linalg.norm(block, axis=1, keepdims=True)
    return normed


def fill(index: Index, model: str = "m", dim: int = 16, limit: int = 100_000) -> NDArray[np.float32]:
    pending = index.pending(model, limit)
    block = unit(len(pending), dim, len(pending))
    index.put_vectors(model, dim, [key for key, _ in pending], block)
    return block


def test_newest_notes_are_embedded_first(index: Index) -> None:
    """And a text that several notes share is asked for once."""
    old, new = (
        record("old.md", ["one", "shared"], title="t"),
        record("new.md", ["two", "shared"], mtime=NOW, title="t"),
    )
    index.put([old, new], NOW)
    assert ["t › two", "t › shared", "t › one"] == [text for _, text in index.pending("m", 10)]
    assert ["t › one", "t › shared"] == [text for _, text in index.pending_of("m", 1)]
    fill(index)
    assert [] == index.pending("m", 10) + index.pending_of("m", 1)
    assert (4, 4) == index.vector_counts("m")


@pytest.mark.parametrize("model", ["m", "none yet"])
def test_what_waits_is_what_has_no_vector(index: Index, model: str) -> None:
    """Whatever else has vectors (other models, texts that went); a passage without text waits for nothing."""
    index.put([record(f"{i}.md", [f"text {i}", "same"], title="t") for i in range(9)], NOW)
    fill(index, "other", 8)
    fill(index, limit=4)
    index.remove(["8.md"])
    index._db.run("UPDATE passages SET embed_text = '' WHERE note_id = 3")
    rows = index._db.all("SELECT vec_key, embed_text FROM passages WHERE embed_text <> ''")
    have = {key for (key,) in index._db.all(
        "SELECT vec_key FROM vectors v JOIN models m ON m.id = v.model_id WHERE m.model = ?", (model,)
    )}  # fmt: skip
    waiting = [(key, text) for key, text in rows if key not in have]
    assert dict(waiting) == dict(index.pending(model, 100))
    assert (len(rows) - len(waiting), len(rows)) == index.vector_counts(model)


def test_to_ask_what_waits_reads_no_note(index: Index) -> None:
    """The daemon asks after every change: it must cost what waits and not what there is."""
    plan = index._db.all(f"EXPLAIN QUERY PLAN SELECT 1 FROM passages WHERE vec_key IN ({_WAITING})", (1,))
    scans = [step for *_, step in plan if step.startswith("SCAN")]
    assert scans
    assert all("USING COVERING INDEX" in step for step in scans)


def test_search_is_exact_and_counts_shared_texts_for_each_passage(index: Index) -> None:
    """The nearest by cosine, as a plain product finds them."""
    index.put([record(f"{i}.md", [f"text {i}", "same"], title="t") for i in range(30)], NOW)
    fill(index)
    matrix = index.matrix("m")
    assert matrix is not None
    assert (60, 16) == matrix.vectors.shape
    query = unit(1, 16, 99)[0]
    cosine = matrix.vectors @ query
    order = np.lexsort((matrix.passage_id, -cosine))[:40]
    found = index.knn("m", query, 40)
    assert matrix.passage_id[order].tolist() == [p for p, _ in found]
    np.testing.assert_allclose(cosine[order], [c for _, c in found], atol=1e-5)


def test_vectors_of_deleted_notes_do_not_use_up_the_answer(index: Index) -> None:
    """Before garbage is collected and after."""
    index.put([record(f"{i}.md", [f"text {i}"]) for i in range(200)], NOW)
    fill(index)
    query = unit(1, 16, 5)[0]
    near = index.knn("m", query, 150)
    gone = {index.passages([p])[0].path for p, _ in near[:140]}
    index.remove(sorted(gone))
    assert near[140:] == index.knn("m", query, 10)
    assert 140 == index.collect_garbage()
    assert 0 == index.collect_garbage()
    assert near[140:] == index.knn("m", query, 10)


def test_a_snapshot_follows_every_change(path: Path) -> None:
    """Of this process or another; while nothing changes it is the same object."""
    with open_index(path) as one, open_index(path) as two:
        assert one.matrix("m") is None
        one.put([record("a.md", ["x", "y"])], NOW)
        fill(one)
        first = two.matrix("m")
        assert first is two.matrix("m")
        assert first is not None
        assert 2 == len(first.passage_id)
        one.put([record("a.md", ["x"])], NOW)
        second = two.matrix("m")
        assert second is not None
        assert 1 == len(second.passage_id)
        one.put([record("a.md", ["x", "y"])], NOW)
        third = two.matrix("m")
        assert third is not None
        assert 2 == len(third.passage_id)


def test_a_snapshot_that_was_kept_is_a_fresh_one(index: Index) -> None:
    """Passages come without a vector, or with one that another has, and go; nothing is read that stays."""
    index.put([record(f"{i}.md", [f"text {i}", "same"], title="t") for i in range(9)], NOW)
    fill(index)
    first = index.matrix("m")
    index.put([record("new.md", ["not embedded yet"])], NOW)
    assert first is index.matrix("m")

    def go() -> None:
        index.remove(["3.md"])

    def come_with_one() -> None:
        index.put([record("twin.md", ["text 5", "same"], title="t")], NOW)

    def wait_no_longer() -> None:
        fill(index)

    for change in (go, come_with_one, wait_no_longer):
        change()
        mine, fresh = index.matrix("m"), vectors_module.matrix(index._db, "m")
        assert mine is not None
        assert fresh is not None
        for name in fresh.__slots__:
            np.testing.assert_array_equal(getattr(fresh, name), getattr(mine, name))


def test_the_quick_snapshot_is_the_slow_one(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading sqlite-vec's blobs gives what its own interface gives, after replacements and deletions too."""
    index.put([record(f"{i}.md", [f"text {i}"]) for i in range(1_500)], NOW)
    fill(index)
    index.remove([f"{i}.md" for i in range(0, 1_500, 3)])
    index.collect_garbage()
    keys = [key for keys, _ in index.blocks("m") for key in keys.tolist()]
    assert 1_000 == len(set(keys))
    index.put_vectors("m", 16, keys[:50], unit(50, 16, 7))
    quick = index.matrix("m")
    monkeypatch.setattr(vectors_module, "blocks", lambda db, model: iter(()))
    index._matrices.clear()
    slow = index.matrix("m")
    assert quick is not None
    assert slow is not None
    np.testing.assert_array_equal(quick.passage_id, slow.passage_id)
    np.testing.assert_array_equal(quick.note_id, slow.note_id)
    np.testing.assert_array_equal(quick.vectors, slow.vectors)


def test_the_old_model_serves_until_the_new_one_is_ready(index: Index) -> None:
    """Vectors of two models lie in tables of their own and never mix."""
    index.put([record("a.md", ["x", "y", "z"])], NOW)
    assert index.serving_model("old") is None
    fill(index, "old", 16)
    fill(index, "new", 8, limit=2)
    assert "old" == index.serving_model("new")
    assert {"old": 16, "new": 8} == index.models()
    fill(index, "new", 8)
    assert "new" == index.serving_model("new")
    index.drop_model("old")
    assert {"new": 8} == index.models()
    assert [] == index.knn("old", unit(1, 16)[0], 5)
    assert 3 == len(index.knn("new", unit(1, 8)[0], 5))
    assert [] == index.check()


def test_another_dimension_is_another_model(index: Index) -> None:
    """A model of the same name and another size starts anew; a query of another size finds nothing."""
    index.put([record("a.md", ["x", "y"])], NOW)
    pending = index.pending("m", 10)
    index.put_vectors("m", 16, [key for key, _ in pending], unit(2, 16))
    assert [] == index.knn("m", unit(1, 8)[0], 5)
    index.put_vectors("m", 8, [pending[0][0]], unit(1, 8))
    assert {"m": 8} == index.models()
    assert (1, 2) == index.vector_counts("m")
    with pytest.raises(IndexError_, match="shape"):
        index.put_vectors("m", 8, [1, 2], unit(1, 8))


def test_a_vector_can_be_put_again(index: Index) -> None:
    """The later one counts."""
    index.put([record("a.md", ["x"])], NOW)
    key = index.pending("m", 1)[0][0]
    for seed in (1, 2):
        index.put_vectors("m", 16, [key], unit(1, 16, seed))
    assert pytest.approx(1.0, abs=1e-5) == index.knn("m", unit(1, 16, 2)[0], 1)[0][1]


def test_a_read_only_index_searches_vectors(path: Path) -> None:
    """A reader loads what it needs by itself."""
    with open_index(path) as index:
        index.put([record("a.md", ["x"])], NOW)
        fill(index)
    with open_index(path, read_only=True) as reader:
        assert 1 == len(reader.knn("m", unit(1, 16)[0], 3))
        assert reader.matrix("m") is not None


def test_a_passage_that_went_while_it_was_embedded_leaves_no_vector(index: Index) -> None:
    """Its vector is garbage from the start."""
    index.put([record("a.md", ["x"])], NOW)
    key = index.pending("m", 1)[0][0]
    index.put([record("a.md", ["y"])], NOW)
    index.put_vectors("m", 16, [key], unit(1, 16))
    assert 1 == index.collect_garbage()
    assert index.matrix("m") is None
    assert index.matrix(None) is None


def test_a_text_that_another_note_still_has_keeps_its_vector(index: Index) -> None:
    """Two notes may share one."""
    index.put([record("a.md", ["same"], title="t"), record("b.md", ["same"], title="t")], NOW)
    fill(index)
    index.remove(["a.md"])
    assert 0 == index.collect_garbage()
    assert (1, 1) == index.vector_counts("m")


def test_the_extension_tells_its_version() -> None:
    """What doctor shows."""
    assert vectors_module.extension_version().startswith("v")
