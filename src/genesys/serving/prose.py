"""Answers as compact prose for a model. Our words stand bare, whatever a note says stands quoted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime

from genesys.model import Edge, Hit, Status, Step
from genesys.quote import QUOTE_NOTICE, estimate_tokens, inline, quote, shorten_tokens
from genesys.render import counted
from genesys.reports import (
    CoreList,
    Explanation,
    Forgotten,
    NoteRef,
    Remembered,
    Stats,
    Subgraph,
    WhyReport,
)

__all__ = [
    "core_text",
    "deleted_text",
    "explanation_text",
    "fit_passages",
    "note_line",
    "notices_text",
    "recall_text",
    "search_text",
    "stats_text",
    "stored_text",
    "subgraph_text",
    "why_lines",
]

STEPS_SHOWN = 5  # causes or effects of one hit; memory_explain has them all
LIST_SHOWN = 10
PASSAGE_FLOOR = 40  # tokens: a passage with less room than this is left to be asked for


def notices_text(notices: Iterable[str]) -> str:
    """Lines for the caller, at the end; notices may repeat a name, so each is one line."""
    return "".join(f"\nNote: {' '.join(line.split())}" for line in notices)


# ------------------------------------------------------------------ recall


def fit_passages(hits: Sequence[Hit], max_tokens: int, *, passages: bool) -> list[str]:
    """What of each hit's passage fits: every hit keeps its own line, the best passages come whole first."""
    left = max_tokens - sum(estimate_tokens(_hit_head(1, hit, "personal")) + 8 for hit in hits)
    texts: list[str] = []
    for hit in hits:
        room = left if passages else min(left, PASSAGE_FLOOR)
        text = shorten_tokens(hit.text, room) if room >= PASSAGE_FLOOR or not passages else ""
        texts.append(text)
        # each line gains a "> "
        left -= estimate_tokens(text) + text.count("\n") + 1 if text else 0
    return texts


def recall_text(
    query: str,
    hits: Sequence[tuple[Hit, str, str]],
    signals: Sequence[str],
    whys: Mapping[str, WhyReport],
) -> str:
    """``hits`` are (hit, what fits of its passage, vault); ``whys`` the causes where they were asked for."""
    used = ", ".join(signals) or "nothing"
    if not hits:
        return f"Nothing in memory for {inline(query)} (looked by: {used})."
    noun = "note" if len(hits) == 1 else "notes"
    lines = [f"{len(hits)} {noun} for {inline(query)}, best first (found by: {used}).", QUOTE_NOTICE]
    for number, (hit, text, vault) in enumerate(hits, 1):
        lines += ["", _hit_head(number, hit, vault)]
        lines += [quote(text)] if text else ["(left out for length; raise max_tokens to see it)"]
        if vault == "personal" and hit.path in whys:
            lines += why_lines(whys[hit.path], STEPS_SHOWN)
    return "\n".join(lines)


def _hit_head(number: int, hit: Hit, vault: str) -> str:
    """One line of where a passage stands, one of why it is here, and one for each thing to beware of."""
    parts = [inline(hit.path, 1000), f"lines {hit.line_start}-{hit.line_end}", f"score {hit.score:.2f}"]
    if hit.heading_path:
        parts.insert(1, "under " + inline(" › ".join(hit.heading_path)))
    parts += [hit.status.value] if hit.status is not Status.ACTIVE else []
    parts += ["stored memory"] if hit.kind.value == "memory" else []
    parts += [inline(hit.date, 30).strip('"')] if hit.date else []
    parts += ["in the shared vault"] if vault == "org" else []
    lines = [f"{number}. " + " · ".join(parts)]
    if hit.why:
        lines.append(f"   why: {inline(hit.why)}")
    lines += [f"   via {_step_text(step)}" for step in hit.via]
    if hit.stale:
        lines.append("   stale: nobody has touched this decision for long; ask whether it still holds")
    if hit.superseded_by:
        lines.append(f"   superseded by {inline(hit.superseded_by, 1000)}: prefer that one")
    if hit.low_confidence:
        lines.append("   low confidence: only faintly similar")
    return "\n".join(lines)


def _step_text(step: Step) -> str:
    return _edge_text(step.edge)


def _edge_text(edge: Edge) -> str:
    text = f"{inline(edge.source, 1000)} {edge.type.value} {inline(edge.target, 1000)}"
    return text + (f": {inline(edge.evidence)}" if edge.evidence else "")


def why_lines(why: WhyReport, limit: int) -> list[str]:
    """Causes and effects, one a line."""
    lines = [f"   cause: {_step_text(step)}" for step in why.upstream[:limit]]
    return lines + [f"   effect: {_step_text(step)}" for step in why.downstream[:limit]]


# ------------------------------------------------------------------ lists


def note_line(note: NoteRef) -> str:
    """A note in one line: path, title where it says more, and what is special about it."""
    parts = [inline(note.path, 1000)]
    name = note.path.rpartition("/")[2].removesuffix(".md")
    parts += [inline(note.title)] if note.title and note.title != name else []
    parts += ["stored memory"] if note.kind.value == "memory" else []
    parts += [note.status.value, f"score {note.score or 0.0:.2f}"]
    parts += ["pinned"] if note.pinned else []
    parts += [f"category {inline(note.category, 60)}"] if note.category else []
    parts += [f"active {_day(note.last_active)}"] if note.last_active else []
    return " · ".join(parts)


def _day(when: float) -> str:
    try:
        return datetime.fromtimestamp(when, UTC).date().isoformat()
    except (OverflowError, OSError, ValueError):
        return "unknown"


def search_text(query: str, notes: Sequence[NoteRef], offset: int, more: bool) -> str:
    what = f"for {inline(query)}" if query.strip() else "by time, newest first"
    if not notes:
        return f"No notes {what}{' from there on' if offset else ''}."
    lines = [f"{counted(len(notes), 'note')} {what}.", QUOTE_NOTICE]
    for number, note in enumerate(notes, offset + 1):
        lines.append(f"{number}. {note_line(note)}")
        lines += [quote(note.summary)] if note.summary else []
    return "\n".join(lines) + (f"\nMore may follow: offset {offset + len(notes)}." if more else "")


def subgraph_text(root: str, graph: Subgraph) -> str:
    lines = [
        f"{len(graph.nodes)} notes and {len(graph.edges)} edges around {inline(root, 1000)}.",
        QUOTE_NOTICE,
    ]
    lines += [f"- {note_line(node)}" for node in graph.nodes]
    lines += ["Edges:"] if graph.edges else []
    lines += [f"- {_edge_text(edge)} ({edge.created_by.value}, {edge.weight:.2f})" for edge in graph.edges]
    lines += ["There is more; lower the depth or name edge_types."] if graph.truncated else []
    return "\n".join(lines)


def core_text(core: CoreList) -> str:
    lines = [f"{len(core.notes)} core notes."]
    lines += [QUOTE_NOTICE] if core.notes or core.proposals else []
    for note in core.notes:
        reason = core.reasons.get(note.path, "")
        lines.append(f"- {note_line(note)}" + (f": {inline(reason)}" if reason else ""))
        lines += [quote(note.summary)] if note.summary else []
    if core.proposals:
        lines += ["Proposed, to be confirmed by the person:", *(f"- {note_line(n)}" for n in core.proposals)]
    for name, words in (("auto", core.auto), ("approval", core.approval), ("excluded", core.excluded)):
        lines.append(f"{name}: " + (", ".join(inline(w, 60) for w in words) or "none"))
    return "\n".join(lines)


# ------------------------------------------------------------------ one note


def explanation_text(found: Explanation, why: WhyReport) -> str:
    f = found.factors
    product = (
        f"{f.relevance:.3f} relevance × {f.connectivity:.3f} connectivity × {f.reactivation:.3f} reactivation"
    )
    product += f" × {f.weight:g} for its category" if f.weight != 1.0 else ""
    product += f", at least {f.floor:g} for its category" if f.floor else ""
    lines = [note_line(found.note), f"score {f.score:.3f} = {product}"]
    lines += [f"- {a.name}: {a.value:g} {a.unit}".rstrip() + f" ({a.meaning})" for a in found.amounts]
    lines += [f"Threshold: {line}" for line in found.thresholds]
    lines += [f"Outlook: {line}" for line in found.outlook]
    lines += [QUOTE_NOTICE, *(why_lines(why, LIST_SHOWN * 3) or ["No causes or effects are written down."])]
    lines += _impact("would lose their last cause", why.loses_last_cause)
    lines += _impact("would lose their only link", why.loses_only_link)
    return "\n".join(lines)


def _impact(what: str, paths: Sequence[str]) -> list[str]:
    if not paths:
        return []
    shown = ", ".join(inline(path, 1000) for path in paths[:LIST_SHOWN])
    more = f" and {len(paths) - LIST_SHOWN} more" if len(paths) > LIST_SHOWN else ""
    return [f"Without it, {counted(len(paths), 'note')} {what}: {shown}{more}."]


def stored_text(stored: Remembered) -> str:
    verb = "Stored" if stored.created else "This memory was there already:"
    lines = [f"{verb} {inline(stored.path, 1000)}."]
    if stored.supersedes:
        lines.append(f"It supersedes {inline(stored.supersedes, 1000)}, which stays as it is.")
    lines += [f"- {_edge_text(edge)}" for edge in stored.edges]
    if stored.possible_conflicts:
        lines += ["It may contradict these; compare, and amend one if so.", QUOTE_NOTICE]
        reasons = [*stored.conflict_reasons, *[""] * len(stored.possible_conflicts)]
        for hit, reason in zip(stored.possible_conflicts, reasons, strict=False):
            lines += [f"- {inline(hit.path, 1000)}" + (f": {inline(reason)}" if reason else "")]
            lines += [quote(shorten_tokens(hit.text, 2 * PASSAGE_FLOOR))] if hit.text else []
    return "\n".join(lines)


def deleted_text(gone: Forgotten) -> str:
    lines = [f"Moved {inline(gone.path, 1000)} to the trash ({inline(gone.trashed_to, 1000)})."]
    lines += [f"To undo: {inline(gone.undo, 1000)}"] if gone.undo else []
    if gone.links_broken:
        lines.append(
            "Notes that linked to it: " + ", ".join(inline(p, 1000) for p in gone.links_broken[:LIST_SHOWN])
        )
    return "\n".join(lines)


def stats_text(stats: Stats, pending: int, indexing: str) -> str:
    def counts(numbers: Mapping[str, int]) -> str:
        return ", ".join(f"{count} {name}" for name, count in sorted(numbers.items()) if count) or "none"

    return "\n".join(
        (
            f"{stats.notes} notes, of them {stats.memories} stored memories; {stats.passages} passages.",
            f"Status: {counts(stats.statuses)}. Core: {stats.core}, pinned: {stats.pinned}.",
            f"Edges: {counts(stats.edges)}.",
            f"Mean score {stats.mean_score:.2f}; {stats.accesses} accesses recorded.",
            f"Server: {indexing}; {pending} passages wait for their vector.",
        )
    )
