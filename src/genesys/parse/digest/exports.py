"""Exports of ChatGPT (a tree of messages) and of Claude (a list of them), one object a conversation. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from genesys.parse.digest.values import entries, label, load, mapping, moment, text_of, words
from genesys.transcripts import Event, Head, Problem, Turn

__all__ = ["read_exports"]

_ROLES = {"user": "user", "human": "user", "assistant": "assistant"}


def read_exports(objects: Iterable[tuple[int, bytes | None]]) -> Iterator[Event]:
    """The events of every conversation; one that can't be read costs only itself."""
    for line, raw in objects:
        row = None if raw is None else load(raw)
        if row is None:
            yield Problem(line, "no complete JSON object")
            continue
        nested = [mapping(item) for item in entries(row.get("conversations"))]
        for talk in nested or [row]:
            yield from _conversation(talk, line)


def _conversation(talk: dict[str, Any], line: int) -> Iterator[Event]:
    if isinstance(talk.get("mapping"), dict):
        session = label(talk.get("conversation_id")) or label(talk.get("id"))
        head = Head(session, label(talk.get("title")), "ChatGPT", moment(talk.get("create_time")))
        said = _chatgpt(talk)
    elif isinstance(talk.get("chat_messages"), list):
        session = label(talk.get("uuid"))
        head = Head(session, label(talk.get("name")), "Claude", moment(talk.get("created_at")))
        said = _claude(talk)
    else:
        yield Problem(line, "no conversation of ChatGPT or Claude")
        return
    if not session:
        yield Problem(line, "the conversation has no id")
        return
    yield head
    kept = ((role, text, when) for role, text, when in said if role and text)
    for number, (role, text, when) in enumerate(kept, 1):
        yield Turn(number, role, text, line, when)


def _claude(talk: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    for message in map(mapping, talk["chat_messages"]):
        text = text_of(message.get("content")) or words(message.get("text"))
        role = _ROLES.get(words(message.get("sender")), "")
        yield role, text.strip(), moment(message.get("created_at"))


def _chatgpt(talk: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """The branch that the person saw last; answers that were tried and left are no part of it."""
    nodes: dict[str, Any] = talk["mapping"]
    for node in _branch(nodes, words(talk.get("current_node"))):
        message = mapping(mapping(nodes[node]).get("message"))
        content = mapping(message.get("content"))
        hidden = mapping(message.get("metadata")).get("is_visually_hidden_from_conversation")
        to_tool = words(message.get("recipient")) not in ("", "all")
        if hidden or to_tool or content.get("content_type") not in ("text", "multimodal_text"):
            continue
        role = _ROLES.get(words(mapping(message.get("author")).get("role")), "")
        text = "\n\n".join(filter(None, map(words, entries(content.get("parts")))))
        yield role, text.strip(), moment(message.get("create_time"))


def _branch(nodes: dict[str, Any], leaf: str) -> list[str]:
    if leaf not in nodes:
        leaf = next((key for key in reversed(nodes) if not mapping(nodes[key]).get("children")), "")
    path: dict[str, None] = {}
    while leaf in nodes and leaf not in path:
        path[leaf] = None
        leaf = words(mapping(nodes[leaf]).get("parent"))
    return list(reversed(path))
