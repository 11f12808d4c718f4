"""What the parameters of reading, scoring, lifecycle and recall mean, with unit and bounds.

They live beside the settings rather than in :mod:`genesys.model`, which the pure rooms import.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["PARAMETERS"]


def _p(doc: str, unit: str = "", low: float | None = 0, high: float | None = None) -> Mapping[str, Any]:
    return {"doc": doc, "unit": unit, "low": low, "high": high}


PARAMETERS: Mapping[str, Mapping[str, Any]] = {
    # parse
    "relation_keys": _p("Your own names of typed edges: key=edge_type, or key=!edge_type for the inverse"),
    "person_keys": _p("Properties that name people"),
    "max_note_bytes": _p("Larger notes are indexed by name only", "bytes", 1),
    "passage_tokens": _p("Length that passages aim at", "tokens", 20, 100_000),
    "cues": _p("Read causes from phrases such as “because of [[x]]”"),
    # score
    "actr_decay": _p("Decay of a memory trace (ACT-R d)", high=1),
    "actr_threshold": _p("Activation at which reactivation is one half (ACT-R τ)", low=None),
    "actr_noise": _p("Width of that curve (ACT-R s)", low=0.001),
    "actr_exact": _p("Accesses that count one by one; older ones are approximated", "accesses", 1),
    "min_age_days": _p("An access is at least this old", "days", 1e-6),
    "half_life_days": _p("Idle time that halves the freshness of a note never recalled", "days", 0.01),
    "stability_max": _p("Most that spaced recalls multiply the half-life by", low=1),
    "stability_gain": _p("Share of the way to that most which one spaced recall closes", high=1),
    "stability_gap_days": _p("Recalls closer than this add no stability", "days"),
    "relevance_min": _p("Least relevance", high=1),
    "focus_window_days": _p("Time in which edits and recalls say what you work on now", "days", 0.01),
    "focus_half_life_days": _p("How fast recent work stops steering the focus", "days", 0.01),
    "focus_cosine_low": _p("Cosine of unrelated notes, with this model", low=-1, high=1),
    "focus_cosine_high": _p("Cosine of notes on the very same subject, with this model", low=-1, high=1),
    "focus_share": _p("Most of a vault that can be in focus by closeness", high=1),
    "focus_cosine_weight": _p("Share of vectors in the focus", high=1),
    "focus_overlap_weight": _p("Share of common tags and links in the focus", high=1),
    "connectivity_min": _p("Connectivity of a note without supportive edges", high=1),
    "connectivity_full": _p("Sum of edge weights that makes connectivity 1", low=0.001),
    "weight_causal": _p("Weight of a causal edge in connectivity"),
    "weight_related": _p("Weight of a plain link in connectivity"),
    "access_create": _p("Strength of a note's creation"),
    "access_edit": _p("Strength of an edit, at most one a day"),
    "access_recall": _p("Strength of a recall that put the note among the first"),
    "access_recall_low": _p("Strength of a recall further down"),
    "access_recall_top": _p("How many are the first", "ranks", 1),
    "massed_factor": _p("A recall's weight for each earlier one within a day", high=1),
    "access_cascade": _p("Strength that a recall hands on with each hop", high=1),
    "access_pin": _p("Strength of a pin"),
    "cascade_depth": _p("How far a recall is handed on", "hops", 0, 10),
    "cascade_fan": _p("Neighbours a recall is handed on to in full; more share that strength", "notes", 1),
    "cascade_floor": _p("Weaker echoes of a recall leave no trace", high=1),
    "category_weight": _p("Factor of the score by category: decision=1.5,chat=0.5", high=10),
    "category_floor": _p("Least score by category: preference=0.2", high=1),
    # lifecycle
    "dormant_score": _p("An active note falls dormant below this score", high=1),
    "dormant_idle_days": _p("… and idle so long", "days"),
    "fading_score": _p("A dormant note fades below this score", high=1),
    "fading_idle_days": _p("… and idle so long", "days"),
    "prune_score": _p("A fading memory of Genesys is pruned below this score", high=1),
    "prune_idle_days": _p("… idle so long since it began to fade", "days"),
    "revive_score": _p("Above this score a note becomes active again", high=1),
    "dwell_days": _p("Least stay in a status before sinking to the next", "days"),
    "core_threshold": _p("Consolidation from which a note is core", high=1),
    "core_leave": _p("A core note stays core down to this", high=1),
    "core_weight_reactivation": _p("Share of reactivation in consolidation", high=1),
    "core_weight_hub": _p("Share of the note's degree in consolidation", high=1),
    "core_weight_schema": _p("Share of well-connected neighbours in consolidation", high=1),
    "core_weight_stability": _p("Share of stability in consolidation", high=1),
    "core_hub_cap": _p("A degree counts up to so many times the vault's mean", low=1),
    "core_share": _p("Largest share of the vault that is core by score", high=1),
    "core_max": _p("Most notes that are core by score", "notes"),
    "never_forget": _p("Categories whose notes neither fade nor are pruned"),
    # recall
    "meaning_weight": _p("Share of meaning (vectors) in words + meaning", high=1),
    "word_saturation": _p("How soon a word repeated adds nothing (BM25 k1)", low=0.01, high=10),
    "note_words": _p("In a note of several passages, share of words that the whole note has", high=1),
    "title_weight": _p("A word in the title, against one in the text", high=100),
    "alias_weight": _p("A word in an alias or tag, likewise", high=100),
    "heading_weight": _p("A word in a heading, likewise", high=100),
    "context_before": _p("A word in the passage before, against one in the passage itself", high=1),
    "context_after": _p("A word in the passage after, likewise", high=1),
    "context_falloff": _p("What each further passage keeps of that", high=1),
    "smooth_before": _p("The meaning of the passage before, against one's own", high=1),
    "smooth_after": _p("The meaning of the passage after, likewise", high=1),
    "smooth_falloff": _p("What each further passage keeps of that", high=1),
    "smooth_alone": _p("What a passage without neighbours counts in their place", high=1),
    "person_bonus": _p("The question names a person of the note", high=1),
    "length_bonus": _p("Longer turns of something told in order", high=1),
    "names_bonus": _p("Turns that name things", high=1),
    "question_malus": _p("Turns that only ask, taken away", high=1),
    "when_bonus": _p("Passages that say when, where the question asks it", high=1),
    "date_bonus": _p("Notes of the days that the question names", high=1),
    "date_spread_days": _p("Distance at which that is halved", "days", low=0.1),
    "named_bonus": _p("The question names the note", high=1),
    "linked_bonus": _p("Notes that many link to", high=1),
    "spread_seeds": _p("Best notes that activation spreads from", "notes", high=1000),
    "spread_weight": _p("What the best of them hands on along a full edge", high=1),
    "spread_power": _p("How steeply that falls with the note's relative score", high=10),
    "second_hop": _p("The same for a second hop", high=1),
    "spread_back": _p("Against the direction of a link", high=1),
    "mention_back": _p("The same for an unlinked mention", high=1),
    "spread_thin": _p("Arcs of a note with d neighbours weaken by d to this power", high=2),
    "mention_strength": _p("An unlinked mention, against a written link", high=1),
    "auto_strength": _p("A link by likeness, against a written link", high=1),
    "prior_weight": _p("Most that status and decay score move a score", high=0.5),
    "superseded_factor": _p("What a superseded note keeps of its score", high=1),
    "min_results": _p("Notes below which weak ones stay in the answer", "notes", high=100),
    "candidates": _p("Notes whose text is weighed", "notes", low=10, high=10000),
    "term_rows": _p("Passages taken in for one word", "passages", low=100),
    "max_terms": _p("Words of a question that are looked up", "words", low=1, high=1000),
    "exact_passages": _p(
        "A vault of up to so many passages is ranked whole, against every vector", "passages", low=0
    ),
    "near_passages": _p("Of a larger one, passages nearest by sign bits that are compared truly", low=100),
    "shortlist": _p("Of a larger one, notes that are ranked in full", "notes", low=100),
    "weighed_rows": _p("In a larger one, matches of a question's rarest words that are weighed", low=1000),
    "found_rows": _p("In a larger one, matches of its commoner words that are only found", low=0),
    # hooks
    "hook_bar": _p("Worth from which a note is shown for a prompt: 0 shows any, 2 none", high=2),
    "hook_prompt_tokens": _p("Most that a prompt is given", "tokens", 50, 2500),
    "hook_start_tokens": _p("Most that a session is given when it starts", "tokens", 50, 2500),
    "hook_deadline_s": _p("A hook that takes longer says nothing", "seconds", 0.1, 30),
    "hook_start_deadline_s": _p("The same at the start of a session", "seconds", 0.1, 30),
}
