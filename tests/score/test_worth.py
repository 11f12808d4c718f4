"""How surely a note is what a text is about."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from genesys.score.worth import NAMED, WORDS, worth

SHARE = st.floats(0, 1)
NEAR = st.none() | st.floats(-1, 1)


@given(NEAR, SHARE, st.floats(0, 50), st.booleans())
def test_more_evidence_is_never_worth_less(
    near: float | None, coverage: float, nats: float, named: bool
) -> None:
    """Nearness, words and a name each add, or leave it as it is."""
    value = worth(near, coverage, nats, named)
    assert value >= 0
    assert worth(near, 1.0, nats, named) >= value
    assert worth(near, coverage, nats + 1, named) >= value
    assert worth(near, coverage, nats, True) >= value
    if near is not None:
        assert worth(near + 0.1, coverage, nats, named) >= value


def test_nothing_speaks_for_a_stranger() -> None:
    """Neither near nor a word in common; farther than the mean is no worse."""
    assert 0 == worth(None, 0, 0, False) == worth(-0.5, 0, 0, False)


def test_the_parts_add_up() -> None:
    """So that a bar can be reasoned about."""
    assert 0.4 + WORDS + NAMED == worth(0.4, 1.0, 100.0, True)


def test_a_common_word_tells_little() -> None:
    """That a note has "time" in it is chance."""
    assert worth(0.2, 1.0, 0.5, False) < worth(0.2, 1.0, 6.0, False)
