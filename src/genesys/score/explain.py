"""Why a note has its score and status, and what would change them.

The outlook runs the scoring and the lifecycle themselves forward in time, so it can't disagree with what
the maintenance pass will do.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np

from genesys.model import AccessKind, Factors, Kind, LifecycleParams, ScoreParams, Status
from genesys.score.activation import ages
from genesys.score.arrays import DAY, Accesses, access_rows
from genesys.score.decay import score_note
from genesys.score.lifecycle import next_status

__all__ = ["Explanation", "Outlook", "Source", "Standing", "Term", "Threshold", "decline", "explain"]

SCORING = ScoreParams()
LIFE = LifecycleParams()

#: How far ahead the outlook looks. A note that keeps its status for three years keeps it for our purpose.
HORIZON_DAYS = 3 * 365

#: A change of the score below this is not worth a line.
NOTICED = 0.01

#: Accesses shown; the others are added up in ``older_share``.
SOURCES = 8


@dataclass(frozen=True, slots=True)
class Term:
    """One factor or what it is made of; ``unit`` is "" for plain numbers."""

    name: str
    value: float
    unit: str
    text: str


@dataclass(frozen=True, slots=True)
class Source:
    """One access: when (UNIX seconds), what, its weight, and its share of Σ wΔ^(−d)."""

    time: float
    kind: AccessKind
    weight: float
    share: float


@dataclass(frozen=True, slots=True)
class Threshold:
    """A limit that matters in this status; ``distance`` is value − limit in ``unit``. ``name`` says in words
    what happens beyond it, with {} for the limit."""

    name: str
    limit: float
    value: float
    unit: str

    @property
    def distance(self) -> float:
        return self.value - self.limit

    @property
    def text(self) -> str:
        """The limit in words, with how it is now."""
        now = f"{self.value:.2f}" if self.unit == "score" else f"{self.value:.0f}"
        return f"{self.name.format(f'{self.limit:g}')} (now {now})"


@dataclass(frozen=True, slots=True)
class Outlook:
    """What an act, or none, leads to: score and status at ``when`` (UNIX seconds)."""

    act: str
    when: float
    score: float
    status: Status
    text: str


@dataclass(frozen=True, slots=True)
class Standing:
    """What the lifecycle knows of the note besides its score."""

    status: Status = Status.ACTIVE
    days_in_status: float = 0.0
    kind: Kind = Kind.NOTE
    pinned: bool = False
    core: bool = False
    orphan: bool = False
    weight: float = 1.0  # the rules for its category, as in Factors
    floor: float = 0.0
    kept: bool = False

    @property
    def rules(self) -> tuple[float, float]:
        """What scoring takes of them."""
        return self.weight, self.floor


@dataclass(frozen=True, slots=True)
class Explanation:
    """``relevance × connectivity × reactivation`` of ``factors`` is its score; shares of ``sources`` and
    ``older_share`` add up to 1 (0 for a note never accessed)."""

    factors: Factors
    status: Status
    terms: tuple[Term, ...]
    sources: tuple[Source, ...]
    older: int
    older_share: float
    thresholds: tuple[Threshold, ...]
    outlook: tuple[Outlook, ...]


def explain(
    accesses: Accesses,
    support: float,
    now: float,
    standing: Standing,
    focus: float = 0.0,
    params: ScoreParams = SCORING,
    lifecycle: LifecycleParams = LIFE,
    utc_offset_s: float = 0.0,
) -> Explanation:
    """Explain one note, whose accesses are numbered 0, at ``now`` (UNIX seconds).

    ``utc_offset_s`` is the person's distance from UTC in seconds, for the dates in the texts.
    """
    factors = score_note(accesses, support, now, focus, params, *standing.rules)
    sources, older, share = _sources(accesses, now, params)
    outlook = _acts(accesses, support, now, standing, focus, params, lifecycle)
    outlook += decline(accesses, support, now, standing, focus, params, lifecycle, utc_offset_s)
    return Explanation(
        factors,
        standing.status,
        _terms(factors, params),
        sources,
        older,
        share,
        _thresholds(factors, standing, lifecycle),
        outlook,
    )


def decline(
    accesses: Accesses,
    support: float,
    now: float,
    standing: Standing,
    focus: float = 0.0,
    params: ScoreParams = SCORING,
    lifecycle: LifecycleParams = LIFE,
    utc_offset_s: float = 0.0,
) -> tuple[Outlook, ...]:
    """Every step down that awaits the note if nobody uses it, with its day, up to three years ahead.

    The focus of today's work is taken to end with its window.
    """

    def at(day: int) -> Factors:
        left = focus if day < params.focus_window_days else 0.0
        return score_note(accesses, support, now + day * DAY, left, params, *standing.rules)

    steps: list[Outlook] = []
    status, entered = standing.status, -standing.days_in_status
    day = 0
    while (found := _first_change(at, status, entered, day, standing, lifecycle)) is not None:
        day = found
        status, reason = _status(at(day), status, day - entered, standing, lifecycle)
        entered = float(day)
        when = now + day * DAY
        lead = f"without use it goes {status} on {_date(when, utc_offset_s)}"
        text = f"{lead if day else f'the next pass makes it {status}'}: {reason}"
        steps.append(Outlook("none", when, at(day).score, status, text))
    return tuple(steps)


def _first_change(
    at: Callable[[int], Factors],
    status: Status,
    entered: float,
    start: int,
    standing: Standing,
    lifecycle: LifecycleParams,
) -> int | None:
    """The first day from ``start`` on which the status changes; None if not within the horizon.

    Without use scores only fall and idleness only grows, so "has changed" turns true once: bisect.
    """

    def changed(day: int) -> bool:
        return _status(at(day), status, day - entered, standing, lifecycle)[0] is not status

    if changed(start):
        return start
    low, high = start, HORIZON_DAYS
    if high <= low or not changed(high):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if changed(middle) else (middle, high)
    return high


def _status(
    factors: Factors, status: Status, stayed: float, standing: Standing, lifecycle: LifecycleParams
) -> tuple[Status, str]:
    return next_status(
        status,
        factors.score,
        factors.idle_days,
        stayed,
        standing.kind,
        standing.pinned,
        standing.core,
        standing.orphan,
        lifecycle,
        standing.kept,
    )


def _acts(
    accesses: Accesses,
    support: float,
    now: float,
    standing: Standing,
    focus: float,
    params: ScoreParams,
    lifecycle: LifecycleParams,
) -> tuple[Outlook, ...]:
    """What a recall now and what one more causal link would do, where that is more than a trifle."""
    if standing.status is Status.PRUNED:
        return ()
    row = access_rows([(0, now, params.access_recall, AccessKind.RECALL)])
    recalled = score_note(accesses.plus(row), support, now, focus, params, *standing.rules)
    linked = score_note(accesses, support + params.weight_causal, now, focus, params, *standing.rules)
    found = []
    now_at = score_note(accesses, support, now, focus, params, *standing.rules).score
    acts = (("recall", "a recall now", recalled), ("link", "one more causal link", linked))
    for act, verb, factors in acts:
        status, _ = _status(factors, standing.status, standing.days_in_status, standing, lifecycle)
        back = f" and make it {status}" if status is not standing.status else ""
        text = f"{verb} would bring it to {factors.score:.2f}{back}"
        if status is standing.status and factors.score - now_at < NOTICED:
            continue
        found.append(Outlook(act, now, factors.score, status, text))
    return tuple(found)


def _sources(accesses: Accesses, now: float, params: ScoreParams) -> tuple[tuple[Source, ...], int, float]:
    """The latest accesses with their shares, the number of the others, and these others' share."""
    if not len(accesses):
        return (), 0, 0.0
    share = accesses.weight * ages(accesses.time, now, params) ** -params.actr_decay
    share = share / max(float(share.sum()), np.finfo(np.float64).tiny)
    order = np.argsort(-accesses.time, kind="stable")
    kinds = tuple(AccessKind)
    shown = tuple(
        Source(float(accesses.time[i]), kinds[accesses.kind[i]], float(accesses.weight[i]), float(share[i]))
        for i in order[:SOURCES].tolist()
    )
    return shown, max(len(accesses) - SOURCES, 0), float(share[order[SOURCES:]].sum())


def _terms(f: Factors, params: ScoreParams) -> tuple[Term, ...]:
    half_life = params.half_life_days * f.stability
    fresher = "freshness" if f.freshness >= f.focus else "focus"
    lead = fresher if max(f.freshness, f.focus) > params.relevance_min else "the least there is"
    rules = [Term("weight", f.weight, "", "your factor for its category")] if f.weight != 1.0 else []
    rules += [Term("floor", f.floor, "", "your least score for its category")] if f.floor else []
    return (
        *rules,
        Term("relevance", f.relevance, "", f"from {lead}"),
        Term("freshness", f.freshness, "", f"halves every {half_life:.0f} days without use"),
        Term("stability", f.stability, "", f"half-life {half_life:.0f} days; spaced recalls lengthen it"),
        Term("focus", f.focus, "", "closeness to the work of the last days"),
        Term("connectivity", f.connectivity, "", f"from neighbours that weigh {f.support:.2f} together"),
        Term("support", f.support, "neighbours", "causal neighbours count 1, related ones half"),
        Term("reactivation", f.reactivation, "", "chance that it comes to mind, from its accesses"),
        Term(
            "activation", f.activation, "", "how present it is: 0 stands for one use a day ago (logarithmic)"
        ),
        Term("idle_days", f.idle_days, "days", "since it was last recalled, edited, pinned or created"),
    )


def _thresholds(f: Factors, standing: Standing, life: LifecycleParams) -> tuple[Threshold, ...]:
    """The limits that the next step down, and the way back, depend on."""
    stay = standing.days_in_status
    if standing.kept and standing.status is Status.DORMANT:
        return (Threshold("active again above {}", life.revive_score, f.score, "score"),)
    back = (Threshold("active again above {}", life.revive_score, f.score, "score"),)
    if standing.status is Status.ACTIVE:
        return (
            Threshold("goes dormant below {}", life.dormant_score, f.score, "score"),
            Threshold(
                "goes dormant only after {} days without use", life.dormant_idle_days, f.idle_days, "days"
            ),
            Threshold("goes dormant only after {} days as active", life.dwell_days, stay, "days"),
        )
    if standing.status is Status.DORMANT:
        return (
            Threshold("goes fading below {}", life.fading_score, f.score, "score"),
            Threshold(
                "goes fading only after {} days without use", life.fading_idle_days, f.idle_days, "days"
            ),
            Threshold("goes fading only after {} days as dormant", life.dwell_days, stay, "days"),
            *back,
        )
    if standing.status is Status.FADING and standing.kind is Kind.MEMORY and standing.orphan:
        idle = life.fading_idle_days + life.prune_idle_days
        return (
            Threshold("goes to the trash below {}", life.prune_score, f.score, "score"),
            Threshold("goes to the trash only after {} days without use", idle, f.idle_days, "days"),
            Threshold("goes to the trash only after {} days as fading", life.prune_idle_days, stay, "days"),
            *back,
        )
    return back if standing.status is Status.FADING else ()


def _date(time: float, offset_s: float) -> str:
    return datetime.fromtimestamp(time + offset_s, UTC).date().isoformat()
