"""Canvas files: their file cards are links (R86); text cards are not read.

A canvas that Genesys drew says nothing that the notes don't: as long as nobody changed it, it has no links.
It is known by the id of one card, which is a digest of all the rest.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any

from genesys.model import EdgeType, Link, LinkKind, Relation

__all__ = ["is_drawn", "parse_canvas", "sign"]

_PLAIN = (Relation(EdgeType.RELATED_TO),)
_MARK = "genesys-"
_DIGEST = 16  # bytes


def parse_canvas(path: str, raw: bytes) -> tuple[Link, ...]:
    """Return a link for each file card, its target a complete path from the root (``/a/b.md``).

    What is no canvas gives no links, nor does one that Genesys drew; nothing is raised.
    """
    data = _read(raw)
    return () if _drawn(data) else tuple(dict.fromkeys(_links(data.get("nodes", []))))


def sign(data: Mapping[str, Any], card: int) -> Mapping[str, Any]:
    """The canvas with the id by which :func:`is_drawn` knows it, given to the card of that number."""
    nodes = [{**node, "id": ""} if at == card else node for at, node in enumerate(data["nodes"])]
    nodes[card] = {**nodes[card], "id": _MARK + _digest({**data, "nodes": nodes})}
    return {**data, "nodes": nodes}


def is_drawn(raw: bytes) -> bool:
    """Whether Genesys drew the canvas and nobody has changed anything since."""
    return _drawn(_read(raw))


def _drawn(data: Mapping[str, Any]) -> bool:
    ids = [node.get("id") if isinstance(node, dict) else None for node in data.get("nodes", [])]
    marked = [at for at, name in enumerate(ids) if isinstance(name, str) and name.startswith(_MARK)]
    if len(marked) != 1:
        return False
    try:
        return bool(sign(data, marked[0])["nodes"][marked[0]]["id"] == ids[marked[0]])
    except RecursionError:  # nested as deeply as a parser just bears
        return False


def _digest(data: Mapping[str, Any]) -> str:
    text = json.dumps(data, sort_keys=True)
    return hashlib.blake2b(text.encode(), digest_size=_DIGEST).hexdigest()


def _read(raw: bytes) -> dict[str, Any]:
    try:
        data = json.loads(raw.decode("utf-8-sig", errors="replace"))
    except (ValueError, RecursionError):
        return {}
    whole = isinstance(data, dict) and isinstance(data.get("nodes", []), list)
    return data if whole else {}


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
