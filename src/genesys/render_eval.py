"""An evaluation of recall as a person reads it: two small tables and a verdict a signal."""

from __future__ import annotations

from collections.abc import Iterator

from genesys.evaluation import Effect, Evaluation, Figure, Ranking, Verdict
from genesys.render import counted, one_line

__all__ = ["eval_lines"]

LISTED = 20  # lines that could not be asked, before the rest is only counted


def eval_lines(report: Evaluation) -> Iterator[str]:
    """The lines of the report."""
    source = "the vault's links" if report.made_from == "links" else "the file"
    yield f"{counted(report.asked, 'question')} from {source}, asked read-only, without the daemon"
    for notice in report.notices:
        yield f"! {one_line(notice)}"
    yield from (f"! left out, {one_line(line)}" for line in report.skipped[:LISTED])
    if len(report.skipped) > LISTED:
        yield f"! and {len(report.skipped) - LISTED} more lines (--json lists all)"
    yield ""
    names = [name for name in report.rankings[0].figures if name != "ndcg@10"]
    yield f"{'':<14}" + "".join(f"{_title(name):>19}" for name in names)
    for ranking in report.rankings:
        yield _row(ranking, names)
    yield ""
    yield "In brackets: where the figure would lie, nineteen times in twenty, with other such questions."
    if report.effects:
        yield ""
        yield f"{'without':<18}{f'recall@{report.k}':>12}{'MRR':>9}  verdict"
        yield from (_effect(effect, report.k) for effect in report.effects)


def _title(name: str) -> str:
    return "MRR" if name == "mrr" else name


def _row(ranking: Ranking, names: list[str]) -> str:
    return f"{ranking.name:<14}" + "".join(f"{_shown(ranking.figures[name]):>19}" for name in names)


def _shown(figure: Figure) -> str:
    return f"{figure.mean:.3f} [{figure.low:.2f} {figure.high:.2f}]"


def _effect(effect: Effect, k: int) -> str:
    points, order = round(0.0 - 100 * effect.recall.mean, 1), round(0.0 - effect.mrr.mean, 3)
    return f"{effect.signal:<18}{points + 0.0:>+12.1f}{order + 0.0:>+9.3f}  {_said(effect, k)}"


def _said(effect: Effect, k: int) -> str:
    if effect.verdict is Verdict.UNSEEN:
        return "no difference you could see"
    sure = effect.recall.low > 0 or effect.recall.high < 0
    size = abs(100 * effect.recall.mean)
    much = f"{size:.1f} points at {k}" if sure else f"{abs(effect.mrr.mean):.3f} of MRR, the order"
    if effect.verdict is Verdict.HELPS:
        return f"helps: {much}"
    return f"costs {much} here; without it: {' '.join(effect.off)}"
