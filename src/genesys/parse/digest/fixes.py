"""Errors and what mended them: a failed command that succeeds later, or a person who says so. Pure.

Only an error whose end is seen becomes a proposal. Memory is bounded: an error that stays open is dropped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from genesys.model import MemoryType
from genesys.parse.digest.statements import sentences_of
from genesys.parse.digest.tables import broken, mended, unmended
from genesys.transcripts import Event, Place, Proposal, ProposalKind, Run, Turn

__all__ = ["Fixes"]

MAX_OPEN = 20  # errors that wait for their end
MAX_TURNS = 12  # turns after which a person has gone on to something else
MAX_STEPS = 4  # that a fix is told in
MAX_LINE = 500  # characters of a line that is searched for an error
MAX_LINES = 200  # of them
_CHANGES = frozenset({"Edit", "MultiEdit", "Write", "NotebookEdit"})
_LOOKS = re.compile(
    r"\s*(?:cd \S+ *&& *)?(?:ls|cat|head|tail|grep|rg|find|pwd|echo|which|wc|sed -n|tree|env"
    r"|git (?:status|diff|log|show|branch))\b"
)
_REFUSED = re.compile(
    r"<tool_use_error>|doesn't want to (?:proceed|take this action)|Request interrupted|was rejected"
)
_WHY = re.compile(
    r"\b(?:fix(?:ed|es)? (?:is|was|it|by|the)|because|caused by|cause (?:is|was)|was missing|is missing"
    r"|no longer|needs? to|needed|had to|out of date|has not been|hasn't been|have to|must|requires?"
    r"|instead of|turned out|wrong)\b|因为|由于|原因|需要|缺少|改成|改为|修复",
    re.IGNORECASE,
)
_DO = re.compile(
    r"^(?:then |try |first |so |please )*(?:run|install|set|use|add|change|go to|give|try|restart|open|update"
    r"|upgrade|remove|delete|enable|disable|replace|put|start|switch|move|rename|create|export|pin|call"
    r"|make sure|reinstall|clear|select|choose)\b"
    r"|`[^`]+`|试试|改用|加上|执行|打开|安装|设为|设置|换成|重启|删除|升级|运行|添加",
    re.IGNORECASE,
)  # fmt: skip


@dataclass(slots=True)
class _Error:
    """An error that is open. ``command`` is "" for one that a person told of."""

    message: str
    place: Place
    command: str = ""
    steps: list[str] = field(default_factory=list)
    reasons: list[Place] = field(default_factory=list)
    ran: bool = False  # a command was among the steps, and it succeeded


class Fixes:
    """Takes the events of one conversation in order, and gives a proposal where an error found its end."""

    def __init__(self) -> None:
        self._open: list[_Error] = []

    def feed(self, event: Event) -> Iterator[Proposal]:
        if isinstance(event, Run):
            yield from self._run(event)
        elif isinstance(event, Turn):
            self._open = [e for e in self._open if event.number - e.place.turn <= MAX_TURNS]
            if event.role == "user":
                yield from self._answer(event)
                self._tell(event)
            else:
                self._explain(event)

    # ------------------------------------------------------------------ commands

    def _run(self, run: Run) -> Iterator[Proposal]:
        if run.failed and _REFUSED.search(run.output):
            return
        if run.tool in _CHANGES and not run.failed:
            self._step(f"a change of {run.command.rpartition('/')[2]}", ran=False)
        if run.tool != "Bash" or not run.command.strip():
            return
        key = " ".join(run.command.split())
        before = next((e for e in self._open if e.command == key), None)
        message = _message(run.output) if run.failed else ""
        if before is None and not run.failed:
            if not _LOOKS.match(key):
                self._step(f"`{_short(key)}`", ran=True)
        elif before is not None and message == before.message:
            before.steps.clear()
            before.reasons.clear()
            before.ran = False
        elif before is not None and (not run.failed or (message and before.ran)):
            self._open.remove(before)
            yield from _proposal(before)
        if message and not (before and message == before.message):
            self._begin(_Error(message, Place(run.after, run.line, "tool", message, run.when), key))

    def _step(self, step: str, *, ran: bool) -> None:
        for error in self._open:
            if error.command and step not in error.steps:
                error.steps = [*error.steps, step][-MAX_STEPS:]
                error.ran = error.ran or ran

    def _begin(self, error: _Error) -> None:
        self._open = [*self._open, error][-MAX_OPEN:]

    # ------------------------------------------------------------------ words

    def _tell(self, turn: Turn) -> None:
        """A person shows an error."""
        for number, line in enumerate(turn.text.split("\n")[:MAX_LINES]):
            if message := broken(line[:MAX_LINE]):
                place = Place(turn.number, turn.line_of(number), turn.role, message, turn.when)
                self._open = [
                    e for e in self._open if e.command
                ]  # what they showed before is not it any more
                self._begin(_Error(message, place))

    def _explain(self, turn: Turn) -> None:
        """The other side says why, or what to do."""
        for error in self._open:
            pattern = _WHY if error.command else _DO
            said = [(n, s) for n, s in sentences_of(turn.text) if not s.endswith(("?", "？"))]
            good = [(n, s) for n, s in said if pattern.search(s)] or ([] if error.command else said[:1])
            places = [Place(turn.number, turn.line_of(n), turn.role, s, turn.when) for n, s in good[:2]]
            if places:
                error.reasons = places

    def _answer(self, turn: Turn) -> Iterator[Proposal]:
        """A person says whether it helped: of the error shown last, as nobody names it again."""
        told = [e for e in self._open if not e.command]
        if not told or any(broken(line[:MAX_LINE]) for line in turn.text.split("\n")[:MAX_LINES]):
            return
        if unmended(turn.text[:MAX_LINE]):
            told[-1].reasons.clear()
        elif mended(turn.text[:MAX_LINE]) and told[-1].reasons:
            self._open = [e for e in self._open if e.command]
            line, words = next(iter(sentences_of(turn.text)), (0, turn.text[:MAX_LINE]))
            told[-1].reasons.append(Place(turn.number, turn.line_of(line), turn.role, words, turn.when))
            yield from _proposal(told[-1])


def _message(output: str) -> str:
    """The line of a tool's output that says best what is wrong: the last that names an exception."""
    lines = [line.strip().removeprefix("E ").strip()[:MAX_LINE] for line in output.split("\n")]
    found = [message for line in lines if (message := broken(line))]
    named = [m for m in found if re.match(r"[A-Za-z_][\w.]*(?:Error|Exception)\b", m)]
    return next(iter(named[-1:] or found[:1]), "")


def _short(text: str, limit: int = 160) -> str:
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def _proposal(error: _Error) -> Iterator[Proposal]:
    """The error, and how it ended; nothing where nobody knows what helped."""
    reasons = [p for p in error.reasons if p.role != "user"]
    told = " ".join(p.quote for p in reasons)
    steps = ", ".join(error.steps)
    fix = f"{told} ({steps})" if told and steps else told or steps
    if fix:
        named = "" if error.message[:5].lower() == "error" else "Error: "
        text = f"{named}{_short(error.message, 300)}\nFix: {_short(fix, 600)}"
        places = (error.place, *error.reasons)
        yield Proposal(0, ProposalKind.ERROR, text, MemoryType.PROCEDURAL, places)
