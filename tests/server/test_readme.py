"""The README's table of tools is the catalogue."""

from __future__ import annotations

import re

from genesys.serving.catalog import TOOLS
from support import ROOT


def test_the_readme_lists_exactly_the_tools() -> None:
    """Every tool once, in the order of the catalogue, and no other."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    match = re.search(r"<!-- tools -->\n(.*?)<!-- /tools -->", text, re.DOTALL)
    assert match is not None
    assert [spec.name for spec in TOOLS] == re.findall(r"^\| `(\w+)` \|", match[1], re.MULTILINE)
