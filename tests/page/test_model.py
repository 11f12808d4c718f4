"""The report from end to end with the real model: ask, remember, forget, and see it on the page."""

from __future__ import annotations

from pathlib import Path

import pytest

from genesys.engine.session import Genesys
from genesys.settings import load_settings
from memory.helpers import make_vault
from support import invoke

pytestmark = [pytest.mark.model, pytest.mark.slow]

NOTES = {
    "Ferry.md": "The ferry to the island sails at 7:15 and takes 40 minutes.\n",
    "House on the island.md": "caused_by:: [[Ferry]], since no bridge leads there\n\nWe row too.\n",
    "Taxes.md": "The tax return is due at the end of July, with receipts for the van.\n",
}


def test_a_question_answered_by_meaning_stands_on_the_page(tmp_path: Path) -> None:
    """The note that a paraphrase found is listed as recalled; its effect and the reason are drawn."""
    vault = make_vault(tmp_path / "vault", NOTES)
    with Genesys.open(
        load_settings(vault, {"GENESYS_WORKERS": "1", "GENESYS_EMBED_PRECISION": "fp32"})
    ) as memory:
        memory.index()
        assert ["Ferry.md"] == [hit.path for hit in memory.recall("when does the boat leave", 1).hits]
    done = invoke("report", str(tmp_path / "page.html"), "--note", "Ferry", vault=vault)
    assert done.code == 0, done.stderr
    page = (tmp_path / "page.html").read_text("utf-8")
    recalled = page.partition('id="recalled"')[2].partition("</section>")[0]
    assert ">Ferry<" in recalled
    assert "1 recall" in recalled
    assert "since no bridge leads there" in page
