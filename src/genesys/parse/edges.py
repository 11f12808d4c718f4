"""The words that make a link typed: property and field names, their synonyms and inverses.

The table is data. A name with ``!`` in front of its type turns the edge round: ``causes:: [[b]]`` in note
a says that b was caused by a.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from genesys.model import CreatedBy, EdgeType, LinkKind, Relation

__all__ = ["LIST_KEYS", "SYNONYMS", "clean_key", "normal_key", "relations_of", "vocabulary"]

SYNONYMS: Mapping[str, str] = {
    name: meaning
    for meaning, names in {
        "caused_by": (
            "caused_by cause because because_of due_to reason reasons motivated_by triggered_by "
            "prompted_by result_of consequence_of root_cause enabled_by"
        ),
        "!caused_by": (
            "causes led_to leads_to lead_to results_in resulted_in result results enables triggers triggered "
            "consequence consequences effect effects motivates"
        ),
        "supports": "supports support evidence_for argues_for backs confirms",
        "!supports": "supported_by evidence backed_by confirmed_by",
        "derived_from": (
            "derived_from derives_from based_on builds_on source sources from inspired_by parent parents up "
            "extracted_from summarizes summarises"
        ),
        "!derived_from": "down child children source_of basis_for inspires inspired derived derivatives",
        "contradicts": "contradicts opposes opposed_to disputes conflicts_with refutes argues_against",
        "!contradicts": "contradicted_by disputed_by refuted_by opposed_by",
        "supersedes": "supersedes replaces amends updates obsoletes",
        "!supersedes": "superseded_by replaced_by amended_by obsoleted_by",
        "related_to": "related_to related relates_to see_also see same similar similar_to",
        "temporal_sequence": "temporal_sequence next followed_by precedes before",
        "!temporal_sequence": "prev previous follows preceded_by after",
    }.items()
    for name in names.split()
}

# In a list item without ``::`` (`- caused_by [[x]]`) only names that are no ordinary words count:
# "- from [[Rome]]" and "- see [[x]]" are prose.
LIST_KEYS = frozenset(
    {name for name in SYNONYMS if "_" in name}
    | {
        "supports",
        "contradicts",
        "supersedes",
        "causes",
        "enables",
        "opposes",
        "disputes",
        "replaces",
        "amends",
    }
)

_FORMAT = "*_~=`\"' \t"
_GAPS = re.compile(r"[\s\-_]+")
_TYPES = frozenset(t.value for t in EdgeType)


def clean_key(key: str) -> str:
    """Return a property or field name without the emphasis around it, otherwise as written."""
    return key.strip(_FORMAT)


@lru_cache(maxsize=4096)
def normal_key(key: str) -> str:
    """Return the name in the form that is compared: lower case, spaces and hyphens as ``_``.

    >>> normal_key("**Caused-By**")
    'caused_by'
    """
    return _GAPS.sub("_", clean_key(key).lower()).strip("_")


def vocabulary(extra: Iterable[tuple[str, str]] = ()) -> dict[str, Relation]:
    """Return what each known name means, a person's own ``(key, "[!]edge_type")`` included.

    An entry with an unknown type is left out: settings refuse it before it comes here.
    """
    table = {name: _relation(meaning) for name, meaning in SYNONYMS.items()}
    for name, meaning in extra:
        if meaning.removeprefix("!").strip() in _TYPES:
            table[normal_key(name)] = _relation(meaning)
    return table


def relations_of(kind: LinkKind, key: str, known: Mapping[str, Relation]) -> tuple[Relation, ...]:
    """Return what a link of this kind under this name says: the typed relation alone, or the plain one."""
    meaning = known.get(normal_key(key)) if key else None
    if meaning is None:
        return _PLAIN
    by = CreatedBy.PROPERTY if kind is LinkKind.PROPERTY else CreatedBy.FIELD
    return (Relation(meaning.type, meaning.forward, meaning.weight, by),)


def _relation(meaning: str) -> Relation:
    return Relation(EdgeType(meaning.removeprefix("!").strip()), forward=not meaning.startswith("!"))


_PLAIN = (Relation(EdgeType.RELATED_TO),)
