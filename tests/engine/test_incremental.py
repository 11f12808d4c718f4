"""An index that followed every change is the index that a fresh look at the vault makes (P1)."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from engine.kit import TestVault
from genesys.engine import indexing, lease

NAMES = [
    "Winter Outage",
    "Mill Pond",
    "Gateway",
    "Harrisburg, Pennsylvania",
    "Rust (language)",
    "The Long Walk",
    "Long Walk",
    "Walk",
    "🌊 Flood",
    "交换机选型",
    "2026-03-01",
    "2026-03-02",
    "2026-03-04",
    "O'Neil",
    "Straße",
]
FOLDERS = ["", "A/", "B/", "A/deep/"]
QUESTIONS = ["why the long walk", "Mill Pond", "交换机", "March 2026", "winter battery"]


def sentence(dice: random.Random) -> str:
    """Words, and names as text, as links and inside links."""
    name, other, folder = dice.choice(NAMES), dice.choice(NAMES), dice.choice(FOLDERS)
    form = dice.choice(
        [
            name,
            name,
            name.upper(),
            f"[[{name}]]",
            f"[[{name}|{other}]]",
            f"[[{folder}{name}]]",
            f"[x](<{name}.md>)",
        ]
    )
    return f"The battery of {form} froze in winter {dice.randint(0, 3)}, {dice.choice(NAMES)} did not."


def text(dice: random.Random) -> str:
    """A note, some with other names, some that want to be left alone."""
    head = dice.choice(["", "", f"aliases: [{dice.choice(NAMES)!r}]", "genesys: false"])
    parts = [f"## Part {n}\n\n{sentence(dice)} {sentence(dice)}" for n in range(dice.randint(0, 3))]
    dice.shuffle(parts)
    title = dice.choice(["", "", f"# {dice.choice(NAMES)}\n\n"])
    return (f"---\n{head}\n---\n" if head else "") + title + "\n\n".join(parts)


def edit(vault: TestVault, dice: random.Random) -> set[str]:
    """One thing that a person does to the vault; the paths it concerns."""
    notes = sorted(p.relative_to(vault.root).as_posix() for p in vault.root.rglob("*.md"))
    new = f"{dice.choice(FOLDERS)}{dice.choice(NAMES)}.md"
    what = dice.random() if len(notes) > 4 else 0.0
    if what < 0.3:
        vault.write(new, text(dice))
        return {new}
    old = dice.choice(notes)
    if what < 0.55:
        vault.write(old, text(dice))
    elif what < 0.7:
        vault.remove(old)
    elif what < 0.8:
        blocks = (vault.root / old).read_text(encoding="utf-8").split("\n\n")
        vault.write(old, "\n\n".join([*blocks[2:], *blocks[:2]]))
    elif old != new:
        (vault.root / new).unlink(missing_ok=True)
        vault.move(old, new)
    return {old, new}


def answers(vault: TestVault) -> Iterator[list[tuple[str, float]]]:
    """From words and links: a renamed note keeps its vectors, which know its old name."""
    for question in QUESTIONS:
        yield sorted((hit.path, round(hit.score, 4)) for hit in vault.recall(question, 100).hits)


@pytest.mark.parametrize("seed", range(3))
def test_an_index_that_followed_every_change_is_a_fresh_one(vault: TestVault, seed: int) -> None:
    """Two hundred edits, told to a memory that stays open, some by path: the same graph and answers."""
    dice = random.Random(seed)
    with vault.memory() as memory:
        for step in range(1, 68):
            paths = set.union(*(edit(vault, dice) for _ in range(3)))
            if step % 3:
                with lease.hold(memory.settings.index.parent):
                    indexing.run(memory.settings, memory._index, now=vault.now, paths=paths)
            memory.index(full=step % 7 == 0, embed=False)
            if step % 11 == 1:
                same_as_fresh(vault)


def same_as_fresh(vault: TestVault) -> None:
    followed = vault.graph(inferred=True), list(answers(vault))
    other = TestVault(
        vault.root, vault.env | {"GENESYS_INDEX": str(vault.root.parent / "fresh" / "index.db")}
    )
    other.index(full=True, embed=False)
    fresh = other.graph(inferred=True), list(answers(other))
    (vault.root.parent / "fresh" / "index.db").unlink()
    assert followed == fresh


def test_a_note_that_opts_out_is_no_longer_named(vault: TestVault) -> None:
    """Neither its own mentions nor those of its name stay."""
    vault.write_all({"Gateway.md": "At the Mill Pond.", "Mill Pond.md": "Water for the Gateway."})
    vault.index()
    assert vault.graph(inferred=True).count("mention") == 2
    vault.write("Gateway.md", "---\ngenesys: false\n---\nAt the Mill Pond.")
    vault.index()
    assert "mention" not in vault.graph(inferred=True)


def test_a_link_that_comes_to_lead_there_ends_the_mention(vault: TestVault) -> None:
    """Of two namesakes the nearer is linked, the other named; when one moves, they change places."""
    vault.write_all({"A/Gateway.md": "one", "B/Gateway.md": "two", "B/c.md": "See [[Gateway]]."})
    vault.index(embed=False)
    vault.move("B/Gateway.md", "A/deep/Gateway.md")
    vault.index(embed=False)
    same_as_fresh(vault)


def test_what_a_link_leads_to_is_no_mention(vault: TestVault) -> None:
    """The name stands in the link's target, which nobody reads."""
    vault.write_all(
        {"Mill Pond.md": "water", "b.md": "See [there](<old/Mill Pond.md.txt>) and [[Mill Pond x|it]]."}
    )
    vault.index()
    assert "mention" not in vault.graph(inferred=True)


def test_two_notes_that_claim_the_same_place_in_time_are_told_apart_by_their_paths(vault: TestVault) -> None:
    """Whichever came first: a fresh index can't know."""
    vault.write_all({"s.md": "The battery froze.", "z.md": "prev:: [[s]]\n\nIt was winter at the Mill Pond."})
    vault.index(embed=False)
    vault.write("a.md", "prev:: [[s]]\n\nNobody had seen it.")
    vault.index(embed=False)
    same_as_fresh(vault)
