"""Values as text for a terminal (rich), or as plain JSON data. Decides nothing."""

from __future__ import annotations

import dataclasses
import enum
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from genesys.model import Answer, Edge, Hit, Step
from genesys.reports import Check, IndexReport, NoteRef, StatusReport, WhyReport

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

__all__ = [
    "as_json",
    "console",
    "print_answer",
    "print_checks",
    "print_index",
    "print_notes",
    "print_status",
    "print_why",
]

PASSAGE_LINES = 6  # lines of a passage shown before the reader is sent to the note
STATUS_STYLE = {
    "core": "bold yellow",
    "active": "green",
    "dormant": "blue",
    "fading": "dim",
    "pruned": "dim red",
}


def as_json(value: Any) -> Any:
    """Any value of the vocabulary as JSON data: dataclasses as objects, enums as their text."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: as_json(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, Mapping):
        return {str(as_json(k)): as_json(v) for k, v in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [as_json(v) for v in value]
    if isinstance(value, float):
        return round(value, 6)
    return value


def console(*, stderr: bool = False) -> Console:
    """A console that writes plain text where nobody looks (no terminal, ``NO_COLOR``)."""
    from rich.console import Console

    return Console(stderr=stderr, highlight=False, soft_wrap=False)


def safe(text: str) -> str:
    """Text of a note for a terminal: control characters out, so that no note can drive it."""
    return re.sub(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", "�", text.replace("\r\n", "\n"))


def print_answer(out: Console, answer: Answer) -> None:
    """Hits as a person reads them: title, where, passage with the matched words marked, why, link."""
    from rich.text import Text

    for notice in answer.notices:
        out.print(Text("! " + safe(notice), style="yellow"))
    if not answer.hits:
        out.print("Nothing in the vault answers that. Other words, or `genesys search`, may find it.")
    for rank, hit in enumerate(answer.hits, 1):
        _print_hit(out, rank, hit)
    used = " + ".join(answer.signals) or "nothing"
    out.print(Text(f"{len(answer.hits)} notes · {used} · {answer.ms:.0f} ms", style="dim"))


def _print_hit(out: Console, rank: int, hit: Hit) -> None:
    from rich.padding import Padding
    from rich.style import Style
    from rich.text import Text

    head = Text.assemble((f"{rank:>2}  ", "dim"), (safe(hit.title), Style(bold=True, link=hit.uri)))
    head.append(f"  {hit.status.value}", style=STATUS_STYLE[hit.status.value])
    head.append(f" · {hit.score:.2f}", style="dim")
    if hit.low_confidence:
        head.append(" · unsure", style="yellow")
    if hit.superseded_by:
        head.append(f" · superseded by {safe(hit.superseded_by)}", style="magenta")
    out.print(head)
    place = " › ".join([hit.path, *hit.heading_path]) + f"  (lines {hit.line_start}–{hit.line_end})"
    out.print(Padding(Text(safe(place), style="cyan"), (0, 0, 0, 4)))
    out.print(Padding(marked(_excerpt(hit.text), hit.matched), (0, 2, 0, 4)))
    if hit.why:
        out.print(Padding(Text("why: " + safe(hit.why), style="italic dim"), (0, 0, 0, 4)))
    out.print(Padding(Text(hit.uri, style="dim underline", overflow="ignore", no_wrap=True), (0, 0, 1, 4)))


def _excerpt(text: str) -> str:
    lines = [line for line in safe(text).strip().splitlines() if line.strip()]
    return "\n".join(lines[:PASSAGE_LINES]) + (" …" if len(lines) > PASSAGE_LINES else "")


def marked(text: str, words: Iterable[str]) -> Text:
    """``text`` with each of ``words`` marked where it begins a word (or anywhere, for CJK)."""
    from rich.text import Text

    result = Text(text)
    for word in sorted(set(words), key=len, reverse=True):
        edge = r"\b" if word[:1].isascii() and word[:1].isalnum() else ""
        result.highlight_regex(
            re.compile(edge + re.escape(word) + r"\w*" * bool(edge), re.I), "bold black on yellow"
        )
    return result


def print_notes(out: Console, notes: Iterable[NoteRef]) -> None:
    from rich.style import Style
    from rich.text import Text

    count = 0
    for note in notes:
        count += 1
        line = Text.assemble((safe(note.title), Style(bold=True, link=note.uri)))
        line.append(f"  {note.status.value}", style=STATUS_STYLE[note.status.value])
        line.append(f"  {safe(note.path)}", style="cyan")
        out.print(line)
        if note.summary:
            out.print(Text("    " + safe(note.summary), style="dim", overflow="ellipsis", no_wrap=True))
    if not count:
        out.print("No note matches.")


def print_why(out: Console, report: WhyReport) -> None:
    """The chain of causes above the note, its effects below, each step with its sentence."""
    from rich.text import Text

    out.print(Text(safe(report.note.title), style="bold"))
    if not (report.upstream or report.downstream):
        out.print("  No causes or effects are written down for this note.")
    for label, steps in (("because of", report.upstream), ("led to", report.downstream)):
        for step in steps:
            _print_step(out, label, step)
    if report.related:
        names = sorted({_other_end(e, report.note.path) for e in report.related})
        more = f" and {len(names) - 8} more" if len(names) > 8 else ""
        out.print(Text("  related: " + ", ".join(safe(n) for n in names[:8]) + more, style="dim"))
    if report.loses_last_cause or report.loses_only_link:
        lost = sorted({*report.loses_last_cause, *report.loses_only_link})
        out.print(Text("  without it, cut off: " + ", ".join(safe(p) for p in lost), style="dim"))


def _print_step(out: Console, label: str, step: Step) -> None:
    from rich.text import Text

    indent = "  " * step.depth
    line = Text.assemble(indent, (f"{label} ", "dim"), (safe(step.title), "bold"))
    line.append(f"  {step.edge.type.value} · {step.edge.created_by.value}", style="dim")
    out.print(line)
    if step.edge.evidence:
        out.print(Text(f"{indent}  “{safe(step.edge.evidence)}”", style="italic"))


def _other_end(edge: Edge, path: str) -> str:
    return edge.target if edge.source == path else edge.source


def print_index(out: Console, report: IndexReport) -> None:
    """What the pass did, in four lines."""
    verb = "would index" if report.dry_run else "indexed"
    out.print(
        f"{verb} {report.notes} notes: {report.added} added, {report.changed} changed, "
        f"{report.moved} moved, {report.removed} removed"
    )
    if report.dry_run:
        return
    out.print(
        f"{report.passages} passages: {report.embedded} embedded now, {report.reused} reused, "
        f"{report.pending} to do"
    )
    left_out = sum(report.skipped.values())
    out.print(
        f"{report.unresolved_links} unresolved links, {left_out} files left out, "
        f"{report.problems} with a problem"
    )
    out.print(
        f"{sum(report.seconds.values()):.1f} s"
        + (" (see `genesys status`)" if left_out or report.problems else "")
    )
    for line in (*report.kept, *report.notices):
        out.print("! " + safe(line), markup=False)


def print_status(out: Console, report: StatusReport) -> None:
    out.print(f"vault   {safe(report.vault)}", markup=False)
    out.print(f"index   {safe(report.index)} ({report.index_bytes / 1e6:.1f} MB)", markup=False)
    out.print(f"notes   {report.notes}: " + _counts(report.statuses))
    out.print(f"meaning {report.vectors} of {report.passages} passages have a vector ({safe(report.model)})")
    out.print(f"links   {report.links}, {report.unresolved_links} unresolved")
    out.print("edges   " + (_counts(report.edges) or "none"))
    for line in report.notices:
        out.print("! " + safe(line), markup=False)
    for title, items in (("left out", report.skipped), ("with a problem", report.problems)):
        if items:
            out.print(f"{title}: {len(items)}")
        for item in items[:20]:
            out.print(f"  {safe(item.path)}: {safe(item.reason)}", markup=False)
        if len(items) > 20:
            out.print(f"  and {len(items) - 20} more (--json lists all)")


def _counts(numbers: Mapping[str, int]) -> str:
    return ", ".join(
        f"{count} {name}" for name, count in sorted(numbers.items(), key=lambda x: -x[1]) if count
    )


def print_checks(out: Console, checks: Iterable[Check]) -> None:
    for check in checks:
        mark = "!" if check.warning else "ok" if check.ok else "✗"
        out.print(f"{mark:>2}  {check.name:<14} {safe(check.detail)}", markup=False)
        if check.fix and (check.warning or not check.ok):
            out.print(f"      fix: {safe(check.fix)}", markup=False)
