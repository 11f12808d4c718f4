"""A note by whatever a person or a model calls it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.kit import TestVault
from genesys.engine.session import Genesys
from genesys.errors import AmbiguousNote, NoteNotFound, UsageError

NOTES = {
    "Home.md": "home",
    "Projects/Plan.md": "---\naliases: [The Big Plan, 计划]\n---\nplan",
    "Archive/Plan.md": "an old plan",
    "Work/C#.md": "sharp",
    "Work/v1.2.md": "dots",
    "Work/50% off.md": "percent",
    "Work/Äpfel.md": "apples",
    "twins/a.md": "---\naliases: [twin]\n---\na",
    "twins/b.md": "---\naliases: [twin]\n---\nb",
    "日本/交换机.md": "switch",
    "Work/Budget.md": "budget",
}


@pytest.fixture
def memory(vault: TestVault) -> Iterator[Genesys]:
    vault.write_all(NOTES)
    vault.index(embed=False)
    with vault.memory(read_only=True) as opened:
        yield opened


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("Home.md", "Home.md"),
        ("Home", "Home.md"),
        ("home", "Home.md"),
        ("  HOME  ", "Home.md"),
        ("/Home", "Home.md"),
        ("[[Home]]", "Home.md"),
        ("![[Home]]", "Home.md"),
        ("[[Home|the start]]", "Home.md"),
        (r"[[Home\|the start]]", "Home.md"),
        ("[[Home#Part]]", "Home.md"),
        ("Home#Part", "Home.md"),
        ("Home.md#Part", "Home.md"),
        ("Home#^block", "Home.md"),
        ("[[Projects/Plan]]", "Projects/Plan.md"),
        ("projects/plan.md", "Projects/Plan.md"),
        ("The Big Plan", "Projects/Plan.md"),
        ("the big plan", "Projects/Plan.md"),
        ("计划", "Projects/Plan.md"),
        ("C#", "Work/C#.md"),
        ("C#.md", "Work/C#.md"),
        ("Work/C#.md", "Work/C#.md"),
        ("v1.2", "Work/v1.2.md"),
        ("50% off", "Work/50% off.md"),
        ("A\u0308pfel", "Work/Äpfel.md"),
        ("äpfel", "Work/Äpfel.md"),
        ("交换机", "日本/交换机.md"),
        ("genesys://note/Home.md", "Home.md"),
        ("genesys://note/Work/50%25%20off.md", "Work/50% off.md"),
        ("genesys://note/%E6%97%A5%E6%9C%AC/%E4%BA%A4%E6%8D%A2%E6%9C%BA.md", "日本/交换机.md"),
        ("obsidian://open?vault=v&file=Work%2F50%25%20off.md", "Work/50% off.md"),
        ("obsidian://open?vault=v&file=Home", "Home.md"),
    ],
)
def test_a_note_goes_by_anything_a_link_may_say(memory: Genesys, name: str, path: str) -> None:
    """Path, partial path, name, alias, wikilink, or a URI that we or Obsidian gave out."""
    assert memory.resolve(name) == path


def test_a_name_of_several_notes_lists_them(memory: Genesys) -> None:
    """No guess: a model asks again with the path."""
    with pytest.raises(AmbiguousNote) as caught:
        memory.resolve("Plan")
    assert caught.value.candidates == ("Archive/Plan.md", "Projects/Plan.md")
    with pytest.raises(AmbiguousNote) as caught:
        memory.resolve("twin")
    assert caught.value.candidates == ("twins/a.md", "twins/b.md")


def test_a_missing_note_suggests_the_nearest(memory: Genesys) -> None:
    """A typing error is answered with the title."""
    with pytest.raises(NoteNotFound) as caught:
        memory.resolve("Budgett")
    assert "'Budget'" in caught.value.hint


@pytest.mark.parametrize(
    "name",
    [
        "",
        "   ",
        "[[]]",
        "#",
        "\0",
        "a\0b",
        "../Home",
        "/etc/passwd",
        "x" * 1_000_000,
        "[[" * 5_000,
        "%00",
        "\ud800",
    ],
)
def test_a_name_that_means_nothing_is_a_usage_error(memory: Genesys, name: str) -> None:
    """One short line, whatever was given."""
    with pytest.raises(UsageError) as caught:
        memory.resolve(name)
    assert len(caught.value.message) < 200


@given(st.text(max_size=60))
@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_name_does_harm(memory: Genesys, name: str) -> None:
    """A path of the vault or a usage error; never another fault."""
    for spelling in (name, f"[[{name}]]", f"genesys://note/{name}", f"obsidian://{name}"):
        with contextlib.suppress(UsageError):
            assert memory.resolve(spelling) in NOTES


def test_reading_a_note_never_leaves_the_vault(memory: Genesys, vault: TestVault) -> None:
    """A path outside is no note."""
    (vault.root.parent / "outside.md").write_text("secret")
    for name in (
        "../outside",
        "../outside.md",
        str(vault.root.parent / "outside.md"),
        "genesys://note/..%2Foutside.md",
    ):
        with pytest.raises(NoteNotFound):
            memory.read_note(name)
    assert memory.read_note("Home") == "home"
