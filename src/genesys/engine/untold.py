"""What of a conversation could be remembered and is not: for a reminder, said once in a conversation."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from genesys.engine.evidence import weigh
from genesys.engine.names import well_formed
from genesys.parse.lessons import lessons
from genesys.parse.text import digest, fold

if TYPE_CHECKING:
    from genesys.engine.session import Genesys

__all__ = ["untold"]

TOLD = "hooks_told"  # meta: what conversations were reminded of, by digests
MOST = 3  # a time; a longer list is not read
LOOKED_AT = 6  # the newest
SESSIONS, EACH = 20, 100
NEAR = 3  # notes that may hold it already
STORED = 0.85  # worth from which a note says the same
COVERED = 0.8  # share of the words from which it does, too


def untold(memory: Genesys, texts: Sequence[str], session: str) -> tuple[str, ...]:
    """Sentences of ``texts`` (oldest first) that tell a decision or a lesson which no note has yet.

    What was returned once is not returned again for this conversation.
    """
    said = [sentence for text in texts for sentence in lessons(well_formed(text))]
    with memory._lock:
        told = _told(memory)
    before = set(told.get(session, ()))
    new = [s for s in dict.fromkeys(said) if _mark(s) not in before][-LOOKED_AT:]
    found = tuple(s for s in new if not _stored(memory, s))[-MOST:]
    if found and not memory.read_only:
        told[session] = [*told.pop(session, []), *map(_mark, found)][-EACH:]
        kept = dict(list(told.items())[-SESSIONS:])
        with memory._lock:
            memory._index.meta_set(TOLD, json.dumps(kept))
    return found


def _mark(sentence: str) -> str:
    return digest(fold(sentence).encode())


def _told(memory: Genesys) -> dict[str, list[str]]:
    try:
        told = json.loads(memory._index.meta_get(TOLD) or "{}")
        return {str(session): [str(m) for m in marks] for session, marks in told.items()}
    except (ValueError, TypeError, AttributeError):
        return {}


def _stored(memory: Genesys, sentence: str) -> bool:
    hits = memory.recall(sentence, NEAR, read_only=True, with_vectors=False).hits
    return any(w.worth >= STORED or w.coverage >= COVERED for w in weigh(memory, sentence, hits))
