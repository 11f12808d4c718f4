"""Run by test_faults in a mount namespace of its own: full_disk.py MOUNT VAULT."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))
os.environ["XDG_RUNTIME_DIR"] = tempfile.mkdtemp(prefix="gs-")

from daemon.helpers import until
from daemon.processes import Running

SLACK = 1_500_000  # bytes left for what the daemon writes before the disk is filled


def scenario(running: Running, mount: Path) -> None:
    """Fill, write, read, make room, write."""
    session = running.session()
    session.recall("ice storm")
    until(lambda: running.status()["activity"] == "idle")
    fill(mount / "filler")
    refused = session.call("memory_store", content="x" * 50_000)
    assert refused["isError"] is True, refused
    assert refused["structuredContent"]["retryable"] is False, refused
    for query in ("frozen cells", "ice storm", "modems"):
        result = session.call("memory_recall", query=query)
        assert not result.get("isError"), result
    (mount / "filler").unlink()
    stored = session.call("memory_store", content="x" * 50_000)
    assert not stored.get("isError"), stored
    assert not session.call("memory_recall", query="frozen cells").get("isError")


def fill(file: Path) -> None:
    """Write until the disk says that it is full."""
    with file.open("wb", buffering=0) as out:
        for size in (65_536, 4_096, 1):
            try:
                while out.write(b"\0" * size):
                    pass
            except OSError as error:
                if error.errno != errno.ENOSPC:
                    raise


def main() -> int:
    mount, indexed = Path(sys.argv[1]), Path(sys.argv[2])
    size = sum(f.stat().st_size for f in indexed.rglob("*") if f.is_file()) * 2 + SLACK
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(mount)], check=False)
    if mounted.returncode:
        return 77
    vault = Path(shutil.copytree(indexed, mount / "vault", symlinks=True))
    with Running(vault) as running:
        scenario(running, mount)
    shutil.rmtree(os.environ["XDG_RUNTIME_DIR"], ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
