"""A benchmark as a vault: one note a document, the way a person's notes would hold it.

``GROUP/THREAD/ID.md``; frontmatter with ``date``, ``source_session`` (the thread), ``speaker``, ``prev`` and
``next`` as quoted links, and ``links`` where the set has them. A document with a title is named by it and
begins with it as a heading. One vault a group; a question's answer is mapped back by path.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

__all__ = ["human_text", "load", "write_vault"]

_UNSAFE = re.compile(r"[\\/:*?\"<>|#^\[\]\x00-\x1f]")
MAX_NAME = 120  # characters; file systems end at 255 bytes


def load(path: Path) -> list[dict[str, Any]]:
    """The groups of a data file."""
    groups: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["groups"]
    return groups


def safe(name: str) -> str:
    """A name that every file system and every link accepts."""
    return _UNSAFE.sub("-", name).strip(". ")[:MAX_NAME] or "note"


def human_text(doc: Mapping[str, Any]) -> str:
    """The one text of a document that the bare baselines are given: title, date, text."""
    title = doc["title"] + "\n" if doc["title"] else ""
    return title + (f"[{human_date(doc['date'])}] " if doc["date"] else "") + doc["text"]


def human_date(iso: str) -> str:
    import datetime

    day = datetime.datetime.fromisoformat(iso)
    return f"{day.day} {day:%B} {day.year}"


def write_vault(group: Mapping[str, Any], root: Path) -> dict[str, str]:
    """Write the group's documents as notes; {path: document id}."""
    docs = group["docs"]
    names = _names(group["id"], docs)
    places = {(d["thread"], d["pos"]): d["id"] for d in docs if d["thread"]}
    (root / ".obsidian").mkdir(parents=True, exist_ok=True)
    for doc in docs:
        near = {
            key: names.get(places.get((doc["thread"], doc["pos"] + step), ""))
            for key, step in (("prev", -1), ("next", 1))
            if doc["thread"]
        }
        file = root / names[doc["id"]]
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(
            _note(doc, near, [names[x] for x in doc.get("links", ()) if x in names]), encoding="utf-8"
        )
    return {path: doc for doc, path in names.items()}


def _names(group: str, docs: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Path of each document; of two with one name the later gets its id behind it."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    for doc in docs:
        folder = "/".join(safe(part) for part in (group, doc["thread"]) if part)
        path = f"{folder}/{safe(doc['title'] or doc['id'])}.md"
        if path.lower() in taken:
            path = f"{folder}/{safe(doc['title'])} {safe(doc['id'])}.md"
        taken.add(path.lower())
        names[doc["id"]] = path
    return names


def _note(doc: Mapping[str, Any], near: Mapping[str, str | None], links: Sequence[str]) -> str:
    lines = [
        f"{key}: {doc[field]}"
        for key, field in (("date", "date"), ("source_session", "thread"))
        if doc[field]
    ]
    if doc["speaker"]:
        lines.append(f"speaker: {json.dumps(doc['speaker'], ensure_ascii=False)}")
    lines += [f'{key}: "[[{path.removesuffix(".md")}]]"' for key, path in near.items() if path]
    if links:
        lines += ["links:", *(f'  - "[[{path.removesuffix(".md")}]]"' for path in links)]
    head = "---\n" + "\n".join(lines) + "\n---\n" if lines else ""
    title = f"# {doc['title']}\n\n" if doc["title"] else ""
    return f"{head}{title}{doc['text']}\n"
