"""Which files are left out, by whose wish."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from genesys.ignore import load_rules, make_rules


@pytest.mark.parametrize(
    ("filters", "path", "ignored"),
    [
        (["Archive/"], "Archive/a.md", True),
        (["Archive/"], "Archived.md", False),
        (["Archive"], "Archived.md", True),
        (["a/b.md"], "a/b.md", True),
        (["a/b.md"], "x/a/b.md", False),
        (["/draft/"], "notes/my draft.md", True),
        (["/^x.*\\.md$/"], "xy.md", True),
        (["/^x.*\\.md$/"], "a/xy.md", False),
        (["/a\\/b/"], "a/b.md", True),
        (["/(?<year>\\d{4})-\\k<year>/"], "2026-2026.md", True),
        (["Stra\u0308nde/"], "Strände/a.md", True),
        (["", " ", "/"], "a.md", False),
    ],
)
def test_obsidians_excluded_files(filters: list[str], path: str, ignored: bool) -> None:
    """A prefix of the path, or a regular expression between slashes, in JavaScript's spelling."""
    assert ignored == make_rules(filters).ignored(path)


def test_a_broken_expression_is_a_problem_not_an_error() -> None:
    """The other filters still hold, and status can show which one was wrong."""
    rules = make_rules(["/(/", "Archive/"])
    assert rules.ignored("Archive/a.md")
    assert not rules.ignored("(.md")
    assert "Obsidian's excluded files: /(/ is no regular expression" in rules.problems[0]


@pytest.mark.parametrize(
    ("text", "path", "ignored"),
    [
        ("*.png", "a/b.png", True),
        ("/root.md", "a/root.md", False),
        ("private/", "a/private/n.md", True),
        ("private/", "private.md", False),
        ("*.md\n!keep.md", "keep.md", False),
        ("# comment\n\n", "# comment", False),
        ("\\#draft.md", "#draft.md", True),
        ("a/**/z.md", "a/b/c/z.md", True),
    ],
)
def test_genesysignore_is_gitignore(text: str, path: str, ignored: bool) -> None:
    """Patterns, negation, folders and comments as in git."""
    assert ignored == make_rules(ignore_text=text).ignored(path)


def test_a_bad_line_spoils_no_other(tmp_path: Path) -> None:
    """It is named with its number."""
    rules = make_rules(ignore_text="!\ndraft.md\n")
    assert rules.ignored("draft.md")
    assert all(".genesysignore line 1" in problem for problem in rules.problems)


@pytest.mark.parametrize(
    ("path", "ignored"),
    [
        (".obsidian/app.json", True), ("a/.git/x.md", True), (".trash/a.md", True),
        (".genesys/index.db", True),
        ("node_modules/a/README.md", True), ("x/node_modules/r.md", True),
        ("node_modules.md", False),
        ("a.md~", True), ("a.md.tmp", True), ("a.crdownload", True), ("a.sync-conflict-2026.md", False),
        ("a (conflicted copy).md", False), ("Templates/t.md", True),
        ("x/Templates/t.md", False), ("tmp.md", False),
    ],
)  # fmt: skip
def test_what_is_never_a_note(path: str, ignored: bool) -> None:
    """Hidden, temporary, packages and templates; conflict copies are ordinary notes."""
    assert ignored == make_rules(templates=["Templates"]).ignored(path)


def test_the_rules_of_a_vault_come_from_its_files(tmp_path: Path) -> None:
    """Obsidian's settings, Templater's folder and the vault's own ignore file, together."""
    settings = tmp_path / ".obsidian"
    (settings / "plugins/templater-obsidian").mkdir(parents=True)
    for name, value in {
        "app.json": {"userIgnoreFilters": ["Old/", 7, None]},
        "templates.json": {"folder": "Templates/"},
        "community-plugins.json": ["templater-obsidian"],
        "plugins/templater-obsidian/data.json": {"templates_folder": "/Meta/Templater"},
    }.items():
        (settings / name).write_text(json.dumps(value))
    (tmp_path / ".genesysignore").write_bytes(b"\xef\xbb\xbfsecret.md\r\n\xff\n")
    rules = load_rules(tmp_path)
    wanted = ["Old/a.md", "Templates/t.md", "Meta/Templater/t.md", "x/secret.md", "a.md"]
    assert [True, True, True, True, False] == [rules.ignored(path) for path in wanted]


def test_a_vault_without_settings_has_plain_rules(tmp_path: Path) -> None:
    """And costs nothing a file."""
    assert load_rules(tmp_path).plain
