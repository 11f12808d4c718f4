"""What the rules take for a decision, a preference, a dated fact or a mended error, and what they leave."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from benchmarks.digest.quality import ROOT as LABELLED
from benchmarks.digest.quality import judge
from hypothesis import given
from hypothesis import strategies as st

from genesys.parse.digest.fixes import Fixes
from genesys.parse.digest.statements import statements
from genesys.parse.digest.tables import broken, mended, unmended
from genesys.transcripts import Event, Run, Turn


def kinds(text: str, role: str = "user") -> list[str]:
    return [p.kind.value for p in statements(Turn(1, role, text, 1))]


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("decision", "We decided to move the pumps before winter."),
        ("decision", "Okay, let's go with Postgres because the team knows it."),
        ("decision", "We've finally agreed on three releases a year."),
        ("decision", "I chose tabs over spaces for this repository."),
        ("decision", "Final decision: the office stays in Bremen."),
        ("decision", "我们决定把仓库迁到 GitLab。"),
        ("decision", "那就用 Redis 吧。"),
        ("decision", "我们选了方案二而不是方案一。"),
        ("preference", "I'd rather have short answers without lists."),
        ("preference", "Never push to main without a review."),
        ("preference", "From now on please answer in German."),
        ("preference", "dont ever touch the changelog by hand"),
        ("preference", "以后回答请用中文。"),
        ("preference", "我更喜欢深色主题。"),
        ("fact", "The lease ends on 31 August 2027."),
        ("fact", "Our first customer signed in March 2024."),
        ("fact", "新版本 2026年5月1日 发布。"),
    ],
)
def test_what_a_person_states_is_taken(kind: str, text: str) -> None:
    """One sentence, one kind."""
    assert [kind] == kinds(text)


@pytest.mark.parametrize(
    "text",
    [
        "Should we go with Postgres?",
        "If we decided to move, we would need a truck.",
        "We haven't decided to move yet.",
        "Maybe we should use Redis instead.",
        "Let's see what happens.",
        "Let's go with it.",
        "I'll keep that in mind.",
        "Never mind the warning.",
        "I never thought it would work so well.",
        "Do you prefer tabs or spaces?",
        "They decided to leave.",
        "> We decided to quote somebody.",
        "```\n# we decided to use a queue\n```",
        "2026-05-01 10:00:01 INFO the job was started",
        "Write a letter dated 5 May 2026 that is polite.",
        "我还没决定用什么数据库。",
        "要不要就用 Redis？",
        "如果我们决定迁移，就要停机。",
        "以后再说吧。",
    ],
)
def test_what_is_asked_supposed_or_chatted_is_left(text: str) -> None:
    """Precision before recall."""
    assert [] == kinds(text)


def test_only_the_person_decides() -> None:
    """What the assistant proposes in the same words is no decision of anybody's."""
    assert [] == kinds("We decided to use Redis. I prefer tabs. Never push to main.", "assistant")


TEXT = "Hi\n```\nx\n```\n- ok\n- We decided to stay in Kiel."


def test_a_line_is_where_the_sentence_stands() -> None:
    """Counted in the file, behind code and lists."""
    [proposal] = statements(Turn(4, "user", TEXT, 10, spread=True))
    [place] = proposal.places
    assert (4, 15, "We decided to stay in Kiel.") == (place.turn, place.line, place.quote)
    [proposal] = statements(Turn(4, "user", TEXT, 10))
    assert 10 == proposal.places[0].line, "in JSON a text has one line"


def run(command: str, output: str = "ok", *, failed: bool = False, after: int = 1) -> Run:
    return Run("Bash", command, output, failed, 1, after)


def fixes(*events: Event) -> list[str]:
    tracker = Fixes()
    return [p.text for event in events for p in tracker.feed(event)]


BROKEN = run("make", "x\nValueError: bad port", failed=True)


def test_a_command_that_works_again_tells_its_fix() -> None:
    """What was run between, without looks around; nothing where nothing was done."""
    assert ["Error: ValueError: bad port\nFix: `set-port 80`"] == fixes(
        BROKEN, run("cat port.txt"), run("set-port 80"), run("make")
    )
    assert [] == fixes(BROKEN, run("make"))
    assert [] == fixes(BROKEN, run("set-port 80"))


def test_steps_that_did_not_help_are_not_the_fix() -> None:
    """The same error again means that they were wrong."""
    [text] = fixes(BROKEN, run("set-port 1"), BROKEN, run("set-port 80"), run("make"))
    assert "set-port 80" in text
    assert "set-port 1`" not in text


def test_words_that_tie_a_sentence_to_the_talk_are_left_out() -> None:
    """In the memory, not in the quotation; and no word that belongs to it."""
    talk = (
        "Okay, and we decided to stay here.\nNo meetings on Fridays, I prefer quiet.\n好，那我们就用 SQLite。"
    )
    found = list(statements(Turn(1, "user", talk, 1)))
    assert ["We decided to stay here.", "No meetings on Fridays, I prefer quiet.", "那我们就用 SQLite。"] == [
        p.text for p in found
    ]
    assert "Okay, and we decided to stay here." == found[0].places[0].quote


def said(*texts: str) -> Iterable[Turn]:
    roles = ("user", "assistant")
    return [Turn(n, roles[(n - 1) % 2], text, n) for n, text in enumerate(texts, 1)]


def test_a_person_who_says_that_it_works_tells_the_fix() -> None:
    """The advice before that, and not one that failed; no word of success, no proposal."""
    error, first, second = "I get KeyError: 'name'", "Run `a`.", "Then run `b`."
    [text] = fixes(*said(error, first, "Still the same error.", second, "That worked, thanks."))
    assert "Error: KeyError: 'name'\nFix: Then run `b`." == text
    assert [] == fixes(*said(error, first, "Still the same error.", second, "Hm, and what is b?"))
    assert [] == fixes(*said(error, first, "It doesn't work."))


@given(st.text(max_size=200))
def test_any_words_are_judged(text: str) -> None:
    """No text makes a rule raise; a sentence is of one kind at most."""
    assert not (mended(text) and unmended(text))
    broken(text)
    assert len(kinds(text)) <= text.count("\n") + text.count(".") + len(text)


@pytest.mark.parametrize(("part", "found"), [("", 0.85), ("heldout", 0.85), ("unseen", 0.5)])
def test_proposals_on_labelled_conversations_are_right(part: str, found: float) -> None:
    """Nine in ten, also on conversations that the rules were not written against."""
    right, proposed, labelled = judge(LABELLED / part, misses=False)
    assert right.total() >= 0.9 * proposed.total()
    assert right.total() >= found * labelled.total()
