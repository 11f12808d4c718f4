"""The small words of each language that decide whether a cue phrase counts (see ``cue_frames.py``)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["WORDS", "Words"]


@dataclass(frozen=True, slots=True)
class Words:
    """The small words of a language that decide whether a cue counts."""

    negations: frozenset[str]
    affirmed: tuple[str, ...]  # look like negations and are none: "not only"
    denied: tuple[str, ...]  # negations of more than one word, anywhere before the cue
    inability: frozenset[str]  # negations of the clause that leave its cause alone: "cannot"
    conditions: frozenset[str]  # anywhere before the cue in the sentence
    modals: frozenset[str]  # in the cue's clause
    determiners: frozenset[str]
    pronouns: frozenset[str]
    self_nouns: frozenset[str]
    auxiliaries: frozenset[str]
    adverbs: frozenset[str]
    blocked: frozenset[str]  # never between cue and link
    light: frozenset[str]  # nouns that may stand with a preposition between cue and link: "the idea of"
    prepositions: frozenset[str]
    evidence: frozenset[str]
    claims: frozenset[str]
    ways: frozenset[str]  # "this road leads to" is no cause
    remedies: frozenset[str]  # "to prevent crashes due to": the note is the remedy, not the effect
    deciders: frozenset[str]
    decisions: frozenset[str]
    renewals: frozenset[str]
    uses: frozenset[str]
    joins: frozenset[str]


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


WORDS: Mapping[str, Words] = {
    "en": Words(
        negations=_set(
            "not never no nothing neither nor none without hardly rarely barely cannot isn't aren't "
            "wasn't weren't don't doesn't didn't won't can't couldn't wouldn't shouldn't hasn't "
            "haven't hadn't denies denied than instead wrongly falsely allegedly supposedly"
        ),
        affirmed=("not only", "not just", "not merely", "not least", "no doubt", "isn't just", "wasn't just"),
        denied=("i doubt", "we doubt", "failed to", "fails to", "fail to", "far from"),
        inability=_set("cannot can't couldn't unable"),
        conditions=_set(
            "if whether unless suppose supposing imagine assuming hypothetically question wonder "
            "perhaps maybe possibly hopefully ask unclear unsure myth"
        ),
        modals=_set(
            "would could might may can should wouldn't shouldn't must ought seems appears supposedly"
        ),
        determiners=_set(
            "a an the this these those its their his her my our your some any many all both another "
            "each several"
        ),
        pronouns=_set("we i he she they it this that there you these"),
        self_nouns=_set(
            "note page decision plan approach idea method version policy document spec proposal "
            "paper article theory claim finding result study post design project essay draft project "
            "model rule view theorem technique chapter section book argument conclusion estimate "
            "choice process work film story game piece list language system"
        ),
        auxiliaries=_set("is are was were be been being has have had 's it's that's"),
        adverbs=_set(
            "also now then thus hence usually often oftentimes sometimes generally typically largely "
            "partly partially mainly mostly loosely heavily directly originally initially probably "
            "likely clearly strongly further eventually ultimately in turn primarily indirectly "
            "again later finally soon already just only actually in part turn entirely completely "
            "officially itself both quickly and"
        ),
        blocked=_set(
            "of in on at to for from with by into over about against between among under after "
            "before during through that which who whom whose where when while is are was were be "
            "been has have had do does did will would can could may might should must and or but nor "
            "if because since as than then so not no nothing never lack absence loss lacks missing "
            "lacking insufficient removing avoiding losing without within like such via per how why "
            "what whether it he she they we i you them him us me there here only"
        ),
        light=_set(
            "idea ideas work works concept concepts notion principle principles theory theories "
            "writings book books paper papers model method methods use presence existence effect "
            "effects influence impact discovery results findings data evidence claim claims argument "
            "arguments hypothesis view views notes part parts version rise amount amounts research "
            "experiment experiments analysis study thesis conclusion conclusions case"
        ),
        prepositions=_set("of in from by behind that on for"),
        evidence=_set(
            "evidence finding findings result results data study studies experiment experiments "
            "observation observations research survey analysis measurement measurements argument "
            "paper trial trials benchmark benchmarks numbers"
        ),
        claims=_set(
            "claim claims idea hypothesis theory view views argument notion thesis conclusion "
            "conclusions assumption position belief conjecture case finding findings intuition "
            "statement suspicion assertion"
        ),
        ways=_set(
            "road path door link page street trail bridge tunnel stairs staircase button url "
            "stairway route corridor gate"
        ),
        remedies=_set(
            "prevent prevents preventing avoid avoids avoiding fix fixes fixing handle handles "
            "reduce reduces mitigate mitigates protect protects against solve solves detect detects "
            "counter counters minimize minimise resist tolerate eliminate eliminates overcome recover"
        ),
        deciders=_set("we i team they"),
        decisions=_set("chose picked decided settled opted switched moved migrated adopted replaced went"),
        renewals=_set("now onwards onward henceforth"),
        uses=_set("use using do run write keep"),
        joins=_set("and or & plus"),
    ),
    "de": Words(
        negations=_set(
            "nicht kein keine keinen keiner keinem nie niemals ohne weder kaum keineswegs nichts angeblich"
        ),
        affirmed=("nicht nur", "nicht zuletzt", "nicht allein"),
        denied=("ich bezweifle", "wir bezweifeln", "weit davon"),
        inability=frozenset(),
        conditions=_set("ob falls wenn vielleicht möglicherweise eventuell angenommen womöglich frage"),
        modals=_set("könnte könnten würde würden dürfte sollte kann können müsste mag"),
        determiners=_set(
            "der die das dem den des ein eine einen einem einer eines dieser diese dieses diesem "
            "diesen mein meine meiner meinem unser unsere unserer unserem sein seine seiner ihr ihre "
            "ihrer"
        ),
        pronouns=_set("wir ich er sie es das dies man"),
        self_nouns=_set(
            "notiz entscheidung plan ansatz idee methode version seite entwurf theorie these studie "
            "projekt konzept regel beschluss ergebnis befund"
        ),
        auxiliaries=_set("ist sind war waren wird wurde wurden worden werden ist's"),
        adverbs=_set(
            "auch jetzt nun oft meist meistens teilweise vor allem hauptsächlich stark direkt "
            "letztlich lose eng klar"
        ),
        blocked=_set(
            "von in im an am auf zu zum zur für mit bei aus nach über unter gegen durch dass die "
            "welche welcher ist sind war waren hat haben hatte wird wurde werden und oder aber weil "
            "wenn nicht kein keine mangel fehlender fehlenden fehlende mangelnder mangelnden es er "
            "sie wir ich man sich als wie dort hier"
        )
        - {"die"},
        light=_set(
            "idee ideen arbeit arbeiten konzept theorie these werk buch methode ergebnisse daten annahme"
        ),
        prepositions=_set("von in aus vom"),
        evidence=_set(
            "ergebnis ergebnisse befund befunde studie studien daten experiment experimente messung "
            "messungen umfrage"
        ),
        claims=_set("these hypothese theorie annahme vermutung behauptung ansicht sicht idee verdacht"),
        ways=_set("weg straße tür link treppe brücke pfad"),
        remedies=_set("verhindern vermeiden beheben verringern schützt lösen verhindert vermeidet gegen"),
        deciders=_set("wir ich"),
        decisions=_set("entschieden gewählt gewechselt umgestiegen nahmen wählten wechselten umgestellt"),
        renewals=_set("jetzt künftig nun ab sofort"),
        uses=_set("nutzen verwenden nehmen benutzen machen setzen"),
        joins=_set("und oder sowie &"),
    ),
}
