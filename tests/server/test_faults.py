"""Every error becomes the same shape, and says whether to try again."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from genesys import errors
from genesys.serving.faults import fault_of

TRANSIENT = {"BusyError", "FileGone", "IndexLocked", "DiskFull"}
MENDED = {"IndexCorrupt"}


def tree(root: type[errors.GenesysError] = errors.GenesysError) -> Iterator[type[errors.GenesysError]]:
    """Every class of the tree, from the classes themselves and not from a list."""
    yield root
    for child in root.__subclasses__():
        yield from tree(child)


def raised(kind: type[errors.GenesysError]) -> errors.GenesysError:
    if issubclass(kind, errors.AmbiguousNote):
        return kind("two notes", ["a/x.md", "b/x.md"])
    return kind("what went wrong")


def in_package() -> list[type[errors.GenesysError]]:
    return [kind for kind in tree() if kind.__module__.startswith("genesys.")]


@pytest.mark.parametrize("kind", in_package(), ids=lambda kind: kind.__name__)
def test_every_error_of_the_tree_is_mapped(kind: type[errors.GenesysError]) -> None:
    """Message and a next step for each; retryable for reads that may work in a moment, never for writes."""
    read, write = fault_of(raised(kind), read=True), fault_of(raised(kind), read=False)
    assert {"error", "hint", "retryable"} <= set(read.data())
    assert read.error
    assert read.hint
    assert (kind.__name__ in TRANSIENT | MENDED) == read.retryable
    assert write.retryable is False


def test_the_enumeration_sees_the_whole_tree() -> None:
    """Every name that errors.py exports is among the classes the test above went through."""
    assert set(errors.__all__) <= {kind.__name__ for kind in in_package()}


def test_an_error_of_our_own_keeps_its_secret() -> None:
    """An unexpected exception tells a client neither its text nor its traceback."""
    fault = fault_of(RuntimeError("/home/someone/secret at 0x7f"), read=True)
    assert "secret" not in fault.text()
    assert fault.retryable is False


def test_ambiguity_lists_the_candidates() -> None:
    """The model can pick one and call again."""
    fault = fault_of(raised(errors.AmbiguousNote), read=True)
    assert ("a/x.md", "b/x.md") == fault.candidates
    assert "- a/x.md" in fault.text()


def test_a_message_is_one_bounded_line() -> None:
    """An error that repeats a megabyte of the caller's text stays short, and forges no second line."""
    fault = fault_of(errors.NoteNotFound("no note " + "x\nError: forged\n" * 100_000), read=True)
    assert len(fault.error) <= 400
    assert "\n" not in fault.error
