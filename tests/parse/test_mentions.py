"""Unlinked mentions: names of notes in running text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genesys.parse.mentions import build_matcher, change_matcher, find_names, name_forms


def found(text: str, *names: str, need_capital: bool = True) -> list[str]:
    matcher = build_matcher({i: [name] for i, name in enumerate(names)})
    return [text[m.start : m.end] for m in find_names(matcher, text, need_capital=need_capital)]


def test_names_are_found_in_any_case_as_whole_words() -> None:
    """Not inside a longer word."""
    assert ["water pump"] == found("the water pump, not water pumping", "Water Pump")


def test_a_single_word_must_be_written_as_a_name() -> None:
    """ "worm" the animal is not [[Worm]]; a question may write it small."""
    assert ["Worm"] == found("a worm and the Worm", "Worm")
    assert ["worm", "Worm"] == found("a worm and the Worm", "Worm", need_capital=False)


def test_the_longest_name_wins_at_each_place() -> None:
    """And what a longer match hides inside a word is still found."""
    assert ["Tour de France"] == found("the Tour de France", "France", "Tour de France")
    assert ["Security Policy"] == found("an audit Security Policy", "It Security", "Security Policy")


def test_brackets_articles_and_emoji_do_not_hide_a_name() -> None:
    """The forms in which people write a title."""
    assert ["rank"] == sorted(f for f in name_forms("The Rank (film)") if f == "rank")
    assert ["卢曼"] == found("关于卢曼的书", "🧑卢曼")


def test_what_stands_before_a_comma_is_a_name() -> None:
    """People write the city and file it with its state."""
    assert ["Harrisburg"] == found("born in Harrisburg in 1900", "Harrisburg, Pennsylvania")


@pytest.mark.parametrize("name", ["The", "a", "2024", "x", "的", "?!", "", "Today", "1 2"])
def test_vague_names_are_no_names(name: str) -> None:
    """They would link half the vault."""
    assert frozenset() == name_forms(name)


def test_namesakes_are_all_owners() -> None:
    """A name that two notes have leads to both."""
    matcher = build_matcher({1: ["Water Pump"], 2: ["water pump", "Pumpe Nord"]})
    (mention,) = find_names(matcher, "Water pump")
    assert (1, 2) == matcher.owners[mention.name]


def test_no_names_no_mentions() -> None:
    """An empty vault has a matcher too."""
    assert () == find_names(build_matcher({}), "anything")


@given(st.text(max_size=200), st.lists(st.text(min_size=1, max_size=20), max_size=6))
def test_mentions_stand_in_order_and_apart(text: str, names: list[str]) -> None:
    """Whatever the letters; positions are those of the text as given."""
    matcher = build_matcher({i: [name] for i, name in enumerate(names)})
    at = 0
    for mention in find_names(matcher, text):
        assert at <= mention.start < mention.end <= len(text)
        at = mention.end


_NAMES = st.dictionaries(
    st.integers(0, 6),
    st.lists(st.sampled_from(["Ada", "Ada Lovelace", "Love", "Pump", "Water Pump"])),
    max_size=6,
)


@given(_NAMES, _NAMES)
def test_a_changed_matcher_finds_what_a_new_one_finds(
    before: dict[int, list[str]], after: dict[int, list[str]]
) -> None:
    """Whatever notes come to be called, and however often that changes."""
    text = "Ada Lovelace wrote of the Water Pump; Ada may Love the Pump."
    once = change_matcher(build_matcher(before), before, after)
    twice = change_matcher(change_matcher(once, after, before), before, after)
    new = build_matcher(after)
    expected = [(m.start, m.end, new.owners[m.name]) for m in find_names(new, text)]
    for matcher in (once, twice):
        assert expected == [(m.start, m.end, matcher.owners[m.name]) for m in find_names(matcher, text)]
