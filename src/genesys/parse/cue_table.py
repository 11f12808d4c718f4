"""Cue phrases as data: what is written before or behind a link, and what it makes of the link.

A phrase is plain words, no pattern. ``frame`` names the rule for the words around it (see ``cues.py``):

==========  ============================================================================================
adjunct     "… because of [[x]]": any clause, unless it is about another link
thanks      an adjunct that may also be gratitude
verb        "… led to [[x]]": a finite verb; its subject is the note, so no other link may be part of it
claim       a verb that is about evidence only next to a word for evidence or for a claim
participle  "based on [[x]]": the note itself must be what is based
claimed     a participle that is about evidence only next to a word for evidence or for a claim
self        the subject must plainly be this note ("Replaces [[x]]", "This supersedes [[x]]")
swap        "instead of [[x]]": only after a decision of the writer's
choice      "so we chose [[x]]"
==========  ============================================================================================

``direct`` cues keep their meaning in a negated clause ("we couldn't meet due to [[x]]"); only a negation
right before the phrase turns them off.
"""

from __future__ import annotations

from dataclasses import dataclass

from genesys.model import EdgeType

__all__ = ["AFTER", "AROUND", "BEFORE", "Around", "Cue"]


@dataclass(frozen=True, slots=True)
class Cue:
    """``forward`` is True where the note is the edge's source: note —type→ link."""

    language: str
    phrase: str
    type: EdgeType
    forward: bool
    frame: str
    direct: bool = False


@dataclass(frozen=True, slots=True)
class Around:
    """A cue in two parts with the link between them: 受 [[x]] 启发."""

    language: str
    opening: str
    closings: tuple[str, ...]
    type: EdgeType
    forward: bool = True
    frame: str = "adjunct"


_C, _D, _S = EdgeType.CAUSED_BY, EdgeType.DERIVED_FROM, EdgeType.SUPPORTS
_X, _R = EdgeType.CONTRADICTS, EdgeType.SUPERSEDES


def _cues(
    language: str, type_: EdgeType, forward: bool, frame: str, phrases: str, direct: bool = False
) -> tuple[Cue, ...]:
    return tuple(Cue(language, p.strip(), type_, forward, frame, direct) for p in phrases.split("|"))


_CHOSE = (
    "chose|picked|decided on|decided to use|settled on|went with|opted for|switched to|moved to|migrated to|"
    "adopted"
)
_WHY = (
    "which is why we",
    "which is why i",
    "that is why we",
    "that is why i",
    "that's why we",
    "that's why i",
)
_SO = ("so we", "so i", "therefore we", "therefore i", "therefore, we", "hence we", *_WHY)

ENGLISH = (
    *_cues("en", _C, True, "adjunct", "because of"),
    *_cues(
        "en",
        _C,
        True,
        "adjunct",
        "due to|owing to|as a result of|as a direct result of|as a consequence of|"
        "in consequence of|on account of|by virtue of|in response to|in light of|in the wake of",
        direct=True,
    ),
    *_cues("en", _C, True, "thanks", "thanks to", direct=True),
    *_cues(
        "en",
        _C,
        True,
        "participle",
        "caused by|triggered by|prompted by|motivated by|brought about by|resulting from|"
        "arising from|stemming from",
    ),
    *_cues("en", _C, True, "verb", "stems from|stemmed from|arises from|arose from"),
    *_cues(
        "en",
        _C,
        False,
        "verb",
        "led to|leads to|lead to|leading to|resulted in|results in|result in|resulting in|"
        "gave rise to|gives rise to|give rise to|giving rise to|brought about|triggered|triggers|"
        "caused|causes|prompted",
    ),
    *_cues("en", _C, False, "choice", "|".join(f"{so} {verb}" for so in _SO for verb in _CHOSE.split("|"))),
    *_cues("en", _C, False, "choice", "|".join(f"{why} use|{why} chose to use" for why in _WHY)),
    *_cues("en", _D, True, "participle", "based on|based upon|derived from|inspired by|adapted from"),
    *_cues("en", _D, True, "verb", "builds on|builds upon|follows from|derives from|draws on"),
    *_cues("en", _X, True, "verb", "contradicts|contradicted|refutes|refuted|disproves|disproved"),
    *_cues(
        "en",
        _X,
        True,
        "verb",
        "is at odds with|are at odds with|was at odds with|seems at odds with|disagrees with|disagree with",
    ),
    *_cues("en", _X, True, "self", "conflicts with|is in conflict with"),
    *_cues("en", _X, False, "participle", "contradicted by|refuted by|disproved by"),
    *_cues(
        "en",
        _S,
        True,
        "claim",
        "supports|support|supported|confirms|confirmed|backs up|is consistent with",
    ),
    *_cues("en", _S, True, "verb", "corroborates|corroborated|lends support to|gives weight to"),
    *_cues("en", _S, True, "claim", "are consistent with|evidence for"),
    *_cues("en", _S, False, "participle", "corroborated by|confirmed by|backed up by"),
    *_cues("en", _S, False, "claimed", "supported by"),
    *_cues("en", _R, True, "self", "supersedes|replaces|takes the place of"),
    *_cues(
        "en",
        _R,
        False,
        "self",
        "superseded by|replaced by|replaced with|obsoleted by|deprecated in favor of",
    ),
    *_cues("en", _R, False, "self", "deprecated in favour of"),
    *_cues("en", _R, True, "swap", "instead of|rather than|in place of"),
)

GERMAN = (
    *_cues(
        "de",
        _C,
        True,
        "adjunct",
        "wegen|aufgrund|aufgrund von|auf grund|auf grund von|infolge|infolge von",
        direct=True,
    ),
    *_cues("de", _C, True, "thanks", "dank", direct=True),
    *_cues(
        "de",
        _C,
        True,
        "participle",
        "verursacht durch|ausgelöst durch|verursacht von|ausgelöst von|bedingt durch",
    ),
    *_cues(
        "de",
        _C,
        False,
        "verb",
        "führte zu|führten zu|führt zu|führen zu|führte zum|führte zur|führt zum|führt zur",
    ),
    *_cues("de", _C, False, "verb", "verursachte|verursacht|löste aus|bewirkte"),
    *_cues(
        "de",
        _C,
        False,
        "choice",
        "deshalb nehmen wir|deshalb haben wir uns für|daher nehmen wir|darum nehmen wir",
    ),
    *_cues(
        "de",
        _D,
        True,
        "verb",
        "basiert auf|basieren auf|basierte auf|beruht auf|beruhen auf|baut auf|folgt aus",
    ),
    *_cues(
        "de",
        _D,
        True,
        "participle",
        "abgeleitet von|abgeleitet aus|inspiriert von|inspiriert durch|angelehnt an",
    ),
    *_cues(
        "de",
        _X,
        True,
        "verb",
        "widerspricht|widersprechen|widersprach|widerlegt|widerlegte|widerlegen",
    ),
    *_cues("de", _X, False, "participle", "widerlegt durch|widerlegt von"),
    *_cues("de", _S, True, "verb", "stützt|untermauert|bekräftigt"),
    *_cues("de", _S, True, "claim", "bestätigt|bestätigen|bestätigte|stützen|unterstützt"),
    *_cues(
        "de",
        _S,
        False,
        "participle",
        "gestützt durch|bestätigt durch|bestätigt von|untermauert durch",
    ),
    *_cues("de", _R, True, "self", "ersetzt|löst ab"),
    *_cues("de", _R, False, "self", "ersetzt durch|abgelöst durch|abgelöst von"),
    *_cues("de", _R, True, "swap", "statt|anstatt|anstelle von|anstelle"),
)

CHINESE = (
    *_cues("zh", _C, True, "adjunct", "因为|由于|鉴于|多亏|出于|归因于"),
    *_cues("zh", _C, False, "verb", "导致|导致了|引起|引起了|造成|造成了|引发|引发了|促成|促成了"),
    *_cues(
        "zh",
        _C,
        False,
        "choice",
        "所以选择|所以选择了|所以我们选择|所以我们选择了|因此选择|因此选择了|因此我们选择了|"
        "因此改用|所以改用",
    ),
    *_cues("zh", _D, True, "participle", "基于|源于|源自|改编自|衍生自|脱胎于"),
    *_cues("zh", _X, True, "verb", "反驳|反驳了|驳斥|驳斥了|推翻|推翻了|违背|违背了"),
    *_cues("zh", _S, True, "claim", "支持|支持了|证实|证实了|印证|印证了|佐证|佐证了"),
    *_cues("zh", _R, True, "self", "代替|代替了|取代|取代了|替代|替代了"),
    *_cues("zh", _R, True, "swap", "而不是|而非"),
)

BEFORE: tuple[Cue, ...] = (*ENGLISH, *GERMAN, *CHINESE)

_THIS = "this|this decision|this note|this idea|this plan|this project|this change"
_VIEW = "this|this view|this claim|this idea|this note|this hypothesis|this theory|this finding|this argument"


def _after(type_: EdgeType, forward: bool, verbs: str, objects: str) -> tuple[Cue, ...]:
    return _cues(
        "en",
        type_,
        forward,
        "after",
        "|".join(f"{v} {o}" for v in verbs.split("|") for o in objects.split("|")),
    )


# "[[x]] led to this": the link is the subject and comes first in its clause.
AFTER: tuple[Cue, ...] = (
    *_after(_C, True, "led to|caused|prompted|triggered|is the reason for|was the reason for", _THIS),
    *_cues(
        "en",
        _C,
        True,
        "after",
        "is why we|is why i|was why we|is the reason we|is the reason i|is the reason why",
    ),
    *_after(_D, True, "inspired|is the basis for|is the basis of", _THIS),
    *_after(_X, False, "contradicts|refutes|disproves|is at odds with", _VIEW),
    *_after(_S, False, "supports|confirms|corroborates|is evidence for", _VIEW),
    *_after(_R, False, "supersedes|replaces", "this|this note|this decision|this plan"),
    *_cues("de", _C, True, "after", "führte dazu|ist der grund|war der grund|ist der grund dafür"),
    *_cues("de", _X, False, "after", "widerspricht dem|widerspricht dieser these"),
    *_cues("zh", _C, True, "after", "是原因|导致了这|就是原因"),
)

AROUND: tuple[Around, ...] = (
    Around("zh", "受", ("启发", "的启发", "影响", "的影响"), _D),
    Around("zh", "受到", ("启发", "的启发", "影响", "的影响"), _D),
    Around("zh", "以", ("为基础", "为依据", "为蓝本"), _D),
    Around("zh", "与", ("矛盾", "相矛盾", "冲突", "相冲突", "相悖"), _X, frame="verb"),
    Around("zh", "和", ("矛盾", "相矛盾", "冲突", "相冲突", "相悖"), _X, frame="verb"),
    Around("zh", "被", ("取代", "代替", "替代", "所取代"), _R, forward=False, frame="self"),
    Around("zh", "被", ("反驳", "推翻", "驳斥"), _X, forward=False, frame="self"),
    Around("zh", "被", ("证实", "印证"), _S, forward=False, frame="self"),
)
