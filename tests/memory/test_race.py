"""A person and Genesys write the same notes at the same time: the person never loses a line."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

from genesys.errors import WriteRefused
from genesys.write import TEMP_PREFIX
from memory.helpers import Clock, make_vault, memory_of
from support import NOW, child_env

ROUNDS = 1_000
NOTES = 4


class Writer(threading.Thread):
    """An editor that adds a line, a thousand times: it saves in place, or by a file of its own and a rename.

    As an editor does, it holds its text and takes the properties over from the disk before it saves.
    """

    def __init__(self, vault: Path) -> None:
        super().__init__(daemon=True)
        self.vault = vault
        self.lines: dict[str, list[str]] = {f"N{i}.md": [] for i in range(NOTES)}
        self.failure: BaseException | None = None

    def run(self) -> None:
        try:
            for turn in range(ROUNDS):
                name = f"N{turn % NOTES}.md"
                self.lines[name].append(f"line {turn} of the person")
                self.save(name, atomic=bool(turn // NOTES % 2))
                time.sleep(0.002 * (turn % 4))  # the other side comes at every moment of a save
        except BaseException as e:  # noqa: BLE001 - a thread's failure must reach the test
            self.failure = e

    def save(self, name: str, *, atomic: bool) -> None:
        file = self.vault / name
        head = [line for line in file.read_text().splitlines() if not line.startswith("line ")]
        text = "\n".join([*head, *self.lines[name], ""])
        if atomic:
            temp = self.vault / f".{name}.saving"
            temp.write_text(text)
            os.replace(temp, file)
        else:
            file.write_text(text)


@pytest.mark.slow
def test_no_edit_is_lost_in_a_thousand_rounds(tmp_path: Path) -> None:
    """Every line that the person wrote is there at the end, in order, and no temporary file stays."""
    vault = make_vault(tmp_path / "vault", {f"N{i}.md": f"Note {i}.\n" for i in range(NOTES)})
    clock = Clock()
    writer = Writer(vault)
    passes = written = 0
    with memory_of(vault, clock, writeback="all", writeback_quiet_s=0.0, writeback_delta=0.01) as memory:
        memory.index(embed=False)
        writer.start()
        while writer.is_alive():
            memory.index(embed=False)
            for name in writer.lines:  # a pin comes and goes: there is always something to write
                with suppress(WriteRefused):  # it keeps changing: said, and tried again by the next pass
                    (memory.unpin if passes % 2 else memory.pin)(name)
                    written += 1
            clock.later(20)
            written += len(memory.decay().writes.written)
            passes += 1
        writer.join()
        memory.index(embed=False)
    assert writer.failure is None
    print(f"{passes} passes, {written} writes beside {ROUNDS} edits")
    assert written > 10
    for name, lines in writer.lines.items():
        text = (vault / name).read_text()
        assert lines == [line for line in text.splitlines() if line.startswith("line ")]
    assert [] == list(vault.rglob(f"{TEMP_PREFIX}*"))


KILLED = """
import os, signal, sys
from genesys import write
from memory.helpers import Clock, memory_of
from pathlib import Path
where = sys.argv[2]

def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)

keep = write._keep
if where == "before the rename":
    write._exchange = die
else:
    write._keep = lambda *a: (keep(*a), die())
with memory_of(Path(sys.argv[1]), Clock(), writeback_quiet_s=0.0) as memory:
    memory.pin("A")
"""


@pytest.mark.parametrize("where", ["after the temporary file", "before the rename"])
def test_a_kill_leaves_the_note_whole_and_no_stray_file_after_the_next_pass(
    tmp_path: Path, where: str
) -> None:
    """kill -9 between temporary file and rename: the original is untouched, and the next pass goes on."""
    text = "---\nx: 1  # mine\n---\nAnchors.\n"
    vault = make_vault(tmp_path / "vault", {"A.md": text})
    with memory_of(vault, Clock()) as memory:
        memory.index()
    env = child_env(vault)
    env["PYTHONPATH"] = os.pathsep.join([env["PYTHONPATH"], str(Path(__file__).parents[1])])
    done = subprocess.run([sys.executable, "-c", KILLED, str(vault), where], env=env, check=False, timeout=60)
    assert -signal.SIGKILL == done.returncode
    assert text == (vault / "A.md").read_text()
    [stray] = vault.glob(f"{TEMP_PREFIX}*")
    os.utime(stray, (NOW - 120, NOW - 120))  # two minutes pass
    with memory_of(vault, Clock(), writeback_quiet_s=0.0) as memory:
        assert 1 == memory.index().notes
        assert ("A.md",) == memory.decay().writes.written
    assert [] == list(vault.glob(f"{TEMP_PREFIX}*"))
    assert "genesys_pinned: true" in (vault / "A.md").read_text()
