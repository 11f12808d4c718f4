"""Values as text for a terminal (rich), or as plain JSON data. Decides nothing."""

from __future__ import annotations

import dataclasses
import enum
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from genesys.model import Answer, Edge, Hit, Step
    from genesys.reports import Check, IndexReport, NoteRef, StatusReport, WhyReport

__all__ = [
    "as_json",
    "check_lines",
    "console",
    "counted",
    "index_lines",
    "one_line",
    "print_answer",
    "print_notes",
    "print_why",
    "safe",
    "status_lines",
]

PIPE_WIDTH = 100_000  # columns where the output is no terminal
LISTED = 20  # files of a kind that `status` names
GIST = 120  # characters of a passage that a list of notes shows
PASSAGE_LINES = 6  # lines of a passage shown before the reader is sent to the note
# C0 and C1 controls but tab and newline, and what turns the direction of writing around.
_DRIVING = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
STATUS_STYLE = {
    "core": "bold yellow",
    "active": "green",
    "dormant": "blue",
    "fading": "dim",
    "pruned": "dim red",
}


# What a step of `why` is to the note above it, by its edge's type: upstream, and downstream.
_CAUSES = {"caused_by": "because of", "derived_from": "derived from", "supports": "supported by"}
_EFFECTS = {"caused_by": "led to", "derived_from": "is a source of", "supports": "supports"}


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
        return round(value, 9)  # factors must still multiply to their score (P8)
    return value


def console(*, stderr: bool = False) -> Console:
    """A console that writes plain text where nobody looks (no terminal, ``NO_COLOR``).

    There, lines are as long as they are: a program that reads them must not find a path cut in two.
    """
    import rich.console

    class Console(rich.console.Console):
        def on_broken_pipe(self) -> None:
            """The reader has seen enough (``| head``); rich would end the process with an error."""
            raise BrokenPipeError

    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() or os.environ.get("COLUMNS") else PIPE_WIDTH
    return Console(stderr=stderr, highlight=False, emoji=False, soft_wrap=False, width=width)


def safe(text: str) -> str:
    """Text of a note for a terminal: control characters out, so that no note can drive it."""
    return _DRIVING.sub("�", text.replace("\r\n", "\n"))


def one_line(text: str) -> str:
    """A name or a reason for a terminal, on one line whatever is in it."""
    return safe(text).replace("\n", "␤").replace("\t", " ")


def counted(count: int, noun: str) -> str:
    """``1 note``, ``2 notes``, ``3 memories``, ``4 accesses``."""
    if count == 1:
        return f"1 {noun}"
    many = noun[:-1] + "ies" if noun.endswith("y") else noun + ("es" if noun.endswith("s") else "s")
    return f"{count} {many}"


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
    count = counted(len(answer.hits), "note")
    out.print(Text(f"{count} · {used} · {answer.ms:.0f} ms", style="dim"))


def _print_hit(out: Console, rank: int, hit: Hit) -> None:
    from rich.style import Style
    from rich.text import Text

    head = Text.assemble((f"{rank:>2}  ", "dim"), (one_line(hit.title), Style(bold=True, link=hit.uri)))
    head.append(f"  {hit.status.value}", style=STATUS_STYLE[hit.status.value])
    head.append(f" · match {hit.score:.2f}", style="dim")
    if hit.low_confidence:
        head.append(" · unsure", style="yellow")
    if hit.stale:
        head.append(" · stale", style="magenta")
    if hit.superseded_by:
        head.append(f" · superseded by {one_line(hit.superseded_by)}", style="magenta")
    out.print(head)
    place = " › ".join([hit.path, *hit.heading_path]) + f"  (lines {hit.line_start}–{hit.line_end})"
    _indented(out, Text(one_line(place), style="cyan"))
    _indented(out, marked(_excerpt(hit.text), hit.matched))
    if hit.why:
        _indented(out, Text("why: " + one_line(hit.why), style="italic dim"))
    _indented(out, Text(hit.uri, style="dim underline", overflow="ignore", no_wrap=True))
    out.print()


def _indented(out: Console, text: Text) -> None:
    """The text behind four blanks; where nobody looks no blanks are added at the ends of its lines."""
    from rich.padding import Padding

    if out.is_terminal:
        out.print(Padding(text, (0, 2, 0, 4), expand=False))
        return
    for line in text.split("\n", allow_blank=True):
        line.rstrip()
        out.print("    ", line, sep="")


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
        line = Text.assemble((one_line(note.title), Style(bold=True, link=note.uri)))
        line.append(f"  {note.status.value}", style=STATUS_STYLE[note.status.value])
        line.append(f"  {one_line(note.path)}", style="cyan")
        out.print(line)
        if note.summary:
            out.print(Text("    " + _gist(note.summary), style="dim", overflow="ellipsis", no_wrap=True))
    if not count:
        out.print("No note matches.")


def _gist(text: str) -> str:
    """The beginning of a passage on one line."""
    line = " ".join(safe(text).split())
    return line if len(line) <= GIST else line[: GIST - 1].rstrip() + "…"


def print_why(out: Console, report: WhyReport) -> None:
    """The chain of causes above the note, its effects below, each step with its sentence."""
    from rich.text import Text

    out.print(Text(one_line(report.note.title), style="bold"))
    if not (report.upstream or report.downstream):
        out.print("  No causes or effects are written down for this note.")
        out.print(Text("  To write one: a line with caused_by:: [[its cause]] in the note.", style="dim"))
    for labels, steps in ((_CAUSES, report.upstream), (_EFFECTS, report.downstream)):
        for step in steps:
            _print_step(out, labels.get(step.edge.type, step.edge.type.value), step)
    if report.related:
        names = sorted({_other_end(e, report.note.path) for e in report.related})
        more = f" and {len(names) - 8} more" if len(names) > 8 else ""
        out.print(Text("  related: " + ", ".join(one_line(n) for n in names[:8]) + more, style="dim"))
    for what, paths in (("last cause", report.loses_last_cause), ("only link", report.loses_only_link)):
        if paths:
            whose = "its" if len(paths) == 1 else "their"
            lost = ", ".join(one_line(p) for p in paths)
            out.print(Text(f"  without this note, would lose {whose} {what}: {lost}", style="dim"))


def _print_step(out: Console, label: str, step: Step) -> None:
    from rich.text import Text

    indent = "  " * step.depth
    line = Text.assemble(indent, (f"{label} ", "dim"), (one_line(step.title), "bold"))
    line.append(f"  {step.edge.type.value} · {step.edge.created_by.value}", style="dim")
    out.print(line)
    if step.edge.evidence:
        out.print(Text(f"{indent}  “{one_line(step.edge.evidence)}”", style="italic"))


def _other_end(edge: Edge, path: str) -> str:
    return edge.target if edge.source == path else edge.source


def index_lines(report: IndexReport) -> Iterator[str]:
    """What the pass did, in four lines."""
    verb = "would index" if report.dry_run else "indexed"
    yield (
        f"{verb} {counted(report.notes, 'note')}: {report.added} added, {report.changed} changed, "
        f"{report.moved} moved, {report.removed} removed"
    )
    left_out = sum(report.skipped.values())
    if not report.dry_run:
        yield (
            f"{counted(report.passages, 'passage')}: {report.embedded} embedded now, {report.reused} reused, "
            f"{report.pending} to do"
        )
        yield (
            f"{counted(report.unresolved_links, 'unresolved link')}, {left_out} left out, "
            f"{report.problems} with a problem"
        )
        more = " (see `genesys status`)" if left_out or report.problems else ""
        yield f"{sum(report.seconds.values()):.1f} s{more}"
    for line in (*report.kept, *report.notices):
        yield "! " + one_line(line)


def status_lines(report: StatusReport) -> Iterator[str]:
    """The state of the index, and each file that was left out or has a problem, with its reason."""
    yield f"vault   {one_line(report.vault)}"
    yield f"index   {one_line(report.index)} ({report.index_bytes / 1e6:.1f} MB)"
    yield f"notes   {report.notes}: " + (_counts(report.statuses) or "none")
    yield f"meaning {report.vectors} of {report.passages} passages have a vector ({one_line(report.model)})"
    yield f"links   {report.links}, {report.unresolved_links} unresolved"
    yield "edges   " + (_counts(report.edges) or "none")
    for line in report.notices:
        yield "! " + one_line(line)
    for title, items in (("left out", report.skipped), ("with a problem", report.problems)):
        if items:
            yield f"{title}: {len(items)}"
        for item in items[:LISTED]:
            yield f"  {one_line(item.path)}: {one_line(item.reason)}"
        if len(items) > LISTED:
            yield f"  and {len(items) - LISTED} more (--json lists all)"


def _counts(numbers: Mapping[str, int]) -> str:
    return ", ".join(
        f"{count} {name}" for name, count in sorted(numbers.items(), key=lambda x: -x[1]) if count
    )


def check_lines(checks: Iterable[Check]) -> Iterator[str]:
    """A line a check, and below each that fails or warns the one thing that mends it."""
    for check in checks:
        mark = "!" if check.warning else "ok" if check.ok else "✗"
        yield f"{mark:>2}  {check.name:<14} {one_line(check.detail)}"
        if check.fix and (check.warning or not check.ok):
            yield f"      fix: {one_line(check.fix)}"
