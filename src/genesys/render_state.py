"""State as a person reads it: the core, a score explained, numbers, a maintenance pass."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING

from genesys.render import counted, one_line, safe
from genesys.reports import (
    CoreList,
    DecayReport,
    EvolveKind,
    EvolveReport,
    Explanation,
    ImportReport,
    NoteRef,
    Proposal,
    Stats,
)

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["import_lines", "print_core", "print_decay", "print_evolve", "print_explanation", "print_stats"]

LISTED = 20  # items of a list before the rest is only counted
_PREFERENCES = {
    "auto": "categories that are always core",
    "approval": "categories that are only proposed",
    "excluded": "categories that are never core",
}
BAR = 40  # columns of the longest bar of a histogram


def print_core(out: Console, report: CoreList) -> None:
    """Core notes and proposals, each with its reason, then the preferences as a person would say them."""
    if report.notes:
        out.print("core:")
    else:
        out.print("No note is core yet: pin one with `genesys pin NOTE`, or use the vault for a while.")
    for note in report.notes:
        _print_core_note(out, note, report.reasons.get(note.path, "since the last pass"))
    if report.proposals:
        out.print("proposed (`genesys pin NOTE` makes one core):")
    for note in report.proposals:
        _print_core_note(out, note, report.reasons.get(note.path, ""))
    for name, said in _PREFERENCES.items():
        if chosen := getattr(report, name):
            out.print(f"{said}: {', '.join(safe(c) for c in chosen)}", markup=False)


def _print_core_note(out: Console, note: NoteRef, reason: str) -> None:
    out.print(f"  {one_line(note.path)}  ({one_line(reason)})", markup=False)


def print_explanation(out: Console, report: Explanation) -> None:
    """The score as a product, its parts, the accesses behind them, and what would change it."""
    f = report.factors
    out.print(f"{safe(report.note.title)}  {report.note.status.value}", markup=False, style="bold")
    out.print(
        f"  score {f.score:.3f} = relevance {f.relevance:.3f} × connectivity {f.connectivity:.3f}"
        f" × reactivation {f.reactivation:.3f}"
        + (f" × {f.weight:g} for its category" if f.weight != 1.0 else "")
        + (f", at least {f.floor:g} for its category" if f.floor else ""),
        markup=False,
    )
    for amount in report.amounts:
        value = f"{amount.value:.3f} {amount.unit}".strip()
        out.print(f"    {amount.name:<14} {value:<14} {safe(amount.meaning)}", markup=False, style="dim")
    if report.accesses:
        out.print("  accesses behind it:")
    for time, kind, share in report.accesses:
        day = datetime.fromtimestamp(time).astimezone().strftime("%Y-%m-%d %H:%M")
        out.print(f"    {day}  {kind:<8} {share:4.0%} of its activation", markup=False)
    for line in report.thresholds:
        out.print(f"  · {safe(line)}", markup=False)
    for line in report.outlook:
        out.print(f"  → {safe(line)}", markup=False)


def print_stats(out: Console, report: Stats) -> None:
    out.print(
        f"{counted(report.notes, 'note')}, {report.memories} of them memories; "
        f"{report.core} core, {report.pinned} pinned"
    )
    parts = {"passage": report.passages, "edge": sum(report.edges.values()), "access": report.accesses}
    out.print(", ".join(counted(count, name) for name, count in parts.items()))
    out.print(", ".join(f"{count} {name}" for name, count in report.statuses.items()))
    if any(report.score_histogram):
        out.print(f"scores (mean {report.mean_score:.2f}):")
        most = max(report.score_histogram)
        for at, count in enumerate(report.score_histogram):
            bar = "█" * round(BAR * count / most)
            out.print(f"  {at / 10:.1f}–{(at + 1) / 10:.1f} {bar} {count}", markup=False)
    else:
        out.print("no note is scored yet: genesys decay")


def print_decay(out: Console, report: DecayReport) -> None:
    verb = "would change" if report.dry_run else "changed"
    out.print(
        f"scored {counted(report.scored, 'note')} in {report.seconds:.1f} s; {len(report.changes)} {verb}"
    )
    for change in report.changes[:LISTED]:
        line = f"  {change.old.value} → {change.new.value}  {safe(change.path)}  ({safe(change.reason)})"
        out.print(line, markup=False)
    if len(report.changes) > LISTED:
        out.print(f"  and {len(report.changes) - LISTED} more (--json lists all)")
    writes = report.writes
    if report.dry_run:
        told = len(writes.written) + writes.deferred
        gone = counted(len(report.pruned), "memory")
        out.print(f"would write into {counted(told, 'note')} and put {gone} into the trash")
        return
    later = f", {writes.deferred} in a later pass" if writes.deferred else ""
    out.print(
        f"wrote into {counted(len(writes.written), 'note')}{later}; "
        f"{counted(len(report.pruned), 'memory')} went to the trash"
    )
    for item in writes.refused[:LISTED]:
        out.print(f"! left alone: {safe(item.path)}: {safe(item.reason)}", markup=False)


def import_lines(report: ImportReport) -> Iterator[str]:
    """What came in, what was there, and whatever did not come in, with the reason."""
    verb = "would add" if report.dry_run else "added"
    yield f"{report.format}: {verb} {counted(report.added, 'note')}, {report.known} known already"
    for path in report.paths[:LISTED]:
        yield f"  + {one_line(path)}"
    if report.added > LISTED:
        yield f"  … and {report.added - LISTED} more"
    for item in report.refused:
        yield f"! left out {one_line(item.path)}: {one_line(item.reason)}"
    for path in report.differs[:LISTED]:
        yield f"! {one_line(path)} says something else than the file by now, and was left as it is"
    for old, new in report.renamed[:LISTED]:
        yield f"  {one_line(old)} is {one_line(new)} here"
    if report.left_out:
        yield f"  {counted(report.left_out, 'file')} in the folder that are no notes"


_TOLD = {
    "merge": "merge {other} into {path}",
    "join": "join {path} and {other}",
    "stale": "mark as stale {path}",
    "fresh": "no longer stale {path}",
    "share": "share {path}",
}


def print_evolve(out: Console, report: EvolveReport) -> None:
    for proposal in report.proposals[:LISTED]:
        _print_proposal(out, proposal)
    if len(report.proposals) > LISTED:
        out.print(f"and {len(report.proposals) - LISTED} more (--json lists all)")
    for line in report.notices:
        out.print(f"! {safe(line)}", markup=False)
    sure = sum(p.sure for p in report.proposals)
    if not report.proposals:
        out.print("nothing to do")
    elif not report.applied:
        out.print(
            f"nothing was changed; --apply does {sure} of {counted(len(report.proposals), 'proposal')}, "
            "an id and --apply does that one",
            markup=False,
        )


def _print_proposal(out: Console, proposal: Proposal) -> None:
    what = _TOLD[proposal.kind.value].format(path=one_line(proposal.path), other=one_line(proposal.other))
    what += f" as {one_line(proposal.other)}" if proposal.kind is EvolveKind.SHARE and proposal.other else ""
    mark = "done" if proposal.done else "left" if proposal.refused else proposal.id
    out.print(f"{mark:<8}  {safe(what)}", markup=False)
    out.print(f"          {safe(proposal.refused or proposal.reason)}", markup=False, style="dim")
    if proposal.done:
        out.print(f"          undo: genesys evolve --undo {proposal.undo}", markup=False, style="dim")
