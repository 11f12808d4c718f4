"""The parts of recall that can be switched off by settings, to see what each of them brings. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from genesys.tuning import RecallParams

__all__ = ["NO_SIGNAL", "SIGNALS", "Signal", "without"]


@dataclass(frozen=True, slots=True)
class Signal:
    """``off`` are the fields of :class:`~genesys.tuning.RecallParams` without it, with their values."""

    name: str
    off: Mapping[str, float]


SIGNALS: tuple[Signal, ...] = (
    Signal("meaning", {"meaning_weight": 0.0}),
    Signal("words", {"meaning_weight": 1.0}),
    Signal("context: words", {"context_before": 0.0, "context_after": 0.0}),
    Signal("context: meaning", {"smooth_before": 0.0, "smooth_after": 0.0}),
    Signal("whole note", {"note_words": 0.0}),
    Signal("title, headings", {"title_weight": 1.0, "alias_weight": 1.0, "heading_weight": 1.0}),
    Signal("named notes", {"named_bonus": 0.0}),
    Signal("people", {"person_bonus": 0.0}),
    Signal("dates", {"date_bonus": 0.0}),
    Signal("when", {"when_bonus": 0.0}),
    Signal("kind of text", {"length_bonus": 0.0, "names_bonus": 0.0, "question_malus": 0.0}),
    Signal("linked", {"linked_bonus": 0.0}),
    Signal("spreading", {"spread_weight": 0.0, "second_hop": 0.0}),
    Signal("second hop", {"second_hop": 0.0}),
    Signal("mentions", {"mention_strength": 0.0, "mention_back": 0.0}),
    Signal("links by likeness", {"auto_strength": 0.0}),
    Signal("thinned hubs", {"spread_thin": 0.0}),
    Signal("prior", {"prior_weight": 0.0}),
)

# Fields that shape a signal or bound the work: there is nothing to switch off.
_SHAPES = """
word_saturation context_falloff smooth_falloff smooth_alone date_spread_days spread_seeds spread_power
spread_back superseded_factor min_results candidates term_rows max_terms exact_passages near_passages
shortlist weighed_rows found_rows
"""
NO_SIGNAL = frozenset(_SHAPES.split())


def without(params: RecallParams, signal: Signal) -> RecallParams:
    """``params`` with that signal off."""
    return replace(params, **signal.off)  # type: ignore[arg-type]  # field names are tested
