"""Steps, and what each would change: a step names a file and what of ours goes into it.

A further kind of connection is one more function that gives a :class:`Step`.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from genesys.connect.entries import Server, hook_additions, hooks_of, server_addition, server_of
from genesys.connect.places import Client
from genesys.errors import ConfigRefused
from genesys.parse.json_patch import Addition, add, covers, look_up, remove
from genesys.parse.json_text import JsonText, read_json

__all__ = ["Change", "Refusal", "Step", "diff", "hook_step", "paste", "plan", "read_file", "server_step"]

CONTEXT = 2  # lines of a file around a change
SHOWN = 400  # characters of a line; a longer one is shown around what changes
AROUND = 20
PROJECT_NOTE = "it names paths of this machine, so don't share it; Claude Code asks once before it uses it"
TAKEN = "--name gives ours another name beside it; genesys setup --undo takes out what setup wrote"


@dataclass(frozen=True, slots=True)
class Step:
    """A file, and our entries in it; or with ``content`` a whole file of ours, which replaces what
    ``replaceable`` says is ours. ``note`` is what a person should know before it is written."""

    title: str
    file: Path
    additions: tuple[Addition, ...] = ()
    content: bytes | None = None
    note: str = ""
    replaceable: Callable[[bytes], bool] | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """What a step does to its file. ``before`` is None where there is no file yet; where nothing is to be
    done ``after`` equals it. ``additions`` are those that are not there yet."""

    step: Step
    before: bytes | None
    after: bytes
    additions: tuple[Addition, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def needed(self) -> bool:
        return self.before != self.after


@dataclass(frozen=True, slots=True)
class Refusal:
    """A file that is left alone, and why."""

    step: Step
    reason: str
    hint: str = ""

    @property
    def taken(self) -> bool:
        """Whether another name for our entry would do."""
        return self.hint == TAKEN


def server_step(client: Client, server: Server, name: str) -> Step:
    note = PROJECT_NOTE if client.key == "project" else ""
    return Step(client.title, client.file, (server_addition(server, name),), note=note)


def hook_step(file: Path, server: Server) -> Step:
    return Step("hooks of Claude Code", file, hook_additions(server))


def plan(steps: Iterable[Step], ours: Sequence[tuple[Path, Addition]]) -> tuple[Change | Refusal, ...]:
    """What each step would change now. ``ours`` are the entries that setup itself wrote, with their files."""
    return tuple(_planned(step, [item for file, item in ours if file == step.file]) for step in steps)


def _planned(step: Step, ours: Sequence[Addition]) -> Change | Refusal:
    try:
        before = read_file(step.file)
        if before is not None:
            _check_writable(os.path.realpath(step.file))
        if step.content is not None:
            return _whole(step, before, step.content)
        return _patched(step, before, ours)
    except ConfigRefused as refused:
        return Refusal(step, refused.message, refused.hint)
    except RecursionError:
        return Refusal(step, "it is nested too deeply")


def read_file(file: Path) -> bytes | None:
    """The bytes of a config file; None where there is none.

    Raises :class:`ConfigRefused` for what can't be read, or is no plain file.
    """
    real = os.path.realpath(file)
    try:
        if not os.path.isfile(real) and os.path.lexists(real):
            raise ConfigRefused("it is no plain file")
        with open(real, "rb") as stream:
            return stream.read()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise ConfigRefused(f"it can't be read: {error.strerror or error}") from None


def _check_writable(real: str) -> None:
    if not os.access(real, os.W_OK):
        raise ConfigRefused("it is read-only")
    if os.stat(real).st_nlink > 1:
        raise ConfigRefused("it is a hard link, and writing would part it from its other names")


def _whole(step: Step, before: bytes | None, content: bytes) -> Change:
    ours = before in (None, content) or (step.replaceable is not None and step.replaceable(before or b""))
    if not ours:
        raise ConfigRefused("there is such a file already, which setup did not write")
    return Change(step, before, content, notes=(step.note,) if step.note else ())


def _patched(step: Step, before: bytes | None, ours: Sequence[Addition]) -> Change:
    doc, done = read_json(before or b""), []
    notes = [step.note, "" if doc.strict or doc.blank else _loose(doc)]
    for item in step.additions:
        found, doc = (_room_for_entry if item.name else _room_for_hook)(doc, item, ours)
        if not found:
            text, added = add(doc, item)
            doc = read_json(doc.encode(text))
            done.append(added)
    after = doc.encode(doc.text) if done else (before or b"")
    return Change(step, before, after, tuple(done), tuple(filter(None, notes)))


def _loose(doc: JsonText) -> str:
    what = "a byte order mark, which stays" if doc.bom else "comments or trailing commas, which stay"
    return f"it has {what}; not every version of Claude reads such a file"


def _room_for_entry(doc: JsonText, item: Addition, ours: Sequence[Addition]) -> tuple[bool, JsonText]:
    """Whether the entry is there already; an older one that setup itself wrote for this vault is taken out.

    Raises :class:`ConfigRefused` where the name is another's.
    """
    servers = look_up(doc, item.path)
    if not isinstance(servers, dict) or item.name not in servers:
        return False, doc
    found = servers[item.name]
    if covers(found, item.value):
        return True, doc
    mine, wanted = server_of(found), server_of(item.value)
    written = [one for one in ours if one.name == item.name and covers(found, one.value)]
    if mine is not None and mine == wanted and not written:
        return True, doc  # by hand, perhaps with more settings
    if written and mine and wanted and mine.vault == wanted.vault:
        text = remove(doc, Addition(item.path, item.name, written[0].value))
        if text is not None:
            return False, read_json(doc.encode(text))
    if mine is None:
        what = f"it has another server called {item.name}"
    elif wanted and mine.vault != wanted.vault:
        what = f"{item.name} serves another vault there: {mine.vault or 'none that is named'}"
    else:
        what = f"it has an entry {item.name} that setup did not write"
    raise ConfigRefused(what, hint=TAKEN)


def _room_for_hook(doc: JsonText, item: Addition, ours: Sequence[Addition]) -> tuple[bool, JsonText]:
    """Whether a hook like it is in the list, whoever put it there; an older one of setup's is taken out."""
    found, ((mine, word),) = look_up(doc, item.path), hooks_of(item.value)
    for element in found if isinstance(found, list) else ():
        for server, other in hooks_of(element):
            if (other, server.vault) != (word, mine.vault):
                continue
            written = any(one.path == item.path and covers(element, one.value) for one in ours)
            if server == mine or not written:
                return True, doc
            text = remove(doc, Addition(item.path, "", element))
            return False, read_json(doc.encode(doc.text if text is None else text))
    return False, doc


# ------------------------------------------------------------------ showing


def paste(step: Step) -> str:
    """What a person can put into the file by hand."""
    doc = read_json(b"")
    for item in step.additions:
        doc = read_json(add(doc, item)[0].encode())
    return doc.text.rstrip()


def diff(change: Change) -> Iterator[str]:
    """The change as a unified diff. Lines of a file that is all in one are cut around what changes."""
    before, after = (_lines(raw or b"") for raw in (change.before, change.after))
    name = str(change.step.file)
    start = "/dev/null" if change.before is None else name
    if any(len(line) > SHOWN for line in (*before, *after)):
        yield from (f"--- {start}", f"+++ {name}", *_around(change))
        return
    yield from difflib.unified_diff(before, after, start, name, lineterm="", n=CONTEXT)


def _lines(raw: bytes) -> list[str]:
    text = raw.decode("utf-8-sig", "replace").replace("\r\n", "\n")
    return text.removesuffix("\n").split("\n") if text else []


def _around(change: Change) -> Iterator[str]:
    """What goes and what comes, with some characters of what stands around it."""
    old, new = ((raw or b"").decode("utf-8", "replace") for raw in (change.before, change.after))
    start = _common(old, new)
    end = _common(old[start:][::-1], new[start:][::-1])
    for sign, text in (("-", old), ("+", new)):
        piece = text[max(0, start - AROUND) : len(text) - end + AROUND]
        yield from (f"{sign}…{line}…" for line in piece.splitlines())


def _common(one: str, other: str) -> int:
    """How many characters two texts have in common at their beginnings."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(one), len(other)))
