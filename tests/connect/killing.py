"""Setup and undo, ended at every step that changes the disk. Run as a program of its own: it forks.

Prints how many moments were tried; fails at the first after which a second undo does not restore everything.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))
from connect.homes import FAST, everything, furnished, hooks, planned, step
from genesys.connect.apply import apply, undo_all
from genesys.connect.journal import load

CHANGES = {"os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.chmod", "shutil.rmtree"}
KILLED = 99


def set_up(home: Path) -> None:
    steps = (
        step(home / ".claude.json"),
        step(home / ".config" / "Claude" / "claude_desktop_config.json"),
        step(home / "new" / "folder" / "x.json"),
        hooks(home / ".claude" / "settings.json"),
    )
    for change in planned(*steps):
        apply(change, load(home / ".local" / "state" / "genesys"))


def take_back(home: Path) -> None:
    journal = load(home / ".local" / "state" / "genesys")
    if journal.exists:
        _, left = undo_all(journal)
        assert not left.entries
        journal.close()


def in_a_child(work: Callable[[Path], None], home: Path, moments: int = 0) -> int:
    """Do it in a process that ends before its n-th change of the disk, as kill -9 would end it."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    code = 1
    try:
        left = [moments]

        def hook(event: str, args: tuple[object, ...]) -> None:
            writes = event == "open" and isinstance(args[2], int) and args[2] & (os.O_WRONLY | os.O_RDWR)
            if event in CHANGES or writes:
                left[0] -= 1
                if left[0] == 0:
                    os._exit(KILLED)

        if moments:
            sys.addaudithook(hook)
        work(home)
        code = 0
    finally:
        os._exit(code)


def main() -> None:
    tried = 0
    for works in ((set_up,), (set_up, take_back)):
        for moment in range(1, 1000):
            root = Path(tempfile.mkdtemp(dir=FAST))
            home = furnished(root / "home")
            before = everything(home)
            for work in works[:-1]:
                assert in_a_child(work, home) == 0
            code = in_a_child(works[-1], home, moment)
            assert code in (0, KILLED), code
            if code == KILLED or works[-1] is set_up:
                assert in_a_child(take_back, home) == 0
            after = everything(home)
            assert before == after, (works, moment, set(before) ^ set(after))
            shutil.rmtree(root)
            tried += 1
            if code == 0:
                break
    print(tried)


if __name__ == "__main__":
    main()
