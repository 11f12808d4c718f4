"""Which prompts are asked of the notes, and which only steer the work."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genesys.parse.chatter import TOPIC_CHARS, topic_of

STEERS = (
    "ok, go on",
    "fix the failing test",
    "谢谢",
    "thanks, that looks great!",
    "run the tests again and commit",
    "why is this test failing?",
    "It still doesn't work, same error as before.",
    "what should we do next?",
    "好的，继续",
    "帮我修一下这个测试",
    "为什么会报错",
    "Danke, mach bitte weiter",
    "merci, continue",
    "/compact keep the plan",
    "!git status",
    "",
    "👍",
    "2",
    "```python\ndef kraken(): ...\n```\nfix this",
)
ASKS = (
    "why did we give up on cellular modems?",
    "fix the sluice test",
    "哪种交换机耐低温",
    "ok, and what did Mara say about batteries?",
    "Wie oft wird der Pegel am oberen Wehr gemessen?",
    "/etc/hosts and the gateway: what was the rule?",
)


@pytest.mark.parametrize("prompt", STEERS)
def test_orders_and_thanks_ask_nothing(prompt: str) -> None:
    """In any of the languages of the table, with code or without."""
    assert "" == topic_of(prompt)


@pytest.mark.parametrize("prompt", ASKS)
def test_a_subject_is_asked_for(prompt: str) -> None:
    """One word that is no talk is enough."""
    assert prompt == topic_of(prompt)


def test_of_a_long_prompt_both_ends_are_read() -> None:
    """The question stands before what is pasted, or behind it."""
    pasted = "x " * 20_000
    for prompt in (f"what is a kraken? {pasted}", f"{pasted} what is a kraken?"):
        assert "kraken" in topic_of(prompt)
        assert len(topic_of(prompt)) <= TOPIC_CHARS + 1


@given(st.text(max_size=400))
def test_any_prompt_is_read(prompt: str) -> None:
    """And what is asked holds nothing that was not said."""
    assert set(topic_of(prompt)) <= set(prompt) | {" "}
