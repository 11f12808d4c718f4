"""Questions: terms for full text, people, days, when and why."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genesys.parse.dates import DateRange, find_dates
from genesys.parse.query import MAX_TERMS, as_told, ask, asks_when, asks_why, named_people, terms_of

NOW = 1_710_000_000.0  # Saturday, 9 March 2024


def texts(query: str) -> list[str]:
    return [t.text for t in terms_of(query)]


def matches(query: str) -> list[str]:
    return [t.match for t in terms_of(query)]


def test_stop_words_go_and_the_rest_is_folded() -> None:
    """What names nothing is not looked up."""
    assert ["melanie", "paint", "cafe"] == texts("When did Melanie's paint at the Café?")


def test_a_question_of_stop_words_alone_keeps_them() -> None:
    """ "To be or not to be" is still a question."""
    assert ["to", "be", "or", "not"] == texts("To be or not to be")


def test_cjk_runs_become_pairs_of_characters() -> None:
    """No segmenter: phrases of two, without the characters that only join."""
    assert ['"永 久"', '"久 笔"', '"笔 记"'] == matches("永久笔记")
    assert ['"水"'] == matches("水")


def test_inflecting_languages_are_asked_by_their_beginnings() -> None:
    """Cyrillic always, German where the question is German."""
    assert ['"насо"*'] == matches("насосы")
    assert '"wasserpump"*' in matches("Wo ist die Wasserpumpen und der Filter?")
    assert '"waterpumps"' in matches("where is the waterpumps")


@pytest.mark.parametrize("query", ["", "   \n\t ", "?!…", "\x00", "🙂"])
def test_nothing_to_look_up(query: str) -> None:
    """No words, no terms, no error."""
    assert () == ask(query, NOW).terms


def test_a_megabyte_is_no_burden() -> None:
    """Terms are bounded whatever the size."""
    question = ask("pump " * 10 + " ".join(f"word{i}" for i in range(150_000)), NOW)
    assert MAX_TERMS == len(question.terms)


@given(st.text(max_size=300))
def test_any_text_is_a_question(text: str) -> None:
    """Never raises, and every expression is quoted data."""
    for term in ask(text, NOW).terms:
        assert term.match.startswith('"')
        assert '"' not in term.match[1:].rstrip("*")[:-1]


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("in March 2024", "2024-03-01", "2024-03-31"),
        ("on 5 May 2023", "2023-05-05", "2023-05-05"),
        ("May 5th, 2023", "2023-05-05", "2023-05-05"),
        ("2023-05-08", "2023-05-08", "2023-05-08"),
        ("2023年5月8日", "2023-05-08", "2023-05-08"),
        ("in 2022", "2022-01-01", "2022-12-31"),
        ("last December", "2023-12-01", "2023-12-31"),
        ("on 25 May", "2023-05-25", "2023-05-25"),
        ("yesterday", "2024-03-08", "2024-03-08"),
        ("last week", "2024-02-26", "2024-03-03"),
        ("last month", "2024-02-01", "2024-02-29"),
        ("last Friday", "2024-03-08", "2024-03-08"),
        ("two days ago", "2024-03-07", "2024-03-07"),
        ("上个月", "2024-02-01", "2024-02-29"),
        ("am 5. Mai 2023", "2023-05-05", "2023-05-05"),
        ("我在2023-05-08写的", "2023-05-08", "2023-05-08"),
        ("between August 11 and August 15 2023", "2023-08-11", "2023-08-15"),
        ("from 3 May 2023 to last Friday", "2023-05-03", "2024-03-08"),
        ("从2023年5月1日到2023年6月1日", "2023-05-01", "2023-06-01"),
        ("in the last two weeks", "2024-02-24", "2024-03-09"),
        ("over the past year", "2023-03-10", "2024-03-09"),
    ],
)
def test_days_that_a_text_names(text: str, start: str, end: str) -> None:
    """Absolute and relative; without a year the last one."""
    assert (DateRange(start, end),) == find_dates(text, NOW)


def test_two_days_named_apart_are_two() -> None:
    """Only what opens with "between" or "from" is one range."""
    two = find_dates("on 5 May 2023 and 6 June 2023", NOW)
    assert ("2023-05-05", "2023-06-06") == tuple(found.start for found in two)


def test_relative_days_count_from_the_day_of_the_question() -> None:
    """A question may be older than now."""
    assert (DateRange("2022-06-30", "2022-06-30"),) == find_dates("yesterday", NOW, "2022-07-01T10:00:00")


@pytest.mark.parametrize("text", ["May I ask?", "march on", "version 2.3.4", "room 2024"])
def test_what_is_no_date(text: str) -> None:
    """Precision before recall."""
    assert () == find_dates(text, NOW)


@given(st.text(max_size=200), st.floats(0, 4e9), st.text(max_size=12))
def test_dates_never_raise(text: str, now: float, asked: str) -> None:
    """Any text, any time, any day of asking."""
    for found in find_dates(text, now, asked):
        assert found.start <= found.end


def test_when_and_why() -> None:
    """In several languages."""
    assert asks_when("When did we meet?")
    assert asks_when("Wann war das?")
    assert asks_when("这是什么时候")
    assert asks_why("Why Postgres?")
    assert asks_why("Warum?")
    assert asks_why("为什么")
    assert not asks_when("Whenever")
    assert not asks_why("Whyte")


def test_people_by_full_name_first_name_and_short_form() -> None:
    """In the order of the question."""
    known = ["Melanie", "Caroline Stone", "Jon", "Marc"]
    assert ("Caroline Stone", "Melanie") == named_people("What did Caroline tell Mel?", known)
    assert ("Jon",) == named_people("did jon's dog come", known)
    assert () == named_people("What can march do?", known)


def test_a_question_as_the_person_would_have_it() -> None:
    """Notes of a person speak in the first person."""
    assert "What did I give my dog?" == as_told("What did Melanie give Melanie's dog?", "Melanie")
    assert "Where is I?" == as_told("Where is caroline stone?", "Caroline Stone")
    assert "Nothing here" == as_told("Nothing here", "")


def test_foreign_is_what_is_not_mostly_latin() -> None:
    """Accents are Latin; Greek, Cyrillic and Chinese are not."""
    assert not ask("Été à Besançon", NOW).foreign
    assert ask("水泵 why", NOW).foreign is False
    assert ask("为什么 pump 停了下来", NOW).foreign
