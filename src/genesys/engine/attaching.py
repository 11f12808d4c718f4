"""Text of PDF and Word files that notes embed, as passages of those notes.

A pass over the vault only takes note of what is embedded; the files are read afterwards, one at a time and
outside of any transaction, so that no answer waits for one (P5). What a file says is kept by its content:
it is read again only when that changes (P10).
"""

from __future__ import annotations

from collections.abc import Callable

from genesys.errors import VaultError
from genesys.extract import Extract, Limits, available, extract
from genesys.model import FileStat
from genesys.parse.attached import attached_passages, plain_text
from genesys.parse.text import fold
from genesys.settings import Settings
from genesys.store.index import Index
from genesys.vault import content_hash, read_and_hash

__all__ = ["read_all", "read_next", "refresh", "wanted"]

Progress = Callable[[str, int, int], None]


def wanted(settings: Settings) -> bool:
    """Whether attachments are read here: the setting says so, and the extra is installed."""
    return settings.attachments == "auto" and available()


def _limits(settings: Settings) -> Limits:
    return Limits(settings.attachment_mb << 20, settings.attachment_pages, settings.attachment_seconds)


def refresh(index: Index, settings: Settings) -> int:
    """Give each note the passages of what it embeds, as far as that was read; how many notes changed."""
    if settings.attachments == "auto" and not available():
        return 0  # what an earlier run has read stays
    items = index.sync_attached(str(_limits(settings)), wanted=settings.attachments == "auto")
    for item in items:
        folded = (fold(item.title), fold(" ".join(item.names)))
        passages = attached_passages(item.name, item.line, item.sections, settings.parse.passage_tokens)
        index.attach(item, passages, folded)
    return len(items)


def read_next(index: Index, settings: Settings) -> bool:
    """Read one attachment that waits, the newest first; whether there was one."""
    if not wanted(settings):
        return False
    limits = _limits(settings)
    waiting = index.unread_attachments(str(limits), 1)
    if not waiting:
        return False
    _read(index, settings, waiting[0], limits)
    refresh(index, settings)
    index.collect_garbage()
    return True


def read_all(index: Index, settings: Settings, progress: Progress | None = None) -> int:
    """Read every attachment that waits; how many."""
    limits = str(_limits(settings))
    total = len(index.unread_attachments(limits, -1)) if wanted(settings) else 0
    for done in range(total):
        if not read_next(index, settings):
            return done
        if progress:
            progress("files", done + 1, total)
    return total


def _read(index: Index, settings: Settings, stat: FileStat, limits: Limits) -> None:
    """Read a file, unless its content is known. What changed under our hands is read at the next turn."""
    try:
        if stat.size > limits.size:
            raw = b""
            found = Extract(problem=f"larger than {settings.attachment_mb} MB: its text is not read")
            key = f"size-{stat.size}-{limits}"
        else:
            raw, now = read_and_hash(settings.vault, stat.path, limits.size)
            key = f"{content_hash(raw)}-{limits}"
            found = Extract() if index.extract_of(key) else extract(stat.path, raw, limits)
            if (now.size, now.mtime_ns) != (stat.size, stat.mtime_ns):
                index.touch([FileStat(stat.path, stat.type, now.size, now.mtime_ns, now.inode)])
                stat = FileStat(stat.path, stat.type, now.size, now.mtime_ns)
    except VaultError as error:
        found, key = Extract(problem=error.message), f"error-{stat.path}-{stat.mtime_ns}-{limits}"
    if index.extract_of(key):
        index.use_extract(stat, str(limits), key, None)
        return
    sections = [(path, plain_text(text)) for path, text in found.sections]
    index.use_extract(stat, str(limits), key, (sections, found.problem))
