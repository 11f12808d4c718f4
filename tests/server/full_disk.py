"""Run by test_recovery in a mount namespace of its own: full_disk.py MOUNT INDEXED_VAULT."""

from __future__ import annotations

import errno
import shutil
import subprocess
import sys
from pathlib import Path

import anyio
from mcp import Client
from mcp_types import CallToolResult

from genesys.server import build_server
from genesys.serving.host import Host
from genesys.settings import load_settings

SLACK = 1_000_000  # bytes left for what the server writes before the disk is filled


async def scenario(host: Host, vault: Path, mount: Path) -> None:
    """Fill, write, read, make room, write."""
    async with Client(build_server(host), mode="legacy") as client:

        async def tool(name: str, **given: str) -> CallToolResult:
            return await client.call_tool(name, dict(given))

        assert not (await tool("memory_recall", query="ice storm")).is_error
        before = sorted(vault.rglob("*.md"))
        fill(mount / "filler")
        refused = await tool("memory_store", content="x" * 50_000)
        assert refused.is_error, refused
        assert refused.structured_content
        assert refused.structured_content["retryable"] is False, refused.structured_content
        assert before == sorted(vault.rglob("*.md"))
        read = await tool("memory_recall", query="frozen cells")
        if read.is_error:
            assert read.structured_content
            assert read.structured_content["retryable"] is True, read.structured_content
        (mount / "filler").unlink()
        assert not (await tool("memory_recall", query="frozen cells")).is_error
        stored = await tool("memory_store", content="x" * 50_000)
        assert not stored.is_error, stored.structured_content


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
    host = Host(load_settings(vault, {"GENESYS_EMBEDDER": "fake"}, writeback="off"), background=False)
    anyio.run(scenario, host, vault, mount)
    return 0


if __name__ == "__main__":
    sys.exit(main())
