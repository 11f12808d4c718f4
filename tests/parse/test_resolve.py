"""Where links go: the measured rules R01 to R11, and what must hold for any vault."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genesys.parse.resolve import Resolution, resolve
from genesys.parse.text import name_key, path_key, target_key


def lookup(target: str, source: str, *vault: str) -> str | None:
    named = [path for path in vault if name_key(path) == target_key(target)]
    return resolve(target, source, named).path


@pytest.mark.parametrize(
    ("rule", "target", "source", "vault", "expected"),
    [
        ("R01 any folder", "Water Wheel", "in/x.md", ["lib/m/Water Wheel.md"], "lib/m/Water Wheel.md"),
        ("R02 root first", "Note", "b/x.md", ["Note.md", "b/Note.md"], "Note.md"),
        ("R02 exact path", "b/T", "f/b/x.md", ["b/T.md", "f/b/T.md"], "b/T.md"),
        (
            "R03 own folder",
            "Note",
            "long/folder/x.md",
            ["a/Note.md", "long/folder/Note.md"],
            "long/folder/Note.md",
        ),
        ("R03 no parent", "Note", "p/q/x.md", ["p/Note.md", "z/Note.md"], "p/Note.md"),
        ("R03 parent counts for nothing", "Note", "pp/q/x.md", ["pp/Note.md", "z/Note.md"], "z/Note.md"),
        ("R04 shortest", "Plan", "o/x.md", ["p/q/Plan.md", "p/Plan.md"], "p/Plan.md"),
        ("R04 string, not depth", "Plan", "o/x.md", ["longfolder/Plan.md", "a/b/Plan.md"], "a/b/Plan.md"),
        ("R04 ties are settled", "Plan", "o/x.md", ["q/Plan.md", "p/Plan.md"], "p/Plan.md"),
        ("R05 suffix", "b/Note", "x.md", ["a/b/Note.md"], "a/b/Note.md"),
        ("R05 whole segments", "b/Note", "x.md", ["ab/Note.md"], None),
        ("R05 no fallback", "c/Note", "x.md", ["a/Note.md", "Note.md"], None),
        ("R05 own folder, partial", "b/Note", "a/x.md", ["z/b/Note.md", "a/b/Note.md"], "a/b/Note.md"),
        ("R06 up", "../y", "a/x.md", ["y.md", "a/y.md"], "y.md"),
        ("R06 here", "./z", "a/x.md", ["b/z.md", "a/z.md"], "a/z.md"),
        ("R06 no fallback", "./z", "a/x.md", ["z.md"], None),
        ("R06 out of the vault", "../../z", "a/x.md", ["z.md"], None),
        ("R06 through folders", "../b/./c/../z", "a/x.md", ["b/z.md"], "b/z.md"),
        ("absolute", "/a/z", "q/x.md", ["q/a/z.md", "a/z.md"], "a/z.md"),
        ("absolute, no fallback", "/z", "q/x.md", ["a/z.md"], None),
        ("R07 case", "rIVER notes", "x.md", ["N/River Notes.md"], "N/River Notes.md"),
        ("R07 folders", "n/River", "x.md", ["N/River.md"], "N/River.md"),
        ("R07 extension", "Ext.MD", "x.md", ["Ext.md"], "Ext.md"),
        ("R07 file extension", "readme", "x.md", ["README.MD"], "README.MD"),
        ("R07 sigma", "ΟΔΌΣ", "x.md", ["οδός.md"], "οδός.md"),
        ("R07 twins", "plan", "x.md", ["Plan.md", "plan.md"], "plan.md"),
        ("R07 twins, other case", "Plan", "x.md", ["Plan.md", "plan.md"], "Plan.md"),
        ("R08", unicodedata.normalize("NFD", "Résumé"), "x.md", ["Résumé.md"], "Résumé.md"),
        ("R09 suffix optional", "Note.md", "x.md", ["a/Note.md"], "a/Note.md"),
        ("R09 twice", "Note.md", "x.md", ["a/Note.md.md"], "a/Note.md.md"),
        ("R09 exact before twice", "Note.md", "x.md", ["Note.md.md", "a/Note.md"], "a/Note.md"),
        ("R09 canvas", "sketch", "x.md", ["sketch.canvas"], None),
        ("R09 canvas by name", "sketch.canvas", "x.md", ["a/sketch.canvas"], "a/sketch.canvas"),
        ("R09 dots", "v1.2 x", "x.md", ["v1.2 x.md"], "v1.2 x.md"),
        ("R09 abbreviation", "Dr. Fern", "x.md", ["Dr. Fern.md"], "Dr. Fern.md"),
        ("R09 no extension", "LICENSE", "x.md", ["LICENSE"], None),
        ("R10 folder", "Garden", "x.md", ["Garden/beans.md"], None),
        ("R10 folder, slash", "Garden/", "x.md", ["Garden/beans.md"], None),
        ("R17 address", "https://a.b/c", "x.md", ["c.md"], None),
        ("R21 attachment", "pic.png", "n/x.md", ["img/pic.png", "pic.png.md"], "img/pic.png"),
        ("R85 wildcards", "a%b", "x.md", ["axb.md", "a_b.md"], None),
        ("R85 percent", "50%", "x.md", ["50 things.md", "50%.md"], "50%.md"),
        ("itself", "", "a/x.md", [], "a/x.md"),
    ],
)
def test_rule(rule: str, target: str, source: str, vault: list[str], expected: str | None) -> None:
    """Each rule of the lookup sends its link where Obsidian does."""
    assert expected == lookup(target, source, *vault), rule
    assert expected == lookup(target, source, *reversed(vault)), rule


def test_alias_only_without_a_file_and_without_a_rival() -> None:
    """An alias stands in for a name that no file has and no second note claims; it says so."""
    assert Resolution("a.md", via_alias=True) == resolve("AI", "x.md", [], ["a.md"])
    assert Resolution(None) == resolve("AI", "x.md", [], ["a.md", "b.md"])
    assert Resolution("ai.md") == resolve("AI", "x.md", ["ai.md"], ["a.md"])
    assert Resolution(None) == resolve("f/AI", "x.md", [], ["a.md"])
    assert Resolution(None) == resolve("./AI", "x.md", [], ["a.md"])


SEGMENT = st.sampled_from(["a", "b", "ab", "Note", "note", "x.y", "é", "ς", "日本"])
PATH = st.lists(SEGMENT, min_size=1, max_size=4).map("/".join)
VAULT = st.lists(PATH.map(lambda p: p + ".md"), max_size=8, unique=True)


@given(
    vault=VAULT, source=PATH.map(lambda p: p + ".md"), target=PATH, order=st.randoms(use_true_random=False)
)
def test_any_vault(vault: list[str], source: str, target: str, order: object) -> None:
    """Whatever the vault: the answer is a candidate that ends in the target, and order plays no part."""
    found = lookup(target, source, *vault)
    shuffled = list(vault)
    order.shuffle(shuffled)  # type: ignore[attr-defined]
    assert found == lookup(target, source, *shuffled)
    matching = [p for p in vault if ("/" + path_key(p)).endswith("/" + path_key(target) + ".md")]
    assert (found is None) == (not matching)
    assert found is None or found in matching


@given(vault=VAULT.filter(bool), source=PATH, data=st.data())
def test_full_path_always_reaches_its_note(vault: list[str], source: str, data: st.DataObject) -> None:
    """A link written as the complete path finds that very note, with and without ``.md``."""
    note = data.draw(st.sampled_from(vault))
    twins = [p for p in vault if path_key(p) == path_key(note)]
    assert lookup(note, source + ".md", *vault) in twins
    assert note == lookup(note.removesuffix(".md"), source + ".md", *vault)
