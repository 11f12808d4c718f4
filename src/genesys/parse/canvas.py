"""Canvas files: their file cards are links (R86); text cards are not read."""

from __future__ import annotations

import json
from collections.abc import Iterator

from genesys.model import EdgeType, Link, LinkKind, Relation

__all__ = ["parse_canvas"]

_PLAIN = (Relation(EdgeType.RELATED_TO),)


def parse_canvas(path: str, raw: bytes) -> tuple[Link, ...]:
    """Return a link for each file card, its target a complete path from the root (``/a/b.md``).

    What is no canvas gives no links; nothing is raised.
    """
    try:
        data = json.loads(raw.decode("utf-8-sig", errors="replace"))
    except (ValueError, RecursionError):
        return ()
    nodes = data.get("nodes") if isinstance(data, dict) else None
    return tuple(dict.fromkeys(_links(nodes if isinstance(nodes, list) else [])))


def _links(nodes: list[object]) -> Iterator[Link]:
    for node in nodes:
        if not isinstance(node, dict) or node.get("type") != "file":
            continue
        target, subpath = node.get("file"), node.get("subpath")
        if isinstance(target, str) and target.strip("/ "):
            fragment = subpath if isinstance(subpath, str) else ""
            yield Link(LinkKind.LINK, "/" + _clean(target).lstrip("/"), _clean(fragment), relations=_PLAIN)


def _clean(text: str) -> str:
    """JSON can spell half a character; no index can store one."""
    return text.encode("utf-8", "replace").decode("utf-8")
