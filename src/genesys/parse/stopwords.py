"""Words that say nothing of what a text is about, by language; all folded."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["CJK_STOP", "STOP", "languages"]

_BY_LANGUAGE = {
    "en": """a an the of in on at to for from by with and or is are was were be been being do does did has
have had what which who whom whose when where why how that this these those it its as than then
there their they he she his her him you your i me my we our us about into over after before
between during would could should will can may might not no if so such s t""",
    "de": """der die das den dem des ein eine einen einem einer eines und oder ist sind war waren wird wurde
wurden hat haben hatte von vom zu zum zur mit auf fur aus bei nach uber unter durch wie was wer
wo wann warum welche welcher welches ich du er sie es wir ihr mein dein sein nicht kein auch
dass als im am""",
    "fr": """le la les un une des du de et ou est sont etait ete dans sur pour par avec qui que quoi quand
comment pourquoi quel quelle quels quelles je tu il elle nous vous ils elles mon ma mes son sa
ses ce cette ces ne pas au aux""",
    "es": """el la los las un una unos unas de del y o es son era fue en por para con que quien cuando donde
como cual cuales yo tu ella nosotros ellos mi su sus este esta estos no al se lo""",
    "it": """il lo gli le un uno una di del della dei delle e o sono era nel nella per con che chi quando
dove come perche quale io lui lei noi loro mio suo questo questa non""",
    "ru": """и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по ее мне было вот
от меня еще нет о из ему когда кто где почему какой какая какие это этот эта был была были для
или""",
}
_SETS = {name: frozenset(words.split()) for name, words in _BY_LANGUAGE.items()}
STOP: frozenset[str] = frozenset().union(*_SETS.values()) - {
    "sein",
    "come",
    "sons",
    "era",
    "son",
    "mes",
    "se",
    "sa",
}
# Characters that join words rather than name things; a pair with one of them is no term.
CJK_STOP: frozenset[str] = frozenset(
    "的了是在和与也都就不而及或被把这那其之于以为对从到让给会能可要很更最又再还吗呢吧啊哪什么怎谁我你他她它们个些一有没上下中"
    "のはがをにでとへもやかなしてるたです"
)
_ENOUGH = 2  # stop words of a language that make a question one of it


def languages(words: Sequence[str]) -> frozenset[str]:
    """Languages that a text may be in, by its stop words; English wins a tie."""
    counts = {name: sum(w in known for w in words) for name, known in _SETS.items()}
    most = max(counts.values())
    if most < _ENOUGH or counts["en"] == most:
        return frozenset({"en"})
    return frozenset(name for name, count in counts.items() if count == most)
