"""How surely a note is what a text is about, from what does not depend on the other notes found.

A rank says which note is nearest, not whether it is near: the shares of a recall are scaled to its best note.
"""

from __future__ import annotations

__all__ = ["NAMED", "TOLD", "WORDS", "WORDS_ALONE", "worth"]

WORDS = 0.3  # what all of the text's words add to the cosine
WORDS_ALONE = 0.75  # the same where there is no cosine
TOLD = 6.0  # information (nats) in the words found from which a match is no chance
NAMED = 0.15  # what it adds that the text names the note


def worth(nearness: float | None, coverage: float, information: float, named: bool) -> float:
    """About 0 for what has nothing to do with the text, from 0.5 for what is about it.

    ``nearness`` is the cosine of text and note above the vault's mean (None without vectors); ``coverage`` in
    [0, 1] the share of the text's words, by information, that the note's passage has, and ``information``
    their sum in nats.
    """
    words = coverage * min(1.0, information / TOLD)
    found = WORDS_ALONE * words if nearness is None else max(nearness, 0.0) + WORDS * words
    return found + NAMED * named
