"""Memories that are of use beyond their vault: errors, lessons, and what was recalled in several vaults.

They are copied into the shared vault by :mod:`genesys.engine.promote`, without the links of their own vault,
whose names are nobody else's business. Without a shared vault the proposals say what there would be to share.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from genesys.engine.promote import Action, promote
from genesys.engine.proposing import Memories, proposal
from genesys.errors import GenesysError, VaultError, WriteRefused
from genesys.model import Json, Kind, MemoryType
from genesys.parse.memory_text import content_of, memory_key
from genesys.parse.secrets import find_secret
from genesys.reports import EvolveKind, Proposal
from genesys.settings import Settings, machine_id, other_vaults
from genesys.store.index import Index, open_index
from genesys.store.rows import EventRow, NoteRow
from genesys.trash import restore, trash
from genesys.vault import read
from genesys.write import content_hash

__all__ = ["proposals", "share", "unshare"]

MOST = 1_000  # memories of a vault that are looked at, those recalled most first
INDEX = Path(".genesys") / "index.db"


def proposals(index: Index, settings: Settings, memories: Memories) -> tuple[list[Proposal], list[str]]:
    """What to copy into the shared vault, and lines for the reader."""
    reasons = _lessons(settings, memories) | _recalled_around(settings, memories)
    root = settings.org_vault
    if root is not None and not root.is_dir():
        return [], [f"the shared vault {root} is not there: check GENESYS_ORG_VAULT"]
    found = []
    for path, reason in sorted(reasons.items()):
        if root is not None and (root / path).exists():
            continue
        text = _text(settings.vault, path)
        if text is None or find_secret(text):
            continue
        place = f"{root}/{path}" if root else ""
        found.append(proposal(EvolveKind.SHARE, path, reason, place, sure=root is not None))
    missing = ["to share them, set GENESYS_ORG_VAULT to a shared vault"] if found and root is None else []
    return found, missing


def _lessons(settings: Settings, memories: Memories) -> dict[str, str]:
    named = {name.casefold() for name in settings.shared_categories}
    chosen = [
        row
        for row in memories.rows.values()
        if row.memory_type is MemoryType.PROCEDURAL or row.category.casefold() in named
    ]
    return dict.fromkeys(_most_recalled(chosen), "how to do a thing, or not to")


def _most_recalled(rows: Iterable[NoteRow]) -> list[str]:
    return [row.path for row in sorted(rows, key=lambda row: (-row.recalls, row.path))[:MOST]]


def _recalled_around(settings: Settings, memories: Memories) -> dict[str, str]:
    """Memories that were recalled in several vaults: the same words, in this one and in others."""
    own = [row for row in memories.rows.values() if row.recalls]
    if not settings.promote_vaults or not own:
        return {}
    mine = {key: path for path in _most_recalled(own) if (key := _key(settings.vault, path))}
    count: Counter[str] = Counter(mine.keys())
    for vault in other_vaults(settings.vault):
        if vault != settings.org_vault:
            count.update(_recalled_in(vault) & mine.keys())
    least = settings.promote_vaults
    return {mine[key]: f"recalled in {n} of your vaults" for key, n in count.items() if n >= least}


def _recalled_in(vault: Path) -> set[str]:
    """Keys of the memories that were recalled in another vault; none where its index can't be read."""
    if not (vault / INDEX).is_file():
        return set()
    try:
        with open_index(vault / INDEX, read_only=True, machine_id=machine_id()) as index:
            rows = [r for r in index.all_notes() if r.kind is Kind.MEMORY and r.recalls and not r.opted_out]
    except GenesysError:
        return set()
    return {key for path in _most_recalled(rows) if (key := _key(vault, path))}


def _key(vault: Path, path: str) -> str:
    """What a memory says, whatever session it was from; "" where a person changed it."""
    text = _text(vault, path)
    content = content_of(text) if text is not None else None
    return memory_key("", content) if content else ""


def _text(vault: Path, path: str) -> str | None:
    try:
        return read(vault, path).decode("utf-8", "replace")
    except VaultError:
        return None


def share(index: Index, settings: Settings, proposal: Proposal, now: float) -> Mapping[str, Json]:
    """Copy it.

    Raises:
        UsageError: no shared vault is set up. VaultError: it can't be written.
    """
    done = promote(index, settings, proposal.path, Action.DELETE_LINKS, dry_run=False)
    target = done.copied[0].target
    assert settings.org_vault is not None
    return {"target": target, "hash": content_hash(read(settings.org_vault, target))}


def unshare(index: Index, settings: Settings, event: EventRow, now: float) -> tuple[str, ...]:
    """Move the copy to the shared vault's trash, unless somebody has changed it.

    Raises:
        WriteRefused: it was changed. FileGone: it is not there any more.
    """
    target = str(event.detail["target"])
    if settings.org_vault is None:
        raise WriteRefused("no shared vault is set up", hint="set GENESYS_ORG_VAULT")
    trashed = trash(settings.org_vault, target)
    if content_hash(read(settings.org_vault, trashed)) != event.detail["hash"]:
        restore(settings.org_vault, trashed, target)
        raise WriteRefused(f"{target} was changed in the shared vault", hint="delete it there by hand")
    return (target,)
