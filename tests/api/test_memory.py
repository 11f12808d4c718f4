"""``from genesys import Memory``: the same in this process and through a daemon, one writer a vault."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import genesys
from daemon.helpers import until
from daemon.processes import Running, alive
from genesys import EdgeType, Filters, Kind, Memory, Status, errors
from genesys.engine.lease import Lease
from support import ROOT, child_env, tree_bytes

ADR = "Decisions/ADR-003 LoRa Mesh.md"
FACT = "The sluice at Arnvik sticks below four degrees."


def test_to_import_the_package_loads_nothing() -> None:
    """A name is loaded when it is asked for, and no sooner; an unknown one is none."""
    code = (
        "import sys; before = set(sys.modules); import genesys; print(sorted(set(sys.modules) - before));"
        "genesys.Memory; print('genesys.api' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=child_env(), capture_output=True, encoding="utf-8", check=False
    )
    assert ["['genesys']", "True"] == done.stdout.splitlines(), done.stderr
    with pytest.raises(AttributeError):
        _ = genesys.nothing  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", genesys.__all__)
def test_every_public_name_is_there(name: str) -> None:
    """What __all__ promises can be had and is documented."""
    assert getattr(genesys, name).__doc__


def test_a_program_remembers_and_recalls(memory: Memory, vault: Path) -> None:
    """A memory becomes a note, is found, explained, corrected, pinned, forgotten and brought back."""
    stored = memory.remember(FACT, related=[("ADR-003 LoRa Mesh", "caused_by")], tags=["sluice"])
    assert stored.created
    assert (vault / stored.path).is_file()
    hits = memory.recall("sluice sticks", filters=Filters(kinds=(Kind.MEMORY,))).hits
    assert stored.path == hits[0].path
    assert [ADR] == [step.path for step in memory.why(stored.path, depth=1).upstream]
    assert EdgeType.CAUSED_BY in {edge.type for edge in stored.edges}
    newer = memory.amend(stored.path, "The sluice at Arnvik sticks below two degrees.")
    assert stored.path == newer.supersedes
    assert memory.pin(newer.path).pinned
    assert not memory.unpin(newer.path).pinned
    gone = memory.forget(newer.path)
    assert not (vault / newer.path).exists()
    assert gone.path == memory.undo_forget()
    assert (vault / newer.path).is_file()
    assert 2 == memory.stats().memories


def test_context_is_a_quoted_block_within_its_budget(memory: Memory) -> None:
    """The best passages, by meaning too, and no more tokens than asked for."""
    block = memory.context("why LoRa and no cellular modems", max_tokens=500)
    assert 0 < block.tokens <= 500
    assert block.paths
    assert "vectors" in block.signals


def test_a_recall_that_only_reads_leaves_no_trace(memory: Memory) -> None:
    """Accesses grow with a recall, and not with one that only reads."""
    before = memory.stats().accesses
    memory.recall("modems", read_only=True)
    assert before == memory.stats().accesses
    memory.recall("modems")
    assert before < memory.stats().accesses


def test_errors_are_the_products_own(memory: Memory, vault: Path, tmp_path: Path) -> None:
    """Each says what to do; nothing was written."""
    before = tree_bytes(vault)
    with pytest.raises(errors.NoteNotFound):
        memory.why("No such note")
    with pytest.raises(errors.UnknownEdgeType) as unknown:
        memory.remember(FACT, related=[(ADR, "because_of_the_moon")])
    assert "caused_by" in unknown.value.hint
    with pytest.raises(errors.UsageError):
        memory.remember(FACT, memory_type="weather")
    with pytest.raises(errors.UsageError):
        memory.remember("password: hunter2hunter2hunter2")
    with pytest.raises(errors.WriteRefused):
        memory.forget(ADR)
    with pytest.raises(errors.VaultNotFound):
        Memory(tmp_path / "nowhere")
    assert before == tree_bytes(vault)


def test_a_new_vault_is_indexed_when_asked(tmp_path: Path) -> None:
    """A question leaves nothing behind in a folder without an index; index() and remember() make one."""
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "Pump.md").write_text("The pump was late.\n", encoding="utf-8")
    with Memory(tmp_path / "new") as memory:
        with pytest.raises(errors.IndexMissing):
            memory.recall("pump")
        assert not (tmp_path / "new" / ".genesys").exists()
        assert 1 == memory.index().added
        assert "Pump.md" == memory.recall("pump late").hits[0].path


def test_a_closed_memory_says_so(vault: Path) -> None:
    """Also after the block that opened it."""
    with Memory(vault) as memory:
        memory.stats()
    with pytest.raises(errors.UsageError):
        memory.stats()


def test_an_index_made_anew_is_noticed(memory: Memory, vault: Path) -> None:
    """Someone deletes the index under an open memory: it goes on with the new one."""
    memory.recall("modems")
    for file in (vault / ".genesys").glob("index.db*"):
        file.unlink()
    assert memory.index().added
    assert memory.remember(FACT).path == memory.recall("sluice Arnvik").hits[0].path


def test_one_writes_while_others_wait(memory: Memory, vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process has the lease: a write waits and then says so; a question is answered."""
    monkeypatch.setattr("genesys.api.PATIENCE_S", 0.1)
    code = (
        "import sys; from pathlib import Path; from genesys.engine.lease import Lease;"
        "print(Lease(Path(sys.argv[1])).take(), flush=True); sys.stdin.read()"
    )
    other = subprocess.Popen(
        [sys.executable, "-c", code, str(vault / ".genesys")],
        env=child_env(vault), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    assert other.stdout
    assert b"True\n" == other.stdout.readline()
    with pytest.raises(errors.BusyError):
        memory.remember(FACT)
    assert memory.recall("modems").hits
    other.communicate()
    assert memory.remember(FACT).created
    mine = Lease(vault / ".genesys")
    assert mine.take()  # and was given back
    mine.release()


@pytest.mark.slow
def test_a_daemon_is_used_as_soon_as_it_runs_and_survives_its_end(running: Running, vault: Path) -> None:
    """The same calls through a daemon; when it is killed, the next question finds the vault again."""
    with Memory(vault) as memory:
        here = memory.recall("cellular modems", read_only=True)
        running.cli("daemon", "start")
        pid = running.note_daemon()
        assert pid
        there = memory.recall("cellular modems", read_only=True)
        assert [h.path for h in here.hits] == [h.path for h in there.hits]
        assert Status.ACTIVE in {h.status for h in there.hits}
        path = memory.remember(FACT).path
        assert memory.context("sluice").paths
        assert 1 == memory.why(path).note.path.count("sluice")
        os.kill(pid, signal.SIGKILL)
        until(lambda: not alive(pid), "the daemon is gone")
        assert path == memory.recall("sluice Arnvik").hits[0].path


@pytest.mark.slow
def test_a_daemon_can_be_started(running: Running, vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With start_daemon the first call starts it."""
    for name, value in running.env.items():
        monkeypatch.setenv(name, value)
    with Memory(vault, start_daemon=True) as memory:
        assert memory.recall("modems").hits
        assert running.note_daemon()


def test_the_readmes_example_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What the README shows under "From Python", on a vault with the note that it names."""
    (tmp_path / "Notes").mkdir()
    (tmp_path / "Notes" / "Ana.md").write_text("My neighbour.\n", encoding="utf-8")
    text = (ROOT / "README.md").read_text(encoding="utf-8").partition("## From Python")[2]
    example = text.partition("```python\n")[2].partition("```")[0]
    assert "~/Notes" in example
    exec(compile(example.replace("~/Notes", str(tmp_path / "Notes")), "README.md", "exec"), {})
    assert "Ana is allergic to peanuts." in capsys.readouterr().out
