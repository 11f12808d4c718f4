"""Decisions, preferences and dated facts: which sentences of a turn the rules take. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from genesys.model import MemoryType
from genesys.parse.digest.tables import RULES, RULES_CJK, Rule
from genesys.parse.sentences import sentence_starts
from genesys.transcripts import Place, Proposal, ProposalKind, Turn

__all__ = ["prose_of", "sentences_of", "statements"]

MIN_CHARS, MIN_CJK = 12, 5  # of a sentence that can stand alone
MAX_CHARS = 400
MAX_TURN = 20_000  # characters of a turn that are searched: what is longer was pasted
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_SKIPPED = re.compile(
    r"\s*(?:>|\||\$ |\d+[:|\t]|//|#!|\d{4}-\d\d-\d\d[ T]\d\d:|\[\d|at \S+\()|\s*[\w./-]+:\d+:"
)
_LEAD = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)、])\s+|\s*#{1,6}\s+")
_TIES = re.compile(
    r"^(?:(?:and|but|so|also|by the way|one more thing)[,:]?\s+"
    r"|(?:ok|okay|well|yes|no|fine|good|great|right|alright|thanks)[,:.!]\s+"
    r"|(?:另外|好的?|嗯|对了|那么|同意|还有)[，,：:]\s*)+",
    re.IGNORECASE,
)
_CJK = re.compile("[\u3400-\u9fff]")
_DIGIT = re.compile(r"\d")
_QUESTION = re.compile(r"[?？]\W*$")


def prose_of(text: str) -> Iterator[tuple[int, str]]:
    """(line, its text) of what somebody wrote themselves: no code, quotation, table or log."""
    fence = ""
    for number, line in enumerate(text.split("\n")):
        if mark := _FENCE.match(line):
            fence = "" if fence and mark[1].startswith(fence) else fence or mark[1]
        elif not fence and not _SKIPPED.match(line):
            yield number, line


def sentences_of(text: str) -> Iterator[tuple[int, str]]:
    """(line from 0, sentence) of the prose in a text; a sentence stays on its line."""
    for number, line in prose_of(text[:MAX_TURN]):
        lead = _LEAD.match(line)
        line = line[lead.end() :] if lead else line
        starts = sentence_starts(line)
        for start, end in zip(starts, [*starts[1:], len(line)], strict=True):
            if sentence := " ".join(line[start:end].split()):
                yield number, sentence


def statements(turn: Turn) -> Iterator[Proposal]:
    """What a person's turn decides, prefers or dates; numbered 0, as nobody counts yet."""
    if turn.role != "user":
        return
    for number, sentence in sentences_of(turn.text):
        if (kind := _kind(sentence)) is not None:
            place = Place(turn.number, turn.line_of(number), turn.role, sentence, turn.when)
            yield Proposal(0, kind, _tidied(sentence), MemoryType.SEMANTIC, (place,))


def _tidied(sentence: str) -> str:
    """Without the words that only tie it to what went before."""
    bare = _TIES.sub("", sentence)
    return bare[:1].upper() + bare[1:] if len(bare) >= MIN_CJK else sentence


def _kind(sentence: str) -> ProposalKind | None:
    least, rules = (MIN_CJK, RULES_CJK) if _CJK.search(sentence) else (MIN_CHARS, RULES)
    if not least <= len(sentence) <= MAX_CHARS or _QUESTION.search(sentence):
        return None
    plain = re.sub(r"[*_`]+", "", sentence)
    return next((rule.kind for rule in rules if _fires(rule, plain)), None)


def _fires(rule: Rule, sentence: str) -> bool:
    if rule.kind is ProposalKind.FACT and not _DIGIT.search(sentence):  # a date has one
        return False
    found = _compiled(rule.pattern).search(sentence)
    if found is None:
        return False
    if rule.not_before and _compiled(rule.not_before).search(sentence[: found.start()]):
        return False
    if rule.not_in and _compiled(rule.not_in).search(sentence):
        return False
    return not rule.wants or _compiled(rule.wants).search(sentence) is not None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)
