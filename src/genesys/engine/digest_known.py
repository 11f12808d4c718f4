"""What the vault has of a conversation already, and which of its notes a proposal's words name."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from genesys.engine.mentions import matcher_of
from genesys.errors import VaultError
from genesys.model import EdgeType, Kind
from genesys.parse.digest.texts import span_of
from genesys.parse.mentions import find_names
from genesys.settings import Settings
from genesys.store.index import Index
from genesys.transcripts import Known
from genesys.vault import read

__all__ = ["known_of"]

MAX_NAMED = 5  # notes that a proposal is linked to
EVER = 10**9  # last turn of a conversation's note that a person has rewritten: it stands for all of it
_BECAUSE = re.compile(
    r"(?:because of|due to|owing to|as a result of|as a consequence of|由于|因为)"
    r"\s*(?:the |our |that )?[\[\"'“]{0,2}$",
    re.IGNORECASE,
)


def known_of(
    index: Index, settings: Settings, session: str, marks: Sequence[str], texts: Sequence[str]
) -> Known:
    """``marks`` and ``texts`` belong to the same proposals, in order."""
    notes = _notes_of(index, settings, session)
    own = {path for path, _, _ in notes}
    episodes = [(path, *(span_of(text) or (1, EVER))) for path, text, kept in notes if kept]
    holders = [next((path for path, text, kept in notes if mark in text and not kept), "") for mark in marks]
    return Known(tuple(episodes), tuple(holders), tuple(_named(index, text, own) for text in texts))


def _notes_of(index: Index, settings: Settings, session: str) -> list[tuple[str, str, bool]]:
    """(path, text, whether it keeps the conversation itself) of the session's memories."""
    from genesys.engine.digest import EPISODE

    found = []
    for row in index.notes_by_path(index.notes_by_property("source_session", session)):
        try:
            text = read(settings.vault, row.path).decode("utf-8", "replace")
        except VaultError:  # moved or deleted a moment ago
            continue
        if row.kind is Kind.MEMORY:
            found.append((row.path, text, row.category == EPISODE))
    return found


def _named(index: Index, text: str, own: Collection[str]) -> tuple[tuple[str, EdgeType], ...]:
    """Notes that go by a name in the text, alone; a cause where the words before the name say so."""
    matcher = matcher_of(index)
    found: dict[str, EdgeType] = {}
    for mention in find_names(matcher, text):
        owners = matcher.owners[mention.name]
        path = index.file_path(owners[0]) if len(owners) == 1 else None
        if path is not None and path not in own:
            caused = _BECAUSE.search(text[: mention.start])
            found.setdefault(path, EdgeType.CAUSED_BY if caused else EdgeType.RELATED_TO)
    return tuple(found.items())[:MAX_NAMED]
