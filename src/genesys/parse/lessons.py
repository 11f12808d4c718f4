"""Sentences of a talk that say what was decided or learned: what may be worth a memory. Pure.

A coarse rule for a reminder, with precision before recall: first person and plain past, no questions, no
conditions. ``genesys digest`` is the thorough one.
"""

from __future__ import annotations

import re

from genesys.parse.digest.statements import sentences_of
from genesys.parse.secrets import find_secret

__all__ = ["lessons"]

SHORT, LONG = 25, 400  # characters; a shorter one says nothing by itself, a longer one is no sentence
SHORT_WIDE = 8  # the same where a character is a word
LOOKED_AT = 20_000  # characters of one text, its last

_CUES = re.compile(
    r"\b(we|i)(['’]ve| have)? (decided|agreed|settled on|chose|opted)\b"
    r"|\bwe(['’]ll| will| are going to) (use|go with|keep|drop|switch to|stick with)\b|\blet['’]s go with\b"
    r"|\b(decision|lesson( learned)?|takeaway|conclusion|root cause|the fix)\s*(is|was|:)"
    r"|\b(it )?turn(s|ed) out\b|\bthe (real |actual )?(cause|reason|culprit) (is|was)\b"
    r"|\b(please )?(remember|note|keep in mind) that\b|\b(from now on|going forward)\b"
    r"|\bi (always |never )?(prefer|want you to always|want you to never)\b"
    r"|\bwir (haben (uns )?(beschlossen|entschieden)|nehmen ab jetzt)\b|\bab jetzt\b"
    r"|我们?(已经)?决定|决定(采用|使用|改用|用)|根本原因|原来是|结论是|教训是|以后(都|一律|不要)|请?记住"
    r"|に決めた|ことにした|原因は",
    re.IGNORECASE,
)
_OPEN = re.compile(
    r"[?？]\s*\Z|\A\s*((if|should|shall|could|would|maybe|perhaps|wenn)\b|如果|要不要)", re.IGNORECASE
)
# What a client adds to a talk, between tags of its own.
_CLIENT = re.compile(
    r"<(?P<tag>system-reminder|task-notification|(?:local-)?command-[a-z]+)>.*?(?:</(?P=tag)>|\Z)", re.DOTALL
)
_MARKS = re.compile(r"[*`]{1,3}|__")
_WIDE = re.compile("[\u3040-\u30ff\u3400-\u9fff]")


def lessons(text: str) -> tuple[str, ...]:
    """The sentences of ``text``, outside code and quotations, that tell a decision or a lesson.

    >>> lessons("Done. We decided to keep SQLite because Postgres needs a server. Shall I go on?")
    ('We decided to keep SQLite because Postgres needs a server.',)
    """
    said = _CLIENT.sub("\n", text[-LOOKED_AT:])
    told = (_MARKS.sub("", sentence) for _, sentence in sentences_of(said))
    return tuple(dict.fromkeys(sentence for sentence in told if _tells(sentence)))


def _tells(sentence: str) -> bool:
    least = SHORT_WIDE if _WIDE.search(sentence) else SHORT
    if not least <= len(sentence) <= LONG or not _CUES.search(sentence) or _OPEN.search(sentence):
        return False
    return not find_secret(sentence)
