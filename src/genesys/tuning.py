"""The weights of recall."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["RecallParams"]


@dataclass(frozen=True, slots=True)
class RecallParams:
    """Weights of recall. Shares are in units of the whole score, where words and meaning together make 1.

    The defaults are what measured best over dialogues, encyclopedic notes and two real vaults
    (``benchmarks/recall``); none is tuned to one of them.
    """

    meaning_weight: float = 0.55  # share of vectors in words + meaning
    word_saturation: float = 0.9  # BM25's k1: how soon a word repeated adds nothing
    title_weight: float = 2.0  # a word in the title, against one in the text
    alias_weight: float = 1.5
    heading_weight: float = 1.2
    context_before: float = 0.6  # a word in the passage before, against one in the passage itself
    context_after: float = 0.5
    context_falloff: float = 0.67  # with each further passage, up to three
    smooth_before: float = 0.5  # the meaning of the passage before, likewise
    smooth_after: float = 0.3
    smooth_falloff: float = 0.45
    smooth_alone: float = 0.7  # a passage without neighbours counts itself so much in their place
    person_bonus: float = 0.2  # the question names a person of the note
    length_bonus: float = 0.08  # longer texts hold answers; times ln(1 + words/10), up to 60 words
    names_bonus: float = 0.05  # texts that name things hold facts
    question_malus: float = 0.05  # texts that only ask
    when_bonus: float = 0.06  # a "when" question and a text that says when
    date_bonus: float = 0.1  # the note is about a day that the question names
    date_spread_days: float = 14.0  # distance at which that bonus is halved
    named_bonus: float = 0.1  # the question names the note; divided by √namesakes
    spread_seeds: int = 10  # best notes that activation spreads from
    spread_weight: float = 0.4  # what the best seed gives along a full edge
    spread_power: float = 3.0  # how steeply that falls with the seed's relative score
    second_hop: float = 0.05  # the same for the second hop
    spread_back: float = 0.5  # against the direction of an edge
    mention_strength: float = 1.0  # an unlinked mention with one namesake, against a written link
    auto_strength: float = 0.5  # a link by likeness alone
    prior_weight: float = 0.05  # most that status and decay score move a score, up or down
    superseded_factor: float = 0.3  # what a superseded note keeps of its score
    min_results: int = 3  # notes an answer has before likeness alone needs to clear the model's floor
    candidates: int = 200  # notes whose text is looked at
    term_rows: int = 20_000  # passages taken in for one word; of a commoner word the best ones
    max_terms: int = 32  # words of a question that are looked up, the rarest first
