"""Deleting: a memory goes, a person's note only with that person's word, in both eras."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError
from mcp_types import ElicitRequestParams, ElicitResult

from server.helpers import ADR, VALID, call, content, fault
from support import tree_bytes

pytestmark = pytest.mark.anyio


class Person:
    """Answers a form as told, and keeps what they were asked."""

    def __init__(self, action: str, delete: bool | None = None) -> None:
        self.action = action
        self.delete = delete
        self.asked: list[str] = []

    async def __call__(self, context: Any, params: ElicitRequestParams) -> ElicitResult:
        self.asked.append(params.message)
        content = None if self.delete is None else {"delete": self.delete}
        return ElicitResult(action=self.action, content=content)  # type: ignore[arg-type]


async def test_a_persons_note_goes_when_they_agree(connect: Any, vault: Path) -> None:
    """They are asked once, with the path; the note is in the trash and the way back is named."""
    person = Person("accept", True)
    async with connect(elicitation_callback=person) as client:
        gone = content(await call(client, "delete_memory", {"node_id": "ADR-003 LoRa Mesh"}))
    assert 1 == len(person.asked)
    assert ADR in person.asked[0]
    assert not (vault / ADR).exists()
    assert gone["undo"]
    assert ADR == gone["path"]


@pytest.mark.parametrize(
    ("action", "delete"), [("decline", None), ("cancel", None), ("accept", False), ("decline", True)]
)
async def test_a_persons_note_stays_when_they_do_not(
    connect: Any, vault: Path, action: str, delete: bool | None
) -> None:
    """Declining, closing the question, or leaving the box empty: not a byte changes."""
    before = tree_bytes(vault)
    async with connect(elicitation_callback=Person(action, delete)) as client:
        body = fault(await call(client, "delete_memory", {"node_id": ADR}))
    assert "did not agree" in body["error"]
    assert body["retryable"] is False
    assert before == tree_bytes(vault)


async def test_a_client_that_cannot_ask_gets_the_command(connect: Any, vault: Path) -> None:
    """Nothing happens; the hint is a command line that a person can run as it stands."""
    before = tree_bytes(vault)
    async with connect() as client:
        body = fault(await call(client, "delete_memory", {"node_id": ADR}))
    assert f"genesys forget '{ADR}' --yes" in body["hint"]
    assert before == tree_bytes(vault)


async def test_a_client_that_fails_to_ask_changes_nothing(connect: Any, vault: Path) -> None:
    """A form that can't be shown is no consent."""

    async def broken(context: Any, params: ElicitRequestParams) -> ElicitResult:
        raise RuntimeError("no screen")

    before = tree_bytes(vault)
    async with connect(elicitation_callback=broken) as client:
        # In the newer era the client runs its own callback, so its failure is its own.
        try:
            fault(await call(client, "delete_memory", {"node_id": ADR}))
        except* (MCPError, RuntimeError):
            pass
    assert before == tree_bytes(vault)


async def test_a_memory_goes_without_a_question(connect: Any, vault: Path) -> None:
    """What Genesys wrote at a model's word goes at its word, to the trash."""
    person = Person("accept", True)
    async with connect(elicitation_callback=person) as client:
        path = content(await call(client, "memory_store", VALID["memory_store"]))["path"]
        content(await call(client, "delete_memory", {"node_id": path}))
        fault(await call(client, "memory_explain", {"node_id": path}))
    assert [] == person.asked
    assert not (vault / path).exists()


async def test_consent_for_one_note_is_none_for_another(host: Any, vault: Path) -> None:
    """In the newer era the answer comes with a second call; it counts for the note that was asked about,
    and a state that was not sealed by this server counts for nothing."""
    from mcp import Client
    from mcp_types import InputRequiredResult

    from genesys.server import build_server

    other = "Decisions/ADR-001 Offline First.md"
    before = tree_bytes(vault)
    agreed = {"confirm": ElicitResult(action="accept", content={"delete": True})}
    async with Client(
        build_server(host), mode="2026-07-28", elicitation_callback=Person("accept", True)
    ) as client:
        asked = await client.session.call_tool("delete_memory", {"node_id": ADR}, allow_input_required=True)
        assert isinstance(asked, InputRequiredResult)
        for target, state in ((other, asked.request_state), (ADR, '{"path": "x"}'), (ADR, None)):
            try:
                result = await client.session.call_tool(
                    "delete_memory",
                    {"node_id": target},
                    input_responses=agreed,
                    request_state=state,
                    allow_input_required=True,
                )
            except MCPError:
                continue
            assert isinstance(result, InputRequiredResult) or result.is_error
    assert before == tree_bytes(vault)
