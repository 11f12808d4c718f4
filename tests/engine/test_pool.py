"""Files read by worker processes, whichever kind they are and whatever becomes of them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from support import child_env

# Reads a vault with two workers; kills one after the first answer if asked to. Prints what came, and what
# the same files give without workers.
SCRIPT = """
import json, os, signal, sys, threading
from pathlib import Path
from genesys.engine.pool import parse_files
from genesys.ignore import load_rules
from genesys.model import ParseOptions
from genesys.vault import walk

root, thread, kill = Path(sys.argv[1]), sys.argv[2] == "thread", sys.argv[3] == "kill"
if thread:
    threading.Thread(target=threading.Event().wait, daemon=True).start()

def children():
    return [int(p) for p in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()]

files = walk(root, load_rules(root, follow=False)).files
found, commands = [], set()
for records in parse_files(root, files, ParseOptions(), 2):
    if not found:
        commands = {Path(f"/proc/{p}/cmdline").read_bytes().split(b"\\0")[1] for p in children()}
        if kill:
            os.kill(children()[0], signal.SIGKILL)
    found += records
alone = [r for records in parse_files(root, files, ParseOptions(), 1) for r in records]
same = sorted(map(repr, found)) == sorted(map(repr, alone))
print(json.dumps({"same": same, "files": len(found), "left": children(), "fresh": b"-P" in commands}))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes where Linux lists them")
@pytest.mark.parametrize("kill", ["kill", "spare"])
@pytest.mark.parametrize("thread", ["thread", "alone"])
def test_workers_give_what_this_process_would(tmp_path: Path, thread: str, kill: str) -> None:
    """Copies of this process or, beside a thread, fresh ones: all files come, even where a worker dies."""
    for number in range(700):
        tags = "---\ntags: [a, b]\naliases: Nick\n---\n" if number % 3 else ""
        (tmp_path / f"n{number}.md").write_text(
            f"{tags}# H\nSee [[n{number + 1}]] #t\n\n- because of [[n0]]\n"
        )
    (tmp_path / "odd.md").write_bytes(b'---\nx: "\\uD800"\n---\n\xff\xfe text')
    command = [sys.executable, "-c", SCRIPT, str(tmp_path), thread, kill]
    done = subprocess.run(command, env=child_env(), stdout=subprocess.PIPE, check=True, timeout=60)
    assert json.loads(done.stdout) == {"same": True, "files": 701, "left": [], "fresh": thread == "thread"}
