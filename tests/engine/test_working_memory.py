"""Working memory: the same topic again costs nothing, and nothing that has changed is handed out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from hypothesis import given
from hypothesis import strategies as st

from engine.kit import TestVault
from genesys.engine.blocks import KEPT_S, MOST, Blocks
from genesys.engine.context import digested
from genesys.engine.session import Genesys
from genesys.reports import ContextBlock

TOPIC = "cellular modems"


@dataclass
class Maker:
    """Counts how often a block is made."""

    made: list[ContextBlock] = field(default_factory=list)

    def __call__(self) -> ContextBlock:
        self.made.append(ContextBlock(str(len(self.made)), 1, ()))
        return self.made[-1]


def test_the_same_question_is_made_once() -> None:
    """While state and question are the same; a moment later as well, and not for ever."""
    blocks, make = Blocks(), Maker()
    first = blocks.get("a", 1, 0.0, make)
    assert first is blocks.get("a", 1, KEPT_S - 1, make)
    assert first is not blocks.get("b", 1, 0.0, make)
    assert first is not blocks.get("a", 1, KEPT_S + 1, make)
    assert 3 == len(make.made)


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 2)), max_size=200))
def test_no_more_than_a_few_blocks_are_kept(asked: list[tuple[int, int]]) -> None:
    """Whatever is asked in whatever order of states, an answer is of the state asked about."""
    blocks = Blocks()
    for question, state in asked:
        block = blocks.get(question, state, 0.0, lambda q=question, s=state: block_of(q, s))
        assert block_of(question, state) == block
        assert len(blocks) <= MOST


def block_of(question: int, state: int) -> ContextBlock:
    return ContextBlock(f"{question} {state}", 1, ())


def test_a_change_while_a_block_is_made_makes_it_an_old_one() -> None:
    """It goes to whoever asked, and to nobody who asks later."""
    blocks, make = Blocks(), Maker()

    def overtaken() -> ContextBlock:
        blocks.get("other", 2, 0.0, make)
        return make()

    old = blocks.get("a", 1, 0.0, overtaken)
    assert old is not blocks.get("a", 2, 0.0, make)
    assert old is not blocks.get("a", 1, 0.0, make)


def asked(memory: Genesys) -> tuple[ContextBlock, bool]:
    """The block, and whether it came from working memory."""
    before = memory.context(TOPIC)
    return before, memory.context(TOPIC) is before


def test_what_a_core_note_embeds_says_nothing_of_it(story: TestVault) -> None:
    """A note that begins with an embedded view is shown by its words, one with nothing else by its name."""
    (story.root / "Author.md").write_text("![[Clippings.base#Author]]\n\n## Life\n\nGrows pears.\n", "utf-8")
    (story.root / "View.md").write_text("![[Clippings.base]]\n", "utf-8")
    with story.memory() as memory:
        memory.index()
        for note in ("Author", "View"):
            memory.pin(note)
        said = {note.path: note.summary for note in digested(memory, memory.core().notes)}
    assert "Grows pears." in said["Author.md"]
    assert "" == said["View.md"]


def test_a_note_s_edit_is_seen_at_once(story: TestVault) -> None:
    """As soon as it is read, by this memory or by another process."""
    with story.memory() as memory, story.memory() as other:
        memory.index()
        block, kept = asked(memory)
        assert kept
        assert "modems" in block.text
        note = story.root / "Decisions" / "ADR-003 LoRa Mesh.md"
        for number, writer in enumerate((memory, other)):
            with note.open("a", encoding="utf-8") as file:
                file.write(f"\n\n## Cellular modems {number}\n\nThe cellular modems froze {number} times.\n")
            assert block is memory.context(TOPIC)  # not read yet
            writer.index()
            block, kept = asked(memory)
            assert f"froze {number} times" in block.text
            assert kept


CHANGES: dict[str, Callable[[Genesys], object]] = {
    "pin": lambda memory: memory.pin("Home"),
    "remember": lambda memory: memory.remember("Cellular modems need a spare antenna."),
    "recall": lambda memory: memory.recall(TOPIC),
    "preferences": lambda memory: memory.set_core_preferences(auto=["idea"]),
}


def test_any_change_of_the_index_makes_a_new_block(story: TestVault) -> None:
    """Also one that leaves the notes as they are."""
    with story.memory() as memory:
        memory.index()
        for name, change in CHANGES.items():
            before = memory.context(TOPIC)
            change(memory)
            assert before is not memory.context(TOPIC), name


def test_asking_changes_nothing(story: TestVault) -> None:
    """A block leaves no trace: one asked for after many is the first one still."""
    with story.memory() as memory:
        memory.index()
        before = memory.context(TOPIC)
        for number in range(5):
            memory.context(f"{TOPIC} {number}")
        assert before is memory.context(f"  {TOPIC.replace(' ', '  ')} ")


def test_the_model_s_arrival_makes_a_new_block(story: TestVault) -> None:
    """Words alone answer while it loads; afterwards meaning counts."""
    with story.memory() as memory:
        memory.index()
    with story.memory() as memory:
        words = memory.context(TOPIC)
        memory.warm()
        assert "vectors" not in words.signals
        assert "vectors" in memory.context(TOPIC).signals
