"""A causal chain as a canvas of Obsidian (JSON Canvas 1.0): causes at the left, effects at the right.

Each reason stands on a card between the two notes that it joins, in the writer's own words.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from genesys.engine.listing import open_uri
from genesys.engine.own_files import inner_path, save_own
from genesys.engine.spoken import spoken
from genesys.layout import layers, route, stack
from genesys.model import CAUSAL, NEGATIVE, Edge, EdgeType
from genesys.parse.canvas import is_drawn, sign
from genesys.paths import safe_name
from genesys.quote import clean, shorten
from genesys.reports import Drawing, WhyReport
from genesys.settings import Settings
from genesys.store.index import Index

__all__ = ["draw", "save"]

Key: TypeAlias = tuple[str, str, EdgeType]

NOTE_WIDTH, NOTE_HEIGHT = 360, 240  # pixels, as all that follow
CARD_WIDTH, CARD_LINE, CARD_FRAME = 300, 28, 44
GAP, ROW_GAP = 80, 60
LANE = 20  # room for an arrow that passes a column
PITCH = NOTE_WIDTH + CARD_WIDTH + 2 * GAP  # from one column of notes to the next
HEAD_WIDTH, HEAD_HEIGHT = 760, 120
CARD_LETTERS = 34  # letters on a line of a card
EVIDENCE, LABEL = 360, 90  # characters of a reason on a card, and on an arrow

#: Obsidian's six colours by number, the word on the arrow, whether it runs from the edge's target.
STYLE: Mapping[EdgeType, tuple[str, str, bool]] = {
    EdgeType.CAUSED_BY: ("1", "led to", True),
    EdgeType.DERIVED_FROM: ("5", "is a source of", True),
    EdgeType.SUPPORTS: ("4", "supports", False),
    EdgeType.SUPERSEDES: ("6", "supersedes", False),
    EdgeType.CONTRADICTS: ("2", "contradicts", False),
}
LEGEND = "Red: caused by. Cyan: derived from. Green: supports. Purple: supersedes. Orange: contradicts."
_MARKDOWN = re.compile(r"([\\`*_\[\]<#~=$%^&]|^[-+>]|^\d+(?=[.)]))")


def save(index: Index, settings: Settings, report: WhyReport, file: str) -> Drawing:
    """Draw ``report`` into a canvas of the vault, ``file`` or one named after the note.

    Raises:
        WriteRefused: a person's file has that name. PathEscape: it lies outside the vault.
    """
    path = inner_path(settings.vault, file or _default(report.note.path), ".canvas")
    edges = _edges(index, report)
    written = save_own(settings.vault, path, draw(report, edges), is_drawn)
    uri = open_uri(settings.vault.name, path)
    return Drawing(path, len(_notes(report)), len(edges), written, uri)


def _default(note: str) -> str:
    folder, _, name = note.rpartition("/")
    return "/".join(filter(None, (folder, safe_name(name[:-3]) + " causes.canvas")))


def _notes(report: WhyReport) -> list[str]:
    """The note itself, its causes, its effects; each once."""
    steps = (*report.upstream, *report.downstream)
    return list(dict.fromkeys([report.note.path, *(step.path for step in steps)]))


def _columns(report: WhyReport, edges: Iterable[Edge]) -> dict[str, int]:
    """Notes and their columns: 0 the note itself, causes below, effects above."""
    column = layers(_notes(report), [_ends(edge) for edge in edges if edge.type in CAUSAL])
    return {path: at - column[report.note.path] for path, at in column.items()}


def _edges(index: Index, report: WhyReport) -> list[Edge]:
    """What joins the notes: the steps of the chain, and every other reason or contradiction among them."""
    chain = [step.edge for step in (*report.upstream, *report.downstream)]
    ids = list(index.note_ids(_notes(report)).values())
    found: dict[Key, Edge] = {}
    for edge in (*chain, *index.edges_among(ids, list(CAUSAL | NEGATIVE))):
        known = found.setdefault(_key(edge), edge)
        if len(edge.evidence) > len(known.evidence):
            found[_key(edge)] = edge
    return [e for e in found.values() if e.source != e.target]


def draw(report: WhyReport, edges: Sequence[Edge]) -> bytes:
    """The canvas as JSON; the same chain gives the same bytes."""
    column = _columns(report, edges)
    arrows = [_ends(edge) for edge in edges]
    top, _ = route(column, arrows, dict.fromkeys(column, float(NOTE_HEIGHT)), ROW_GAP, LANE)
    name = {path: f"note-{at}" for at, path in enumerate(column)}
    notes = [
        {"id": name[p], "type": "file", "file": p, "x": column[p] * PITCH, "y": round(top[p])}
        | {"width": NOTE_WIDTH, "height": NOTE_HEIGHT}
        | ({"color": "3"} if p == report.note.path else {})
        for p in column
    ]
    cards = _cards([e for e in edges if _forward(e, column) and spoken(e, EVIDENCE)], column, top)
    lines: list[dict[str, Any]] = []
    for at, edge in enumerate(edges):
        lines += _lines(at, edge, name, column, cards.get(_key(edge)))
    nodes = [*notes, *cards.values()]
    data = {"nodes": [_head(report, nodes), *nodes], "edges": lines}
    return (json.dumps(sign(data, 0), ensure_ascii=False, indent="\t") + "\n").encode("utf-8", "replace")


def _key(edge: Edge) -> Key:
    return edge.source, edge.target, edge.type


def _ends(edge: Edge) -> tuple[str, str]:
    """Where the arrow starts and ends: a cause points to its effect."""
    return (edge.target, edge.source) if STYLE[edge.type][2] else (edge.source, edge.target)


def _forward(edge: Edge, column: Mapping[str, int]) -> bool:
    start, end = _ends(edge)
    return column[start] < column[end]


def _cards(
    edges: Iterable[Edge], column: Mapping[str, int], top: Mapping[str, float]
) -> dict[Key, dict[str, Any]]:
    """A card for each reason, in the gap left of its effect, as near to its arrow as the others let it."""
    gaps: dict[int, list[tuple[float, Edge]]] = {}
    for edge in edges:
        start, end = _ends(edge)
        middle = (top[start] + top[end] + NOTE_HEIGHT) / 2
        gaps.setdefault(column[end], []).append((middle, edge))
    cards: dict[Key, dict[str, Any]] = {}
    for at, rows in gaps.items():
        rows.sort(key=lambda row: (row[0], _key(row[1])))
        heights = [_card_height(spoken(edge, EVIDENCE)) for _, edge in rows]
        tops = stack([middle for middle, _ in rows], heights, ROW_GAP / 2)
        for (_, edge), y, height in zip(rows, tops, heights, strict=True):
            cards[_key(edge)] = {
                "id": f"reason-{len(cards)}",
                "type": "text",
                "text": _escaped(spoken(edge, EVIDENCE)),
                "x": at * PITCH - GAP - CARD_WIDTH,
                "y": round(y),
                "width": CARD_WIDTH,
                "height": height,
                "color": STYLE[edge.type][0],
            }
    return cards


def _lines(
    at: int, edge: Edge, name: Mapping[str, str], column: Mapping[str, int], card: Mapping[str, Any] | None
) -> list[dict[str, Any]]:
    """The arrow of an edge, by way of its card where it has one; else with its words on the arrow."""
    color, label, _ = STYLE[edge.type]
    start, end = _ends(edge)
    ahead = column[start] < column[end]
    level = column[start] == column[end]
    sides = ("bottom", "top") if level else ("right", "left") if ahead else ("left", "right")
    line = {"id": f"edge-{at}", "fromNode": name[start], "fromSide": sides[0], "toNode": name[end]}
    if card is None:
        words = spoken(edge, EVIDENCE)
        text = f"{label}: {shorten(words, LABEL)}" if words else label
        return [line | {"toSide": sides[1], "toEnd": "arrow", "color": color, "label": text}]
    first = line | {"toNode": card["id"], "toSide": "left", "toEnd": "none", "color": color, "label": label}
    second = {"id": f"edge-{at}-to", "fromNode": card["id"], "fromSide": "right", "toNode": name[end]}
    return [first, second | {"toSide": "left", "toEnd": "arrow", "color": color}]


def _head(report: WhyReport, nodes: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    title = _escaped(shorten(" ".join(clean(report.note.title).split()), 120))
    told = "what led to it stands at its left, what it led to at its right."
    bare = "" if len(nodes) > 1 else "\n\nNo cause or effect is written down yet."
    height = HEAD_HEIGHT + (2 * CARD_LINE if bare else 0)
    return {
        "id": "",
        "type": "text",
        "text": f"**{title}**: {told}\n\n{LEGEND}{bare}",
        "x": min(node["x"] for node in nodes),
        "y": min(node["y"] for node in nodes) - height - ROW_GAP,
        "width": HEAD_WIDTH,
        "height": height,
    }


def _escaped(text: str) -> str:
    """A note's words as text that Markdown leaves alone: no link, no picture, no heading."""
    return _MARKDOWN.sub(r"\\\1", text)


def _card_height(text: str) -> int:
    letters = sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)
    return CARD_FRAME + CARD_LINE * max(1, -(-letters // CARD_LETTERS))
