"""From a home without Genesys to a Claude that answers, with the real model, and back."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import anyio
import pytest
from mcp import Client, StdioServerParameters

from connect.homes import everything, furnished
from server.helpers import text_of
from support import VAULT, child_env, run_cli

WAIT_S = 60.0  # far more than the watcher takes; a shared machine stalls

pytestmark = [pytest.mark.anyio, pytest.mark.slow, pytest.mark.model]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def test_a_newcomer_asks_edits_asks_again_and_leaves() -> None:
    """What the client's own file says starts a server that answers from the notes, sees an edit at once, and
    leaves no trace in the home."""
    home = furnished(Path(os.environ["HOME"]))
    vault = Path(shutil.copytree(VAULT, home / "My Notes", symlinks=True))
    before = everything(home)
    done = run_cli("setup", str(vault), "--yes", "--client", "code", cwd=home)
    assert (0, "") == (done.code, done.stderr)
    assert "It works: Claude will see" in done.stdout
    entry = json.loads((home / ".claude.json").read_bytes())["mcpServers"]["genesys"]
    server = StdioServerParameters(command=entry["command"], args=entry["args"], env=child_env())
    note = vault / "Pelican count.md"
    async with Client(server) as client:
        answer = await client.call_tool("memory_recall", {"query": "why did we give up on cellular modems"})
        assert "ADR-003" in text_of(answer)
        note.write_text("The pelicans were counted on the northern pier.\n", encoding="utf-8")
        found = ""
        with anyio.fail_after(WAIT_S):
            while note.name not in found:
                found = text_of(await client.call_tool("memory_search", {"query": "pelicans pier", "k": 3}))
    note.unlink()
    undone = run_cli("setup", "--undo", cwd=home)
    assert (0, "") == (undone.code, undone.stderr)
    assert before == everything(home)
