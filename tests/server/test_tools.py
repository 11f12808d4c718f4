"""Every tool, through the SDK's own client in memory, in both protocol eras."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from genesys.serving.catalog import TOOLS
from server.helpers import ADR, VALID, call, content, fault, text_of
from support import tree_bytes

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("tool", sorted(VALID))
async def test_a_valid_call_is_answered(connect: Any, tool: str) -> None:
    """Prose and structured content, in the shape that was published."""
    async with connect() as client:
        content(await call(client, tool, VALID[tool]))


async def test_the_list_is_the_catalogue(connect: Any) -> None:
    """Names, descriptions, all four annotations and both schemas reach the client."""
    async with connect() as client:
        listed = (await client.list_tools()).tools
    assert [spec.name for spec in TOOLS] == [tool.name for tool in listed]
    for spec, tool in zip(TOOLS, listed, strict=True):
        hints = tool.annotations
        assert hints is not None
        assert (spec.read, spec.destructive, spec.idempotent, False) == (
            hints.read_only_hint,
            hints.destructive_hint,
            hints.idempotent_hint,
            hints.open_world_hint,
        )
        assert spec.output == tool.output_schema
        assert spec.description == tool.description


async def test_instructions_come_from_the_vault(connect: Any) -> None:
    """How many notes and which folders, for a model that has seen nothing yet."""
    async with connect() as client:
        said = client.instructions or ""
    assert '"Decisions"' in said
    assert " notes." in said
    assert len(said.encode()) < 2048


async def test_recall_finds_and_quotes(connect: Any) -> None:
    """The right note, its passage line by line behind the mark, and which signals there were."""
    async with connect() as client:
        result = await call(client, "memory_recall", VALID["memory_recall"])
    found = content(result)
    assert ADR in [hit["path"] for hit in found["hits"][:3]]
    assert found["signals"]
    first = found["hits"][0]["text"].splitlines()[0]
    assert f"> {first}" in text_of(result)


async def test_a_recall_before_the_model_is_warm_says_so(connect: Any, host: Any) -> None:
    """Words and graph answer at once; the answer does not pretend to know the meaning."""
    assert not host.call(lambda memory: memory.warmed)
    async with connect() as client:
        found = content(await call(client, "memory_recall", VALID["memory_recall"]))
    assert found["hits"]
    assert any("loading" in line for line in found["notices"])
    assert not host.call(lambda memory: memory.warmed)


async def test_full_recall_has_causes(connect: Any) -> None:
    """Asked for everything, each of the first notes comes with what led to it."""
    async with connect() as client:
        found = content(await call(client, "memory_recall", {**VALID["memory_recall"], "verbosity": "full"}))
    assert any(hit.get("causes", {}).get("caused_by") for hit in found["hits"])


async def test_an_answer_keeps_its_budget(connect: Any) -> None:
    """Fewer tokens mean shorter passages, not fewer notes."""
    async with connect() as client:
        small = await call(client, "memory_recall", {"query": "node", "k": 8, "max_tokens": 600})
        large = await call(client, "memory_recall", {"query": "node", "k": 8, "max_tokens": 8000})
    assert len(text_of(small)) < len(text_of(large))
    assert len(content(small)["hits"]) == len(content(large)["hits"])


async def test_nothing_found_is_an_answer(connect: Any) -> None:
    """No error and no invention."""
    async with connect() as client:
        result = await call(client, "memory_recall", {"query": "zzqx qqvvx"})
    assert [] == content(result)["hits"]
    assert text_of(result).startswith("Nothing in memory")


async def test_an_empty_search_lists_by_time(connect: Any) -> None:
    """Newest first, by the time that is shown."""
    async with connect() as client:
        notes = content(await call(client, "memory_search", {"k": 50}))["notes"]
    stamps = [note["last_active"] for note in notes]
    assert sorted(stamps, reverse=True) == stamps


async def test_a_search_pages(connect: Any) -> None:
    """The offset it names brings the next page, without overlap."""
    async with connect() as client:
        first = content(await call(client, "memory_search", {"k": 5}))
        second = content(await call(client, "memory_search", {"k": 5, "offset": first["next_offset"]}))
    assert not {n["path"] for n in first["notes"]} & {n["path"] for n in second["notes"]}


async def test_traverse_returns_the_induced_subgraph(connect: Any) -> None:
    """Every edge has both ends among the nodes."""
    async with connect() as client:
        graph = content(await call(client, "memory_traverse", {"node_id": ADR, "depth": 2}))
    paths = {node["path"] for node in graph["nodes"]}
    assert ADR in paths
    assert graph["edges"]
    assert all(edge["source"] in paths and edge["target"] in paths for edge in graph["edges"])


async def test_explain_multiplies_to_the_score(connect: Any) -> None:
    """The factors' product is the score, and removal_impact is there."""
    async with connect() as client:
        told = content(await call(client, "memory_explain", {"node_id": ADR}))
    f = told["factors"]
    assert told["note"]["score"] == pytest.approx(f["score"], abs=1e-4)
    assert f["score"] == pytest.approx(f["relevance"] * f["connectivity"] * f["reactivation"], abs=1e-9)
    assert {"lose_last_cause", "lose_only_link"} == set(told["removal_impact"])


async def test_a_context_is_the_same_for_the_same_state(connect: Any, vault: Path) -> None:
    """Twice the same text, within the budget, and nothing of the vault has changed."""
    before = tree_bytes(vault)
    async with connect() as client:
        blocks = [content(await call(client, "memory_context", VALID["memory_context"])) for _ in range(2)]
    assert blocks[0]["text"] == blocks[1]["text"]
    assert 0 < blocks[0]["tokens"] <= 600
    assert before == tree_bytes(vault)


async def test_a_context_says_what_core_memories_and_the_session_hold(connect: Any) -> None:
    """A pinned note with how it begins, and what this conversation has stored."""
    given = {"content": "Tea is preferred over coffee.", "title": "Tea", "source_session": "s1"}
    async with connect() as client:
        await call(client, "pin_memory", {"node_id": "Henrik Dahl"})
        path = content(await call(client, "memory_store", given))["path"]
        asked = {"query": "sluice", "session": "s1", "max_tokens": 1500}
        block = content(await call(client, "memory_context", asked))
    assert '- "People/Henrik Dahl.md": "' in block["text"]
    assert f'Stored in this conversation:\n- "{path}": "Tea is preferred' in block["text"]


async def test_a_stored_memory_is_found_at_once_and_once(connect: Any, vault: Path) -> None:
    """A note with its typed link, recalled by the next call; stored again it is the same note."""
    async with connect() as client:
        first = content(await call(client, "memory_store", VALID["memory_store"]))
        again = content(await call(client, "memory_store", VALID["memory_store"]))
        found = content(await call(client, "memory_recall", {"query": "ice storm masts", "kind": "memory"}))
    assert (True, False) == (first["created"], again["created"])
    assert first["path"] == again["path"] == found["hits"][0]["path"]
    assert "caused_by:: [[ADR-003 LoRa Mesh]]" in (vault / first["path"]).read_text("utf-8")


async def test_amending_leaves_the_old_note_alone(connect: Any, vault: Path) -> None:
    """A new note that supersedes; not a byte of the old one changes."""
    before = (vault / ADR).read_bytes()
    async with connect() as client:
        new = content(await call(client, "memory_amend", VALID["memory_amend"]))
    assert ADR == new["supersedes"]
    assert before == (vault / ADR).read_bytes()


async def test_preferences_left_out_stay(connect: Any) -> None:
    """Setting one list does not clear the others."""
    async with connect() as client:
        await call(client, "set_core_preferences", {"auto": ["a"], "excluded": ["x"]})
        now = content(await call(client, "set_core_preferences", {"auto": ["b"]}))
    assert (["b"], ["x"]) == (now["auto"], now["excluded"])


async def test_an_ambiguous_name_lists_its_candidates(connect: Any, vault: Path, host: Any) -> None:
    """Two notes of one name: the answer names both, and either works."""
    for folder in ("Alpha", "Beta"):
        (vault / folder).mkdir()
        (vault / folder / "Twin.md").write_text(f"# Twin\n\n{folder}\n", encoding="utf-8")
    host.call(lambda memory: memory.index(embed=False))
    async with connect() as client:
        body = fault(await call(client, "memory_explain", {"node_id": "Twin"}))
        assert ["Alpha/Twin.md", "Beta/Twin.md"] == body["candidates"]
        content(await call(client, "memory_explain", {"node_id": body["candidates"][1]}))


async def test_resources_and_prompts_are_served(connect: Any) -> None:
    """A note by path, the core, the numbers; three prompts with their topic quoted."""
    async with connect() as client:
        templates = (await client.list_resource_templates()).resource_templates
        assert ["genesys://note/{+path}"] == [t.uri_template for t in templates]
        uris = {str(r.uri) for r in (await client.list_resources()).resources}
        assert {"genesys://core", "genesys://stats"} == uris
        note = (await client.read_resource(f"genesys://note/{ADR.replace(' ', '%20')}")).contents[0]
        assert "LoRa" in note.text
        for uri in uris:
            assert (await client.read_resource(uri)).contents[0].text
        prompts = {p.name for p in (await client.list_prompts()).prompts}
        assert {"recall", "reflection", "weekly_review"} == prompts
        said = (await client.get_prompt("recall", {"topic": 'x"\ny'})).messages[0].content.text
        assert '"x\\" y"' in said
