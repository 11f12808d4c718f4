"""The quick way to find blocks says what markdown-it-py says, of any text."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genesys.parse.body import Body, read_markdown, read_tokens
from genesys.parse.quick import Unknown, quick_blocks
from genesys.parse.tokens import estimate

VAULT = Path(__file__).parents[2] / "fixtures" / "vault"
# What Markdown is made of, so that blocks meet in every way.
_PARTS = (
    *(
        "a",
        "b c",
        "# ",
        "## x",
        "#",
        " ##",
        "- ",
        "* ",
        "+ ",
        "1. ",
        "2. ",
        "10. ",
        "1) ",
        "> ",
        ">",
        "= ",
        "===",
    ),
    *(
        "```",
        "~~~",
        "````",
        "`x`",
        "$$",
        "$x$",
        "---",
        "***",
        "* * *",
        "___",
        "|",
        "a | b",
        "|---|---|",
        "- | -",
    ),
    *(
        ":--",
        "\t",
        "  ",
        "    ",
        " ",
        "\n",
        "\n",
        "\n",
        "\n",
        "\n\n",
        "\n\n",
        "[[x]]",
        "**b**",
        "_u_",
        "<div>",
    ),
    *(
        "<!-- ",
        "-->",
        "<script>",
        "</script>",
        "[^1]: ",
        "[x]: y",
        "- [ ] t",
        "#tag",
        "-x",
        "+1",
        "2024",
        "1.5",
    ),
    *(
        ":x",
        "\\",
        "\xa0",
        "\u3000",
        "日本",
        "- a\n",
        "  - b\n",
        "\t- c\n",
        "1. q\n",
        "\t\t- e\n",
        "-\n",
        "- \n",
    ),
    *("   - f\n", "      g\n", "# h ##\n", "text\n", "  text\n", "%%", "==h==", "^id", "Word"),
)
texts = st.lists(st.sampled_from(_PARTS), min_size=1, max_size=24).map("".join)


def both(text: str) -> tuple[Body, Body]:
    return read_markdown(text), read_tokens(text)


@settings(max_examples=600, deadline=None)
@given(texts)
def test_any_text(text: str) -> None:
    """Whatever the text, the quick way finds the same stretches and blocks on the same lines."""
    quick, full = both(text)
    assert quick == full


@pytest.mark.parametrize("note", sorted(VAULT.rglob("*.md")), ids=lambda note: note.stem)
def test_real_notes(note: Path) -> None:
    """Notes as people write them are read the same in both ways."""
    quick, full = both(note.read_text(encoding="utf-8", errors="replace").replace("\r", ""))
    assert quick == full


@pytest.mark.parametrize(
    "text",
    [
        "# Title\n\nA plain paragraph\nof two lines.\n\n```py\nx = 1\n```\n",
        "- one\n  - two\n\n- three\nand on\n",
        "$$\nx\n$$\n---\n1. first\n2. second\n   goes on\n",
    ],
)
def test_usual_blocks_need_no_parser(text: str) -> None:
    """What notes mostly hold is not handed on to the full parser."""
    assert not [block for block in quick_blocks(text) if isinstance(block, Unknown)]


def test_the_rest_begins_anew() -> None:
    """A table is left to the full parser, and what follows it is not."""
    blocks = list(quick_blocks("| a | b |\n|---|---|\n| 1 | 2 |\n\nText.\n"))
    assert [isinstance(block, Unknown) for block in blocks] == [True, False]


_PIECES = re.compile(r"(?<![A-Za-z])[A-Za-z]{1,7}|[A-Za-z]{1,4}|[0-9]{1,2}|[^\sA-Za-z0-9]")
_MIXED = st.text(alphabet="abcxyzABC019 \n\t.,-_\x1f\x85\xa0\u3000é中한\u2028\ud800", max_size=60)


@given(_MIXED | st.text(alphabet="ab1 ", max_size=60) | st.text(max_size=60))
def test_pieces_are_counted(text: str) -> None:
    """Seven letters of a word are a piece, four more are another; two digits are one, and so is any mark."""
    syllables = sum("\uac00" <= char <= "\ud7a3" for char in text)
    assert estimate(text) == len(_PIECES.findall(text)) + 2 * syllables
