"""``infer``: what a language model reads out of the vault that nobody wrote: causes, summaries, conflicts.

Notes are shown as quoted data. What the model answers is checked: it can only name notes it was shown, an
edge needs a reason and enough confidence, and nothing is stored unasked.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from genesys.engine.infer_candidates import FLOOR
from genesys.errors import DiskFull, GenesysError, ModelError, UsageError, VaultNotFound
from genesys.inference import Candidates, Excerpt, Finding, FindingKind, InferReport, Question
from genesys.llm import Chat
from genesys.model import CAUSAL, CreatedBy, Edge, EdgeType, MemoryType
from genesys.parse.digest.harmless import harmless
from genesys.parse.secrets import find_secret
from genesys.quote import QUOTE_NOTICE, inline, quote

if TYPE_CHECKING:
    from genesys.engine.session import Genesys, Progress

__all__ = ["SUMMARY", "infer"]

SUMMARY = "summary"  # category of notes that sum up episodes
MAX_REASON = 300  # characters
MAX_TITLE = 100
MAX_TEXT = 4_000  # characters of a summary

_CAUSES = f"""You look for causes among notes. {QUOTE_NOTICE}
You see one note and others, numbered. Answer with one JSON object and nothing else:
{{"edges": [{{"note": 2, "type": "caused_by|supports|derived_from", "direction": "out|in", "confidence": 0.8,
"reason": "..."}}], "contradictions": [{{"note": 3, "reason": "..."}}]}}
direction "out": the first note is caused by, supports or is derived from note 2; "in": the other way round.
confidence is between 0 and 1. reason: one sentence on what in the texts says so. contradictions: notes that
can't be true at the same time, with the reason. Being about the same thing is no edge. Lists may be empty."""

_EPISODES = f"""You sum up what several episodes taught. {QUOTE_NOTICE}
Answer with one JSON object and nothing else: {{"title": "...", "text": "...", "notes": [1, 2, 3]}}
If they are about one subject: title is a short name for it, text says in a few sentences what holds beyond
the single episode, in their language, notes are the numbers it rests on. If not, answer {{"notes": []}}."""


def infer(
    memory: Genesys,
    chat: Chat,
    *,
    apply: bool = False,
    only: Collection[int] = (),
    limit: int = 30,
    progress: Progress | None = None,
) -> InferReport:
    """Ask the model about the newest ``limit`` memories and alike episodes; with ``apply`` keep its findings.

    A model that fails in the middle costs what it was not asked yet. Edges go into the index alone, a summary
    becomes a memory derived from its episodes.

    Raises:
        ModelError: the model failed before it found anything. UsageError: a number is none of a finding.
    """
    asked = memory.infer_candidates(limit)
    found, count, notices = _ask(chat, asked, progress)
    found = [replace(finding, number=number) for number, finding in enumerate(found, 1)]
    if wrong := sorted(n for n in only if not 1 <= n <= len(found)):
        hint = f"there are findings 1 to {len(found)}" if found else "there are no findings"
        raise UsageError(f"there is no finding {wrong[0]}", hint=hint)
    if only:
        found = [finding for finding in found if finding.number in only]
    report = InferReport(tuple(found), count, (), (*asked.notices, *notices), apply)
    return _applied(memory, report) if apply else report


# ------------------------------------------------------------------ asking


def _ask(
    chat: Chat, asked: Candidates, progress: Progress | None
) -> tuple[list[Finding], int, tuple[str, ...]]:
    total = len(asked.questions) + len(asked.groups)
    found: list[Finding] = []
    done = 0
    try:
        for question in asked.questions:
            _tell(progress, done, total)
            found += _findings(
                question, chat.ask(_CAUSES, _shown((question.note, *question.near), 0), "edges")
            )
            done += 1
        for group in asked.groups:
            _tell(progress, done, total)
            found += _summary(group, chat.ask(_EPISODES, _shown(group, 1), "notes"))
            done += 1
    except ModelError as error:
        if not done:
            raise
        notice = f"asked about {done} of {total}, then: {error.message} ({error.hint})"
        return _once(found), done, (notice,)
    return _once(found), done, ()


def _tell(progress: Progress | None, done: int, total: int) -> None:
    if progress:
        progress("ask", done + 1, total)


def _shown(notes: Sequence[Excerpt], first: int) -> str:
    """The notes quoted and numbered; note 0 is "the note"."""
    parts = []
    for number, note in enumerate(notes, first):
        name = f"Note {number}" if number else "The note"
        day = f", {note.day}" if note.day else ""
        parts.append(f"{name}{day}: {inline(note.title)}\n{quote(note.text)}")
    return "\n\n".join(parts)


def _once(found: Sequence[Finding]) -> list[Finding]:
    """A pair of notes has one edge, and contradicts itself once, whichever of the two was asked about."""
    seen: dict[tuple[FindingKind, frozenset[str]], Finding] = {}
    for finding in found:
        key = (finding.kind, frozenset(finding.sources))
        best = seen.get(key)
        if best is None or (finding.edge and best.edge and finding.edge.weight > best.edge.weight):
            seen[key] = finding
    return list(seen.values())


# ------------------------------------------------------------------ checking what it says


def _findings(question: Question, answer: dict[str, Any]) -> Iterator[Finding]:
    for item in _items(answer.get("edges")):
        edge = _edge(question, item)
        if edge is not None:
            yield Finding(0, FindingKind.EDGE, edge.evidence, (edge.source, edge.target), edge)
    for item in _items(answer.get("contradictions")):
        other, reason = _note(question.near, item.get("note")), _words(item.get("reason"), MAX_REASON)
        if other is not None and reason:
            yield Finding(0, FindingKind.CONTRADICTION, reason, (question.note.path, other.path))


def _edge(question: Question, item: dict[str, Any]) -> Edge | None:
    other, reason = _note(question.near, item.get("note")), _words(item.get("reason"), MAX_REASON)
    types = {kind.value: kind for kind in CAUSAL}
    kind, sure = types.get(str(item.get("type"))), item.get("confidence")
    if other is None or kind is None or not reason or isinstance(sure, bool):
        return None
    if (
        not isinstance(sure, int | float)
        or not FLOOR < sure <= 1
        or item.get("direction") not in ("out", "in")
    ):
        return None
    ends = (
        (question.note.path, other.path) if item["direction"] == "out" else (other.path, question.note.path)
    )
    return Edge(*ends, kind, round(float(sure), 2), CreatedBy.LLM, reason)


def _summary(group: Sequence[Excerpt], answer: dict[str, Any]) -> Iterator[Finding]:
    notes = [_note(group, number) for number in answer["notes"]]
    paths = tuple(dict.fromkeys(note.path for note in notes if note is not None))
    title, text = _words(answer.get("title"), MAX_TITLE), _words(answer.get("text"), MAX_TEXT)
    if len(paths) > 1 and title and text and not find_secret(f"{title}\n{text}"):
        reason = f"from {len(paths)} episodes about one subject"
        yield Finding(0, FindingKind.SUMMARY, reason, paths, None, title, text)


def _items(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _note(notes: Sequence[Excerpt], number: Any) -> Excerpt | None:
    known = isinstance(number, int) and not isinstance(number, bool) and 1 <= number <= len(notes)
    return notes[number - 1] if known else None


def _words(value: Any, limit: int) -> str:
    """Text on one line, "" where there is none, too much of it, or a secret in it."""
    text = " ".join(value.split()) if isinstance(value, str) else ""
    text = text.encode("utf-8", "replace").decode("utf-8")
    return text if len(text) <= limit and not find_secret(text) else ""


# ------------------------------------------------------------------ storing


def _applied(memory: Genesys, report: InferReport) -> InferReport:
    failed: list[tuple[int, str]] = []
    done: list[Finding] = []
    for finding in report.findings:
        if finding.edge is not None:
            kept = memory.keep_inferred([finding.edge])
            done.append(replace(finding, stored=finding.edge.source if kept else ""))
        elif finding.kind is FindingKind.SUMMARY:
            done.append(_kept(memory, finding, failed))
        else:
            done.append(finding)
    return replace(report, findings=tuple(done), failed=tuple(failed))


def _kept(memory: Genesys, finding: Finding, failed: list[tuple[int, str]]) -> Finding:
    text = f"{harmless(finding.text)}\n\nSummed up by a language model from {len(finding.sources)} episodes."
    try:
        made = memory.remember(
            text,
            title=finding.title,
            related=[(path, EdgeType.DERIVED_FROM) for path in finding.sources],
            category=SUMMARY,
            memory_type=MemoryType.SEMANTIC,
        )
    except (DiskFull, VaultNotFound):
        raise
    except GenesysError as error:
        failed.append((finding.number, error.message))
        return finding
    return replace(finding, stored=made.path)
