"""The numbers that a person may change: of reading, scoring, the lifecycle and recall."""

from dataclasses import dataclass

__all__ = ["PERSON_KEYS", "HookParams", "LifecycleParams", "ParseOptions", "RecallParams", "ScoreParams"]


PERSON_KEYS = ("speaker", "author", "authors", "people", "person", "with", "attendees", "from", "to")


@dataclass(frozen=True, slots=True)
class ParseOptions:
    """What a person's settings change in reading; its digest decides whether a re-parse is due."""

    relation_keys: tuple[tuple[str, str], ...] = ()  # (key, "[!]edge_type"), "!" reverses the edge
    person_keys: tuple[str, ...] = PERSON_KEYS
    max_note_bytes: int = 20_000_000
    passage_tokens: int = 180
    cues: bool = True


@dataclass(frozen=True, slots=True)
class ScoreParams:
    """Constants of scoring; the unit of time is the day (Anderson & Schooler 1991; Petrov 2006)."""

    actr_decay: float = 0.5
    actr_threshold: float = -2.0
    actr_noise: float = 0.5
    actr_exact: int = 32
    min_age_days: float = 1 / 24
    half_life_days: float = 180.0
    stability_max: float = 3.0
    stability_gap_days: float = 1.0
    stability_gain: float = 0.2  # share of the way to stability_max that one spaced recall closes
    relevance_min: float = 0.1
    focus_window_days: float = 14.0
    focus_half_life_days: float = 7.0  # how fast recent work stops steering the focus
    focus_cosine_low: float = 0.25  # MiniLM: nine in ten unrelated English notes are below 0.2
    focus_cosine_high: float = 0.65  # MiniLM: the nearer quarter of the notes linked to the work
    focus_share: float = 0.25  # at most this share of a vault can be in focus by closeness
    focus_cosine_weight: float = 0.7
    focus_overlap_weight: float = 0.3
    connectivity_min: float = 0.1
    connectivity_full: float = 12.0
    weight_causal: float = 1.0
    weight_related: float = 0.5
    access_create: float = 1.0
    access_edit: float = 0.5
    access_recall: float = 1.0
    access_recall_low: float = 0.5
    access_recall_top: int = 3  # ranks that count as a full recall
    massed_factor: float = 0.5  # a recall's weight for each earlier one within a day (spacing effect)
    access_cascade: float = 0.3
    access_pin: float = 1.0
    cascade_depth: int = 2
    cascade_fan: int = 32  # neighbours a note can pass on to in full; more share the same strength
    cascade_floor: float = 0.03  # weaker echoes than this leave no access
    category_weight: tuple[tuple[str, float], ...] = ()
    category_floor: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class LifecycleParams:
    """Thresholds of the lifecycle; scores in [0, 1], idle times in days."""

    dormant_score: float = 0.15
    dormant_idle_days: float = 30.0
    fading_score: float = 0.03
    fading_idle_days: float = 180.0
    prune_score: float = 0.01
    prune_idle_days: float = 30.0
    revive_score: float = 0.2
    dwell_days: float = 30.0  # least stay in a status before sinking to the next: no flapping
    core_threshold: float = 0.55
    core_share: float = 0.02
    core_max: int = 50
    core_leave: float = 0.5  # a core note stays until it falls below this
    core_weight_reactivation: float = 0.4
    core_weight_hub: float = 0.3
    core_weight_schema: float = 0.2
    core_weight_stability: float = 0.1
    core_hub_cap: float = 3.0  # degrees above this multiple of the vault's mean count no more
    never_forget: tuple[str, ...] = ()  # categories whose notes neither fade nor are pruned


@dataclass(frozen=True, slots=True)
class HookParams:
    """What Claude Code's hooks may say, and how long they may take.

    The bar was set where talk and orders of a programming session stay below it and most questions about a
    note's subject above it, in three vaults (``benchmarks/hooks``).
    """

    hook_bar: float = 0.45
    hook_prompt_tokens: int = 600
    hook_start_tokens: int = 800
    hook_deadline_s: float = 1.5  # a person waits for the prompt to go out
    hook_start_deadline_s: float = 4.0  # the daemon may have to start, and to read what changed meanwhile


@dataclass(frozen=True, slots=True)
class RecallParams:
    """Weights of recall. Shares are in units of the whole score, where words and meaning together make 1.

    The defaults are what measured best over dialogues, encyclopedic notes and two real vaults
    (``benchmarks/recall``); none is tuned to one of them.
    """

    meaning_weight: float = 0.58  # share of vectors in words + meaning
    word_saturation: float = 0.9  # BM25's k1: how soon a word repeated adds nothing
    note_words: float = 0.5  # in a note of several passages, share of words that the whole note has
    title_weight: float = 2.0  # a word in the title, against one in the text
    alias_weight: float = 1.5
    heading_weight: float = 1.2
    context_before: float = 0.5  # a word in the passage before, against one in the passage itself
    context_after: float = 0.5
    context_falloff: float = 0.67  # with each further passage, up to three
    smooth_before: float = 0.5  # the meaning of the passage before, likewise
    smooth_after: float = 0.3
    smooth_falloff: float = 0.45
    smooth_alone: float = 1.0  # a passage without neighbours counts itself so much in their place
    person_bonus: float = 0.3  # the question names a person of the note
    length_bonus: float = 0.07  # a long turn of a talk; times ln(1 + words/10), up to 60 words
    names_bonus: float = 0.06  # a turn that names things holds facts
    question_malus: float = 0.05  # a turn that only asks
    when_bonus: float = 0.06  # a "when" question and a text that says when
    date_bonus: float = 0.5  # the note is about a day that the question names; less for months and years
    date_spread_days: float = 7.0  # distance at which that bonus is halved
    named_bonus: float = 0.1  # the question names the note; divided by √namesakes
    linked_bonus: float = 0.1  # notes that many link to; times ln(1 + links)/5, at most once
    spread_seeds: int = 10  # best notes that activation spreads from
    spread_weight: float = 0.6  # what the best seed gives along a full edge
    spread_power: float = 3.0  # how steeply that falls with the seed's relative score
    second_hop: float = 0.05  # the same for the second hop
    spread_back: float = 1.0  # against the direction of a written link
    mention_back: float = 0.1  # the same for an unlinked mention: whoever names a thing is rarely its answer
    spread_thin: float = 0.2  # arcs of a note with d neighbours weaken by d to this power
    mention_strength: float = 1.0  # an unlinked mention with one namesake, against a written link
    auto_strength: float = 0.5  # a link by likeness alone
    prior_weight: float = 0.03  # most that status and decay score move a score, up or down
    superseded_factor: float = 0.3  # what a superseded note keeps of its score
    min_results: int = 3  # notes an answer has before likeness alone needs to clear the model's floor
    candidates: int = 120  # notes whose text is looked at
    term_rows: int = 20_000  # passages taken in for one word; of a commoner word the best ones
    max_terms: int = 32  # words of a question that are looked up, the rarest first
    exact_passages: int = 30_000  # passages up to which a question is compared with every vector
    near_passages: int = 8_192  # of more, those nearest by sign bits are compared truly
    shortlist: int = 4_096  # and so many notes, the best by a coarse score, are ranked in full
    weighed_rows: int = 20_000  # matches that a question of such a vault weighs, of its rarest words
    found_rows: int = 60_000  # matches of commoner words that it only finds; what is commoner is left out
