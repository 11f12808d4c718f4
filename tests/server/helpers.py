"""What the server's tests share: settings, valid calls, and what every answer must be."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from mcp import Client
from mcp_types import CallToolResult

from genesys.serving.catalog import TOOLS
from genesys.settings import Settings, load_settings

MEMORY = "We chose LoRa because the ice storm took the cellular masts down."
ADR = "Decisions/ADR-003 LoRa Mesh.md"
OUTPUT = {spec.name: Draft202012Validator(spec.output) for spec in TOOLS}
VALID: Mapping[str, dict[str, Any]] = {
    "memory_recall": {"query": "why did we give up on cellular modems"},
    "memory_search": {"tag": "decision", "k": 5},
    "memory_context": {"query": "cellular modems", "max_tokens": 600},
    "memory_store": {"content": MEMORY, "related": [{"id": "ADR-003 LoRa Mesh", "type": "caused_by"}]},
    "memory_amend": {"node_id": "ADR-003 LoRa Mesh", "content": "We now use LoRa with a cellular fallback."},
    "memory_traverse": {"node_id": ADR, "depth": 1},
    "memory_explain": {"node_id": "[[ADR-003 LoRa Mesh]]"},
    "memory_stats": {},
    "pin_memory": {"node_id": ADR},
    "unpin_memory": {"node_id": ADR},
    "list_core_memories": {},
    "set_core_preferences": {"auto": ["preference"]},
}
READS = [spec.name for spec in TOOLS if spec.read]
WRITES = [spec.name for spec in TOOLS if not spec.read]


def text_of(result: CallToolResult) -> str:
    return "\n".join(block.text for block in result.content if block.type == "text")


async def call(client: Client, tool: str, given: Mapping[str, Any]) -> CallToolResult:
    """Call, and hold what every answer must be: text, and content that fits the published schema."""
    result = await client.call_tool(tool, dict(given))
    assert text_of(result)
    OUTPUT[tool].validate(result.structured_content)
    assert "Traceback" not in text_of(result)
    return result


def fault(result: CallToolResult) -> dict[str, Any]:
    assert result.is_error, text_of(result)
    body = result.structured_content
    assert body is not None
    assert {"error", "hint", "retryable"} <= set(body)
    return body


def content(result: CallToolResult) -> dict[str, Any]:
    assert not result.is_error, text_of(result)
    assert result.structured_content is not None
    return result.structured_content


def settings_of(vault: Path, **changes: Any) -> Settings:
    env = {**os.environ, "GENESYS_EMBEDDER": "fake", "GENESYS_WORKERS": "1"}
    return load_settings(vault, env, writeback="off", **changes)
