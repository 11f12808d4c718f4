"""What a client sends is read generously; only what can't be meant is refused."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genesys.errors import UnknownEdgeType, UsageError
from genesys.model import EdgeType, Kind, Status
from genesys.serving.args import filters_of, parse_when, read_arguments
from genesys.serving.catalog import BODY_MAX, QUERY_MAX, TOOLS

SPECS = {spec.name: spec for spec in TOOLS}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=True) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
NAMES = sorted({param.name for spec in TOOLS for param in spec.params})


def read(tool: str, now: float = 1e9, **given: Any) -> tuple[dict[str, Any], tuple[str, ...]]:
    return read_arguments(SPECS[tool].params, given, now)


@pytest.mark.parametrize(
    ("given", "expected"),
    [(0, 1), (-5, 1), (10**9, 50), ("12", 12), (7.0, 7), (1e300, 50), (float("inf"), 50)],
)
def test_numbers_are_clamped_not_scolded(given: object, expected: int) -> None:
    """A number out of range becomes the nearest allowed one."""
    assert expected == read("memory_recall", query="x", k=given)[0]["k"]


def test_what_was_clamped_is_said() -> None:
    """The caller learns that its number was not used as it was."""
    assert any("k was set to 50" in line for line in read("memory_recall", query="x", k=400)[1])


@pytest.mark.parametrize("given", ["many", float("nan"), True, [], {}])
def test_what_is_no_number_is_refused(given: object) -> None:
    """There is nothing to clamp in a word."""
    with pytest.raises(UsageError, match="k must be a whole number"):
        read("memory_recall", query="x", k=given)


@pytest.mark.parametrize("given", ['["active", "core"]', "active, core", ["Active", "CORE", "active"]])
def test_lists_are_read_in_every_form(given: object) -> None:
    """As an array, as JSON in a string, or as words between commas."""
    assert ("active", "core") == read("memory_search", status=given)[0]["status"]


def test_relations_default_to_related() -> None:
    """A name alone is a plain relation; an object may name the type."""
    values, _ = read("memory_store", content="x", related=["A", {"id": "B", "type": "caused-by"}])
    assert (("A", EdgeType.RELATED_TO), ("B", EdgeType.CAUSED_BY)) == values["related"]


def test_an_unknown_edge_type_is_refused_with_the_seven() -> None:
    """The hint lists what would have been right."""
    with pytest.raises(UnknownEdgeType) as caught:
        read("memory_store", content="x", related=[{"id": "A", "type": "because"}])
    assert all(kind.value in caught.value.hint for kind in EdgeType)


def test_a_query_is_cut_and_a_memory_is_not() -> None:
    """A long question loses its tail; a memory is refused whole rather than stored in part."""
    values, notices = read("memory_recall", query="x" * 1_000_000)
    assert QUERY_MAX == len(values["query"])
    assert notices
    with pytest.raises(UsageError, match="at most"):
        read("memory_store", content="x" * (BODY_MAX + 1))


@pytest.mark.parametrize("given", [{}, {"query": None}, {"query": ""}, {"query": " \n"}, {"query": "\0"}])
def test_a_missing_query_is_named(given: dict[str, Any]) -> None:
    """The error names the argument, the hint says what it is."""
    with pytest.raises(UsageError, match="query"):
        read_arguments(SPECS["memory_recall"].params, given, 0.0)


def test_an_unknown_argument_is_ignored_and_said() -> None:
    """A guessed argument does not fail the call, and does not seem to have worked either."""
    assert any('"limit"' in line for line in read("memory_recall", query="x", limit=5)[1])


def test_dates_and_ages_are_read() -> None:
    """ISO dates, date-times and ages are moments; anything else is refused with examples."""
    assert datetime(2026, 3, 1).timestamp() == parse_when("2026-03-01", 0.0)  # noqa: DTZ001 - local is meant
    assert 1e6 - 7 * 86_400 == parse_when("7d", 1e6)
    assert 1e6 - 3_600 == parse_when("1 h", 1e6)
    for wrong in ("soon", "0000-00-00", "99999999999999999999d", ""):
        with pytest.raises(UsageError, match="no date"):
            parse_when(wrong, 0.0)


def test_filters_take_names_as_text() -> None:
    """A tag without its mark, a folder without its slashes, whatever else they hold."""
    values, _ = read("memory_search", tag="#a/b", folder="/X%';--/", kind="memory", status="core")
    filters = filters_of(values)
    assert ("a/b", "X%';--", (Kind.MEMORY,), (Status.CORE,)) == (
        filters.tag,
        filters.folder,
        filters.kinds,
        filters.statuses,
    )


@given(st.sampled_from(sorted(SPECS)), st.dictionaries(st.sampled_from(NAMES), JSON, max_size=6))
def test_no_arguments_do_anything_but_work_or_be_refused(tool: str, given: dict[str, Any]) -> None:
    """For every JSON there is a value or a UsageError, and nothing else."""
    try:
        values, _ = read_arguments(SPECS[tool].params, given, 1e9)
    except UsageError:
        return
    assert {param.name for param in SPECS[tool].params} == set(values)
