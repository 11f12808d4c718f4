"""The packed copy of vectors: it says what the table says, after any change, and costs what changed."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from genesys.store import packed as module
from genesys.store.index import Index, open_index
from genesys.store.packed import FOLDER, FREE, Packed
from store.factory import NOW, record
from store.test_vectors import fill, unit

DIM = 64


def notes(index: Index, first: int, last: int) -> None:
    index.put([record(f"{i}.md", [f"text {i}", f"more {i}"], title="t") for i in range(first, last)], NOW)


def checked(index: Index, model: str = "m") -> Packed:
    """The copy, seen to hold every vector of the table in its slot and nothing else."""
    pack = index.packed(model)
    assert pack is not None
    found: dict[int, NDArray[np.float32]] = {}
    for keys, block in index.blocks(model):
        found |= dict(zip(keys.tolist(), block, strict=True))
    slots = np.nonzero(pack.keys != FREE)[0]
    assert sorted(found) == sorted(pack.keys[slots].tolist())
    for axis in np.eye(DIM, dtype=np.float32)[:3]:
        want = [float(found[int(key)] @ axis) for key in pack.keys[slots]]
        np.testing.assert_allclose(pack.cosines(slots, axis), want, atol=1e-4)
    return pack


def test_copy_follows_what_is_added_changed_and_removed(index: Index) -> None:
    """Whatever happens to notes, the copy has the vectors that are left."""
    notes(index, 0, 900)
    fill(index, dim=DIM)
    before = checked(index).stamp
    assert before == checked(index).stamp  # nothing changed, nothing done
    notes(index, 900, 905)
    index.put([record("3.md", ["another text"], title="t")], NOW)
    fill(index, dim=DIM)
    index.remove(["5.md", "6.md"])
    index.collect_garbage()
    pack = checked(index)
    assert pack.stamp > before
    distance = pack.distances(unit(1, DIM)[0])
    assert set(np.nonzero(distance == module.FAR)[0]) == set(np.nonzero(pack.keys == FREE)[0])


def test_nearest_of_the_copy_are_the_nearest_of_the_table(index: Index) -> None:
    """With every vector in the pool it is an exact search."""
    notes(index, 0, 300)
    fill(index, dim=DIM)
    pack, query = checked(index), unit(1, DIM, 5)[0]
    slots, cosine = pack.nearest(query, 10, 600)
    exact = index.knn("m", query, 10)
    np.testing.assert_allclose([c for _, c in exact], cosine, atol=1e-4)
    assert len(set(slots.tolist())) == 10


def test_copy_outlives_its_process_and_is_made_anew_when_lost_or_torn(path: Path) -> None:
    """A whole copy is taken up without a change; a torn one is not trusted; a deleted one comes again."""
    with open_index(path) as index:
        notes(index, 0, 40)
        fill(index, dim=DIM)
        first = checked(index).stamp
    with open_index(path) as index:
        assert checked(index).stamp < first
    rows = next((path.parent / FOLDER).glob("*.rows"))
    next((path.parent / FOLDER).glob("*.json")).unlink()
    rows.write_bytes(bytes(rows.stat().st_size))
    with open_index(path) as index:
        checked(index)
    shutil.rmtree(path.parent / FOLDER)
    with open_index(path) as index:
        checked(index)


def test_a_second_process_and_a_reader_leave_the_files_alone(path: Path) -> None:
    """They hold a copy of their own in memory."""
    with open_index(path) as first, open_index(path) as second:
        notes(first, 0, 40)
        fill(first, dim=DIM)
        checked(first)
        files = {f.name: f.stat().st_mtime_ns for f in (path.parent / FOLDER).iterdir()}
        notes(second, 40, 50)
        fill(second, dim=DIM)
        checked(second)
        assert files == {f.name: f.stat().st_mtime_ns for f in (path.parent / FOLDER).iterdir()}
        checked(first)
    with open_index(path, read_only=True) as reader:
        checked(reader)


def test_two_indexes_in_one_folder_do_not_share_a_copy(path: Path) -> None:
    """As `GENESYS_INDEX` may have it."""
    with open_index(path) as one, open_index(path.with_name("work.db")) as two:
        notes(one, 0, 20)
        notes(two, 20, 60)
        for index in (one, two):
            fill(index, dim=DIM)
            checked(index)
    assert {"packed", "work.packed"} == {f.name for f in path.parent.iterdir() if f.is_dir()}


def test_a_dropped_model_leaves_no_file(path: Path) -> None:
    """And a removed note leaves no trace of its vector in the copy."""
    with open_index(path) as index:
        notes(index, 0, 20)
        fill(index, dim=DIM)
        checked(index)
        index.remove([f"{i}.md" for i in range(20)])
        index.collect_garbage()
        assert not any(any(f.read_bytes()) for f in (path.parent / FOLDER).glob("*.rows"))
        checked(index)
        index.drop_model("m")
        assert index.packed("m") is None
        assert [] == [f.name for f in (path.parent / FOLDER).iterdir() if f.suffix != ".lock"]
