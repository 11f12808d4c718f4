"""A context block: within its budget, the same for the same state, everything of notes quoted."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from genesys.engine.context import build
from genesys.model import Answer, CreatedBy, Edge, EdgeType, Hit, Status, Step
from genesys.quote import estimate_tokens
from genesys.reports import CoreList, NoteRef

TEXTS = st.text(max_size=400)


def hit(number: int, text: str) -> Hit:
    return Hit(
        path=f"n{number}.md",
        title=f"n{number}",
        score=1.0 / (number + 1),
        signals={},
        prior=1.0,
        status=Status.ACTIVE,
        text=text,
        heading_path=("Why",),
        line_start=1,
        line_end=2,
        why="words",
        uri="",
    )


def core(*notes: NoteRef) -> CoreList:
    return CoreList(notes, (), {}, (), (), ())


CAUSE = Step(
    "cause.md", "cause", Edge("n0.md", "cause.md", EdgeType.CAUSED_BY, 1.0, CreatedBy.FIELD, "So."), 1
)


def test_core_passages_and_causes_are_in() -> None:
    """What matters always, what matters now, and why, each with its path."""
    block = build(
        core(NoteRef("me.md", "Me", summary="Prefers tea.")),
        Answer("q", (hit(0, "The mast froze."),), ("words",)),
        {"n0.md": (CAUSE,)},
        400,
    )
    assert ("me.md", "n0.md") == block.paths
    for part in ('"me.md": "Prefers tea."', "> The mast froze.", 'cause: caused_by "cause.md": "So."'):
        assert part in block.text


@given(st.lists(TEXTS, max_size=8), st.lists(TEXTS, max_size=8), st.integers(1, 500))
def test_no_block_outgrows_its_budget(passages: list[str], summaries: list[str], budget: int) -> None:
    """For every content and budget; and what is said to be in it is in it."""
    notes = tuple(NoteRef(f"c{i}.md", f"c{i}", summary=text) for i, text in enumerate(summaries))
    answer = Answer("q", tuple(hit(i, text) for i, text in enumerate(passages)), ())
    block = build(core(*notes), answer, {"n0.md": (CAUSE,)}, budget)
    assert estimate_tokens(block.text) <= budget
    assert block.tokens == estimate_tokens(block.text)
    assert all(f'"{path}"' in block.text for path in block.paths)


def test_the_order_of_core_notes_does_not_depend_on_chance() -> None:
    """Notes of about the same score stand by path, whatever order they came in."""
    a, b = NoteRef("a.md", "a", score=0.52), NoteRef("b.md", "b", score=0.54)
    answer = Answer("q", (), ())
    assert build(core(a, b), answer, {}, 300).text == build(core(b, a), answer, {}, 300).text


def test_an_empty_memory_makes_an_empty_block() -> None:
    """No heading without a body."""
    assert "" == build(core(), Answer("q", (), ()), {}, 300).text


def test_one_long_passage_leaves_room_for_another() -> None:
    """The best note does not speak alone."""
    answer = Answer("q", (hit(0, "long " * 2000), hit(1, "short")), ())
    assert ("n0.md", "n1.md") == build(core(), answer, {}, 400).paths
