"""What an answer shows where the best passage is only an embed, and what it says of a far hit."""

from __future__ import annotations

from pathlib import Path

import pytest

from genesys.engine.showing import readable
from memory.helpers import Clock, make_vault, memory_of

NOTES: dict[str, str | bytes] = {
    "People/Ada Quill.md": (
        "---\nrole: bookbinder\norg: '[[Press]]'\nempty:\ngenesys_pinned: true\n---\n"
        "## Meetings\n\n![[Meetings.base#Person]]\n"
    ),
    "People/Bo Tern.md": "![[Meetings.base#Person]]\n\n## Life\n\nBo keeps bees by the weir.\n",
    "People/Cy Vane.md": "![[Meetings.base#Person]]\n",
    "Other.md": "Nothing to see.\n",
}

TEXTS = {
    "![[Meetings.base#Person]]": False,
    "![](cover.png)\n\n![[a.png|200]] ^id-1": False,
    "## Meetings\n![[x.base]]": False,
    "```dataview\nTABLE file.name\nFROM #x\n```": False,
    "%% nothing yet %%": False,
    "```python\nprint(1)\n```": True,
    "See [[Meetings]].": True,
    "![[a.png]] caption": True,
    "会议": True,
}


@pytest.mark.parametrize(("text", "wanted"), TEXTS.items(), ids=range(len(TEXTS)))
def test_embeds_and_queries_are_no_words(text: str, wanted: bool) -> None:
    """Links, code and captions are."""
    assert wanted is readable(text)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Ada Quill", "role: bookbinder · org: [[Press]]"),
        ("Bo Tern", "Bo keeps bees by the weir."),
        ("Cy Vane", "![[Meetings.base#Person]]"),
    ],
)
def test_a_hit_shows_words_of_its_note(tmp_path: Path, name: str, text: str) -> None:
    """The first passage that has some, else the properties; where there is neither, what there is."""
    with memory_of(make_vault(tmp_path / "vault", NOTES), Clock(), writeback="off") as memory:
        memory.index(embed=False)
        hit = next(h for h in memory.recall(name, k=4).hits if h.title == name)
    assert text in hit.text
    assert 1 <= hit.line_start <= hit.line_end


def test_notes_with_the_same_embed_are_no_doubles(tmp_path: Path) -> None:
    """A vault's template gives every person the same body; what tells them apart is what is shown."""
    people = {f"P{i}.md": f"---\ntrade: mason {i}\n---\n![[Meetings.base#Person]]\n" for i in range(3)}
    with memory_of(make_vault(tmp_path / "vault", dict(people)), Clock(), writeback="off") as memory:
        memory.index(embed=False)
        hits = memory.recall("mason", k=5).hits
    assert set(people) == {hit.path for hit in hits}


def test_a_far_hit_is_not_called_close(tmp_path: Path) -> None:
    """Where the answer itself is unsure, so is its reason."""
    with memory_of(make_vault(tmp_path / "vault", NOTES), Clock(), writeback="off") as memory:
        memory.index()
        hits = memory.recall("zzgrwx qqpvk", k=3).hits
    unsure = [hit for hit in hits if hit.low_confidence]
    assert unsure
    assert all("nearest in meaning, but not near" in hit.why for hit in unsure)
    assert not any(hit.why.startswith("close") or ", close" in hit.why for hit in unsure)
