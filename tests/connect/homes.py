"""What the tests of setup share: a home with clients in it, and everything that lies in a folder."""

from __future__ import annotations

import os
from pathlib import Path

from genesys.connect.entries import Server, hook_additions, server_addition
from genesys.connect.plan import Change, Step, plan

# In memory, where the system has that: many homes are made, and every write waits for the disk.
FAST = "/dev/shm" if os.path.isdir("/dev/shm") else None
PROGRAM = ("/opt/genesys/bin/genesys",)
CODE = b'{\n  "numStartups": 3,\n  "projects": {}\n}'
DESKTOP = b'\xef\xbb\xbf{ // mine\r\n  "globalShortcut": "x",\r\n}\r\n'


def everything(folder: Path) -> dict[str, object]:
    """Every name below a folder: the bytes and mode of a file, the target of a link, folders too."""
    found: dict[str, object] = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            found[name] = os.readlink(path)
        elif path.is_dir():
            found[name] = "folder"
        else:
            found[name] = (path.read_bytes(), path.stat().st_mode)
    return found


def furnished(home: Path) -> Path:
    """A home with both clients, and a vault in it."""
    (home / ".claude").mkdir(parents=True)
    (home / ".config" / "Claude").mkdir(parents=True)
    (home / ".claude.json").write_bytes(CODE)
    (home / ".config" / "Claude" / "claude_desktop_config.json").write_bytes(DESKTOP)
    return home


def step(file: Path, vault: str = "/notes", name: str = "genesys") -> Step:
    return Step("Claude", file, (server_addition(Server(PROGRAM, vault), name),))


def hooks(file: Path, vault: str = "/notes") -> Step:
    return Step("hooks", file, hook_additions(Server(PROGRAM, vault), "linux"))


def planned(*steps: Step) -> list[Change]:
    """The changes of steps that nothing speaks against."""
    changes = plan(steps, [])
    assert all(isinstance(change, Change) for change in changes), changes
    return [change for change in changes if isinstance(change, Change)]
