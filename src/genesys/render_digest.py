"""A digest as a person reads it: conversations, proposals with where they come from, what was stored."""

from __future__ import annotations

from collections.abc import Iterator

from genesys.inference import Finding, InferReport
from genesys.quote import shorten
from genesys.render import counted, one_line, safe
from genesys.transcripts import Conversation, DigestReport, Proposal

__all__ = ["digest_lines", "infer_lines"]

QUOTED = 200  # characters of a proposal that are shown
PROBLEMS = 10  # shown; of more the number


def digest_lines(report: DigestReport) -> Iterator[str]:
    """The whole report, line by line."""
    yield from (f"! {one_line(notice)}" for notice in report.notices)
    yield from _problems(report)
    stored = {k.number: k for k in report.kept if k.number}
    for talk in report.conversations:
        yield _head(talk)
        for proposal in talk.proposals:
            kept = stored.get(proposal.number)
            yield from _proposal(proposal, kept.path if kept is not None and kept.created else "")
            yield from (f"      ! may contradict {one_line(c)}" for c in (kept.conflicts if kept else ()))
    yield from (f"✗ {f'{n}: ' if n else ''}not stored: {one_line(why)}" for n, why in report.failed)
    yield from _end(report)


def _problems(report: DigestReport) -> Iterator[str]:
    for file, problem in report.problems[:PROBLEMS]:
        where = f"{file}, line {problem.line}" if problem.line else file
        yield f"! {one_line(where)}: {one_line(problem.reason)}"
    if len(report.problems) > PROBLEMS:
        yield f"! and {len(report.problems) - PROBLEMS} more lines that could not be read"


def _head(talk: Conversation) -> str:
    head = talk.head
    about = ", ".join(filter(None, (head.source, head.started[:10], counted(talk.count, "turn"))))
    return f"{one_line(head.title or talk.file)}  ({one_line(about)})"


def _proposal(proposal: Proposal, stored: str) -> Iterator[str]:
    text = shorten(" ".join(proposal.text.split()), QUOTED)
    yield f"{proposal.number:>4}  {proposal.kind.value:<10}  {one_line(text)}"
    places = sorted({(p.turn, p.line) for p in proposal.places})
    where = "; ".join(f"turn {turn}, line {line}" if turn else f"line {line}" for turn, line in places)
    links = [f"{kind.value} [[{path.removesuffix('.md')}]]" for path, kind in proposal.related]
    model = ["by the language model"] if proposal.origin == "llm" else []
    yield "      " + one_line(" · ".join([where, *model, *links]))
    if proposal.refused:
        yield f"      refused: {one_line(proposal.refused)}"
    elif stored or proposal.known:
        yield f"      {'remembered' if stored else 'known already'}: {one_line(stored or proposal.known)}"


def _end(report: DigestReport) -> Iterator[str]:
    proposals = [p for talk in report.conversations for p in talk.proposals]
    if report.applied:
        notes = [k for k in report.kept if k.created and not k.number]
        yield from (f"kept the conversation: {one_line(k.path)}" for k in notes)
        made = sum(k.created for k in report.kept if k.number)
        known = sum(not k.created for k in report.kept if k.number)
        yield f"{counted(made, 'memory')} stored, {known} known already"
        return
    if not report.conversations:
        yield "No conversation was found."
    elif not proposals:
        yield "Nothing to propose; --apply keeps the conversation itself as a note."
    else:
        yield safe(
            f"{counted(len(proposals), 'proposal')}, nothing is stored yet: --apply, or --apply --only 1,3"
        )


def infer_lines(report: InferReport) -> Iterator[str]:
    """What a language model found among the notes, line by line."""
    yield from (f"! {one_line(notice)}" for notice in report.notices)
    for finding in report.findings:
        yield f"{finding.number:>4}  {finding.kind.value:<13}  {one_line(_told(finding))}"
        yield f"      {one_line(finding.reason)}"
        if finding.stored:
            yield f"      kept: {one_line(finding.stored)}"
    yield from (f"✗ {number}: not stored: {one_line(why)}" for number, why in report.failed)
    asked = f"asked about {counted(report.asked, 'memory')}: {counted(len(report.findings), 'finding')}"
    waiting = report.findings and not report.applied
    yield asked + (", nothing is stored yet: --apply, or --apply --only 1,3" if waiting else "")


def _told(finding: Finding) -> str:
    names = [f"[[{path.removesuffix('.md')}]]" for path in finding.sources]
    if finding.edge is not None:
        return f"{names[0]} {finding.edge.type.value} {names[1]}  ({finding.edge.weight:.2f})"
    if finding.text:
        return f"{finding.title}: {shorten(finding.text, QUOTED)}  (from {', '.join(names)})"
    return " may contradict ".join(names)
