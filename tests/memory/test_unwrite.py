"""Unwrite: the vault without a trace of us, whatever has become of the index."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import pytest

from genesys.engine.writeback import unwrite_vault
from memory.helpers import Clock, make_vault, memory_of, row, settings_of
from support import invoke, tree_bytes

NOTES: dict[str, str | bytes] = {
    "A.md": "Apples.\n",
    "B.md": b"---\r\nx: 1  # one\r\n---\r\nBerries.\r\n",
    "Sub/C.md": "---\n---\nCherries without an end",
    "Drafts/D.md": "Dates.\n",
}


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    return make_vault(tmp_path / "vault", NOTES)


def write_all(vault: Path) -> dict[str, bytes]:
    """Write back into every note; the vault's bytes before."""
    before = tree_bytes(vault)
    with memory_of(vault, Clock(), writeback="all", writeback_quiet_s=0.0) as memory:
        memory.index()
        assert len(NOTES) == len(memory.decay().writes.written)
    assert before != tree_bytes(vault)
    return before


@pytest.mark.parametrize("index", ["there", "missing", "broken"])
def test_unwrite_gives_every_byte_back(vault: Path, index: str) -> None:
    """With the index, without it, and with one that can't be read; no index is made for it."""
    before = write_all(vault)
    if index == "missing":
        shutil.rmtree(vault / ".genesys")
    if index == "broken":
        (vault / ".genesys" / "index.db").write_bytes(b"no database at all" * 1_000)
        for rest in (vault / ".genesys").glob("index.db-*"):
            rest.unlink()
    dry = invoke("unwrite", "--dry-run", "--json", vault=vault)
    assert 0 == dry.code, dry.stderr
    assert "Sub/C.md" in dry.stdout
    assert before != tree_bytes(vault)
    result = invoke("unwrite", vault=vault)
    assert (0, "cleaned 4 notes") == (result.code, result.stdout.splitlines()[0])
    assert before == tree_bytes(vault)
    assert (index == "missing") == (not (vault / ".genesys").exists())


def test_notes_excluded_since_are_cleaned_too(vault: Path) -> None:
    """What was written before the folder was excluded comes out as well."""
    before = write_all(vault)
    (vault / ".genesysignore").write_text("Drafts/\n")
    assert 4 == len(unwrite_vault(settings_of(vault), time.time()).written)
    (vault / ".genesysignore").unlink()
    assert before == tree_bytes(vault)


def test_unwriting_does_not_hide_an_edit_from_the_index(vault: Path) -> None:
    """A note that a person edited since the last pass is still read by the next one."""
    write_all(vault)
    file = vault / "A.md"
    file.write_text(file.read_text() + "Pears that nobody indexed.\n")
    with memory_of(vault, Clock()) as memory:
        memory.unwrite()
        assert 1 == memory.index().changed
        assert ["A.md"] == [h.path for h in memory.recall("pears that nobody indexed", k=1).hits]


def test_our_own_unwriting_is_no_edit(vault: Path) -> None:
    """The next pass finds nothing changed, and no access was counted."""
    write_all(vault)
    with memory_of(vault, Clock()) as memory:
        count = memory.stats().accesses
        memory.unwrite()
        assert (0, count) == (memory.index().changed, memory.stats().accesses)
        assert row(memory, "A.md").own.status is None


def test_the_last_state_before_a_write_is_kept(vault: Path) -> None:
    """For thirty days, in the index."""
    before = write_all(vault)
    with memory_of(vault, Clock()) as memory:
        found = memory._index.preimage(row(memory, "B.md").id)
    assert found
    assert before["B.md"] == found[1]
