"""Hints that two texts may contradict each other: one subject, and other numbers, a negation, another choice.

A hint is for a reader to judge and never becomes an edge. It is made without a model: two sentences are
about one thing where the words of one are all in the other. A word that each has for itself ("north field",
"south field") makes them two things. Precision before recall; ``tests/memory/conflicts.jsonl`` measures both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from genesys.parse.choices import other_choice
from genesys.parse.text import fold

__all__ = ["conflict"]

MIN_WORDS = 2  # content words: "it is 5" is about nothing that could be compared
NUMBER_SHARE = 0.5  # of the longer sentence's words, that the shorter must have where numbers differ
NEGATED_SHARE = 0.75  # and where one is negated: a negation may be about any of the words
MAX_SENTENCES = 60  # a text, compared pairwise: bounds the work on a long note
MAX_WORDS = 60  # of a sentence; beyond it is a list or a table


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


NEGATIONS = _words(
    "not no never none without cannot cant dont doesnt didnt isnt wasnt arent werent wont shouldnt"
    " hasnt havent nicht kein keine keinen nie niemals ohne 不 没 無 无 未 非"
)
STOP = _words(
    "a an the of to in on at by for from with as is are was were be been being it its this that these"
    " those and or but so we i you he she they our my your their has have had do does did will would can"
    " could should may might now then than about into per each any longer yet still again only also just"
    " der die das den dem des ein eine einen und oder ist sind war wir ich es auf mit von zu im am nur"
    " noch 的 是 了 在 有 和 们 我"
)
# Verbs that say little: two sentences may differ in them and still be about one thing.
LIGHT = _words(
    "run operate work last take need cost use start begin stay keep kept hold contain amount total"
    " remain equal set measure allow require get got become lauf brauch kost hat haben beginn dauer"
    " betragt"
)
# A number behind one of these is a name and no amount ("step 2", "invoice 2231").
NAMING = _words(
    "step chapter section version v figure table page issue ticket room phase node invoice number no nr"
    " line item task day week part volume level rule adr pr commit kapitel schritt seite abschnitt"
    " zimmer raum rechnung"
)
UNITS = _words(
    "% € $ £ eur euro usd dollar kg g t km m cm mm bar mb gb tb kb ms s sec second min minute h hour"
    " day week month year degree c mhz ghz hz w kw kwh v l litre liter percent tag woche monat jahr"
    " stunde prozent grad"
)
_NAMES_OF_COUNTS = (
    "two zwei,three drei,four vier,five fünf,six sechs,seven sieben,eight acht,nine neun,ten zehn,eleven elf,"
    "twelve zwölf"
)
COUNTS = {
    word: str(value) for value, names in enumerate(_NAMES_OF_COUNTS.split(","), 2) for word in names.split()
}

_DATE = r"\d{4}-\d{2}(?:-\d{2})?"
_AMOUNT = r"(?<![\w/+.-])\d+(?:[.,:]\d+)*(?![\w/-]*[/-]\w)(?!\w*\d)"
_TOKEN = re.compile(rf"(?P<number>{_DATE}|{_AMOUNT})|[^\W_]+(?:'[^\W_]+)?|[%€$£]")
_YEAR = re.compile(r"(?:19|20)\d\d")
# The line of a memory that says where in a conversation it comes from: two of them differ in the turn.
_ORIGIN = re.compile(r"(?:From|Drawn by a language model from) what .+ of the conversation\.")


@dataclass(frozen=True, slots=True)
class _Sentence:
    """What a sentence says: content words (stems), amounts, years apart from them, and whether it denies."""

    text: str
    words: frozenset[str]
    amounts: frozenset[str]
    years: frozenset[str]
    negated: bool


def conflict(new: str, old: str) -> str:
    """Why ``new`` may contradict ``old``, in words; "" where nothing says so."""
    olds = list(_sentences(old))
    for one in _sentences(new):
        for other in olds:
            if reason := _compare(one, other):
                return f"{reason}: “{one.text}” against “{other.text}”"
    return ""


def _compare(one: _Sentence, other: _Sentence) -> str:
    if _choices_differ(one, other):
        return "another choice"
    mine, theirs = one.words - other.words - LIGHT, other.words - one.words - LIGHT
    shared, longer = len(one.words & other.words), max(len(one.words), len(other.words))
    if (mine and theirs) or shared < MIN_WORDS:
        return ""
    if shared >= NUMBER_SHARE * longer and _differ(one, other):
        return "other numbers"
    if one.negated != other.negated and shared >= NEGATED_SHARE * longer and one.amounts == other.amounts:
        return "negated"
    return ""


def _choices_differ(one: _Sentence, other: _Sentence) -> bool:
    return not one.negated and not other.negated and other_choice(one.text, other.text)


def _differ(one: _Sentence, other: _Sentence) -> bool:
    """Each has a number that the other has not; amounts of different years are no contradiction."""
    if one.amounts - other.amounts and other.amounts - one.amounts:
        return one.years == other.years or not (one.years and other.years)
    return one.amounts == other.amounts and bool(one.years - other.years and other.years - one.years)


def _sentences(text: str) -> Iterator[_Sentence]:
    """The statements of a text: no question, no field, no frontmatter, not where it comes from."""
    text = re.sub(r"\A\ufeff?---\n.*?\n---[ \t]*\n", "", text, flags=re.S)
    found = 0
    for part in re.split(r"(?<=[.!?])\s+|(?<=[。！？])|\n+", text):
        clean = " ".join(part.split())
        if not clean or "::" in clean or clean.endswith(("?", "？")) or _ORIGIN.match(clean):
            continue
        sentence = _read(clean)
        if len(sentence.words) <= MAX_WORDS:
            yield sentence
        found += 1
        if found >= MAX_SENTENCES:
            return


def _read(text: str) -> _Sentence:
    words: set[str] = set()
    amounts: set[str] = set()
    years: set[str] = set()
    negated = False
    before, end = "", 0
    tokens = list(_TOKEN.finditer(_spaced(text)))
    for at, match in enumerate(tokens):
        token = match[0]
        low = fold(token.replace("'", "")).strip()
        after = fold(tokens[at + 1][0]).strip() if at + 1 < len(tokens) else ""
        if match["number"]:
            named = before if not match.string[end : match.start()].strip() else ""
            _number(token, named, _stem(after), words, amounts, years)
        elif token.casefold() in COUNTS:
            amounts.add(COUNTS[token.casefold()])
        elif low in NEGATIONS:
            negated = True
        else:
            words.update(_stem(w) for w in low.split() if w not in STOP)
        before, end = token, match.end()
    return _Sentence(text, frozenset(words), frozenset(amounts), frozenset(years), negated)


def _spaced(text: str) -> str:
    """CJK characters apart from each other and from numbers, so that each is a token; case is kept."""
    return re.sub(r"([\u3040-\u30ff\u3400-\u9fff])", r" \1 ", text.replace("’", "'"))


def _number(token: str, before: str, after: str, words: set[str], amounts: set[str], years: set[str]) -> None:
    """Sort a number: a date or a name says what the sentence is about, a year when, all else how much."""
    low = fold(before).strip()
    name = low in NAMING or (before[:1].isupper() and low not in STOP and low not in UNITS)
    if re.fullmatch(_DATE, token) or (name and after not in UNITS):
        words.add(f"#{token}")
    elif _YEAR.fullmatch(token) and after not in UNITS:
        years.add(token)
    else:
        amounts.add(_value(token))


def _value(token: str) -> str:
    """One spelling for "1,200", "1.200" and "1200", "950.00" and "950", "0,5" and "0.5"."""
    if re.fullmatch(r"[1-9]\d{0,2}(?:[.,]\d{3})+", token):
        return re.sub(r"[.,]", "", token)
    plain = token.replace(",", ".")
    return plain.rstrip("0").rstrip(".") if plain.count(".") == 1 and ":" not in plain else plain


def _stem(word: str) -> str:
    """Plural and verb endings of English, roughly: enough to match "costs" with "cost"."""
    for ending, least in (("ing", 6), ("ed", 5), ("es", 5), ("s", 4)):
        if len(word) >= least and word.endswith(ending) and not word.endswith("ss"):
            return word[: -len(ending)]
    return word
