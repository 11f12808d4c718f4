"""Cue phrases in Chinese: no spaces, so phrases are found by their characters and clauses by punctuation."""

from __future__ import annotations

import re

from genesys.model import EdgeType
from genesys.parse.cue_table import AFTER, AROUND, BEFORE, Around, Cue
from genesys.parse.cue_text import LINK, last

__all__ = ["relation_cjk"]

Found = tuple[EdgeType, bool]

_BEFORE = {cue.phrase: cue for cue in BEFORE if cue.language == "zh"}
_AFTER = {cue.phrase: cue for cue in AFTER if cue.language == "zh"}


def _any(phrases: list[str]) -> str:
    return "|".join(sorted(map(re.escape, phrases), key=len, reverse=True))


_FIND = re.compile(_any(list(_BEFORE)))
_OPENINGS = re.compile(_any(sorted({around.opening for around in AROUND})))
_BREAK = re.compile("[，,；;：:（）()—]|但是|但|而且|然而|不过")
_GAP = re.compile(
    " ?(?:[一这那该此两几]?[个种些次场项]?|[一这那该此])[“‘《]?(?:[\u3400-\u9fff]{1,6}的)? ?(?:《|“|‘)?"
)
_NOT_BETWEEN = re.compile("缺乏|缺少|没有|不|在|对|把|被|使|让|来自|是|向|从|为|会|能|可以")
_NEGATED = re.compile("不是|并非|不|没有|没|未|并不|非|无法|难以")
_UNREAL = re.compile(
    "如果|假如|倘若|(?<!主)要是|可能|也许|或许|大概|好像|似乎|据说|是否|会不会|能否|会$|将会|可以$|若|想象|怀疑|为什么"
)
_EVIDENCE = re.compile("结果|证据|研究|数据|实验|发现|调查|观察|文献|这(?:一点)?(?:也|都|进一步|恰好|正好)?$")
_CLAIM = re.compile(
    "^ ?(?:一文)?(?:中|里)?(?:提出)?的?(?:这一|这个)?(?:观点|假说|假设|理论|论点|说法|看法|结论|主张)"
)
_SELF = re.compile(
    "(?:本文|本页|本|这|此|它|该)?(?:一|个|篇|项|条)?(?:决定|笔记|方案|计划|文档|版本|设计|规则|做法)?(?:现在|现已|已经|已|将|最终|后来)?"
)
_DECIDED = re.compile("我们?(?:最终|后来|现在|已经)?(?:决定|选择|选用|选了|改用|采用|换成|用了)")
_FIRST_PERSON = re.compile("^(?:我|我们|这|这里|今天|昨天|项目|后来|最终)")
_BASED = re.compile("(?:这|本|该|此)[\u3400-\u9fff]{0,6}|[\u3400-\u9fff]{0,8}是|主要|完全|部分|大多")
_BASED_END = re.compile(r" ?(?:$|[，。,.；;！、（(]|和|与|的|" + LINK + ")")


def relation_cjk(before: str, after: str) -> Found | None:
    """Return type and direction of the relation, or None."""
    return _around(before, after) or _single(before, after) or _behind(before, after)


def _single(before: str, after: str) -> Found | None:
    match = last(_FIND, before)
    if match is None:
        return None
    cue, gap = _BEFORE[match[0]], before[match.end() :]
    lead = before[: match.start()]
    if not _bridges(gap, after) or not _real(lead) or not _fits(cue, lead, gap, after):
        return None
    return cue.type, cue.forward


def _bridges(gap: str, after: str) -> bool:
    """Between cue and link stand a few characters, or earlier links of one list."""
    while LINK in gap:
        head, gap = gap.split(LINK, 1)
        if not _describes(head):
            return False
        join = re.match(r" ?(?:、|和|与|及|以及) ?", gap)
        if join is None:
            return False
        gap = gap[join.end() :]
    return _describes(gap)


def _describes(text: str) -> bool:
    return bool(_GAP.fullmatch(text)) and not _NOT_BETWEEN.search(text)


def _clause(lead: str) -> str:
    return _BREAK.split(lead)[-1].strip()


def _real(lead: str) -> bool:
    clause = _clause(lead).replace("不仅", "").replace("不只", "").replace("不得不", "")
    return not _UNREAL.search(lead) and not _NEGATED.search(clause[-4:])


def _fits(cue: Cue, lead: str, gap: str, after: str) -> bool:
    clause = _clause(lead)
    if lead.lstrip().startswith(LINK) or LINK in clause:
        return False
    match cue.frame:
        case "adjunct":
            if not lead.strip() and re.match(f"[^，,]{{0,4}}[，,] ?{LINK}", after):
                return False
            return LINK not in lead or bool(_FIRST_PERSON.match(lead))
        case "verb" | "choice":
            return LINK not in lead and not re.match(" ?(?:的|式)(?:人|东西|问题|原因)", after)
        case "claim":
            return LINK not in lead and bool(_EVIDENCE.search(clause) or _CLAIM.match(after))
        case "participle":
            alone = not lead.strip() and bool(_BASED_END.match(after))
            return LINK not in lead and (alone or bool(_BASED.fullmatch(clause)))
        case "self":
            return bool(_SELF.fullmatch(lead.strip())) and bool(
                re.match(r"\W|$|的?(?:方案|计划|决定|做法)", after)
            )
        case "swap":
            return bool(_DECIDED.search(lead)) and LINK not in lead
    return False


def _around(before: str, after: str) -> Found | None:
    match = last(_OPENINGS, before)
    if match is None:
        return None
    gap, lead, rest = before[match.end() :], before[: match.start()], after.lstrip()
    for around in AROUND:
        if around.opening == match[0] and _closes(around, rest):
            good = _bridges(gap, after) and _real(lead) and _around_fits(around, lead)
            return (around.type, around.forward) if good else None
    return None


def _closes(around: Around, rest: str) -> bool:
    """The second part follows the link, perhaps behind a noun of the claim: 与 [[x]] 的观点相矛盾."""
    tail = re.sub("^的?(?:观点|说法|结论|理论|主张|思想|作品)?", "", rest)
    return any(rest.startswith(closing) or tail.startswith(closing) for closing in around.closings)


def _around_fits(around: Around, lead: str) -> bool:
    if LINK in lead:
        return False
    return around.frame != "self" or bool(_SELF.fullmatch(lead.strip()))


def _behind(before: str, after: str) -> Found | None:
    if before.strip():
        return None
    for phrase, cue in _AFTER.items():
        if after.lstrip().startswith(phrase):
            return cue.type, cue.forward
    return None
