"""The text around a link made plain: other links, code and formulas become one sign each."""

from __future__ import annotations

import re

__all__ = ["CODE", "LINK", "after_link", "before_link", "is_cjk", "is_question", "last"]

LINK = "\ue000"  # stands for another link; private use, so no writer means it
CODE = "\ue001"  # stands for code or a formula

_MASKS = (
    (re.compile(r"`[^`\n]*`|\$[^$\n]+\$"), CODE),
    (re.compile(r"!?\[\[[^\[\]\n]*\]\]|!?\[[^\[\]\n]*\]\([^()\n]*\)"), LINK),
    (re.compile(r"\[\^[^\]\s]+\]|[*~]+|==|(?<!\w)_+|_+(?!\w)|(?<!\w)[\"“”„«»]|[\"“”«»](?!\w)"), ""),
)
_CUT_LINK = re.compile(r"^[^\[\]]*\]\]")  # the reach ended inside a link
_BLOCK = re.compile(r"\n[ \t]*(?:\n|[-*+>#|] ?|\d+[.)] )|\s\|\s|\A\s*\|")
_END = re.compile(
    r"(?<![ .]\w)(?<!e\.g)(?<!i\.e)(?<!\betc)(?<!\bvs)(?<!\bcf)(?<!\b[dm]r)(?<!\bbzw)(?<!z\.b)"
    r"[.!?…][\")\]]*\s|[。！？]"
)
_MARKERS = re.compile(r"^(?:\s*(?:[-*+>]+|\d+[.)]|#+)(?:\s+\[.\])?\s+)+")
_MODAL_MAY = re.compile(r"(?<!^)\bMay\b(?! be\b| have\b)")
_QUESTION = re.compile(r"[^.!。！]*[?？](?!\w)")
_CJK = re.compile("[\u3400-\u9fff]")


def _mask(text: str) -> str:
    for pattern, sign in _MASKS:
        text = pattern.sub(sign, text)
    return text


def _fold(text: str) -> str:
    """Lower case with straight apostrophes and single spaces; the month of May is not a modal."""
    return re.sub(r"\s+", " ", _MODAL_MAY.sub("5th", text).replace("’", "'").lower())


def before_link(text: str) -> str:
    """Return the sentence up to the link, folded, without list markers, quotes and emphasis."""
    text = _mask(_CUT_LINK.sub(LINK, text, count=1))
    block = last(_BLOCK, text)
    text = _MARKERS.sub("", text[block.end() :] if block else text)
    end = last(_END, text)
    return _fold(text[end.end() :] if end else text).lstrip()


def after_link(text: str) -> str:
    """Return the rest of the sentence behind the link, its end mark included, folded."""
    text = _mask(text)
    block = _BLOCK.search(text)
    text = text[: block.start()] if block else text
    end = re.search(r"[.!?…](?=[\")\]]*(?:\s|$))|[。！？]", text)
    return _fold(text[: end.end()] if end else text).rstrip()


def is_question(after: str) -> bool:
    return bool(_QUESTION.fullmatch(after))


def is_cjk(text: str) -> bool:
    return bool(_CJK.search(text))


def last(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    """Return the last place where the pattern matches."""
    found = None
    for match in pattern.finditer(text):
        found = match
    return found
