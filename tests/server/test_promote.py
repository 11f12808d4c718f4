"""Sharing a memory: only memories, only into the shared vault, first dry."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from genesys.engine.promote import without_links
from genesys.server import build_server
from genesys.serving.host import Host
from server.helpers import ADR, call, content, fault, settings_of
from support import NOW, tree_bytes

pytestmark = pytest.mark.anyio


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    folder = tmp_path / "shared"
    (folder / ".obsidian").mkdir(parents=True)
    return folder


@pytest.fixture
def both(vault: Path, shared: Path) -> Iterator[Host]:
    made = Host(replace(settings_of(vault), org_vault=shared), clock=lambda: NOW, background=False)
    yield made
    made.close()


@pytest.fixture
def client(both: Host, era: str) -> Client:
    return Client(build_server(both), mode=era)


async def stored(client: Client, text: str, *related: dict[str, str]) -> str:
    return str(
        content(await call(client, "memory_store", {"content": text, "related": list(related)}))["path"]
    )


@pytest.mark.parametrize("action", ["keep_private", "promote_all", "delete_links"])
async def test_a_dry_run_writes_nothing(client: Client, shared: Path, vault: Path, action: str) -> None:
    """Without being told otherwise, sharing only says what it would do."""
    async with client as c:
        path = await stored(c, "A shared fact.", {"id": ADR, "type": "caused_by"})
        before = tree_bytes(vault)
        plan = content(await call(c, "promote_to_org", {"node_id": path, "action": action}))
    assert plan["dry_run"] is True
    assert [path] == [copy["path"] for copy in plan["copied"]]
    assert {} == {p: b for p, b in tree_bytes(shared).items() if p.endswith(".md")}
    assert before == tree_bytes(vault)


async def test_a_copy_is_the_memory_and_sharing_again_changes_nothing(
    client: Client, shared: Path, vault: Path
) -> None:
    """The same text at the same path; the second time it is there already."""
    async with client as c:
        path = await stored(c, "A shared fact.")
        given = {"node_id": path, "dry_run": False}
        first = content(await call(c, "promote_to_org", given))
        again = content(await call(c, "promote_to_org", given))
    assert ("copied", "already there") == (first["copied"][0]["state"], again["copied"][0]["state"])
    assert (vault / path).read_bytes() == (shared / path).read_bytes()
    assert 1 == len(list(shared.rglob("*.md")))


async def test_linked_memories_come_along_and_a_persons_notes_do_not(client: Client, shared: Path) -> None:
    """promote_all takes memories one step away; what a person wrote stays theirs, and is named as kept."""
    async with client as c:
        cause = await stored(c, "The cause of it.")
        path = await stored(
            c, "The effect.", {"id": cause, "type": "caused_by"}, {"id": ADR, "type": "related_to"}
        )
        given = {"node_id": path, "action": "promote_all", "dry_run": False}
        done = content(await call(c, "promote_to_org", given))
    assert {path, cause} == {copy["path"] for copy in done["copied"]}
    assert [ADR] == [kept["path"] for kept in done["kept_private"]]
    assert not (shared / ADR).exists()


async def test_sharing_reports_each_copy(client: Client) -> None:
    """Progress comes from the work itself: how many of how many."""
    heard: list[tuple[float, float | None]] = []

    async def progress(done: float, total: float | None, message: str | None) -> None:
        heard.append((done, total))

    async with client as c:
        cause = await stored(c, "The cause of it.")
        path = await stored(c, "The effect.", {"id": cause, "type": "caused_by"})
        given = {"node_id": path, "action": "promote_all", "dry_run": False}
        await c.call_tool("promote_to_org", given, progress_callback=progress)
    assert [(1.0, 2.0), (2.0, 2.0)] == heard


async def test_links_can_be_taken_out(client: Client, shared: Path, vault: Path) -> None:
    """The copy links to nothing; the original keeps its links."""
    async with client as c:
        path = await stored(c, f"As [[{ADR}|the decision]] says.", {"id": ADR, "type": "caused_by"})
        given = {"node_id": path, "action": "delete_links", "dry_run": False}
        content(await call(c, "promote_to_org", given))
    copy = (shared / path).read_text("utf-8")
    assert "As the decision says." in copy
    assert "[[" not in copy
    assert "caused_by" not in copy
    assert "[[" in (vault / path).read_text("utf-8")


async def test_a_persons_note_is_not_shared(client: Client, shared: Path) -> None:
    """Not even when asked for by name."""
    async with client as c:
        fault(await call(c, "promote_to_org", {"node_id": ADR, "dry_run": False}))
    assert [] == list(shared.rglob("*.md"))


async def test_recall_spans_both_vaults(client: Client, both: Host) -> None:
    """The shared copy is found with scope both, and says which vault it is from."""
    async with client as c:
        path = await stored(c, "Quokkas guard the sluice.")
        content(await call(c, "promote_to_org", {"node_id": path, "dry_run": False}))
        given = {"query": "quokkas sluice", "scope": "both"}
        found = content(await call(c, "memory_recall", given))
    assert {"personal", "org"} == {hit["vault"] for hit in found["hits"] if hit["path"] == path}


async def test_without_a_shared_vault_there_is_a_way_to_get_one(connect: Any) -> None:
    """The hint names the setting."""
    async with connect() as c:
        body = fault(await call(c, "promote_to_org", {"node_id": ADR}))
        assert "GENESYS_ORG_VAULT" in body["hint"]
        body = fault(await call(c, "memory_recall", {"query": "x", "scope": "org"}))
        assert "GENESYS_ORG_VAULT" in body["hint"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("see [[a/B|the b]] and [[C#h]].\n", "see the b and C.\n"),
        ("x\ncaused_by:: [[A]]\ny\n", "x\ny\n"),
        ("- supports:: [[A]], [[B]]\nend", "end"),
        ("note:: [[A]] is why\n", "note:: A is why\n"),
        ("`[[code]]` ![[img.png]]\n", "`[[code]]` img.png\n"),
        ("no links\n", "no links\n"),
        ("[[A]] and [[B]]", "A and B"),
    ],
)
def test_links_become_their_words(text: str, expected: str) -> None:
    """What a reader saw stays; a line that was only a field of links goes; code is not touched."""
    assert expected == without_links(text)[0]
