"""Which files of a vault are none of our business, and the reason a person can act on.

Hidden names and temporary files are left out silently, as Obsidian does; what a person's settings
exclude is reported.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from genesys.paths import nfc
from genesys.registry import obsidian_config

__all__ = ["IGNORE_FILE", "Rules", "is_hidden", "is_temporary", "load_rules", "make_rules"]

IGNORE_FILE = ".genesysignore"
MAX_STARS = 4  # in one name of a pattern: the time to match a name grows with its length to this power
# A run of stars that is no whole name ("!" may stand before the pattern).
_STARS = re.compile(r"\*{3,}|(?<!/)(?<!^)(?<!^!)\*\*|\*\*(?!/|$)")
_FOLDERS = frozenset({"node_modules"})  # everything else we never enter starts with a dot
_TEMPORARY = ("~", ".tmp", ".swp", ".swo", ".swx", ".crdownload", ".part", ".partial", ".download")


def is_hidden(path: str) -> bool:
    """True where any segment starts with a dot: Obsidian does not see such files (R81)."""
    return path.startswith(".") or "/." in path


def is_temporary(name: str) -> bool:
    """True for files that editors and browsers write for a moment (R84)."""
    return name.endswith(_TEMPORARY) or name.startswith("~$")


@dataclass(frozen=True, slots=True)
class Rules:
    """Reasons to leave a file out. Paths are vault-relative POSIX paths in NFC.

    ``problems`` are lines for ``status``: patterns that could not be read. ``follow`` is a person's word
    that symlinks may lead out of the vault.
    """

    prefixes: tuple[str, ...] = ()
    patterns: tuple[re.Pattern[str], ...] = ()
    templates: tuple[str, ...] = ()
    spec: Any = None  # pathspec.GitIgnoreSpec, where there is an ignore file
    problems: tuple[str, ...] = ()
    follow: bool = False

    @property
    def plain(self) -> bool:
        """True where no rule can concern a single file."""
        return not (self.prefixes or self.patterns or self.spec)

    def folder(self, path: str) -> str:
        """Why everything below this folder is left out; "" where it is not. Parents are not asked."""
        if path.rpartition("/")[2] in _FOLDERS:
            return "a folder of program packages"
        if path in self.templates:
            return "template (Obsidian's templates folder)"
        return self._reason(path + "/")

    def file(self, path: str) -> str:
        """Why this file is left out; "" where it is not. Its folders are not asked."""
        return "" if self.plain else self._reason(path)

    def ignored(self, path: str) -> bool:
        """True where a file is left out for any reason, its folders' included; for the watcher."""
        if is_hidden(path) or is_temporary(path):
            return True
        cut = path.find("/")
        while cut >= 0:
            if self.folder(path[:cut]):
                return True
            cut = path.find("/", cut + 1)
        return bool(self.file(path))

    def _reason(self, path: str) -> str:
        for prefix in self.prefixes:
            if path.startswith(prefix):
                return f"excluded in Obsidian ({prefix})"
        for pattern in self.patterns:
            if pattern.search(path):
                return f"excluded in Obsidian (/{pattern.pattern}/)"
        if self.spec is not None and self.spec.match_file(path):
            return f"excluded in {IGNORE_FILE}"
        return ""


def make_rules(filters: Sequence[str] = (), templates: Sequence[str] = (), ignore_text: str = "") -> Rules:
    """Rules from Obsidian's excluded files, the folders of templates, and the text of an ignore file.

    A filter is a prefix of the path, or a regular expression between slashes.
    """
    prefixes: list[str] = []
    patterns: list[re.Pattern[str]] = []
    problems: list[str] = []
    for item in filters:
        if len(item) > 2 and item.startswith("/") and item.endswith("/"):
            try:
                patterns.append(re.compile(_python_regex(item[1:-1])))
            except re.error as error:
                problems.append(f"Obsidian's excluded files: {item} is no regular expression ({error})")
        elif item.strip("/ "):
            prefixes.append(nfc(item.removeprefix("/")))
    folders = tuple(nfc(folder.strip("/")) for folder in templates if folder.strip("/ "))
    spec = _spec(ignore_text, problems) if ignore_text.strip() else None
    return Rules(tuple(prefixes), tuple(patterns), folders, spec, tuple(problems))


def load_rules(root: Path, *, follow: bool = False) -> Rules:
    """The rules of a vault: its Obsidian settings and its ``.genesysignore``, where it has them."""
    try:
        text = (root / IGNORE_FILE).read_bytes().decode("utf-8-sig", "replace")
    except OSError:
        text = ""
    config = obsidian_config(root)
    rules = make_rules(config.ignore_filters, config.template_folders, nfc(text))
    return replace(rules, follow=follow)


def _python_regex(pattern: str) -> str:
    """JavaScript's spelling of named groups, Unicode escapes and slashes in Python's."""
    pattern = re.sub(r"\(\?<(?![=!])", "(?P<", pattern)
    pattern = re.sub(r"\\k<(\w+)>", r"(?P=\1)", pattern)
    return pattern.replace("\\/", "/")


def _spec(text: str, problems: list[str]) -> Any:
    import pathspec  # only vaults with an ignore file pay for it

    lines = []
    for number, line in enumerate(text.splitlines(), start=1):
        line = _STARS.sub("*", line)  # as git reads it; a regular expression would try every split
        if max(part.count("*") for part in line.split("/")) > MAX_STARS:
            problems.append(f"{IGNORE_FILE} line {number} has too many stars: {line}")
            continue
        try:
            pathspec.GitIgnoreSpec.from_lines([line])
        except ValueError:
            problems.append(f"{IGNORE_FILE} line {number} is no pattern: {line}")
        else:
            lines.append(line)
    return pathspec.GitIgnoreSpec.from_lines(lines)
