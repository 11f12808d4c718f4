"""Which prompts only steer the work at hand ("ok, go on", "fix the failing test") and ask nothing of notes.

The table holds words of talk and of programming sessions. A prompt is asked of the memory only where
something else is left of it; a word here does not hinder a question that has others. Pure.
"""

from __future__ import annotations

import re

from genesys.parse.query import words_of
from genesys.parse.stopwords import CJK_STOP, STOP

__all__ = ["TOPIC_CHARS", "topic_of"]

TOPIC_CHARS = 2_000  # of a prompt that are looked at, from both ends: the question stands at one of them

_CHATTER_TEXT = """
ok okay yes yep yeah no nope sure please thanks thank thx ty hi hello hey bye sorry great nice good perfect
cool awesome fine right wrong correct exactly well done looks look looking seems seem see saw show shows tell
say says said think thinks thought know want wants need needs like let lets go goes going on continue
proceed next again back now then later first last same other another more less much many few some any all
both each every still yet already just only also too very really quite maybe perhaps instead sorry wait stop
start begin finish finished end ready keep take takes took give gives make makes made put get gets got set
use uses used using try tries tried do did doing didn doesn don isn wasn won can couldn wouldn shouldn ll ve
re m d im dont cant thing things stuff something anything nothing everything way ways lot bit part step steps
time times minute moment today tomorrow yesterday morning evening day weather break best better worse new old
one two three here there up down out off away around
fix fixes fixed fixing bug bugs broken breaks fail fails failed failing failure failures error errors
exception exceptions traceback crash crashes crashed warning warnings issue issues problem problems wrong test
tests tested testing suite pytest run runs running ran rerun execute build builds building compile compiles
green red pass passes passing lint linter format formatted type types typing check checks checked verify
commit commits push pull pushes pr request merge merged rebase branch branches diff patch git repo repository
undo redo revert reset restore save saved open opens close closed delete remove removed add added adds append
insert rename move moved copy change changes changed edit edits edited update updates updated upgrade replace
refactor refactored refactoring clean cleanup simplify rewrite write writes written read reads implement
implemented implementation create creates created code codes coding function functions method methods class
classes variable variables parameter parameters argument arguments file files folder folders directory line
lines script scripts module modules import imports package docstring docstrings comment comments config
configuration readme changelog doc docs log logs output print explain explains explained summarize summarise
summary describe list lists short shorter long longer fast faster slow slower small smaller big bigger simple
simpler work works worked working load loads loaded undefined null none true false todo done deploy install
installed command commands terminal shell option options prompt plan review reviewed approach idea suggestion
ja nein danke bitte weiter mach mache machen gut genau okay hallo jetzt nochmal noch mal fehler beheben
behebe datei funktion schreib schreibe zeig zeige erklar erklare lass oui non merci continue bien parfait
encore maintenant corrige corriger erreur fichier fonction ecris montre explique si gracias sigue continua
bueno vale perfecto ahora arregla error archivo funcion escribe muestra explica
"""
_CHATTER = frozenset(_CHATTER_TEXT.split())
_CHATTER_CJK_TEXT = """
谢谢 多谢 感谢 好的 好吧 好了 可以 不错 很好 做得 没问题 继续 接着 然后 下一步 帮我 帮忙 麻烦 看看
看一下 一下 试试 试一下 这个 那个 这样 那样 这里 那里 现在 今天 明天 昨天 天气 时间 先 再 修复 修改 修好
修 改成 改为 改一下 改 测试 单元测试 运行 执行 跑 提交 推送 合并 分支 回滚 撤销 代码 函数 方法 变量 文件
目录 脚本 模块 注释 文档 报错 出错 错误 异常 失败 问题 日志 重构 优化 重写 写一个 写个 写 实现 添加 加上
删除 删掉 更新 解释 总结 说明 告诉 觉得 为什么 怎么办 怎么样 怎么 如何 哪个 哪里 什么 方案 计划 更好 请
你 我 是 对 嗯 行 不 ありがとう お願い 続けて 続き 次 修正 直して テスト 実行 エラー コード ファイル
関数 고마워 감사 계속 테스트 수정 오류 코드 파일 함수 해줘
"""
# Longest first, so that no phrase is torn by a shorter one.
_CHATTER_CJK = sorted(map(re.escape, _CHATTER_CJK_TEXT.split()), key=len, reverse=True)
_PHRASES = re.compile("|".join(_CHATTER_CJK))
_WIDE = re.compile(
    "[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff]+"
)
_WIDE_STOP = re.compile(f"[{''.join(sorted(CJK_STOP))}]")
_FENCE = re.compile(r"^(```+|~~~+).*?(?:^\1|\Z)", re.MULTILINE | re.DOTALL)
_COMMAND = re.compile(r"\s*(?:/[\w:.-]+(?:\s|\Z)|!)")  # a client's own command, or its shell
_LETTER = re.compile(r"[^\W\d_]")


def topic_of(prompt: str) -> str:
    """What a prompt asks of the memory, without the code in it; "" where it only steers the work.

    >>> topic_of("ok, run the tests again"), topic_of("run the sluice again")
    ('', 'run the sluice again')
    """
    if _COMMAND.match(prompt):
        return ""
    text = _ends(prompt)
    text = " ".join(_FENCE.sub(" ", text).split())
    return text if _latin(text) or _wide(text) else ""


def _ends(prompt: str) -> str:
    if len(prompt) <= TOPIC_CHARS:
        return prompt
    half = TOPIC_CHARS // 2
    return f"{prompt[:half]}\n{prompt[-half:]}"


def _latin(text: str) -> bool:
    words = words_of(_WIDE.sub(" ", text))
    return any(w not in _CHATTER and w not in STOP and len(w) > 1 and _LETTER.search(w) for w in words)


def _wide(text: str) -> bool:
    """Whether a run of two characters is left that are not talk."""
    return any(
        len(part) > 1
        for run in _WIDE.findall(text)
        for part in _WIDE_STOP.sub(" ", _PHRASES.sub(" ", run)).split()
    )
