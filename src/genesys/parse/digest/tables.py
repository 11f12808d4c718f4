"""How people say that something is decided, preferred, dated, broken or mended: English and Chinese, as data.

A rule fires on one sentence of a person's own words. ``not_before`` is looked for in what precedes the match
in the sentence, ``not_in`` in all of it. Precision before recall: a sentence that asks, supposes or may be
chatter is left alone.
"""

# ruff: noqa: E501 - a pattern is read best in one piece

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from genesys.transcripts import ProposalKind

__all__ = ["RULES", "RULES_CJK", "Rule", "broken", "mended", "unmended"]


@dataclass(frozen=True, slots=True)
class Rule:
    """``wants`` must stand in the sentence too; "" for a rule that needs nothing more."""

    kind: ProposalKind
    pattern: str
    not_before: str = ""
    not_in: str = ""
    wants: str = ""


_D, _P, _F = ProposalKind.DECISION, ProposalKind.PREFERENCE, ProposalKind.FACT

# ------------------------------------------------------------------ English

_WE = (
    r"(?:we|i|(?:the|our|my) (?:team|group|board|club|company|committee|council|class|crew|[a-z]+ and i)"
    r"|everyone|everybody|all of us)"
)
_HAVE = (
    r"(?:'ve|'d|’ve| have| has| had)?(?: all| now| finally| just| also| already| then| both| unanimously)*"
)
_SUPPOSED = (
    r"\b(?:if|whether|once|until|unless|should|could|would|might|may|maybe|perhaps|suppose|supposing|imagine"
    r"|in case|assuming|pretend|wish|when|before|ask(?:ed)? (?:me|us)|did|do|have|has|why|how|what|which)\b"
)
_VAGUE = (
    r"(?:it|that|this|these|those|them|one|yet|so|something|option \w|your \w+"
    r"|(?:the|your) (?:first|second|third|last|latter|former|other|same)(?: (?:one|option|approach|solution|version|variant|idea))?)"
)
_END = r"[ \t]*(?:[.,;:!)]|$)"
_USE = r"(?:go(?:ing)? with|stick(?:ing)? (?:with|to)|settl(?:e|ing) (?:on|for)|switch(?:ing)? (?:to|over to)|adopt(?:ing)?)"
_OVER = r"\b(?:over|instead of|rather than|for|because|since|as|and not|not)\b"
_IDIOM = r"\b(?:go(?:ing)? with (?:the flow|you|me|him|her|us|them)|stick(?:ing)? to the (?:point|topic)|for now let)\b"

_ORDER = (
    r"^(?:please |can |could |now |and |then |ok(?:ay)?,? )*(?:write|make|create|add|give|show|find|list|change|set|use|draft|send|"
    r"translate|summari[sz]e|explain|compare|check|imagine|suppose|assume|let (?:me|him|her|them)|tell|fix|generate|convert|say)\b"
)
_DIARY = (
    r"\b(?:yesterday|last (?:week|night|month|weekend|year)|today i|take a break|spend time|by the way|regret\w*|used to|back then|years ago"
    r"|(?:in|at) my (?:last|old|previous|former)\b)"
)
_TIME = r"(?:the |this |next |some )?(?:weekend|evening|morning|afternoon|week|day|time|chance|opportunity|moment|break|hour)s?\b"
_KEEP = r"keep(?= (?:the|our|both|all|using|an?|only) (?!eye\b|close\b|low\b|good\b|best\b))"
_WORK = (  # verbs of an instruction that lasts
    r"(?:use|write|put|run|commit|push|open|close|add|keep(?! going)|ask|answer|reply|start|end|format|name|call|include|check|test"
    r"|make|create|delete|remove|change|edit|rewrite|touch|send|show|tell|quote|cite|explain|translate|sign|store|save|book"
    r"|buy|order|round|sort|prefix|wrap|indent|import|deploy|merge|squash|rebase|force|log|print|return|set|leave|mention"
    r"|assume|guess|prefer|avoid|do|read|review|document|update|upgrade|install|pin|mock|skip|propose|suggest|mix|spell"
    r"|capitali[sz]e|summari[sz]e|reformat|refactor|hard-?code|swallow|catch|expose|share|publish|charge|pay|invite|plan)\b"
)

_ENGLISH = (
    # decisions
    Rule(_D, rf"\b{_WE}{_HAVE} (?:decided|agreed|opted|voted|resolved|settled)\b(?! on \d| on [a-z]+ \d| to (?:disagree|differ)\b| not to decide\b)"
             rf" (?:to|on|upon|for|that|against|not to)\b(?! {_VAGUE}{_END})", _SUPPOSED, rf"{_DIARY}|{_ORDER}"),
    Rule(_D, rf"\b{_WE}{_HAVE} (?:chose|chosen|picked|selected|went with|gone with)\b"
             rf"(?! (?:up|out|me|you|this|that|these|those)\b| {_VAGUE}{_END})", _SUPPOSED, rf"{_DIARY}|{_ORDER}",
         wants=rf"{_OVER}|\bchose to\b"),
    Rule(_D, rf"\blet(?:'|’)?s (?:{_USE}|{_KEEP}|use|drop|choose|not use|stay (?:with|on))\b"
             rf"(?! (?:it|this|things|up|see|try|some|my|your)\b)(?! {_TIME})(?! {_VAGUE}{_END})", _SUPPOSED, _IDIOM),
    Rule(_D, rf"\b(?:i|we)(?:'ll|’ll| will|(?:'m|’m|'re|’re| am| are) going to) (?:{_USE}|{_KEEP}|use|drop|stay with)\b"
             rf"(?! {_VAGUE}{_END}| (?:you|your|it|my|some)\b)(?! {_TIME})", _SUPPOSED, _IDIOM),
    Rule(_D, rf"\b(?:i|we)(?:'m|’m|'re|’re| am| are) (?:going|sticking|staying) with\b"
             rf"(?! (?:my|our|this|that|some|an?|her|his|their|friends|family)\b| {_VAGUE}{_END})", _SUPPOSED, _IDIOM),
    Rule(_D, r"^(?:the )?(?:final |our )?decision(?: is| was)?(?::| to\b| that\b)(?! make\b| be made\b)", _SUPPOSED),
    Rule(_D, r"(?:^|[,;:] )(?:so |then |ok(?:ay)? )*(?!(?:how|that|yes|no|what|there|here|sure|as|think|look|so|whatever) )"
             r"[\w.+#-]+(?: (?!how |that |what |as )[\w.+#-]+)? it is[.!]?$", _SUPPOSED),
    Rule(_D, r"\bmade up (?:my|our) minds?\b", rf"{_SUPPOSED}|\bnot\b|n't\b"),
    Rule(_D, r"\bwe(?:'ll|’ll| will) (?:support|ship|release|publish|host|target|require|hire)\b", _SUPPOSED, _DIARY),
    Rule(_D, r"^(?:decided|agreed|settled)[ \t]*[:–—]"),
    # preferences
    Rule(_P, r"\bi(?:'d|’d| would)?(?: really| strongly| much| always| usually| generally| personally| also| still"
             rf"| clearly)* (?:prefer|rather (?!not\b|think\b|wait\b|go\b|stay\b|die\b))\b(?! not to say)(?! {_VAGUE}{_END}| (?:that|this|it|those) )",
         r"\b(?:do|would|should|if|what|which) *$"),
    Rule(_P, r"\bmy (?:strong |clear |personal )?preference (?:is|would be)\b", _SUPPOSED),
    Rule(_P, rf"^(?:and |also |but |so |ok(?:ay)?[,.]? |yes,? )*(?:please )?(?:always|never|don(?:'|’)?t ever|do not ever) {_WORK}"),
    Rule(_P, rf"\bplease (?:always|never|don(?:'|’)?t ever|do not ever|stop) {_WORK}|\bplease stop \w+ing\b", r"\bif\b"),
    Rule(_P, r"\b(?:from now on|from here on|going forward|in (?:the )?future|henceforth)\b", r"\bif\b|\bmaybe\b",
         r"\b(?:will be|might|could|would|may|never give|i want|keep going|keep on)\b",
         r"\bplease\b|\b(?:always|never|don(?:'|’)?t|do not|no more) |(?:^|on,? |forward,? |future,? )(?:use|keep|write|make|put|call|answer|avoid|only)\b"),
    Rule(_P, r"\bi (?:(?:always|usually|only ever) (?:use|write|want|put|keep|run|name|work with|deploy|avoid|go for|commit|start with|format)"
             r"|never (?:use|write|run|deploy|commit|put))\b", r"\b(?:if|when|why)\b"),
    Rule(_P, r"\bi(?: really| just)? (?:hate|dislike|can(?:'|’)?t stand|don(?:'|’)?t like)\b"
             r"(?! (?:to|it|this|that|these|those|your|how|the way|being|not|when)\b)", r"\b(?:if|why|because)\b"),
    Rule(_P, r"^(?:and |so |btw,? |please )*(?:from now on|from here on)\b", "", r"\b(?:will be|might|could|would|may)\b"),
    Rule(_P, rf"^when(?:ever)? you [^,]{{3,60}}, (?:please )?(?:(?:always|never|don(?:'|’)?t|do not) )?{_WORK}"),
    Rule(_P, r"^(?:and |also |please )*no (?!problem|worr|idea|way|hurry|rush|need|pressure|issue|luck|one\b)[\w -]{3,40},? (?:ever|at all)\b"),
    Rule(_P, r"\b(?:don(?:'|’)?t|do not) \w+ [^,]{3,40}, (?:use|write|put) \w+", r"\b(?:if|i|you|we|they)\b *$|\bif\b"),
    Rule(_P, r"\b(?:can|could|would) you (?:please )?stop \w+ing\b", r"\bif\b"),
    Rule(_P, r"\beverywhere,? please\b|\bplease .{0,60}\beverywhere\b"
             r"|\bi(?: always)? want .{3,60}\b(?:everywhere|from the start|at all times|by default)\b", r"\bif\b"),
    Rule(_P, r"\bi (?:like|love) (?!to say).{2,60} (?:better than|more than)\b", r"\b(?:if|why)\b"),
    Rule(_P, r"\bi (?:don(?:'|’)?t )?want you to (?:always|never|stop|use|avoid)\b", r"\bif\b"),
)  # fmt: skip

# ------------------------------------------------------------------ Chinese

_UNDECIDED = r"(?:还没|没有|没|未|尚未|如果|要是|假如|若|是否|要不要|怎么|如何|再|等|何时|什么时候|谁|由|无法|不能|难以|你|您|可以|应该|可能|也许|或许|想)[^，。；]{0,4}$"
_ASKED = r"吗[。！]?$|呢[。！]?$|要不要|是不是|还是说|能不能"

_ONCE = r"以前|当初|后悔|曾经|那时"

_CHINESE = (
    Rule(_D, r"(?:我们|我|咱们|大家|团队|全组|最终|最后|讨论后|会上|一致)(?:(?!还没|没有|没|未|再|如果|是否|怎么|如何|可以|应该|可能|想|等)[^，。；]){0,8}?(?:决定|敲定|选定|说定|商定|拍板)"
             r"(?:了|用|不|要|采用|把|将|改|在|：|:)?(?!权|性|于|因素|的时候|过) ?\S", _UNDECIDED, rf"{_ASKED}|{_ONCE}"),
    Rule(_D, r"还是(?:用|选|上|走|改用) ?[^，。？]{1,20}吧", r"如果|要是|假如|是", rf"{_ASKED}|{_ONCE}"),
    Rule(_D, r"就(?:保留|定为|设为|维持) ?(?!这|那|它)\S", r"如果|要是|假如|可能|也许|一[^，。]{0,3}$", rf"{_ASKED}|{_ONCE}"),
    Rule(_D, r"(?:那|好|我们|我|咱们|还是)[，,]?(?:那|我们|咱们)?就(?:用|选|采用|按|改用|定在) ?(?!这|那|它|第)\S", r"如果|要是|假如|可能|也许|一[^，。]{0,3}$", _ASKED),
    Rule(_D, r"(?:我|我们|咱们|大家|最后|最终)(?:还是|一致|都)?(?:选|选择|选用|采用|改用)了?(?!的).{1,30}", r"如果|要是|假如|可能|也许|帮",
         rf"{_ASKED}|{_ONCE}", r"而不是|而非|不用|因为|由于"),
    Rule(_D, r"^[^，。；]{0,12}[，,]?[^，。；]{1,12}(?:定为|定在|定成)(?!了?吗)\S", rf"{_ONCE}|如果|要是|假如|没", rf"{_ASKED}|{_ONCE}"),
    Rule(_P, r"^(?:给我|回答|写|提问|评论|修改|推荐)[^，。]{0,8}(?:时候|时)[，,]?(?:先|请|不要|别|要|一律)", "", _ASKED),
    Rule(_P, r"(?:^|[，,])每(?:个|章|次|篇|天|周|条|页)[^，。]{0,12}?(?:控制在|不超过|别超过|不要超过|至少|最多)", r"如果|要是", _ASKED),
    Rule(_D, r"(?:一致同意|确定(?:用|采用|使用|选用)) ?\S", _UNDECIDED, _ASKED),
    Rule(_P, r"我(?:个人|还是|更加?|比较|一般|通常|平时|总是|一直|非常|很|也)*(?:喜欢|偏好|偏爱|倾向于?|习惯(?:用|于|把|先|在))(?!这|那|它|你)", r"如果|要是|因为.{0,6}$",
         rf"{_ASKED}|{_ONCE}"),
    Rule(_P, r"我(?:个人|很|非常|真的)*(?:不喜欢|讨厌|受不了|不习惯|不想要)(?!这|那|它|你)", r"如果|要是", _ASKED),
    Rule(_P, r"(?:以后|今后|往后|从现在起|从今以后|从今天起)(?!会|再|可能|的)[^，。；]{0,15}?(?:请|都|一律|不要|别|务必|统一)", r"如果|要是", _ASKED),
    Rule(_P, r"^[\u3400-\u9fff]{2,6}(?:一律|统一)(?:用|从|使用|采用|按|写|放)", r"如果|要是", _ASKED),
    Rule(_P, r"^(?:回答|回复|解释|代码|注释|提交信息|文档|输出|变量名|文件名)[^，。？]{0,8}(?:别|不要|都用|都要|尽量)", "", _ASKED),
    Rule(_P, r"(?:^|[，,；;])(?:请|务必|一定)?(?:总是|始终|永远|一律|千万|绝对)(?:都)?(?:不要|别|不能|要|用|使用|先|把|以)", r"如果|要是|你", _ASKED),
    Rule(_P, r"^(?:请)?(?:不要再|别再|绝不要|切勿)", "", _ASKED),
)  # fmt: skip

# ------------------------------------------------------------------ facts with dates

_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\.?"
)
_DATE = (
    r"\b[0-3]?\d\.[01]?\d\.(?:19|20)\d\d\b"
    r"|(?<![\d.:/-])(?:19|20)\d\d[-/.][01]?\d[-/.][0-3]?\d(?![\d:T-]| \d\d:\d\d)"
    rf"|\b[0-3]?\d(?:st|nd|rd|th)?(?: of)? {_MONTH},? (?:19|20)\d\d\b"
    rf"|\b{_MONTH} [0-3]?\d(?:st|nd|rd|th)?,? (?:19|20)\d\d\b"
    rf"|\b(?:in|since|until|by|from|before|after) {_MONTH} (?:19|20)\d\d\b"
    r"|(?:19|20)\d\d ?年 ?[01]?\d ?月(?: ?[0-3]?\d ?[日号])?"
)
_IS = (
    r"\b(?:is|are|was|were|will|has|had|have|been|must|may|can|starts?|started|begins?|began|ends?|ended|expires?"
    r"|expired|opens?|opened|closes?|closed|moves?|moved|launch(?:es|ed)?|released?|joins?|joined|leaves?|left|born"
    r"|died|signed|voted|bought|founded|lasts?|runs|ran|arrives?|arrived|retires?|married|met|moved|shipped|goes)\b"
)
_VERB_ZH = r"是|在|到期|上线|开始|结束|停机|发布|注册|成立|签|截止|交付|举行|搬|入职|离职|生日|将|于|起|续|开业|出生|去世|关闭|为止|之前|完成|启动|买|住"

_DATED = (
    Rule(_F, _DATE, r"\b(?:if|suppose|imagine|say|e\.g\.|for example|i (?:read|heard) that|(?:they|people|you) say|told me)\b|如果|假如|比如|例如", rf"{_ORDER}|{_ASKED}|^(?:帮|请|给)",
         rf"{_IS}|{_VERB_ZH}|(?:[^\W\d]+\W+){{6,}}"),
)  # fmt: skip

#: In order: the first rule that fires on a sentence says what it is.
RULES: tuple[Rule, ...] = (*_ENGLISH, *_DATED)
#: The same for a sentence with Chinese in it.
RULES_CJK: tuple[Rule, ...] = (*_ENGLISH, *_CHINESE, *_DATED)

# ------------------------------------------------------------------ errors and their end

_BROKEN = (
    r"\b[A-Za-z_][\w.]*(?:Error|Exception|Failure)\b\s*(?:[:：(]|\[)\s*\S.*",
    r"\b(?:error|fatal|panic|FAILED|ERROR)\b(?:\[\w+\]| \w+)?\s*[:：]\s*\S.*",
    r"\bnpm ERR! .*|[Ss]egmentation fault.*|^.{0,120}?\b(?:failed \(\d+: |[Aa]ddress already in use).*",
    r"\bE\d{3,5}\b.*|\bexit (?:code|status):? [1-9]\d*\b.*",
    r"\S+: (?:command not found|No such file or directory|[Pp]ermission denied|cannot \w+|not found).*",
    r"(?:says|shows|said|reports|get|got|getting|throws|fails with|failed with|dies with) (?:an? |the )?(?:error |message )?[\"“”'‘«`][^\"”'’»`]{4,200}[\"”'’»`]",
    r"(?:报错|错误|异常|失败)(?:了|信息)?\s*[:：]\s*\S.*",
)  # fmt: skip
_MENDED = (
    r"\b(?:that|this|it|which|now it|everything)(?: has| have|'s|’s)?(?: now)? (?:worked|fixed it|solved it|did it|did the trick|helped)\b",
    r"\b(?:it|all|everything) (?:now )?(?:runs|works|compiles|builds|starts)\b(?! (?:into|out|but|only|for me but))",
    r"\b(?:works?|working|builds?|runs?|starts?|prints?|compiles|passes) (?:again|now|fine now)\b",
    r"\b(?:it|that|problem|issue|error)(?:'s|’s| is| was| got)? (?:now )?(?:fixed|solved|resolved|gone)\b",
    r"\b\w+ (?:is|are) gone\b(?! wrong)|\bwithout (?:dying|crashing|failing|errors?|problems?)\b",
    r"\bno (?:more|longer any) errors?\b|\bthat was it\b|\bproblem solved\b|\bthe (?:error|warning) (?:is|has) (?:gone|disappeared)\b",
    r"(?:好了|可以了|成功了|搞定|解决了|修好了|没问题了|正常了|不再报错|不报错了|能用了|生效了)",
)  # fmt: skip
_UNMENDED = (
    r"\b(?:didn(?:'|’)?t|doesn(?:'|’)?t|does not|did not|not|won(?:'|’)?t|isn(?:'|’)?t) (?:help|work|fix|solve|fixed|solved|working|change|gone)\w*\b",
    r"\bstill (?:fail|the same|not|broken|get|see|crash|there|an error|shows|says|no)\w*|\bsame (?:error|problem|result|message)\b|\bno (?:luck|change|difference|effect)\b",
    r"\bonly worked\b|\bif (?:that|it) work(?:s|ed)\b|\bworked (?:before|yesterday|until|fine before)\b",
    r"(?:还是|仍然|依然|依旧)(?:不行|报错|失败|一样|没|不能)|没用|不管用|没有解决|没解决|未解决|一样的?错误|错误一样",
    r"(?:好了|可以了|解决了|成功了)(?:吗|？|\?)",
)  # fmt: skip


@lru_cache(maxsize=64)
def _any(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{p})" for p in patterns))


def broken(line: str) -> str:
    """What of a line is the message of an error; "" where nothing is."""
    for pattern in _BROKEN:
        if found := _any((pattern,)).search(line):
            return found[0].strip()
    return ""


def mended(text: str) -> bool:
    """Whether these words say that something works again."""
    return bool(_any(_MENDED).search(text.lower())) and not unmended(text)


def unmended(text: str) -> bool:
    """Whether these words say that something is as broken as before."""
    return bool(_any(_UNMENDED).search(text.lower()))
