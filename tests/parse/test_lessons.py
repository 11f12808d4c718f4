"""Which sentences of a talk tell a decision or a lesson."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genesys.parse.lessons import lessons

TELLS = (
    "We decided to keep SQLite because Postgres needs a server.",
    "The root cause was a stale lock file in the runtime folder.",
    "It turns out that the gateway reboots at midnight.",
    "From now on we deploy on Tuesdays only.",
    "I prefer tabs of four blanks in shell scripts.",
    "我们决定采用 LoRa，因为便宜。",
    "Wir haben beschlossen, die Pumpe zu behalten.",
)
TELLS_NOT = (
    "Should we use SQLite, or have we decided on Postgres?",
    "If we decided to use Postgres we would need a server.",
    "All tests pass now, and the lint is clean.",
    "We decided.",
    "> We decided to quote somebody else here.",
    "```\nwe decided to write this in code, which is none\n```",
    "<system-reminder>remember that the user opened a file today</system-reminder>",
    "We decided that password: hunter2xyz!9 opens the gateway.",
    "我们决定了吗？要不要用 LoRa？",
)


@pytest.mark.parametrize("text", TELLS)
def test_a_decision_is_heard(text: str) -> None:
    """Among other things, in a list or alone."""
    assert (text,) == lessons(text)
    assert (text,) == lessons(f"Done, it works.\n\n- **{text}**\n\nShall I go on?")


@pytest.mark.parametrize("text", TELLS_NOT)
def test_what_is_none_is_not(text: str) -> None:
    """Questions, conditions, code, quotations, what a client adds, secrets."""
    assert () == lessons(text)


@given(st.text(max_size=500))
def test_any_text_is_read(text: str) -> None:
    """What is heard is on one line."""
    assert all(len(sentence.splitlines()) == 1 for sentence in lessons(text))
