"""Do what was planned, and undo it: whole where nobody touched the file since, else only our entries."""

from __future__ import annotations

import contextlib
import math
import os
from dataclasses import dataclass, replace
from pathlib import Path

from genesys.connect.journal import Entry, Journal, digest, drop_folders, make_folders, missing_folders
from genesys.connect.plan import Change, Refusal, plan, read_file
from genesys.errors import ConfigRefused, GenesysError, VaultError
from genesys.model import Json
from genesys.parse.json_patch import remove
from genesys.parse.json_text import read_json
from genesys.write import content_hash, create, sweep_temp, write_if

__all__ = ["Undone", "apply", "undo_all"]


@dataclass(frozen=True, slots=True)
class Undone:
    """What became of one file: ``restored``, ``removed``, ``cut`` (our entries alone), ``gone`` (there was
    nothing of ours in it any more), ``kept`` (a file of ours that a person has changed) or ``left`` with the
    reason."""

    file: Path
    how: str
    reason: str = ""


def apply(change: Change, journal: Journal) -> Journal:
    """Make one change. What is to be undone is written down first.

    Where the file was changed since the plan (Claude Code writes its own all the time) the same entries go
    into what it is now. Raises :class:`ConfigRefused` where they can't, and what a write may raise; nothing
    is changed then.
    """
    change = _fresh(change, journal)
    if not change.needed:
        return journal
    file = change.step.file
    real = Path(os.path.realpath(file))
    entry = Entry(
        str(file),
        digest(change.before),
        digest(change.after),
        folders=missing_folders(real.parent),
        additions=change.additions,
    )
    recorded = journal.save()
    try:
        if change.before is not None:
            entry = replace(entry, backup=recorded.keep(change.before))
        written = replace(recorded, entries=(*recorded.entries, entry)).save()
        make_folders(real.parent)
        _write(real, change.before, change.after)
    except BaseException:
        if read_file(file) != change.after:
            drop_folders(entry.folders)
            if recorded.entries or recorded.trees:
                recorded.save()
            else:
                recorded.close()
        raise
    return written


def _fresh(change: Change, journal: Journal) -> Change:
    """The change, planned anew if its file is another now; only the same entries are what was agreed to."""
    if read_file(change.step.file) == change.before:
        return change
    (anew,) = plan([change.step], journal.ours)
    if isinstance(anew, Refusal):
        raise ConfigRefused(f"{change.step.file} was changed meanwhile, and now {anew.reason}")
    if anew.needed and _entries(anew) != _entries(change):
        raise ConfigRefused(f"{change.step.file} was changed meanwhile", hint="run genesys setup again")
    return anew


def _entries(change: Change) -> list[tuple[tuple[str, ...], str, Json]]:
    return [(item.path, item.name, item.value) for item in change.additions]


def _write(real: Path, before: bytes | None, after: bytes) -> None:
    changed = ConfigRefused(f"{real} was changed at the same moment", hint="run genesys setup again")
    try:
        if before is None:
            create(real.parent, real.name, after, hidden_ok=True)
        elif write_if(real.parent, real.name, content_hash(before), after) is None:
            raise changed
    except VaultError as error:
        raise ConfigRefused(f"{real}: {error.message}", hint=error.hint) from None


def undo_all(journal: Journal) -> tuple[tuple[Undone, ...], Journal]:
    """Undo every change, the last first; what became of each, and the record of those that are left."""
    results = [(entry, _undone(entry, journal)) for entry in reversed(journal.entries)]
    left = tuple(entry for entry, result in reversed(results) if result.how == "left")
    return tuple(result for _, result in results), replace(journal, entries=left)


def _undone(entry: Entry, journal: Journal) -> Undone:
    file = Path(entry.file)
    try:
        result = _undo(file, entry, journal)
    except GenesysError as error:
        return Undone(file, "left", error.message)
    # What a killed process left half written; no other program's file has such a name.
    sweep_temp(Path(os.path.realpath(file)).parent, now=math.inf, deep=False)
    drop_folders(entry.folders)
    return result


def _undo(file: Path, entry: Entry, journal: Journal) -> Undone:
    current = read_file(file)
    real = Path(os.path.realpath(file))
    state = digest(current)
    if state == entry.before or current is None:
        return Undone(file, "gone")
    if state == entry.after and not entry.before:
        with contextlib.suppress(FileNotFoundError):
            real.unlink()
        return Undone(file, "removed")
    if state == entry.after and (old := journal.backup(entry)) is not None:
        _write(real, current, old)
        return Undone(file, "restored")
    if not entry.additions:
        return Undone(file, "kept")
    return _cut(file, real, current, entry)


def _cut(file: Path, real: Path, current: bytes, entry: Entry) -> Undone:
    doc, found = read_json(current), False
    for item in reversed(entry.additions):
        text = remove(doc, item)
        if text is not None:
            doc, found = read_json(doc.encode(text)), True
    if not found:
        return Undone(file, "gone")
    _write(real, current, doc.encode(doc.text))
    return Undone(file, "cut")
