"""What is written into the clients' files: the server's entry, and the hooks of Claude Code."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from genesys.errors import ConfigRefused, UsageError
from genesys.model import Json
from genesys.parse.json_patch import Addition

__all__ = [
    "EVENTS",
    "NAME",
    "SERVERS",
    "Server",
    "check_name",
    "hook_additions",
    "hooks_of",
    "other_name",
    "program",
    "same_vault",
    "server_addition",
    "server_of",
]

NAME = "genesys"
SERVERS = "mcpServers"
#: Claude Code's event → ours, and after how many seconds Claude Code stops waiting for it.
EVENTS = {
    "SessionStart": ("session-start", 10),
    "UserPromptSubmit": ("user-prompt", 5),
    "Stop": ("stop", 10),
    "PreCompact": ("pre-compact", 10),
}
_EXPANDED = re.compile(r"\$\{")  # Claude Code fills in variables of this form


@dataclass(frozen=True, slots=True)
class Server:
    """How a client starts the server of a vault. ``env`` are settings that are in force only here, and that
    it would not have by itself."""

    program: tuple[str, ...]
    vault: str
    env: tuple[tuple[str, str], ...] = field(default=(), compare=False)


def program(argv0: str, executable: str, platform: str = sys.platform) -> tuple[str, ...]:
    """The command that is running now, by its full path: clients know little of a person's ``PATH``.

    A link to it (pipx, Homebrew) stays a link, so that an upgrade does not break what was written.
    """
    name = "genesys.exe" if platform == "win32" else "genesys"
    beside = os.path.join(os.path.dirname(executable), name)
    for path in (os.path.abspath(argv0), beside):
        if os.path.basename(path) == name and os.path.isfile(path) and os.access(path, os.X_OK):
            return (path,)
    return (executable, "-P", "-m", "genesys")


def _checked(words: Sequence[str]) -> Sequence[str]:
    for word in words:
        try:
            word.encode()
        except UnicodeEncodeError:
            raise ConfigRefused(
                f"{os.fsencode(word)!r} is not UTF-8, and a config file is",
                hint="Rename the folder, or make a symlink to it.",
            ) from None
        if _EXPANDED.search(word):
            raise ConfigRefused(
                f"clients take ${{…}} in {word} for a variable", hint="Make a symlink to the folder."
            )
    return words


def server_addition(server: Server, name: str = NAME) -> Addition:
    """The entry that makes a client start the server. Raises :class:`ConfigRefused`."""
    first, *rest = _checked([*server.program, "serve", "--vault", server.vault])
    env = {"env": dict(server.env)} if server.env else {}
    _checked([value for _, value in server.env])
    return Addition((SERVERS,), name, {"command": first, "args": rest, **env})


def hook_additions(server: Server, platform: str = sys.platform) -> tuple[Addition, ...]:
    """One hook an event. Raises :class:`ConfigRefused`."""
    return tuple(
        Addition(("hooks", event), "", {"hooks": [_hook(server, word, timeout, platform)]})
        for event, (word, timeout) in EVENTS.items()
    )


def _hook(server: Server, word: str, timeout: int, platform: str) -> Json:
    words = _checked([*server.program, "hook", word, "--vault", server.vault])
    if platform == "win32":
        # Which shell would read a line there depends on what is installed: ask for none.
        return {"type": "command", "command": words[0], "args": list(words[1:]), "timeout": timeout}
    settings = [f"{name}={shlex.quote(value)}" for name, value in server.env]
    return {"type": "command", "command": " ".join([*settings, shlex.join(words)]), "timeout": timeout}


def hooks_of(element: Json | None) -> tuple[tuple[Server, str], ...]:
    """The hooks of ours in one element of an event's list: whose, and which."""
    inner = element.get("hooks") if isinstance(element, Mapping) else None
    found = []
    for hook in inner if isinstance(inner, list) else ():
        words = _words(hook)
        if "hook" not in words or not _starts_us(words[: (at := words.index("hook"))]):
            continue
        found.append((Server(tuple(words[:at]), _vault(words)), words[at + 1] if at + 1 < len(words) else ""))
    return tuple(found)


def _words(hook: Json) -> list[str]:
    command = hook.get("command") if isinstance(hook, Mapping) else None
    if not isinstance(hook, Mapping) or not isinstance(command, str):
        return []
    args = hook.get("args")
    if isinstance(args, list):
        return [command, *(word for word in args if isinstance(word, str))]
    try:
        words = shlex.split(command)
    except ValueError:
        return []
    while words and re.match(r"[A-Z_]+=", words[0]):  # settings for the command
        del words[0]
    return words


def _starts_us(words: Sequence[str]) -> bool:
    named = bool(words) and re.fullmatch(r"genesys(\.exe)?", re.split(r"[/\\]", words[0])[-1], re.IGNORECASE)
    return bool(named) or ("-m" in words and "genesys" in words)


def _vault(words: Sequence[str]) -> str:
    for word, following in zip(words, [*words[1:], ""], strict=True):
        if word in ("--vault", "-v"):
            return following
        if word.startswith("--vault="):
            return word.removeprefix("--vault=")
    return ""


def server_of(entry: Json | None) -> Server | None:
    """The server of ours that an entry starts, whoever wrote it; None where it starts something else."""
    if not isinstance(entry, Mapping):
        return None
    command, args = entry.get("command"), entry.get("args", [])
    if not isinstance(command, str) or not isinstance(args, list):
        return None
    words = [command, *(word for word in args if isinstance(word, str))]
    if "serve" not in words or not _starts_us(words[: words.index("serve")]):
        return None
    vault = _vault(words)
    env = entry.get("env")
    if not vault and isinstance(env, Mapping):
        vault = str(env.get("GENESYS_VAULT") or "")
    return Server(tuple(words[: words.index("serve")]), vault)


def other_name(vault: str) -> str:
    """A name for a second server beside one called like ours, from the name of its vault."""
    words = re.findall(r"[a-z0-9]+", os.path.basename(vault).lower())
    return "-".join([NAME, *(words or ["2"])])


def check_name(name: str) -> None:
    """Raises :class:`UsageError` for a name that Claude Code does not take."""
    if not re.fullmatch(r"[A-Za-z0-9_-]+", name):
        raise UsageError(
            f"a server can't be called {name!r}", hint="Only letters, digits, - and _ are possible."
        )


def same_vault(one: str, other: Path) -> bool:
    """Whether a vault in an entry is this one, whatever name leads there."""
    return bool(one) and os.path.realpath(os.path.expanduser(one)) == os.path.realpath(other)
