"""The memory as tools: OpenAI's functions and LangChain's, from the table of the MCP server."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from genesys import Memory, errors
from genesys.adapters.langchain import memory_tools
from genesys.adapters.openai import OpenAITools
from genesys.quote import QUOTE_NOTICE
from genesys.serving.args import schema_of
from genesys.serving.catalog import TOOLS
from support import child_env, tree_bytes

ADR = "Decisions/ADR-003 LoRa Mesh.md"


def test_definitions_are_the_catalogues(memory: Memory) -> None:
    """Name, description and schema of every tool but the one that needs a shared vault; in both forms."""
    tools = OpenAITools(memory)
    wanted = {s.name: (s.description, schema_of(s.params)) for s in TOOLS if s.name != "promote_to_org"}
    chat = [d["function"] for d in tools.definitions() if d["type"] == "function"]
    flat = tools.definitions("responses")
    for found in (chat, flat):
        assert wanted == {f["name"]: (f["description"], f["parameters"]) for f in found}
    for function in chat:
        Draft202012Validator.check_schema(function["parameters"])
    json.dumps(chat)


def test_tools_can_be_limited(memory: Memory) -> None:
    """Only those named are offered and answered; a name that is none is refused."""
    tools = OpenAITools(memory, only=["memory_recall"])
    assert ["memory_recall"] == [d["function"]["name"] for d in tools.definitions()]
    assert "no tool is called" in tools.call("memory_store", {"content": "x"})
    with pytest.raises(errors.UsageError):
        OpenAITools(memory, only=["memory_recal"])


def test_calls_as_a_model_sends_them(memory: Memory, vault: Path) -> None:
    """Arguments as JSON text or as an object; answers as text, with the note's words quoted."""
    tools = OpenAITools(memory)
    answer = tools.call("memory_recall", '{"query": "why no cellular modems", "k": "3"}')
    assert QUOTE_NOTICE in answer
    assert "\n> " in answer
    stored = tools.call("memory_store", {"content": "Quokkas guard the sluice."})
    path = next(iter(sorted((vault / "Memories").rglob("*.md"))))
    assert path.name in stored
    assert "> Quokkas guard the sluice." in tools.call("memory_recall", {"query": "quokkas"})
    for name, given in (
        ("memory_context", {"query": "modems"}),
        ("memory_search", {"tag": "decision"}),
        ("memory_explain", {"node_id": ADR}),
        ("memory_traverse", {"node_id": ADR}),
        ("memory_stats", None),
        ("list_core_memories", ""),
        ("set_core_preferences", {"auto": ["preference"]}),
        ("pin_memory", {"node_id": ADR}),
        ("unpin_memory", {"node_id": ADR}),
        ("memory_amend", {"node_id": ADR, "content": "LoRa with a fallback."}),
    ):
        assert "Error:" not in tools.call(name, given), name


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("memory_recall", "{"),
        ("memory_recall", "[]"),
        ("memory_recall", {}),
        ("memory_store", {"content": "x", "related": [{"id": "nothing like it"}]}),
        ("delete_memory", {"node_id": ADR}),
        ("memory_recall", {"query": "x", "scope": "org"}),
        ("rm -rf", {}),
    ],
)
def test_what_is_wrong_is_an_answer(
    memory: Memory, vault: Path, name: str, given: dict[str, object] | str
) -> None:
    """A model reads what to do next; nothing is raised, nothing is written, a person's note stays."""
    before = tree_bytes(vault)
    answer = OpenAITools(memory).call(name, given)
    assert answer.startswith("Error:")
    assert "Hint:" in answer
    assert "Traceback" not in answer
    assert before == tree_bytes(vault)


def test_neither_openai_nor_langchain_is_loaded() -> None:
    """The adapters import without them; LangChain only when its tools are made."""
    code = (
        "import sys, genesys.adapters.openai, genesys.adapters.langchain;"
        "print([m for m in ('openai', 'langchain_core', 'mcp', 'torch') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=child_env(), capture_output=True, encoding="utf-8", check=False
    )
    assert "[]" == done.stdout.strip(), done.stderr


def test_langchain_runs_the_tools(memory: Memory) -> None:
    """The real StructuredTool: name, schema, a call with arguments, a call that fails."""
    tools = {tool.name: tool for tool in memory_tools(memory)}
    assert {s.name for s in TOOLS} - {"promote_to_org"} == set(tools)
    assert {"query", "k"} <= set(tools["memory_recall"].args)
    assert "\n> " in tools["memory_recall"].invoke({"query": "cellular modems", "k": 2})
    assert tools["memory_explain"].invoke({"node_id": "No such note"}).startswith("Error:")
    call = {"name": "memory_stats", "args": {}, "id": "1", "type": "tool_call"}
    assert "notes" in tools["memory_stats"].invoke(call).content
