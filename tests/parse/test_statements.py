"""When two texts state the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genesys.parse.statements import says_all, statements

SOME = ["pump", "valve", "north", "not", "4", "-4", "field", "水", "泵", "Über"]
WORDS = st.lists(st.sampled_from(SOME), min_size=1, max_size=6)


@pytest.mark.parametrize(
    ("whole", "part"),
    [
        ("We chose LoRa. The vote was close.", "we chose **LoRa**"),
        ("- We deploy on Fridays.\n- Never on Monday.", "We deploy on Friday."),
        ("The pump costs 300 €.", "A pump costs 300 €"),
        ("See [[Pump]] first.", "See Pump first"),
        ("水泵坏了。我们换了它。", "水泵坏了。"),
        ("> quoted line\n\n# Title", "Title"),
    ],
)
def test_case_articles_markup_and_plurals_make_no_difference(whole: str, part: str) -> None:
    """Each statement of the one is one of the other."""
    assert says_all(whole, part)


@pytest.mark.parametrize(
    ("whole", "part"),
    [
        ("The north field is flooded.", "The south field is flooded."),
        ("The pump costs 300 euro.", "The pump costs 400 euro."),
        ("It froze at -4 degrees.", "It froze at 4 degrees."),
        ("The pump does not work.", "The pump works."),
        ("The pump works only on Mondays.", "The pump works."),
        ("A failed because of B.", "B failed because of A."),
        ("We use the relay.", "We used the relay."),
        ("Load < 5 is fine.", "Load > 5 is fine."),
        ("Version 1.2 is out.", "Version 12 is out."),
        ("Open 9-12.", "Open 9-13."),
        ("水泵坏了。", "水泵没坏。"),
        ("Anything.", ""),
        ("Anything.", "…"),
    ],
)
def test_every_other_word_and_number_does(whole: str, part: str) -> None:
    """What differs in a word, a number, a sign or their order is another statement."""
    assert not says_all(whole, part)


@given(st.lists(WORDS, min_size=1, max_size=4), st.data())
def test_a_text_says_all_of_its_sentences_and_no_other(
    sentences: list[list[str]], data: st.DataObject
) -> None:
    """Any of its sentences; and whatever says all of it has no statement less."""
    text = "\n".join(" ".join(words) for words in sentences)
    some = data.draw(st.lists(st.sampled_from(sentences), min_size=1))
    assert says_all(text, "\n".join(" ".join(words) for words in some))
    fewer = sentences[1:]
    rest = "\n".join(" ".join(words) for words in fewer)
    assert says_all(rest, text) == (bool(statements(text)) and set(statements(text)) <= set(statements(rest)))
